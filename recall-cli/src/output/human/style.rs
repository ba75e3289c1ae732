//! Styles by their meaning. They use the terminal's own palette of sixteen colours, so that they suit its theme.

use anstyle::{AnsiColor, Style};

/// Paths and other things to click or copy.
pub const PATH: Style = AnsiColor::Magenta.on_default();
/// Line numbers.
pub const LINE: Style = AnsiColor::Green.on_default();
/// Names of symbols.
pub const SYMBOL: Style = AnsiColor::Cyan.on_default();
/// What matches the query.
pub const MATCH: Style = AnsiColor::Red.on_default().bold();
/// Secondary information.
pub const DIM: Style = Style::new().dimmed();
/// Headings.
pub const STRONG: Style = Style::new().bold();
/// Comments in code.
pub(crate) const COMMENT: Style = Style::new().dimmed();
/// Strings and characters in code.
pub(crate) const LITERAL: Style = AnsiColor::Green.on_default();
/// Numbers in code.
pub(crate) const NUMBER: Style = AnsiColor::Cyan.on_default();
/// Keywords in code.
pub(crate) const KEYWORD: Style = AnsiColor::Blue.on_default();
/// Success.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// The word before an error.
pub const ERROR: Style = AnsiColor::Red.on_default().bold();
/// The word before a warning.
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// The word before a note or a hint.
pub const NOTE: Style = AnsiColor::Cyan.on_default().bold();

/// Returns styled text without styles, with matches in brackets.
#[cfg(test)]
pub(crate) fn plain(text: &str) -> String {
    let (begin, end) = (MATCH.render().to_string(), MATCH.render_reset().to_string());
    let mut pieces = text.split(&begin);
    let mut marked = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        marked.push('[');
        marked.push_str(&piece.replacen(&end, "]", 1));
    }
    anstream::adapter::strip_str(&marked).to_string()
}
