//! The forms of a text in which different spellings of it are equal.
//!
//! [`normalize_text`] removes the differences that a reader does not see or that a keyboard decides: composed and decomposed
//! letters, full and half width, ligatures, invisible characters. [`fold_case`] also removes the difference of case, and
//! [`without_accents`] that of accents. The text that is shown is never changed.

use std::borrow::Cow;
use std::iter::once;
use std::ops::Range;

use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick, is_nfkc_quick};

use crate::clean::is_invisible;

/// A text in Unicode's normalization form KC, without invisible characters, that knows where its parts were.
#[derive(Clone, Debug)]
pub struct Normalized<'a> {
    text: Cow<'a, str>,
    /// The replaced parts, ascending.
    changes: Vec<Change>,
}

/// A replaced part, as ranges of bytes.
#[derive(Clone, Debug)]
struct Change {
    normalized: Range<usize>,
    original: Range<usize>,
}

/// Which characters are replaced.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Replaced {
    All,
    /// All but those that become ASCII punctuation, which has a meaning in paths and their patterns.
    Letters,
}

impl<'a> Normalized<'a> {
    /// Normalizes a text. A text that needs no change is borrowed.
    pub fn new(text: &'a str) -> Self {
        Self::replacing(text, Replaced::All)
    }

    fn replacing(text: &'a str, replaced: Replaced) -> Self {
        let mut normalized = String::new();
        let mut changes: Vec<Change> = Vec::new();
        let (mut copied, mut at) = (0, 0);
        while let Some(beyond) = text.as_bytes()[at..].iter().position(|byte| !byte.is_ascii()) {
            let part = part_at(text, at, at + beyond);
            at = part.end;
            let Some(replacement) = replacement(&text[part.clone()], replaced) else { continue };
            normalized.push_str(&text[copied..part.start]);
            let start = normalized.len();
            normalized.push_str(&replacement);
            copied = part.end;
            changes.push(Change { normalized: start..normalized.len(), original: part });
        }
        if changes.is_empty() {
            return Self { text: Cow::Borrowed(text), changes };
        }
        normalized.push_str(&text[copied..]);
        Self { text: Cow::Owned(normalized), changes }
    }

    /// The text in its normalized form, borrowed if it had that form already.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the range of the original text that a range of the normalized text comes from. A part of a replaced
    /// character comes from the whole character.
    pub fn original(&self, range: Range<usize>) -> Range<usize> {
        self.original_start(range.start)..self.original_end(range.end)
    }

    fn original_start(&self, at: usize) -> usize {
        let place = self.changes.partition_point(|change| change.normalized.start <= at);
        match place.checked_sub(1).map(|place| &self.changes[place]) {
            None => at,
            Some(change) if at < change.normalized.end => change.original.start,
            Some(change) => change.original.end + (at - change.normalized.end),
        }
    }

    fn original_end(&self, at: usize) -> usize {
        let place = self.changes.partition_point(|change| change.normalized.start < at);
        match place.checked_sub(1).map(|place| &self.changes[place]) {
            None => at,
            Some(change) => change.original.end + at.saturating_sub(change.normalized.end),
        }
    }
}

/// The part of a text that is normalized as a unit: the character at `beyond`, which is not ASCII, with the marks that
/// follow it; if it is a mark itself, with the character before, which is not before `from`.
fn part_at(text: &str, from: usize, beyond: usize) -> Range<usize> {
    let mut rest = text[beyond..].chars();
    let first = rest.next().unwrap_or_default();
    // What is before a mark is ASCII: other characters take the marks that follow them.
    let start = if begins_part(first) || beyond == from { beyond } else { beyond - 1 };
    let mut end = beyond + first.len_utf8();
    if is_invisible(first) {
        return start..end;
    }
    for next in rest {
        if begins_part(next) {
            break;
        }
        end += next.len_utf8();
    }
    start..end
}

/// Whether normalization never joins a character to the one before it.
fn begins_part(c: char) -> bool {
    if c.is_ascii() || is_invisible(c) {
        return true;
    }
    let first = once(c).nfkd().next().unwrap_or(c);
    canonical_combining_class(first) == 0 && is_nfc_quick(once(first)) == IsNormalized::Yes
}

/// The normalized form of a part; `None` if it needs no change.
fn replacement(part: &str, replaced: Replaced) -> Option<String> {
    let mut chars = part.chars();
    if let (Some(only), None) = (chars.next(), chars.next()) {
        if is_invisible(only) {
            return Some(String::new());
        }
        if is_nfkc_quick(once(only)) == IsNormalized::Yes {
            return None;
        }
    }
    let normalized: String = part.nfkc().collect();
    let has_meaning = |c: char| c.is_ascii_punctuation() || c == ' ';
    let is_kept = replaced == Replaced::Letters && normalized.contains(has_meaning);
    (normalized != part && !is_kept).then_some(normalized)
}

