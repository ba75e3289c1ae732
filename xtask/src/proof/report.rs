//! What a set found: sentences, tables, a plot, raw lines, and where recall loses.

use super::plot::Bar;
use super::statistics::Difference;

/// A table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    pub(crate) head: Vec<String>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(head: &[&str]) -> Self {
        Self { head: head.iter().map(|cell| (*cell).to_owned()).collect(), rows: Vec::new() }
    }

    pub(crate) fn markdown(&self) -> String {
        let row = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule = format!("|{}\n", "---|".repeat(self.head.len()));
        std::iter::once(row(&self.head)).chain([rule]).chain(self.rows.iter().map(|cells| row(cells))).collect()
    }

    /// Returns a line a row, with tabs between the cells.
    pub(crate) fn lines(&self) -> String {
        let line = |cells: &Vec<String>| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace(['\t', '\n', '\r'], " ")).collect();
            format!("{}\n", cells.join("\t"))
        };
        std::iter::once(&self.head).chain(&self.rows).map(line).collect()
    }
}

/// What a set found.
#[derive(Default)]
pub(crate) struct Report {
    /// One line for the list of all sets.
    pub(crate) summary: String,
    /// Where recall is worse than something it is compared with, or than what it promises.
    pub(crate) losses: Vec<String>,
    pub(crate) tables: Vec<Table>,
    /// How it was measured, and what the figures do not say.
    pub(crate) remarks: Vec<String>,
    /// What was not run, and why.
    pub(crate) not_run: Vec<String>,
    pub(crate) raw: Table,
    pub(crate) plot: Option<(String, Vec<Bar>)>,
}

/// Returns a number with three significant digits at most, as the documentation writes it.
pub(crate) fn figure(value: f64) -> String {
    let text = if value.abs() >= 100.0 {
        format!("{value:.0}")
    } else if value.abs() >= 10.0 {
        format!("{value:.1}")
    } else if value.abs() >= 1.0 {
        format!("{value:.2}")
    } else {
        format!("{value:.3}")
    };
    // Thousands are separated.
    let (sign, digits) = text.strip_prefix('-').map_or(("", text.as_str()), |digits| ("−", digits));
    let (whole, rest) =
        digits.split_once('.').map_or((digits, String::new()), |(whole, rest)| (whole, format!(".{rest}")));
    let mut separated = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 {
            separated.push(',');
        }
        separated.push(digit);
    }
    format!("{sign}{separated}{rest}")
}

/// Returns `−0.02 [−0.05, 0.01]`.
pub(crate) fn interval(difference: &Difference) -> String {
    format!("{} [{}, {}]", figure(difference.mean), figure(difference.low), figure(difference.high))
}

/// Returns how often recall is better, worse and equal.
pub(crate) fn outcomes(better: usize, worse: usize, equal: usize) -> String {
    format!("{better} / {worse} / {equal}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits_and_separated_thousands() {
        let texts = [0.0, 0.1234, -1.5, 12.34, 999.6, 12_345.0, -1_234_567.0].map(figure);
        assert_eq!(texts, ["0.000", "0.123", "−1.50", "12.3", "1,000", "12,345", "−1,234,567"]);
    }

    #[test]
    fn cells_do_not_end_their_table() {
        let mut table = Table::new(&["a", "b"]);
        table.rows.push(vec!["x|y".to_owned(), "1\t2\n3".to_owned()]);
        assert_eq!(table.markdown(), "| a | b |\n|---|---|\n| x\\|y | 1\t2\n3 |\n");
        assert_eq!(table.lines(), "a\tb\nx|y\t1 2 3\n");
    }
}
