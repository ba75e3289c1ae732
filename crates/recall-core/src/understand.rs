//! Query understanding: inline filters, phrases, identifiers, paths and the query's class.
//!
//! Rules read the form of a query, without a model: a rule costs nothing and can be explained. What form cannot decide, such as
//! whether `src/auth` is a path or two alternatives, an index decides later ([`Understood::confirm_paths`]).

mod query_pieces;
mod used_name;

use std::fmt;
use std::sync::Arc;

use self::query_pieces::{QueryPiece, pieces};
pub use self::used_name::{UseKind, UsedName};
use crate::{DocumentType, Filters, PathFilter, Scope};
use recall_text::words::unspaced_letters;
use recall_text::{
    Language, Onboarding, PathForm, Report, asked_message, condense, fold_case, looks_like_identifier, normalize_text,
    path_form, reads_like_a_message,
};

/// What a query looks for, decided by rules without a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QueryClass {
    /// A definition, by its name.
    Symbol,
    /// A file, by its path.
    Path,
    /// How things depend on each other: callers, users, effects.
    Relationship,
    /// The reason for something.
    Decision,
    /// Instructions from the documentation.
    Docs,
    /// Any other question, and words without a form.
    Question,
}

impl QueryClass {
    /// Returns the class's name, as answers write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Symbol => "symbol",
            Self::Path => "path",
            Self::Relationship => "relationship",
            Self::Decision => "decision",
            Self::Docs => "docs",
            Self::Question => "question",
        }
    }
}

impl fmt::Display for QueryClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A query as rules read it. Retrieval, ranking and highlights use this, not the query's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Understood {
    /// What the query looks for.
    pub class: QueryClass,
    /// The text without its inline filters and quotation marks.
    pub text: String,
    /// The identifiers in the text, in order, without repetition. `Store::open` counts as one.
    pub identifiers: Vec<String>,
    /// The paths and file names in the text, recognised by their form, or confirmed with
    /// [`confirm_paths`](Self::confirm_paths).
    pub paths: Vec<String>,
    /// Words with one slash that may be a path or two alternatives: `src/auth`, `request/response`. Only an index can tell.
    pub possible_paths: Vec<String>,
    /// The texts in quotation marks, in order, without the marks.
    pub phrases: Vec<String>,
    /// What the query asks about the project as a whole.
    pub onboarding: Option<Onboarding>,
    /// The paths of the files that answer such a question by their name, the most telling first. The caller fills them in: see
    /// [`Onboarding::rank`].
    pub telling_paths: Vec<String>,
    /// The bug report, trace or other long text that the query is. The other fields are about its question.
    pub report: Option<Arc<Report>>,
    /// The message of an error in the query, or the query if it reads like one.
    pub message: Option<String>,
    /// The name whose users the query asks for.
    pub used_name: Option<UsedName>,
    /// The query before its translation; `None` if it was not translated.
    pub original: Option<Original>,
    /// The filters in the text, such as `lang:rust`.
    pub filters: Filters,
    /// The scope that the text names; `None` for that of the request.
    pub scope: Option<Scope>,
    /// The words that look like a `type:` or `scope:` filter but have an unknown value, with the problem. They stay in
    /// the text.
    pub unknown_filters: Vec<UnknownFilter>,
}

/// A query before its translation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Original {
    /// The language of the query, in English: `German`.
    pub language: &'static str,
    /// The text without its inline filters and quotation marks.
    pub text: String,
    /// The query in the most usual English word for each of its words.
    pub english: String,
}

/// A word that looks like a filter and is not one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFilter {
    /// The word, such as `type:novel`.
    pub word: String,
    /// The problem, such as ``unknown type `novel`: the types are …``.
    pub problem: String,
}

/// Analyses a query: inline filters (`type: lang: path: tag: since: before: scope:`), quoted phrases, identifiers, paths, class.
///
/// A [`Report`] is analysed by its question, without filters: what was pasted is not in the query language.
///
/// Never fails: a filter with an unknown value stays in the text as an ordinary word, and is recorded.
pub fn understand(query: &str) -> Understood {
    match Report::read(query) {
        Some(report) => {
            let question = understand_words(&report.question);
            Understood { message: report.errors.first().cloned(), report: Some(Arc::new(report)), ..question }
        }
        None if query.len() > LOG_BYTES => understand_whole(query),
        None => read(query, Understood::take_filter),
    }
}

