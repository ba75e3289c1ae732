//! What a text must have so that a pattern can match it.
//!
//! The idea is of codesearch (Cox, "Regular Expression Matching with a Trigram Index", 2012): an expression implies a condition on
//! short runs of bytes. A run of characters that all have one form gives the runs of bytes in it; what has many forms gives none.

use recall_text::{TextRun, TextSignature};
use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind};

/// The most characters of a class that are compared. Letters have at most four forms.
pub(crate) const MOST_FORMS: usize = 4;

/// A condition that every text with a match satisfies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// No condition.
    Nothing,
    /// The text has all of these runs.
    Runs(Vec<TextRun>),
    /// All hold.
    All(Vec<Needs>),
    /// At least one holds.
    Any(Vec<Needs>),
}

impl Needs {
    pub(crate) fn from_hir(hir: &Hir) -> Self {
        let mut collected = Collected::default();
        collected.visit(hir);
        collected.finish()
    }

    pub(crate) fn may_be_met(&self, signature: &TextSignature) -> bool {
        match self {
            Self::Nothing => true,
            Self::Runs(runs) => runs.iter().all(|run| signature.may_have(*run)),
            Self::All(parts) => parts.iter().all(|part| part.may_be_met(signature)),
            Self::Any(parts) => parts.iter().any(|part| part.may_be_met(signature)),
        }
    }
}

/// The conditions of the parts of an expression that follow each other.
#[derive(Default)]
struct Collected {
    all: Vec<Needs>,
    /// The characters that are matched in a row.
    part: String,
}

impl Collected {
    fn visit(&mut self, hir: &Hir) {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
                Ok(text) => self.part.push_str(text),
                Err(_) => self.end_part(),
            },
            HirKind::Class(class) => match only_form(class) {
                Some(form) => self.part.push(form),
                None => self.end_part(),
            },
            HirKind::Repetition(repetition) => {
                self.end_part();
                if repetition.min > 0 {
                    self.push(Needs::from_hir(&repetition.sub));
                }
            }
            HirKind::Capture(capture) => self.visit(&capture.sub),
            HirKind::Concat(parts) => parts.iter().for_each(|part| self.visit(part)),
            HirKind::Alternation(parts) => {
                self.end_part();
                let parts: Vec<Needs> = parts.iter().map(Needs::from_hir).collect();
                if !parts.contains(&Needs::Nothing) {
                    self.push(Needs::Any(parts));
                }
            }
        }
    }

    fn end_part(&mut self) {
        let runs = TextRun::all_of(&std::mem::take(&mut self.part));
        self.push(if runs.is_empty() { Needs::Nothing } else { Needs::Runs(runs) });
    }

    fn push(&mut self, needs: Needs) {
        if needs != Needs::Nothing {
            self.all.push(needs);
        }
    }

    fn finish(mut self) -> Needs {
        self.end_part();
        match self.all.len() {
            0 => Needs::Nothing,
            1 => self.all.swap_remove(0),
            _ => Needs::All(self.all),
        }
    }
}

/// Returns a character that stands for all of a class, because a signature does not tell them apart.
fn only_form(class: &Class) -> Option<char> {
    let Class::Unicode(class) = class else { return None };
    let mut forms = characters(class)?.into_iter().map(|form| TextRun::all_of(&form.to_string().repeat(3)));
    let first = forms.next()?;
    forms.all(|form| form == first).then(|| class.ranges()[0].start())
}

/// Returns the characters of a class, if they are few.
fn characters(class: &ClassUnicode) -> Option<Vec<char>> {
    let all = class.iter().flat_map(|range| range.start()..=range.end());
    let few: Vec<char> = all.take(MOST_FORMS + 1).collect();
    (few.len() <= MOST_FORMS).then_some(few)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex_syntax::Parser;

    use super::*;

    fn needs(expression: &str) -> Needs {
        Needs::from_hir(&Parser::new().parse(expression).unwrap())
    }

    #[test]
    fn what_an_expression_needs_is_the_runs_of_its_fixed_parts() {
        let runs = |part: &str| Needs::Runs(TextRun::all_of(part));
        let check = |expression: &str, expected: Needs| assert_eq!(needs(expression), expected, "{expression}");
        check("abcd", runs("abcd"));
        check(r"fn \w+_handler", Needs::All(vec![runs("fn "), runs("_handler")]));
        check("(?i)Kelvins", runs("kelvins"));
        check("(?i)état", runs("tat"));
        check("alpha|beta", Needs::Any(vec![runs("alpha"), runs("beta")]));
        check("alpha|.", Needs::Nothing);
        check("(?:abc)*xyz", runs("xyz"));
        check("(?:abc)+", runs("abc"));
        check("[abc]d", Needs::Nothing);
        check(r"^foo$", runs("foo"));
    }

    const PARTS: &[&str] = &[
        "a",
        "b",
        "[ab]",
        "A",
        "é",
        r"\.",
        "bcd",
        "abc",
        "(ab|cd)",
        "(a[^b]d)",
        "(?i:cdé)",
        "b+",
        "d?",
        r"\w",
        "(abc)*",
    ];

    proptest! {
        #[test]
        fn a_text_with_a_match_meets_what_the_expression_needs(
            text in "[a-dA-D .+é\n]{0,60}",
            parts in proptest::collection::vec(proptest::sample::select(PARTS), 1..6),
        ) {
            let expression = parts.concat();
            let regex = regex::Regex::new(&expression).unwrap();
            if regex.is_match(&text) {
                prop_assert!(needs(&expression).may_be_met(&TextSignature::compute(&text)));
            }
        }
    }
}
