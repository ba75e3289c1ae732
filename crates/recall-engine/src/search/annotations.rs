//! The uses of an annotation or an attribute: `@Burst`, "where is `[Category]` used", `#[non_exhaustive]`.
//!
//! The mark before the name says that uses are asked for. Most of these names are defined in other projects, and by words whatever has the
//! word comes first.

use recall_core::{Case, ChunkRow, DocumentRow, DocumentType, Understood};
use recall_index::lexical::Searcher;
use recall_index::lexical::exact::Pattern;
use recall_text::FileKind;

use crate::error::StoreError;
use crate::occurrences::literal_matches;
use crate::store::Store;

/// The most words of a question about an annotation.
const MOST_WORDS: usize = 12;

/// The most documents with an annotation that are looked at.
const MOST_DOCUMENTS: usize = 100;

/// The most definitions of an annotation that follow its first use.
const MOST_DEFINITIONS: usize = 2;

/// Returns the places that use the annotation that a query is about: code, then tests, then pages, each by path. What defines it follows the
/// first of them. Empty if the query asks for something else, or if nothing uses it.
///
/// # Errors
/// An index cannot be read.
pub(super) fn find_annotated(
    store: &Store,
    searcher: &Searcher,
    understood: &Understood,
) -> Result<Vec<(DocumentRow, ChunkRow)>, StoreError> {
    let Some(asked) = asked_annotation(understood) else { return Ok(Vec::new()) };
    let Ok(pattern) = Pattern::regex(&asked.pattern(), Case::Sensitive) else { return Ok(Vec::new()) };
    let mut uses = Vec::new();
    for found in literal_matches(store, &pattern, MOST_DOCUMENTS)? {
        let stored = store.index.read(|snapshot| snapshot.document_with_run(found.row))?;
        let Some((stored, _)) = stored else { continue };
        let is_page = stored.document.document_type != DocumentType::Code;
        let is_demoted = stored.document.file_kind != FileKind::Main;
        uses.push((is_page, is_demoted, stored.document.path, found.row, found.chunk));
    }
    uses.sort_by(|a, b| (a.0, a.1, &a.2).cmp(&(b.0, b.1, &b.2)));
    let mut places: Vec<(DocumentRow, ChunkRow)> = uses.into_iter().map(|(.., row, chunk)| (row, chunk)).collect();
    if !places.is_empty() {
        let defined = searcher.defining(asked.name, MOST_DEFINITIONS + 1);
        let defined = defined.map_err(|source| store.index.search_error(source))?;
        if defined.len() <= MOST_DEFINITIONS {
            places.splice(1..1, defined.into_iter().map(|one| (one.document, one.chunk)));
        }
    }
    Ok(places)
}

/// An annotation in a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Annotation<'q> {
    mark: Mark,
    name: &'q str,
}

/// How languages mark annotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// `@Name`: Java, Kotlin, Swift, Python, TypeScript and others.
    At,
    /// `[Name]`: C# and its kin.
    Bracket,
    /// `#[name]`: Rust and PHP.
    HashBracket,
}

impl Annotation<'_> {
    /// The expression of a line with the annotation, of several in one pair of brackets too, and not in a comment.
    fn pattern(&self) -> String {
        let name = Pattern::escape(self.name);
        let code = r"^[ \t]*(?:[^ \t*/#\n](?:[^\n]*[ \t(,])?)?";
        match self.mark {
            Mark::At => format!(r"{code}@(?:[\w.:]+[.:])?{name}\b"),
            Mark::Bracket => format!(r"{code}\[(?:[^\]\n]*[ \t,.:])?{name}(?:Attribute)?[\](,]"),
            Mark::HashBracket => format!(r"#!?\[(?:[^\]\n]*[ \t,(:\\])?{name}\b"),
        }
    }
}

/// Words that a question about an annotation may have besides it.
const FILLERS: &str = "a all an and annotated annotation annotations any are attribute attributes by carry class classes code decorated decorator \
    do does every field fields file files find for function functions has have how in is it list marked me method methods of on places property \
    properties show test tests that the there thing things to type types usage usages use used uses using we what where which who with";