/// Analyses a text by the words of its rare lines, also if it is a report. For a log, and for a report whose question finds nothing.
pub fn understand_whole(text: &str) -> Understood {
    understand_words(&condense(text, LOG_BYTES).text)
}

/// Splits a query into the time that it names with `as-of:` and the rest; `None` if it names none, or is a report.
pub fn take_as_of(query: &str) -> Option<(String, String)> {
    if query.len() > LOG_BYTES || Report::read(query).is_some() {
        return None;
    }
    let word = pieces(query).find_map(|piece| match piece {
        QueryPiece::Word(word) => word.strip_prefix("as-of:").map(|value| (word, value.trim_matches('"'))),
        QueryPiece::Phrase(_) => None,
    });
    let (word, value) = word.filter(|(_, value)| !value.is_empty())?;
    Some((value.to_owned(), query.replacen(word, "", 1)))
}

/// The fewest bytes of a text that is searched by its rare lines if it is not a report.
const LOG_BYTES: usize = 10 * 1024;

/// Analyses a query without inline filters: each word is a word.
pub fn understand_words(query: &str) -> Understood {
    read(query, |_, _| false)
}

/// Analyses a query. `take_filter` takes a word if it is a filter.
fn read(query: &str, take_filter: impl Fn(&mut Understood, &str) -> bool) -> Understood {
    let mut understood = Understood {
        class: QueryClass::Question,
        text: String::new(),
        identifiers: Vec::new(),
        paths: Vec::new(),
        possible_paths: Vec::new(),
        phrases: Vec::new(),
        onboarding: None,
        telling_paths: Vec::new(),
        report: None,
        message: None,
        used_name: None,
        original: None,
        filters: Filters::default(),
        scope: None,
        unknown_filters: Vec::new(),
    };
    for piece in pieces(query) {
        match piece {
            QueryPiece::Phrase(phrase) => {
                understood.phrases.push(phrase.to_owned());
                understood.push_words(phrase);
            }
            QueryPiece::Word(word) => {
                if !take_filter(&mut understood, word) {
                    understood.push_words(word);
                }
            }
        }
    }
    understood.used_name = used_name::used_name(&understood.text);
    understood.class = classify(&understood);
    understood.onboarding = Onboarding::detect(&understood.text);
    if understood.class == QueryClass::Question && reads_like_a_message(&understood.text) {
        understood.message = Some(understood.text.clone());
    } else {
        understood.message = asked_message(&understood.text).map(str::to_owned);
    }
    understood
}

impl Understood {
    /// Replaces the text by its translation from a language. Quoted phrases, filters, the report and the message of an error stay as
    /// they are. `english` has the most usual English word for each word of the query.
    #[must_use]
    pub fn with_translation(self, language: &'static str, text: &str, english: &str) -> Self {
        let translated = understand_words(text);
        let used_name = used_name::used_name_in_translation(english);
        Self {
            class: if used_name.is_some() { QueryClass::Relationship } else { translated.class },
            used_name,
            onboarding: Onboarding::detect_in_translation(english),
            original: Some(Original { language, text: self.text, english: english.to_owned() }),
            phrases: self.phrases,
            filters: self.filters,
            scope: self.scope,
            unknown_filters: self.unknown_filters,
            report: self.report,
            message: self.message,
            ..translated
        }
    }

    /// Takes words that name a time out of the text, and limits the query to that time instead.
    #[must_use]
    pub fn with_time(self, rest: &str, since: Option<String>, before: Option<String>) -> Self {
        Self {
            filters: Filters { since, before, ..self.filters },
            scope: self.scope,
            unknown_filters: self.unknown_filters,
            ..understand_words(rest)
        }
    }

    /// The text in the words of the query, not in those of a translation.
    pub fn wording(&self) -> &str {
        self.original.as_ref().map_or(&self.text, |original| &original.text)
    }

    /// The text in English words and names, by whose form one sees what kind of place the query asks for.
    pub fn in_english(&self) -> &str {
        self.original.as_ref().map_or(&self.text, |original| &original.english)
    }

    /// Moves each possible path that the project has to the paths; the others are words. `is_there` says whether a path, or the
    /// end of one, is in the project.
    pub fn confirm_paths(&mut self, is_there: impl Fn(&str) -> bool) {
        for path in std::mem::take(&mut self.possible_paths) {
            if is_there(&path) {
                push_new(&mut self.paths, &path);
            }
        }
    }

