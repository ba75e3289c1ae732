//! Files that a sentence names: by a path, as in "explain src/app/main.rs", by the full name of a class, as in "what does
//! com.acme.shop.Cart do", and without the ending, as in "where is the file cartUtil" and "the cart util file".
//!
//! The words of a path are those of many files, and rank whatever repeats them before the file.

use recall_core::{Case, ChunkRow, DocumentRow, QueryClass, Understood, understand_words};
use recall_index::lexical::Searcher;
use recall_index::lexical::exact::Pattern;
use recall_text::{FileKind, Frame, ImportLine, PathForm, import_line, looks_like_identifier, path_form};

use super::prior::asked_for;
use crate::error::StoreError;
use crate::occurrences::{chunks_with, first_chunk};
use crate::store::Store;

/// The most words of a sentence. A longer text is about more than the files that it names.
const MOST_WORDS: usize = 20;

/// The most files that a sentence names.
const MOST_FILES: usize = 3;

/// Returns the files that a query names, in its order. Empty if the query is nothing but a path, which paths rank, or if it asks for other
/// files: those that use a name, tests, or those with a message.
pub(super) fn named_files(understood: &Understood) -> Vec<Frame> {
    let text = understood.wording();
    let words: Vec<&str> = text.split_whitespace().collect();
    let imported = imported_files(understood);
    if !imported.is_empty() {
        return imported;
    }
    // A path in a message, or next to another text in quotation marks, is a part of it.
    let is_quoted = understood.phrases.len() > 1
        || understood.phrases.iter().any(|phrase| path_form(phrase) != Some(PathForm::Sure))
        || understood.message.is_some();
    if understood.report.is_some() || understood.used_name.is_some() || is_quoted || words.len() > MOST_WORDS {
        return Vec::new();
    }
    let paths = understood.paths.iter().filter(|_| words.len() > 1 && understood.class != QueryClass::Path);
    // Of several files with the name, the one that defines it is meant.
    let function = understood.identifiers.first().cloned();
    let paths =
        paths.map(|path| Frame { path: path.clone(), line: None, function: function.clone(), is_library: false });
    let others: Vec<&str> = words.iter().copied().filter(|word| !is_of_path(understood, word)).collect();
    let files: Vec<Frame> = paths.chain(others.iter().copied().flat_map(files_of_class)).take(MOST_FILES).collect();
    let asks_for_tests = || asked_for(&understand_words(&others.join(" "))).contains(&FileKind::Test);
    if files.is_empty() || asks_for_tests() { Vec::new() } else { files }
}

/// Returns the files that a query imports if it is a line that does: each name of a module is looked for in its file.
fn imported_files(understood: &Understood) -> Vec<Frame> {
    let Some(line) = imports(understood) else { return Vec::new() };
    let names: Vec<Option<&String>> =
        if line.names.is_empty() { vec![None] } else { line.names.iter().map(Some).collect() };
    names.into_iter().flat_map(|name| line.paths.iter().map(move |path| module_file(path, name))).collect()
}

/// The file of a module. The end of its path alone may be that of another module.
fn module_file(path: &str, name: Option<&String>) -> Frame {
    Frame { path: path.to_owned(), line: None, function: name.cloned(), is_library: true }
}

/// Returns what a query imports if it is a line that does.
pub(super) fn imports(understood: &Understood) -> Option<ImportLine> {
    let quoted = understood.phrases.first().map(String::as_str).filter(|_| understood.phrases.len() == 1);
    import_line(understood.wording(), quoted).filter(|_| understood.report.is_none())
}

/// The most files of one name. With more, the name does not tell which one is meant.
const MOST_NAMESAKES: usize = 2;

/// The most words of a name.
const MOST_WORDS_OF_NAME: usize = 4;

/// Words before the name of a file in a question about the file.
const BEFORE_FILE: &str = "where is open show me find explain what does in the a please locate read describe which";

/// Words behind it.
const BEHIND_FILE: &str = "do does contain contains for located about hold holds defined please where what";

