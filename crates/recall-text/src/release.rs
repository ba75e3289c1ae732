//! Questions about one release of a project, "what changed in version 1.2.3", and the headings of releases in lists of changes.

use crate::DocPath;

/// Returns the version that a question asks the changes of: `1.2.3` for "what is new in v1.2.3"; `None` if it asks for something else.
///
/// `wording` is the question as it was written, and has the version. `english` is its translation, or the same text: its words say what is
/// asked for.
pub fn asked_release<'q>(wording: &'q str, english: &str) -> Option<&'q str> {
    let mut versions = versions(wording);
    let (Some(version), None) = (versions.next(), versions.next()) else { return None };
    let is_of_word = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '+' | '_' | '\'' | '’');
    let words_of = |text: &str| -> Vec<String> {
        text.split(|c| !is_of_word(c)).filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    };
    let words = words_of(english);
    // A translation has words of the question, in several forms, beside those that mean the same.
    let own = if wording == english { Vec::new() } else { words_of(wording) };
    let is_own = |word: &str| own.iter().any(|one| have_same_beginning(one, word));
    let is_of_version = |word: &str| word.contains(|c: char| c.is_ascii_digit()) || version.contains(word);
    let is_among = |word: &str, list: &str| list.split(' ').any(|known| known == word);
    let others: Vec<&str> = words.iter().map(String::as_str).filter(|word| !is_of_version(word)).collect();
    let is_known = |word: &str| is_own(word) || [CHANGES, RELEASES, FILLERS].iter().any(|list| is_among(word, list));
    let unknown = others.iter().filter(|word| !is_known(word)).count();
    let asks_for = |list: &str| others.iter().any(|word| is_among(word, list));
    let most_unknown = if asks_for(CHANGES) { MOST_UNKNOWN_WORDS } else { 0 };
    let is_alone = others.is_empty() && version.contains('.');
    let names_release = is_alone || asks_for(CHANGES) || asks_for(RELEASES);
    let is_about_it = names_release && !asks_for(RANGES) && unknown <= most_unknown;
    (others.len() <= MOST_WORDS && is_about_it).then_some(version)
}

/// Whether two words may be forms of one word.
fn have_same_beginning(one: &str, other: &str) -> bool {
    one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count() >= FORM_CHARS
}

/// The characters at the beginning that the forms of a word share.
const FORM_CHARS: usize = 4;

/// The most words of such a question.
const MOST_WORDS: usize = 12;

/// The most words of the question that are in no list, such as the name of the project.
const MOST_UNKNOWN_WORDS: usize = 1;

/// Words for changes.
const CHANGES: &str = "change changes changed changing changelog modified modification new news notes released breaking broken \
    deprecated deprecations deprecation removed removals fixed fixes bugfixes added additions features improvements improved \
    differences history happened release edit edited";

/// Words for the version itself.
const RELEASES: &str = "version versions release releases revision edition v";

/// Words that ask for what was before or after a version.
const RANGES: &str = "since after before until between from";

/// Words that say nothing about what is asked.
const FILLERS: &str = "a about all and any are bug bugs by came come did do does for get give got has have i in included is it latest list \
    log me of on our point dot project section shipped show tell that the there these this to us was we were what what's when which \
    with api";

/// Returns the version that a heading of a list of changes is about: the first one that it names.
pub fn heading_version(heading: &str) -> Option<&str> {
    versions(heading).next()
}

/// Returns how well a version is the one that is asked for: 2 if it is written alike, 1 if it differs only in zeros at its end, as `2.0` and
/// `2.0.0` do; `None` if it is another.
pub fn version_likeness(version: &str, asked: &str) -> Option<u8> {
    if version.eq_ignore_ascii_case(asked) {
        return Some(2);
    }
    without_zeros(version).eq_ignore_ascii_case(without_zeros(asked)).then_some(1)
}

fn without_zeros(mut version: &str) -> &str {
    while let Some(shorter) = version.strip_suffix(".0") {
        version = shorter;
    }
    version
}

/// Returns the versions in a text, without a `v` before them: numbers with points, numbers behind a `v`, and whole numbers behind a word such
/// as *version*. Days and names with digits are none.
fn versions(text: &str) -> impl Iterator<Item = &str> {
    let is_of_run = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '_');
    let runs = text.split(move |c| !is_of_run(c)).map(|run| run.trim_matches(|c: char| !c.is_ascii_alphanumeric()));
    let mut before = "";
    runs.filter(|run| !run.is_empty()).filter_map(move |run| {
        let is_named = matches!(before.to_ascii_lowercase().as_str(), "version" | "release" | "v");
        before = run;
        version_of(run, is_named)
    })
}

