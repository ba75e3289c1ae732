//! Layout of tables.

use anstyle::Style;

use super::style::DIM;
use super::text::{columns, fit, fit_path};

/// How a column is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Left-aligned.
    Left,
    /// Right-aligned, for numbers.
    Right,
    /// Left-aligned; cut at its beginning if the table is too wide.
    Path,
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Column<'h> {
    /// Its heading.
    pub heading: &'h str,
    /// Its alignment.
    pub align: Align,
    /// The style of its cells.
    pub style: Style,
}

/// The minimum width of a cut column. Shorter text is of no use.
const LEAST: usize = 8;

/// Formats rows under headings, two spaces between columns. If the terminal is too narrow, the widest text columns are
/// cut; paths are cut later than other text.
pub fn render<const N: usize>(layout: &[Column<'_>; N], rows: &[[String; N]], width: Option<usize>) -> String {
    let mut widths: [usize; N] = std::array::from_fn(|at| {
        rows.iter().map(|row| columns(&row[at])).max().unwrap_or(0).max(columns(layout[at].heading))
    });
    if let Some(width) = width {
        narrow(layout, &mut widths, width.saturating_sub(2 * (N - 1)));
    }
    let mut text = String::new();
    let headings = layout.map(|column| column.heading.to_owned());
    line(&mut text, layout.map(|Column { align, .. }| Column { heading: "", align, style: DIM }), &headings, widths);
    for row in rows {
        line(&mut text, *layout, row, widths);
    }
    text
}

/// Narrows text columns until all fit, the widest first, none below [`LEAST`].
fn narrow<const N: usize>(layout: &[Column<'_>; N], widths: &mut [usize; N], room: usize) {
    while widths.iter().sum::<usize>() > room {
        // A path counts with two thirds of its width, so that it keeps more than other text.
        let counted = |at: usize| if layout[at].align == Align::Path { widths[at] * 2 / 3 } else { widths[at] };
        let can_give = |at: &usize| layout[*at].align != Align::Right && widths[*at] > LEAST;
        let Some(widest) = (0..N).filter(can_give).max_by_key(|&at| counted(at)) else { return };
        widths[widest] -= 1;
    }
}

fn line<const N: usize>(text: &mut String, layout: [Column<'_>; N], row: &[String; N], widths: [usize; N]) {
    for (at, (Column { align, style, .. }, cell)) in layout.into_iter().zip(row).enumerate() {
        let width = widths[at];
        let cell = if align == Align::Path { fit_path(cell, Some(width)) } else { fit(cell, Some(width)) };
        let padding = " ".repeat(width - columns(&cell).min(width));
        let between = if at == 0 { "" } else { "  " };
        let styled = format!("{style}{cell}{style:#}");
        let (before, behind) = match align {
            Align::Right => (padding.as_str(), ""),
            // The last column has no padding: no trailing spaces.
            Align::Left | Align::Path if at + 1 == N => ("", ""),
            Align::Left | Align::Path => ("", padding.as_str()),
        };
        for piece in [between, before, &styled, behind] {
            text.push_str(piece);
        }
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_they_must_be() {
        let plain = |heading, align| Column { heading, align, style: Style::new() };
        let layout = [plain("TYPE", Align::Left), plain("PATH", Align::Path), plain("CHUNKS", Align::Right)];
        let rows = [["code", "src/a/rather/long/path/lib.rs", "12"], ["adr", "docs/x.md", "3"]];
        let rows = rows.map(|row| row.map(ToOwned::to_owned));
        let shown = |width| anstream::adapter::strip_str(&render(&layout, &rows, width)).to_string();
        insta::assert_snapshot!(shown(None), @r"
        TYPE  PATH                           CHUNKS
        code  src/a/rather/long/path/lib.rs      12
        adr   docs/x.md                           3
        ");
        insta::assert_snapshot!(shown(Some(30)), @r"
        TYPE  PATH              CHUNKS
        code  …ong/path/lib.rs      12
        adr   docs/x.md              3
        ");
    }

    #[test]
    fn a_table_never_takes_more_columns_than_there_are() {
        let plain = |heading, align| Column { heading, align, style: Style::new() };
        let layout = [plain("NEAR", Align::Right), plain("PATH", Align::Path), plain("HOW", Align::Left)];
        let rows = [["1.25", "src/a/rather/long/path/lib.rs:100-200", "uses it, imports, imported by it, similar"]];
        let rows = rows.map(|row| row.map(ToOwned::to_owned));
        for width in [30, 40, 60, 79] {
            let shown = anstream::adapter::strip_str(&render(&layout, &rows, Some(width))).to_string();
            let widest = shown.lines().map(columns).max().expect("there are lines");
            assert!(widest <= width && widest + 2 > width, "{width}: {shown}");
        }
    }
}