/// Returns the files that a question names without the ending, or with one that no language has, each with its first chunk. Empty if it names
/// none, or more than [`MOST_NAMESAKES`] are called so.
///
/// # Errors
/// The index cannot be read.
pub(super) fn find_files_by_stem(
    store: &Store,
    searcher: &Searcher,
    understood: &Understood,
) -> Result<Vec<(DocumentRow, ChunkRow)>, StoreError> {
    let question = understood.in_english();
    if understood.report.is_some() || question.split_whitespace().count() > MOST_WORDS {
        return Ok(Vec::new());
    }
    let failed = |source| store.index.search_error(source);
    let mut found: Vec<(DocumentRow, ChunkRow)> = Vec::new();
    for name in understood.identifiers.iter().filter(|name| understood.used_name.is_none() && name.contains('.')) {
        let files = searcher.files_ending_with(name, &understood.filters, MOST_NAMESAKES + 1).map_err(failed)?;
        for document in files {
            found.extend(first_chunk(store, document)?.map(|chunk| (document, chunk)));
        }
    }
    if !found.is_empty() {
        return Ok(few(found));
    }
    let words = match asked_stem(question) {
        Some(words) => words,
        None => match stem_alone(store, searcher, understood)? {
            Some(word) => vec![word],
            None => return Ok(found),
        },
    };
    let joints: &[&str] = if words.len() == 1 { &[""] } else { &["", "_", "-", "."] };
    for joint in joints {
        let files = searcher.files_with_stem(&words.join(joint), MOST_NAMESAKES + 1).map_err(failed)?;
        found.extend(files.into_iter().map(|file| (file.document, file.chunk)));
    }
    Ok(few(found))
}

/// The most bytes of texts that are read for a phrase. One that needs more counts as a phrase of the texts.
const MOST_READ_BYTES: usize = 4 << 20;

/// Returns the word that may be the name of a file without its ending: a query that is nothing but a word with the form of a name, if nothing is
/// called so, and "syntax file", if no text has these words. *Config file* is a phrase of many texts.
fn stem_alone<'q>(
    store: &Store,
    searcher: &Searcher,
    understood: &'q Understood,
) -> Result<Option<&'q str>, StoreError> {
    let words: Vec<&str> = understood.in_english().split_whitespace().collect();
    match &words[..] {
        [word] if looks_like_identifier(word) && word.chars().all(|c| c.is_alphanumeric() || c == '_') => {
            let defined = searcher.defining_however_written(word, 1);
            let is_defined = !defined.map_err(|source| store.index.search_error(source))?.is_empty();
            Ok((!is_defined).then_some(*word))
        }
        [word, file] if file.eq_ignore_ascii_case("file") && word.chars().all(char::is_alphanumeric) => {
            let Ok(phrase) = Pattern::word(&format!("{word} file"), Case::Insensitive) else { return Ok(None) };
            let texts = chunks_with(store, &phrase, 0, MOST_READ_BYTES)?;
            Ok(texts.is_some_and(|texts| texts.is_empty()).then_some(*word))
        }
        _ => Ok(None),
    }
}

/// Returns the files if they are few enough to be all meant.
fn few(found: Vec<(DocumentRow, ChunkRow)>) -> Vec<(DocumentRow, ChunkRow)> {
    if found.len() <= MOST_NAMESAKES { found } else { Vec::new() }
}

/// Returns the words of the name of the file that a question is about: those behind "file", or those before it if they have the form of a
/// name or are several. "The log file" is any file of that kind.
fn asked_stem(question: &str) -> Option<Vec<&str>> {
    let words: Vec<&str> =
        question.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_')).collect();
    let is_among = |word: &str, list: &str| list.split(' ').any(|known| word.eq_ignore_ascii_case(known));
    let file = words.iter().position(|word| word.eq_ignore_ascii_case("file"))?;
    let first = words.iter().position(|word| !is_among(word, BEFORE_FILE))?;
    let last = words.iter().rposition(|word| !is_among(word, BEHIND_FILE))?;
    let is_name = |name: &[&str]| (1..=MOST_WORDS_OF_NAME).contains(&name.len());
    if first == file {
        let name = &words[file + 1..=last.max(file)];
        return is_name(name).then(|| name.to_vec()).filter(|name| name.len() == 1);
    }
    let name = &words[first..file];
    let has_form = |word: &str| {
        word.contains(|c: char| c == '_' || c.is_ascii_digit()) || word.chars().skip(1).any(char::is_uppercase)
    };
    let is_certain = name.len() > 1 || name.iter().any(|word| has_form(word));
    (last == file && is_name(name) && is_certain).then(|| name.to_vec())
}