/// Returns the annotation that a query is about and nothing else.
fn asked_annotation(understood: &Understood) -> Option<Annotation<'_>> {
    let words: Vec<&str> = understood.in_english().split_whitespace().collect();
    if understood.report.is_some() || words.len() > MOST_WORDS {
        return None;
    }
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let is_filler = |word: &str| FILLERS.split_whitespace().any(|known| known == bare(word));
    let mut others = words.into_iter().filter(|word| annotation(word).is_some() || !is_filler(word));
    let asked = annotation(others.next()?)?;
    others.next().is_none().then_some(asked)
}

/// The fewest characters of a name.
const MIN_CHARS: usize = 3;

/// Returns the annotation that a word is.
fn annotation(word: &str) -> Option<Annotation<'_>> {
    let word = word.trim_matches(['`', '"', '\'', '?', '!', ',', '.', ';', ':']);
    let word = word.strip_suffix("()").unwrap_or(word);
    let (mark, name) = if let Some(name) = word.strip_prefix('@') {
        (Mark::At, name)
    } else if let Some(name) = word.strip_prefix("#[") {
        (Mark::HashBracket, name.strip_suffix(']')?)
    } else {
        // In other letters it is an index, or the heading of a table.
        let name = word.strip_prefix('[')?.strip_suffix(']').filter(|name| name.starts_with(char::is_uppercase))?;
        (Mark::Bracket, name)
    };
    let name = name.strip_suffix("()").unwrap_or(name);
    let is_name = |part: &str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    (name.chars().count() >= MIN_CHARS && name.split('.').all(is_name)).then_some(Annotation { mark, name })
}

#[cfg(test)]
mod tests {
    use recall_core::understand;

    use super::*;

    #[test]
    fn a_question_may_be_about_an_annotation() {
        let check = |text: &str, expected: Option<(Mark, &str)>| {
            let understood = understand(text);
            let asked = asked_annotation(&understood).map(|asked| (asked.mark, asked.name));
            assert_eq!(asked, expected, "{text}");
        };
        check("@Burst", Some((Mark::At, "Burst")));
        check("@Burst()", Some((Mark::At, "Burst")));
        check("where is @Burst used?", Some((Mark::At, "Burst")));
        check("which tests are annotated with `@app.route`", Some((Mark::At, "app.route")));
        check("[Category]", Some((Mark::Bracket, "Category")));
        check("where is [Category] used", Some((Mark::Bracket, "Category")));
        check("#[non_exhaustive]", Some((Mark::HashBracket, "non_exhaustive")));
        check("[dependencies]", None);
        check("why does @Burst fail", None);
        check("@scope/package", None);
        check("me@example.org", None);
        check("where is Burst used", None);
    }

    #[test]
    fn an_annotation_is_used_in_code_and_not_in_comments() {
        let check = |asked: &str, line: &str, expected: bool| {
            let pattern = annotation(asked).expect("an annotation").pattern();
            let pattern = Pattern::regex(&pattern, Case::Sensitive).expect("an expression");
            assert_eq!(pattern.matches(line).next().is_some(), expected, "{asked} in {line}");
        };
        check("@Burst", "  @Burst", true);
        check("@Burst", "class A {\n  fun f(@Burst n: Int) {}\n", true);
        check("@Burst", "@get:Burst(2)", true);
        check("@Burst", "@BurstMode", false);
        check("@Burst", " * A test with @Burst.", false);
        check("@Burst", "// @Burst", false);
        check("[Category]", "    [Category(\"slow\")]", true);
        check("[Category]", "    [Test, CategoryAttribute]", true);
        check("[Category]", "    items[Category] = 3;", false);
        check("#[inline]", "    #[inline(always)]", true);
        check("#[inline]", "#[cfg_attr(test, inline)]", true);
    }
}
