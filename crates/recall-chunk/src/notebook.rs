//! The text of Jupyter notebooks.

use std::fmt::{self, Write as _};
use std::io::Read;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Extracts the text of a Jupyter notebook: its cells, separated by two blank lines.
///
/// A markdown cell is copied, a code cell is put in a fence that names the kernel's language, and outputs are left out.
/// Runs of blank lines within a markdown cell are collapsed to one, so that two of them always end a cell. Returns
/// `None` if `json` is not a notebook.
pub fn notebook_text(json: &str) -> Option<String> {
    serde_json::from_str(json).ok().and_then(|notebook: Notebook| notebook.text())
}

/// Extracts the text of a notebook like [`notebook_text`], while it is read. Its outputs, with their pictures, take no memory.
pub fn read_notebook(reader: &mut dyn Read) -> Option<String> {
    serde_json::from_reader(reader).ok().and_then(|notebook: Notebook| notebook.text())
}

/// The parts of a notebook that hold text. All others are skipped while they are read.
#[derive(Deserialize)]
struct Notebook {
    cells: Option<Vec<Cell>>,
    /// Version 3 of the format kept the cells one level deeper, in its only worksheet.
    #[serde(default)]
    worksheets: Vec<Worksheet>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Worksheet {
    #[serde(default)]
    cells: Vec<Cell>,
}

#[derive(Deserialize)]
struct Cell {
    #[serde(default, rename = "cell_type")]
    kind: Text,
    #[serde(default)]
    source: Text,
    /// The source in version 3 of the format.
    #[serde(default)]
    input: Text,
}

#[derive(Default, Deserialize)]
struct Metadata {
    #[serde(default)]
    language_info: NamedCell,
    #[serde(default)]
    kernelspec: Kernel,
}

#[derive(Default, Deserialize)]
struct NamedCell {
    #[serde(default)]
    name: Text,
}

#[derive(Default, Deserialize)]
struct Kernel {
    #[serde(default)]
    language: Text,
}

impl Notebook {
    fn text(self) -> Option<String> {
        let Self { cells, worksheets, metadata } = self;
        let cells = cells.or_else(|| worksheets.into_iter().next().map(|worksheet| worksheet.cells))?;
        let language = metadata.language();
        let mut text = String::new();
        for Cell { kind, source, input } in cells {
            let Text(source) = if source.0.is_empty() { input } else { source };
            let body = source.trim_matches('\n');
            if body.trim().is_empty() {
                continue;
            }
            if !text.is_empty() {
                text.push_str("\n\n\n");
            }
            match kind.0.as_str() {
                "code" => push_code(&mut text, &language, body),
                _ => push_prose(&mut text, body),
            }
        }
        text.push('\n');
        Some(text)
    }
}

impl Metadata {
    fn language(&self) -> String {
        let names = [&self.language_info.name.0, &self.kernelspec.language.0];
        let name = names.into_iter().find(|name| !name.is_empty()).map_or("python", String::as_str);
        name.chars().filter(|c| c.is_ascii_alphanumeric() || "+-#_".contains(*c)).collect()
    }
}

/// A text: one string, or a list of lines that include their line breaks. Any other value is empty.
#[derive(Default)]
struct Text(String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a list of lines")
    }

    fn visit_str<E>(self, text: &str) -> Result<Text, E> {
        Ok(Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut lines: A) -> Result<Text, A::Error> {
        let mut text = String::new();
        while let Some(Text(line)) = lines.next_element()? {
            text.push_str(&line);
        }
        Ok(Text(text))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Text, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Text::default())
    }

    fn visit_unit<E>(self) -> Result<Text, E> {
        Ok(Text::default())
    }

    fn visit_bool<E>(self, _: bool) -> Result<Text, E> {
        Ok(Text::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<Text, E> {
        Ok(Text::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<Text, E> {
        Ok(Text::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Text, E> {
        Ok(Text::default())
    }
}

fn push_code(text: &mut String, language: &str, body: &str) {
    let longest = body.lines().map(|line| line.trim_start().bytes().take_while(|&b| b == b'`').count()).max();
    let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
    let _ = write!(text, "{fence}{language}\n{body}\n{fence}");
}

/// Collapses blank lines outside fences, and closes a fence that the cell leaves open.
fn push_prose(text: &mut String, body: &str) {
    let mut fence: Option<&str> = None;
    let mut is_first = true;
    let mut is_after_blank = false;
    for line in body.lines() {
        let is_blank = line.trim().is_empty();
        if is_blank && is_after_blank && fence.is_none() {
            continue;
        }
        is_after_blank = is_blank;
        if !is_first {
            text.push('\n');
        }
        is_first = false;
        text.push_str(line);
        fence = crate::lines::fence_after(fence, line);
    }
    if let Some(fence) = fence {
        text.push('\n');
        text.push_str(fence);
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn a_notebook_is_read_without_its_outputs() {
        let picture = "A".repeat(100_000);
        let json = format!(
            r##"{{"cells": [
                {{"cell_type": "markdown", "source": ["# Title\n", "text"], "attachments": {{"a.png": "{picture}"}}}},
                {{"cell_type": "code", "source": "x = 1", "outputs": [{{"data": {{"image/png": "{picture}"}}}}]}},
                {{"cell_type": "code", "source": null}}
            ], "metadata": {{"kernelspec": {{"language": "r"}}, "other": [1.5, true]}}, "nbformat": 4}}"##
        );
        let text = "# Title\ntext\n\n\n```r\nx = 1\n```\n";
        assert_eq!(notebook_text(&json).as_deref(), Some(text));
        assert_eq!(read_notebook(&mut json.as_bytes()).as_deref(), Some(text));
    }

    #[test]
    fn cells_of_an_old_notebook_are_in_a_worksheet() {
        let json = r#"{"worksheets": [{"cells": [{"cell_type": "code", "input": ["a = 1\n", "b"]}]}], "metadata": {}}"#;
        assert_eq!(notebook_text(json).as_deref(), Some("```python\na = 1\nb\n```\n"));
    }

    #[test]
    fn what_is_not_a_notebook_has_no_text() {
        for json in ["", "[]", "{}", "{\"cells\": 1}", "{\"cells\": [1]}", "{\"cells\": []"] {
            assert_eq!(notebook_text(json), None, "{json}");
        }
        assert_eq!(read_notebook(&mut io::empty()), None);
    }
}
