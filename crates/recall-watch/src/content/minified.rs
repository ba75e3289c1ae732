//! Detection of minified code.

use recall_core::DocPath;

/// Returns whether a text is large and consists of few, very long lines.
///
/// Prose and notebooks never count as minified: paragraphs are long lines, and notebooks embed images in lines of their
/// own.
pub(super) fn is_minified(path: &DocPath, text: &str) -> bool {
    /// The least size of a minified file. A smaller one with a long line is a table, a test vector or a one-liner, and
    /// is cheap to index.
    const SIZE_BYTES: usize = 64 * 1024;
    /// The least mean line length in characters. Hand-written code has 20 to 60.
    const MEAN_LINE: usize = 500;

    let is_prose = path.extension().is_some_and(|extension| {
        let extension = extension.to_ascii_lowercase();
        PROSE_EXTENSIONS.contains(&extension.as_str())
    });
    !is_prose && text.len() >= SIZE_BYTES && text.chars().count() > MEAN_LINE * text.lines().count()
}

const PROSE_EXTENSIONS: &[&str] =
    &["md", "markdown", "mdx", "txt", "text", "rst", "adoc", "asciidoc", "org", "tex", "ipynb"];

#[cfg(test)]
mod tests;