/// Whether a word of a query has one of its paths.
fn is_of_path(understood: &Understood, word: &str) -> bool {
    let slashed = word.replace('\\', "/");
    understood.paths.iter().any(|path| slashed.contains(path.as_str()))
}

/// Returns the files that a word names if it is the full name of a class or of a member of one, the class of the longest name first:
/// `com/acme/shop/Cart` for `com.acme.shop.Cart` and for `com.acme.shop.Cart.total`.
fn files_of_class(word: &str) -> Vec<Frame> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
    let word = word.split(['(', '<']).next().unwrap_or_default();
    let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let parts: Vec<&str> = word.split(['.', '\\', '#']).collect();
    if parts.len() < 3 || parts.iter().any(|part| part.is_empty() || !part.chars().all(is_of_name)) {
        return Vec::new();
    }
    let classes =
        (2..=parts.len()).rev().filter(|&count| parts[count - 1].starts_with(|c: char| c.is_uppercase() || c == '$'));
    classes.take(2).map(|count| file_of_class(&parts, count)).collect()
}

/// Returns the file of the class whose full name is the first parts of a name. The next part is a member of it.
fn file_of_class(parts: &[&str], count: usize) -> Frame {
    let function = parts.get(count).or_else(|| parts.last()).map(|&name| name.to_owned());
    Frame { path: parts[..count].join("/"), line: None, function, is_library: false }
}

#[cfg(test)]
mod tests {
    use recall_core::understand;

    use super::*;

    #[test]
    fn a_sentence_names_files_by_their_paths() {
        let check = |text: &str, expected: &[&str]| {
            let files: Vec<String> = named_files(&understand(text)).into_iter().map(|file| file.path).collect();
            assert_eq!(files, expected, "{text}");
        };
        check("explain src/shop/cart.rs", &["src/shop/cart.rs"]);
        check("what does `cart.rs` do?", &["cart.rs"]);
        check("how do src/cart.rs and src/price.rs differ", &["src/cart.rs", "src/price.rs"]);
        check(r"explain tests\shop\cart.rs", &["tests/shop/cart.rs"]);
        check("explain \"src/shop/cart.rs\"", &["src/shop/cart.rs"]);
        check("explain \"src/cart.rs\" and \"total\"", &[]);
        check("cart.rs", &[]);
        check("explain tests/cart_test.rs", &["tests/cart_test.rs"]);
        check("tests for src/cart.rs", &[]);
        check("who uses cart.rs", &[]);
        check("how are carts priced", &[]);
    }

    #[test]
    fn a_file_may_be_named_without_its_ending() {
        let check = |question: &str, expected: Option<&[&str]>| {
            assert_eq!(asked_stem(question).as_deref(), expected, "{question}");
        };
        check("where is the file cartUtil?", Some(&["cartUtil"]));
        check("what does the file syntax do", Some(&["syntax"]));
        check("open file prices", Some(&["prices"]));
        check("the cart util file", Some(&["cart", "util"]));
        check("shadow2 file", Some(&["shadow2"]));
        check("where is the cartUtil file", Some(&["cartUtil"]));
        check("log file", None);
        check("where is the file opened", Some(&["opened"]));
        check("where is the file that is read last", None);
        check("file", None);
        check("how is a large file read by the parser", None);
    }

    #[test]
    fn the_full_name_of_a_class_names_its_file() {
        let check = |text: &str, expected: &[(&str, &str)]| {
            let files = named_files(&understand(text));
            let files: Vec<(&str, &str)> =
                files.iter().map(|file| (file.path.as_str(), file.function.as_deref().unwrap_or_default())).collect();
            assert_eq!(files, expected, "{text}");
        };
        check("com.acme.shop.Cart", &[("com/acme/shop/Cart", "Cart")]);
        check("import com.acme.shop.Cart;", &[("com/acme/shop/Cart", "Cart")]);
        check(r"what is Acme\Shop\Cart", &[("Acme/Shop/Cart", "Cart"), ("Acme/Shop", "Cart")]);
        check("com.acme.shop.Cart.total()", &[("com/acme/shop/Cart", "total")]);
        check("version 1.2.3 of org.acme.shop", &[]);
        check("from shop.cart import Cart, total", &[("shop/cart.py", "Cart"), ("shop/cart.py", "total")]);
        check("#include \"shop/cart.h\"", &[("shop/cart.h", "")]);
    }
}