    fn push_words(&mut self, words: &str) {
        for word in words.split_whitespace() {
            if !self.text.is_empty() {
                self.text.push(' ');
            }
            self.text.push_str(word);
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '/' | '.' | '$' | '@'));
            let bare = bare.trim_end_matches('.');
            if let Some(path) = slashed_path(bare) {
                push_new(&mut self.paths, &path);
                continue;
            }
            match path_form(bare) {
                Some(PathForm::Sure) => push_new(&mut self.paths, bare),
                Some(PathForm::Possible) => push_new(&mut self.possible_paths, bare),
                None if looks_like_identifier(bare) => push_new(&mut self.identifiers, bare),
                None => {}
            }
        }
    }

    /// Takes a `key:value` word as a filter; returns whether it was one.
    fn take_filter(&mut self, word: &str) -> bool {
        let Some((key, value)) = word.split_once(':') else { return false };
        let value = value.trim_matches('"');
        // Invisible characters are no value.
        if normalize_text(value).is_empty() || value.starts_with(':') {
            return false;
        }
        match key {
            "type" => {
                let parsed = value.parse::<DocumentType>();
                self.accept_known(word, parsed).map(|kind| self.filters.types.push(kind)).is_some()
            }
            "lang" | "language" => {
                self.filters.languages.push(Language::from(fold_case(value).into_owned()));
                true
            }
            "path" => {
                self.filters.paths.push(PathFilter::new(value));
                true
            }
            "tag" => {
                self.filters.tags.push(normalize_text(value).into_owned());
                true
            }
            "since" => {
                self.filters.since = Some(value.to_owned());
                true
            }
            "before" => {
                self.filters.before = Some(value.to_owned());
                true
            }
            "scope" => {
                let parsed = value.parse::<Scope>();
                self.accept_known(word, parsed).map(|scope| self.scope = Some(scope)).is_some()
            }
            _ => false,
        }
    }

    /// Returns the value of a filter; records the problem if it is unknown.
    fn accept_known<T>(&mut self, word: &str, parsed: Result<T, impl fmt::Display>) -> Option<T> {
        match parsed {
            Ok(value) => Some(value),
            Err(error) => {
                self.unknown_filters.push(UnknownFilter { word: word.to_owned(), problem: error.to_string() });
                None
            }
        }
    }
}

/// Returns a path of a file that is written with `\`, with `/` instead; `None` for other words, such as the full name of a class.
fn slashed_path(word: &str) -> Option<String> {
    let (_, name) = word.rsplit_once('\\')?;
    let path = word.replace('\\', "/");
    (path_form(name) == Some(PathForm::Sure) && path_form(&path) == Some(PathForm::Sure)).then_some(path)
}

fn push_new(list: &mut Vec<String>, text: &str) {
    if !list.iter().any(|known| known == text) {
        list.push(text.to_owned());
    }
}

/// The class of a query. The first matching rule decides.
fn classify(understood: &Understood) -> QueryClass {
    let words: Vec<String> = understood.text.split_whitespace().map(str::to_lowercase).collect();
    let has = |set: &[&str]| words.iter().any(|word| set.contains(&word.trim_matches(|c: char| !c.is_alphanumeric())));
    let is_sentence = || unspaced_letters(&understood.text) > MOST_LETTERS_OF_A_NAME;
    if words.len() == 1 && !is_sentence() {
        let is_path = !understood.paths.is_empty() || !understood.possible_paths.is_empty();
        return if is_path { QueryClass::Path } else { QueryClass::Symbol };
    }
    if understood.used_name.is_some() || understood.text.contains("depends on") || has(RELATIONSHIP_WORDS) {
        return QueryClass::Relationship;
    }
    if has(&["why", "adr", "rationale", "decision", "decided"]) {
        return QueryClass::Decision;
    }
    if has(&["guide", "runbook", "playbook", "readme", "tutorial", "documentation"]) {
        return QueryClass::Docs;
    }
    if !words.is_empty() && words.len() <= 3 && understood.identifiers.len() == words.len() {
        return QueryClass::Symbol;
    }
    QueryClass::Question
}

/// The most letters of a name in a script without spaces between words. More of them are a sentence.
const MOST_LETTERS_OF_A_NAME: usize = 8;

