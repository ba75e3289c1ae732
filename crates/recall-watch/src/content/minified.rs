//! Was this text packed for machines?

use recall_core::DocPath;

/// Whether a text is large and has few, very long lines.
///
/// Prose and notebooks never are minified: paragraphs are long lines, and notebooks carry pictures in lines of their own.
pub(super) fn is_minified(path: &DocPath, text: &str) -> bool {
    /// A small file with a long line is a table, a test vector or a hand-written one-liner, and costs little.
    const SIZE_BYTES: usize = 64 * 1024;
    /// Code that people write has a mean line of 20 to 60 characters.
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
