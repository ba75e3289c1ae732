//! The code that reads an option of the command line, for questions such as "where is --join-output parsed".
//!
//! Many parsers take the name of an option without its dashes: `{"join-output", no_argument, ...}`, `flag.Bool("join-output", ...)`.
//! The texts with the dashes are then the help and the manual, and not the code.

use recall_core::{Case, ChunkRow, DocumentRow, Understood};
use recall_index::lexical::exact::Pattern;

use crate::error::StoreError;
use crate::occurrences::chunks_with;
use crate::store::Store;

/// The most files that name an option. With more, its name is a common word in quotation marks.
const MOST_DOCUMENTS: usize = 5;

/// The most bytes of texts that are read for an option.
const MOST_READ_BYTES: usize = 16 << 20;

/// Returns the places that have the option of a question in quotation marks without its dashes. Empty if the question is not about the code that
/// reads an option, if a text has it in quotation marks with its dashes, or if more than [`MOST_DOCUMENTS`] texts have it without.
///
/// # Errors
/// The catalog cannot be read.
pub(super) fn find_option_readers(
    store: &Store,
    understood: &Understood,
) -> Result<Vec<(DocumentRow, ChunkRow)>, StoreError> {
    let Some(name) = asked_option(understood.in_english()) else { return Ok(Vec::new()) };
    let quoted = |text: String| Pattern::any_of(&[&format!("\"{text}\""), &format!("'{text}'")], Case::Sensitive);
    let (Ok(dashed), Ok(bare)) = (quoted(format!("--{name}")), quoted(name.to_owned())) else { return Ok(Vec::new()) };
    let places = |pattern| chunks_with(store, pattern, MOST_DOCUMENTS, MOST_READ_BYTES);
    if places(&dashed)?.is_none_or(|found| !found.is_empty()) {
        return Ok(Vec::new());
    }
    let found = places(&bare)?.unwrap_or_default();
    let rows = found.into_iter().flat_map(|(document, chunks)| chunks.into_iter().map(move |chunk| (document, chunk)));
    Ok(rows.map(|(document, chunk)| (DocumentRow(document), chunk)).collect())
}

/// Returns the name of the option that a question is about, without its dashes, if it asks for the code that reads it.
fn asked_option(question: &str) -> Option<&str> {
    let bare = |word: &'_ str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let is_among = |word: &str, list: &str| list.split(' ').any(|known| known == bare(word));
    let mut name = None;
    let mut asks_for_code = false;
    for word in question.split_whitespace() {
        if let Some(option) = word.trim_start_matches(['`', '"', '\'']).strip_prefix("--") {
            let option = option.trim_end_matches(|c: char| !c.is_alphanumeric());
            let is_name = !option.is_empty() && option.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
            if !is_name || name.replace(option).is_some() {
                return None;
            }
        } else {
            asks_for_code |= is_among(word, READS);
            if !is_among(word, READS) && !is_among(word, FILLERS) {
                return None;
            }
        }
    }
    name.filter(|_| asks_for_code)
}

/// Words that ask for the code that reads an option.
const READS: &str = "parse parses parsed parsing handle handles handled handling implement implements implemented implementation process \
    processes processed read reads declare declares declared define defines defined definition code added registered";

/// Words that such a question may have.
const FILLERS: &str = "a and argument command does file flag function how in is it line of option our parameter source switch the this we where \
    which who";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_may_ask_for_the_code_that_reads_an_option() {
        for (question, expected) in [
            ("where is the option --join-output parsed", Some("join-output")),
            ("where is `--join-output` handled in the code?", Some("join-output")),
            ("which function reads --arg?", Some("arg")),
            ("what does --arg do", None),
            ("--join-output", None),
            ("where is --arg of the shop parsed", None),
            ("how are --one and --two parsed", None),
            ("where are options parsed", None),
        ] {
            assert_eq!(asked_option(question), expected, "{question}");
        }
    }
}