const RELATIONSHIP_WORDS: &[&str] = &["callers", "dependents", "importers", "imports", "dependencies", "calls"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_pasted_text_is_a_filter_or_a_phrase() {
        let text = condense("failed to load type:code path:src/a.rs for \"tag:x y\"\n", 1_000).text;
        let understood = understand(&text);
        assert!(understood.filters.is_empty() && understood.phrases.is_empty(), "{text}");
        assert_eq!(text, "failed to load type: code path: src/a.rs for tag: x y");
    }

    #[test]
    fn the_class_follows_from_the_words() {
        for (query, expected) in [
            ("SessionManager", QueryClass::Symbol),
            ("open", QueryClass::Symbol),
            ("Store::open", QueryClass::Symbol),
            ("parse_header HttpRequest", QueryClass::Symbol),
            ("src/store.rs", QueryClass::Path),
            ("store.rs", QueryClass::Path),
            ("how are sessions stored", QueryClass::Question),
            ("why do we use WAL", QueryClass::Decision),
            ("who calls Store::open", QueryClass::Relationship),
            ("deployment runbook", QueryClass::Docs),
            ("src/auth", QueryClass::Path),
            (r"src\net\store.rs", QueryClass::Path),
            (r"Acme\Shop\Cart", QueryClass::Symbol),
            ("how are GET/POST handled", QueryClass::Question),
            ("支付网关", QueryClass::Symbol),
            ("退款超过三天没有到账怎么办", QueryClass::Question),
        ] {
            assert_eq!(understand(query).class, expected, "{query}");
        }
    }

    #[test]
    fn filters_phrases_identifiers_and_paths_are_extracted() {
        let read = understand(
            r#"type:adr lang:Rust path:"a b/*.rs" scope:global why "retry budget" in HttpClient, see src/net.rs"#,
        );
        assert_eq!(read.filters.types, [DocumentType::Adr]);
        assert_eq!(read.filters.languages, [Language::from_static("rust")]);
        assert_eq!(read.filters.paths, [PathFilter("a b/*.rs".to_owned())]);
        assert_eq!(read.scope, Some(Scope::Global));
        assert_eq!(read.phrases, ["retry budget"]);
        assert_eq!(read.identifiers, ["HttpClient"]);
        assert_eq!(read.paths, ["src/net.rs"]);
        assert_eq!(read.text, "why retry budget in HttpClient, see src/net.rs");
    }

    #[test]
    fn quotation_marks_of_typography_make_a_phrase() {
        for (query, phrase, text) in [
            ("why “no price” here", "no price", "why no price here"),
            ("warum „no price“ hier", "no price", "warum no price hier"),
            ("pourquoi « no price » ici", "no price", "pourquoi no price ici"),
            ("なぜ「no price」と出る", "no price", "なぜ no price と出る"),
            ("error:“no price”", "no price", "error: no price"),
        ] {
            let read = understand(query);
            assert_eq!((read.phrases, read.text.as_str()), (vec![phrase.to_owned()], text), "{query}");
        }
        for query in ["a « b", "「」 x", "it’s “open"] {
            assert_eq!(understand(query).phrases, [] as [&str; 0], "{query}");
        }
    }

    #[test]
    fn times_are_filters_and_the_past_is_taken_out() {
        let read = understand("since:v2.3 before:\"last week\" retry budget");
        assert_eq!((read.filters.since.as_deref(), read.filters.before.as_deref()), (Some("v2.3"), Some("last week")));
        assert_eq!(read.text, "retry budget");
        let taken = |query| take_as_of(query).map(|(as_of, rest)| (as_of, understand(&rest).text));
        assert_eq!(
            taken("retry as-of:\"2 weeks ago\" budget"),
            Some(("2 weeks ago".to_owned(), "retry budget".to_owned()))
        );
        assert_eq!((taken("\"as-of:x\" y"), taken("as-of: y"), taken("retry")), (None, None, None));
    }

    #[test]
    fn a_slash_between_two_words_is_a_path_only_if_the_project_has_it() {
        let mut read = understand("request/response hooks in src/auth, src/net/retry, ./x/y and lib/util.rs");
        assert_eq!(read.paths, ["src/net/retry", "./x/y", "lib/util.rs"]);
        assert_eq!(read.possible_paths, ["request/response", "src/auth"]);
        read.confirm_paths(|path| path == "src/auth");
        assert_eq!(read.paths, ["src/net/retry", "./x/y", "lib/util.rs", "src/auth"]);
        assert!(read.possible_paths.is_empty() && read.text.starts_with("request/response"));
    }

    #[test]
    fn words_that_are_not_filters_stay_in_the_text() {
        for query in ["type:nonsense", "std::vec", "http://x", "tag:", "foo:bar"] {
            let read = understand(query);
            assert!(read.filters.is_empty(), "{query}");
            assert_eq!(read.text, query);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_understood(query in "\\PC*") {
            understand(&query);
        }
    }
}
