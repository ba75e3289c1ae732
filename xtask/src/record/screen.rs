//! The rows of a terminal after a command wrote to it: text with colours.

/// Text of one style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) text: String,
    pub(crate) style: Style,
}

/// How text looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Style {
    /// The number of the colour in the palette of sixteen.
    pub(crate) colour: Option<u8>,
    pub(crate) is_bold: bool,
    pub(crate) is_dim: bool,
}

/// Reads what a program wrote into rows. A row that is too long is cut. Lines that a progress line erased are gone.
pub(crate) fn rows(output: &str, columns: usize) -> Vec<Vec<Run>> {
    let mut rows: Vec<Vec<Run>> = Vec::new();
    let mut style = Style::default();
    for line in output.lines() {
        // What a carriage return and an erased line leave is what comes last.
        let line = line.trim_end_matches('\r');
        let line = line.rsplit(['\r']).next().unwrap_or_default();
        rows.push(row(line, &mut style, columns));
    }
    while rows.last().is_some_and(|row| row.iter().all(|run| run.text.trim().is_empty())) {
        rows.pop();
    }
    rows
}

/// Reads one line.
fn row(line: &str, style: &mut Style, columns: usize) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut column = 0;
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        if let Some(sequence) = rest.strip_prefix("\u{1b}[") {
            let end = sequence.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(sequence.len() - 1);
            if sequence[end..].starts_with('m') {
                change(style, &sequence[..end]);
            }
            rest = &sequence[end + 1..];
            continue;
        }
        if let Some(link) = rest.strip_prefix("\u{1b}]") {
            // A link ends with BEL or ST; its address is not shown.
            let ends = ["\u{7}", "\u{1b}\\"].map(|mark| link.find(mark).map(|at| at + mark.len()));
            rest = ends.into_iter().flatten().min().map_or("", |end| &link[end..]);
            continue;
        }
        rest = &rest[first.len_utf8()..];
        if first.is_control() || column == columns {
            continue;
        }
        column += 1;
        match runs.last_mut().filter(|run| run.style == *style) {
            Some(run) => run.text.push(first),
            None => runs.push(Run { text: first.to_string(), style: *style }),
        }
    }
    runs
}

/// Changes a style as a sequence says (SGR).
fn change(style: &mut Style, numbers: &str) {
    for number in numbers.split(';').map(|number| number.parse().unwrap_or(0)) {
        match number {
            0 => *style = Style::default(),
            1 => style.is_bold = true,
            2 => style.is_dim = true,
            22 => (style.is_bold, style.is_dim) = (false, false),
            30..=37 => style.colour = Some(number - 30),
            39 => style.colour = None,
            90..=97 => style.colour = Some(number - 90 + 8),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(output: &str, expected: &[&[(&str, Option<u8>)]]) {
        let rows = rows(output, 10);
        let found: Vec<Vec<(&str, Option<u8>)>> =
            rows.iter().map(|row| row.iter().map(|run| (run.text.as_str(), run.style.colour)).collect()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn colours_make_runs() {
        check("a\u{1b}[1;32mb\u{1b}[0m c\r\n", &[&[("a", None), ("b", Some(2)), (" c", None)]]);
        check("\u{1b}[90mx\n\u{1b}[39my", &[&[("x", Some(8))], &[("y", None)]]);
    }

    #[test]
    fn links_and_movements_are_not_text() {
        check("\u{1b}]8;;file:///a\u{1b}\\a.rs\u{1b}]8;;\u{1b}\\\u{1b}[K!", &[&[("a.rs!", None)]]);
        check("indexing 1 of 2\r\u{1b}[Kdone\r\n\r\n", &[&[("done", None)]]);
    }

    #[test]
    fn a_long_row_is_cut() {
        check("0123456789abc", &[&[("0123456789", None)]]);
    }
}
