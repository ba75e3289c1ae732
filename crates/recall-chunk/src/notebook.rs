//! The text of Jupyter notebooks.

use std::fmt::Write as _;

use serde_json::Value;

/// Extracts the text of a Jupyter notebook: its cells, separated by two blank lines.
///
/// A markdown cell is copied, a code cell is put in a fence that names the kernel's language, and outputs are left out.
/// Runs of blank lines within a markdown cell are collapsed to one, so that two of them always end a cell. Returns
/// `None` if `json` is not a notebook.
pub fn notebook_text(json: &str) -> Option<String> {
    let notebook: Value = serde_json::from_str(json).ok()?;
    // Version 3 of the format kept the cells one level deeper, in its only worksheet.
    let cells =
        notebook.get("cells").or_else(|| notebook.get("worksheets")?.get(0)?.get("cells")).and_then(Value::as_array)?;
    let language = language(&notebook);
    let mut text = String::new();
    for cell in cells {
        let source = source(cell);
        let body = source.trim_matches('\n');
        if body.trim().is_empty() {
            continue;
        }
        if !text.is_empty() {
            text.push_str("\n\n\n");
        }
        match cell.get("cell_type").and_then(Value::as_str) {
            Some("code") => push_code(&mut text, &language, body),
            _ => push_prose(&mut text, body),
        }
    }
    text.push('\n');
    Some(text)
}

fn language(notebook: &Value) -> String {
    let metadata = notebook.get("metadata");
    let name = metadata
        .and_then(|metadata| metadata.pointer("/language_info/name"))
        .or_else(|| metadata?.pointer("/kernelspec/language"))
        .and_then(Value::as_str)
        .unwrap_or("python");
    name.chars().filter(|c| c.is_ascii_alphanumeric() || "+-#_".contains(*c)).collect()
}

/// The source of a cell: one string, or a list of lines that include their line breaks.
fn source(cell: &Value) -> String {
    match cell.get("source").or_else(|| cell.get("input")) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
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
        fence = crate::fence::after(fence, line);
    }
    if let Some(fence) = fence {
        text.push('\n');
        text.push_str(fence);
    }
}
