//! The verdict on an answer: how strongly its best hit supports that anything here answers the question.
//!
//! The relevance says which candidate answers if one does. Whether one does is another question: the best candidate of a question about
//! another project has some relevance too. What tells them apart is which words of the question no text contains, whether a word occurs
//! here and hardly anywhere else, whether the question names something that exists, and a nearness in meaning that chance does not reach. Code that
//! has the words of the question and is not near has them by chance.
//!
//! The weights are those of a logistic regression over 1,550 questions about ten repositories that no benchmark uses: subjects of
//! commits, headings, words in sentences, names, memories by subjects and by paraphrases, and such questions asked in another of the
//! repositories, where nothing answers. Headings are not among the latter: other projects have sections of the same name. Each repository was judged with weights from the other nine: pairs of an answered and an
//! unanswered question are ordered correctly in .85 of cases; by relevance, coverage and unknown words multiplied, in .81. In each tenth
//! of the scale, the share of answered questions is within .12 of the support. `docs/benchmarks.md` has the figures.

use crate::ranking::ContentKind;

/// What speaks for and against a document as an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signs {
    pub(super) kind: ContentKind,
    /// The relevance, 0 to 1.
    pub(super) relevance: f32,
    /// The share of the question that the document contains, 0 to 1.
    pub(super) held: f32,
    /// The share of the question that no text of the store contains, 0 to 1.
    pub(super) unknown: f32,
    /// The share of the question in words that hardly any document but this one contains, 0 to 1.
    pub(super) rare: f32,
    /// The number of terms of the question.
    pub(super) terms: f32,
    /// Whether the question names the document.
    pub(super) is_named: bool,
    /// The greatest cosine of a chunk of the document to the question, on the scale of the built-in model; `None` without an embedding.
    pub(super) cosine: Option<f32>,
}

const BIAS: f32 = -0.95;
const RELEVANCE: f32 = 0.28;
/// The less, the more of the question is a rare word: if the subject is there, words such as *configured* need not be.
const UNKNOWN: f32 = -3.35;
const RARE: f32 = 3.6;
/// A question of several terms has more chances to find one of them.
const SENTENCE: f32 = 1.45;
const NAMED: f32 = 2.75;
/// A memory is short and seldom worded like the question, so the relevance underrates it.
const MEMORY: f32 = 1.35;
const PROSE: f32 = -0.75;
/// For each unit of cosine above [`CHANCE_COSINE`].
const NEAR: f32 = 7.4;

/// For each unit of cosine by which code that shares words with the question differs from [`CODE_COSINE`]: words that are there by
/// chance are in code that is not near. Fitted on 13 of 26 repositories of the public code benchmark and judged on the others; pages
/// and memories are worded too freely for it.
const CODE_NEAR: f32 = 6.0;

/// The cosine at which code is as likely an answer as its other signs say.
const CODE_COSINE: f32 = 0.43;

/// The share of the question that code must contain to count as found by its words. Code that contains less is not doubted for a low
/// cosine, since a paraphrase has one of .1 to .3.
const HELD_BY_WORDS: f32 = 0.5;

/// The cosine that the nearest of a few thousand chunks reaches by chance.
const CHANCE_COSINE: f32 = 0.38;

/// The bounds of a relevance, so that its logarithm is finite.
const MIN_RELEVANCE: f32 = 1e-4;

impl Signs {
    /// Returns how likely it is that the question has an answer here, judged by this document, 0 to 1.
    pub(super) fn support(self) -> f32 {
        let Self { kind, relevance, held, unknown, rare, terms, is_named, cosine } = self;
        let relevance = relevance.clamp(MIN_RELEVANCE, 1.0 - MIN_RELEVANCE);
        let rare = rare.clamp(0.0, 1.0);
        let is_worded = kind == ContentKind::Code && !is_named && held > HELD_BY_WORDS;
        let flag = |holds: bool, weight: f32| if holds { weight } else { 0.0 };
        let log_odds = BIAS
            + RELEVANCE * (relevance / (1.0 - relevance)).ln()
            + UNKNOWN * unknown.clamp(0.0, 1.0) * (1.0 - rare)
            + RARE * rare
            + flag(terms > 1.5, SENTENCE)
            + flag(is_named, NAMED)
            + flag(kind == ContentKind::Memory, MEMORY)
            + flag(kind == ContentKind::Prose, PROSE)
            + NEAR * (cosine.unwrap_or_default() - CHANCE_COSINE).max(0.0)
            + flag(is_worded, CODE_NEAR) * (cosine.unwrap_or(CODE_COSINE) - CODE_COSINE);
        1.0 / (1.0 + (-log_odds).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Signs = Signs {
        kind: ContentKind::Code,
        relevance: 0.3,
        held: 0.8,
        unknown: 0.0,
        rare: 0.0,
        terms: 4.0,
        is_named: false,
        cosine: None,
    };

    #[test]
    fn each_sign_points_in_its_direction() {
        let plain = PLAIN.support();
        for (better, sign) in [
            (Signs { relevance: 0.9, ..PLAIN }, "relevance"),
            (Signs { rare: 0.6, ..PLAIN }, "rare word"),
            (Signs { is_named: true, ..PLAIN }, "name"),
            (Signs { kind: ContentKind::Memory, ..PLAIN }, "memory"),
            (Signs { cosine: Some(0.6), ..PLAIN }, "nearness"),
        ] {
            assert!(better.support() > plain, "{sign}");
        }
        assert!(Signs { unknown: 0.7, ..PLAIN }.support() < plain);
        assert!(Signs { cosine: Some(0.2), ..PLAIN }.support() < plain, "code that is not near");
        let paraphrased = Signs { held: 0.1, ..PLAIN };
        assert!((Signs { cosine: Some(0.2), ..paraphrased }.support() - paraphrased.support()).abs() < 1e-6);
        let memory = Signs { kind: ContentKind::Memory, ..PLAIN };
        let at_chance = Signs { cosine: Some(0.2), ..memory }.support();
        assert!((at_chance - memory.support()).abs() < 1e-6, "a cosine at chance changes nothing");
    }

    #[test]
    fn a_question_whose_words_are_nowhere_is_doubted_and_one_that_names_something_is_not() {
        assert!(Signs { relevance: 0.01, unknown: 0.9, ..PLAIN }.support() < 0.1);
        assert!(Signs { relevance: 0.9, terms: 1.0, is_named: true, ..PLAIN }.support() > 0.6);
    }
}