/// Returns the version that a run of letters, digits and marks is, or that it ends with: `1.2.3` of `v1.2.3` and of `shop-1.2.3`.
fn version_of(run: &str, is_named: bool) -> Option<&str> {
    let name = run.find('-').filter(|&end| run[..end].chars().all(|c| c.is_ascii_alphabetic()));
    let run = name.map_or(run, |end| &run[end + 1..]);
    let version = run.strip_prefix(['v', 'V']).filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let (bare, has_v) = version.map_or((run, false), |rest| (rest, true));
    let first = bare.split(['.', '-', '+', '_']).next().unwrap_or_default();
    let rest = &bare[first.len()..];
    let is_number = !first.is_empty() && first.chars().all(|c| c.is_ascii_digit());
    let has_points =
        rest.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == 'x'));
    (is_number && (has_points || ((has_v || is_named) && (rest.is_empty() || rest.starts_with(['-', '+'])))))
        .then_some(bare)
}

/// Returns whether a file or its folder is called like a list of changes: `CHANGELOG.md`, `docs/release-notes/1.2.rst`.
pub fn is_list_of_changes(path: &DocPath) -> bool {
    let names = path.components().rev().take(2);
    names.zip([true, false]).any(|(name, is_file)| {
        let stem = if is_file { path.stem() } else { name };
        let letters: String = stem.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()).collect();
        LISTS.split(' ').any(|list| if is_file { letters.starts_with(list) } else { letters == list })
    })
}

/// The names of lists of changes, without the marks between their words.
const LISTS: &str = "changelog changelogs changes history news releasenotes releases release releasehistory whatsnew";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_about_a_release_has_its_version() {
        for (question, version) in [
            ("what changed in version 1.2.3?", "1.2.3"),
            ("what is new in 2.0", "2.0"),
            ("what's new in v2", "2"),
            ("release notes of v0.8.1", "0.8.1"),
            ("breaking changes in shop 3.0", "3.0"),
            ("when was 1.10.0-rc.1 released", "1.10.0-rc.1"),
            ("changelog for version 3", "3"),
            ("version 1.2", "1.2"),
            ("1.2.3", "1.2.3"),
        ] {
            assert_eq!(asked_release(question, question), Some(version), "{question}");
        }
        for question in [
            "what changed",
            "2020",
            "what changed between 1.2 and 1.3",
            "what changed since 1.2",
            "does the client support http version 1.1",
            "how is the schema of version 2.0 migrated",
            "where is v3 of the parser",
            "what is new in python3",
        ] {
            assert_eq!(asked_release(question, question), None, "{question}");
        }
    }

    #[test]
    fn a_translation_says_what_is_asked_for() {
        assert_eq!(asked_release("バージョン2.3の変更点", "version 2 3 change modified point dot"), Some("2.3"));
        assert_eq!(
            asked_release("что изменилось в версии 2.3", "what modified edit version revision 2.3"),
            Some("2.3")
        );
        assert_eq!(
            asked_release("qué cambió en la versión 2.3", "what cambió versionado version release 2.3"),
            Some("2.3")
        );
        assert_eq!(asked_release("wo wird Version 2.3 gelesen", "where version 2.3 read"), None);
    }

    #[test]
    fn a_heading_is_about_the_first_version_in_it() {
        for (heading, version) in [
            ("1.2.3 (2020-01-01)", Some("1.2.3")),
            ("[1.2.3](https://shop.test/compare/v1.2.2...v1.2.3)", Some("1.2.3")),
            ("2020-01-01 - Version 1.2", Some("1.2")),
            ("Shop v1.2.3-beta.1", Some("1.2.3-beta.1")),
            ("shop-1.2.3", Some("1.2.3")),
            ("Version 3", Some("3")),
            ("Fixed 3 bugs", None),
            ("Unreleased", None),
        ] {
            assert_eq!(heading_version(heading), version, "{heading}");
        }
    }

    #[test]
    fn a_version_is_not_the_beginning_of_another() {
        assert_eq!(version_likeness("1.2.3", "1.2.3"), Some(2));
        assert_eq!(version_likeness("2.0.0", "2.0"), Some(1));
        assert_eq!(version_likeness("1.2.30", "1.2.3"), None);
        assert_eq!(version_likeness("1.2.3-rc.1", "1.2.3"), None);
        assert_eq!(version_likeness("10", "1"), None);
    }

    #[test]
    fn lists_of_changes_are_known_by_their_names() {
        for (path, expected) in [
            ("CHANGELOG.md", true),
            ("docs/changelogs/changelog_3x.md", true),
            ("docs/release-notes/1.2.rst", true),
            ("NEWS", true),
            ("src/exchange.rs", false),
            ("docs/guide.md", false),
        ] {
            assert_eq!(is_list_of_changes(&DocPath::new(path).expect("plain")), expected, "{path}");
        }
    }
}