/// Returns a text in normalization form KC without invisible characters: `ﬁ` is `fi`, `Ａ` is `A`, and `é` is one
/// character. Case and accents stay.
///
/// ```
/// assert_eq!(recall_text::normalize_text("cafe\u{301} Ｖ２"), "café V2");
/// ```
pub fn normalize_text(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { Cow::Borrowed(text) } else { Normalized::new(text).text }
}

/// Returns a path, or a pattern of paths, in normalized form, except that no character becomes a `/`, a `*` or other
/// punctuation: `［ａ］／ｂ` is `［a］／b`.
pub fn normalized_path(path: &str) -> Cow<'_, str> {
    if path.is_ascii() { Cow::Borrowed(path) } else { Normalized::replacing(path, Replaced::Letters).text }
}

/// Returns a [normalized](normalize_text) text without differences of case. For ASCII this is lower case.
///
/// `ß` is `ss`, as in capitals, and the final `ς` is `σ`. The four letters `i`, `I`, `ı` and `İ` are one: which of them are a
/// pair depends on the language, which nobody states. A folded text is its own folded form.
///
/// ```
/// assert_eq!(recall_text::fold_case("STRAẞE Ὀδυσσεύς İzmir"), recall_text::fold_case("Straße ὈΔΥΣΣΕΎΣ izmir"));
/// ```
pub fn fold_case(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        let has_capital = text.bytes().any(|byte| byte.is_ascii_uppercase());
        return if has_capital { Cow::Owned(text.to_ascii_lowercase()) } else { Cow::Borrowed(text) };
    }
    let mut folded = fold_once(&normalize_text(text));
    // The capital of a few letters is a sequence that has another composition.
    for _ in 0..2 {
        let again = fold_once(&folded);
        if again == folded {
            break;
        }
        folded = again;
    }
    Cow::Owned(folded)
}

/// Lower case by way of upper case: letters with the same capital are equal.
fn fold_once(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let lower = text.chars().flat_map(char::to_lowercase);
    for c in lower.flat_map(char::to_uppercase).flat_map(char::to_lowercase) {
        // `İ` in lower case is `i` with a second dot.
        if !(c == DOT_ABOVE && folded.ends_with('i')) {
            folded.push(c);
        }
    }
    match normalize_text(&folded) {
        Cow::Borrowed(_) => folded,
        Cow::Owned(composed) => composed,
    }
}

const DOT_ABOVE: char = '\u{307}';
const BREVE: char = '\u{306}';

/// Returns a [folded](fold_case) text without accents and vowel points: `cafe` for `café`, `lodz` for `łódź`. `None` if it has none.
///
/// The marks of Indic scripts and of kana are not accents: without them a word is another word. Neither is the breve of
/// the Cyrillic `й`.
pub fn without_accents(folded: &str) -> Option<String> {
    if folded.is_ascii() {
        return None;
    }
    let mut plain = String::with_capacity(folded.len());
    let mut is_changed = false;
    for c in folded.nfd() {
        let is_letter_of_its_own = c == BREVE && plain.ends_with('\u{438}');
        if is_accent(c) && !is_letter_of_its_own {
            is_changed = true;
        } else if let Some(letters) = letters_of(c) {
            is_changed = true;
            plain.push_str(letters);
        } else {
            plain.push(c);
        }
    }
    is_changed.then(|| plain.nfc().collect())
}

/// Whether a mark is an accent of an alphabet: Latin, Greek and Cyrillic accents, and the points of Hebrew and Arabic.
fn is_accent(c: char) -> bool {
    matches!(
        c,
        '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}' | '\u{5c2}' | '\u{5c7}'
        | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{670}'
    )
}

/// What a letter is written as where a keyboard does not have it, if it is not a letter with an accent.
fn letters_of(c: char) -> Option<&'static str> {
    Some(match c {
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'ħ' => "h",
        'þ' => "th",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn spellings_of_one_text_have_one_normalized_form() {
        for (one, other) in [
            ("caf\u{e9}", "cafe\u{301}"),
            ("ｆｕｌｌ　ｗｉｄｔｈ！", "full width!"),
            ("ﾃﾞｰﾀ", "データ"),
            ("한국어", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}\u{110b}\u{1165}"),
            ("ệ", "e\u{323}\u{302}"),
            ("ệ", "e\u{302}\u{323}"),
            ("ﬁle", "file"),
            ("pass\u{200b}wo\u{ad}rd\u{feff}", "password"),
            ("น้ำ", "น\u{e49}\u{e4d}\u{e32}"),
            ("２０２６年", "2026年"),
        ] {
            assert_eq!(normalize_text(one), normalize_text(other), "{one} {other}");
        }
        assert_ne!(normalize_text("Café"), normalize_text("café"));
        assert!(matches!(normalize_text("日本語 – größe"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_path_keeps_its_components() {
        for (path, expected) in [
            ("ｓｒｃ/［草案］？／ａ.md", "src/［草案］？／a.md"),
            ("cafe\u{301}/*.md", "café/*.md"),
            ("src/a.rs", "src/a.rs"),
        ] {
            assert_eq!(normalized_path(path), expected);
        }
    }

    #[test]
    fn case_does_not_count_in_a_folded_text() {
        for (one, other) in [
            ("Straße", "STRASSE"),
            ("STRAẞE", "straße"),
            ("ΟΔΟΣ", "οδος"),
            ("οδός", "ΟΔΌΣ"),
            ("МОСКВА", "москва"),
            ("İSTANBUL", "istanbul"),
            ("ISTANBUL", "ıstanbul"),
            ("ＡＢＣ", "abc"),
            ("Ǆ", "ǆ"),
            ("É", "e\u{301}"),
        ] {
            assert_eq!(fold_case(one), fold_case(other), "{one} {other}");
        }
        for (one, other) in [("café", "cafe"), ("größe", "grosse"), ("ё", "е"), ("が", "か")] {
            assert_ne!(fold_case(one), fold_case(other), "{one} {other}");
        }
    }

    #[test]
    fn accents_are_removed_from_alphabets_only() {
        for (text, expected) in [
            ("café", Some("cafe")),
            ("größe", Some("grosse")),
            ("łódź", Some("lodz")),
            ("ångström", Some("angstrom")),
            ("không", Some("khong")),
            ("ёлка", Some("елка")),
            ("οδός", Some("οδοσ")),
            ("שָׁלוֹם", Some("שלום")),
            ("мой", None),
            ("が", None),
            ("हिन्दी", None),
            ("한국어", None),
            ("plain", None),
        ] {
            assert_eq!(without_accents(&fold_case(text)).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_range_leads_back_to_the_original_text() {
        for (text, part, expected) in [
            ("（ＡＢＣ）日本", "ABC", "ＡＢＣ"),
            ("（ＡＢＣ）日本", "日本", "日本"),
            ("cafe\u{301} bar", "café", "cafe\u{301}"),
            ("cafe\u{301} bar", "bar", "bar"),
            ("a\u{200b}b c", "ab", "a\u{200b}b"),
            ("a\u{200b}b c", "b", "b"),
            ("㍿の式", "式会", "㍿"),
            ("ab", "b", "b"),
        ] {
            let normalized = Normalized::new(text);
            let at = normalized.as_str().find(part).expect("the part is there");
            assert_eq!(&text[normalized.original(at..at + part.len())], expected, "{part} in {text}");
        }
    }

    proptest! {
        #[test]
        fn a_form_is_its_own_form(text in "\\PC{0,40}") {
            let once = normalize_text(&text);
            prop_assert_eq!(&normalize_text(&once), &once);
            let once = fold_case(&text);
            prop_assert_eq!(&fold_case(&once), &once);
            if let Some(plain) = without_accents(&once) {
                prop_assert_eq!(without_accents(&plain), None);
            }
        }

        #[test]
        fn parts_are_normalized_as_the_whole_is(text in "[\\PC\u{300}-\u{320}\u{1100}-\u{11ff}\u{3099}\u{ff66}-\u{ff9f}]{0,30}") {
            let visible: String = text.chars().filter(|c| !is_invisible(*c)).collect();
            let expected: String = visible.nfkc().filter(|c| !is_invisible(*c)).collect();
            prop_assert_eq!(normalize_text(&visible), expected);
        }

        #[test]
        fn every_range_is_within_the_text(text in "[\\PC\u{300}\u{ff9e}]{0,30}") {
            let normalized = Normalized::new(&text);
            let mut end = 0;
            for (at, c) in normalized.as_str().char_indices() {
                let range = normalized.original(at..at + c.len_utf8());
                prop_assert!(text.get(range.clone()).is_some() && range.end >= end);
                end = range.end;
            }
        }

        #[test]
        fn ascii_is_lower_case(text in "[ -~]{0,40}") {
            prop_assert_eq!(normalize_text(&text), text.as_str());
            prop_assert_eq!(fold_case(&text), text.to_ascii_lowercase());
            prop_assert_eq!(without_accents(&text), None);
        }
    }
}
