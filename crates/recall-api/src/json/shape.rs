//! Fields whose JSON has another shape than the message; `json.shape` in `proto/recall/v1` names the function.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use prost_types::Timestamp;
use serde::{Serialize, Serializer};

use crate::json::field::rfc3339;
use crate::v1;

/// The method of the estimate, in words.
pub const SAVINGS_METHOD: &str = "the tokens of the hits in recorded answers, compared with the tokens of the whole files that hold them \
    today; a file counts once for each answer, and tokens are estimated from characters. Without an answer, an agent might have read fewer \
    files, or only parts of them; with it, the agent may still have read the files";

/// Returns the difference between the tokens of the files and those of the answers; negative if the answers have more.
pub fn saved_tokens(savings: &v1::Savings) -> i64 {
    let signed = |tokens: u64| i64::try_from(tokens).unwrap_or(i64::MAX);
    signed(savings.file_tokens).saturating_sub(signed(savings.answer_tokens))
}

/// Writes an estimate with its method and its result.
#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
pub(crate) fn savings_estimate<S: Serializer>(savings: &Option<v1::Savings>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct EstimatedSavings<'a> {
        is_estimate: bool,
        method: &'static str,
        #[serde(flatten)]
        savings: &'a v1::Savings,
        saved_tokens: i64,
    }
    let estimate = savings.as_ref().map(|savings| EstimatedSavings {
        is_estimate: true,
        method: SAVINGS_METHOD,
        savings,
        saved_tokens: saved_tokens(savings),
    });
    estimate.serialize(serializer)
}

/// Writes the counts of a facet as a list, by descending frequency, then by name.
pub(crate) fn facet_counts<S: Serializer>(counts: &BTreeMap<String, u64>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Count<'a> {
        value: &'a str,
        documents: u64,
    }
    let mut counts: Vec<_> = counts.iter().map(|(value, &documents)| Count { value, documents }).collect();
    // The map is sorted by name, and the sort is stable.
    counts.sort_by_key(|count| Reverse(count.documents));
    counts.serialize(serializer)
}

/// Writes a time in RFC 3339; an empty text without one.
#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
pub(crate) fn time_or_empty<S: Serializer>(time: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
    time.as_ref().and_then(rfc3339).unwrap_or_default().serialize(serializer)
}

/// Writes what was left out as an object by code.
pub(crate) fn left_out_by_code<S: Serializer>(groups: &[v1::LeftOut], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Group<'a> {
        count: u64,
        items: &'a [v1::ItemFailure],
    }
    let groups =
        groups.iter().map(|v1::LeftOut { code, count, items }| (code.as_str(), Group { count: *count, items }));
    groups.collect::<BTreeMap<_, _>>().serialize(serializer)
}

/// Writes the feedback about an item also with the names that clients of EDI's Codex expect.
#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
pub(crate) fn rating<S: Serializer>(stats: &Option<v1::ItemStats>, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Rating<'a> {
        retrieval_count: u64,
        useful_count: u64,
        not_useful_count: u64,
        usefulness_rate: Option<f64>,
        #[serde(flatten)]
        stats: &'a v1::ItemStats,
    }
    let rating = stats.as_ref().map(|stats| Rating {
        retrieval_count: stats.retrievals,
        useful_count: stats.useful,
        not_useful_count: stats.not_useful,
        usefulness_rate: stats.usefulness,
        stats,
    });
    rating.serialize(serializer)
}

/// Writes the paths at which a publication differs.
pub(crate) fn differences<S: Serializer>(failures: &[v1::ItemFailure], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Difference<'a> {
        path: &'a str,
        code: &'a str,
    }
    serializer.collect_seq(failures.iter().map(|failure| Difference { path: &failure.item, code: &failure.code }))
}

/// Writes drafts with their numbers, from 1.
pub(crate) fn numbered_drafts<S: Serializer>(drafts: &[v1::Draft], serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct NumberedDraft<'a> {
        number: usize,
        #[serde(flatten)]
        draft: &'a v1::Draft,
    }
    serializer.collect_seq(drafts.iter().enumerate().map(|(at, draft)| NumberedDraft { number: at + 1, draft }))
}

/// Writes a warning of a stream in a field of its own, next to the name of the event.
pub(crate) fn nested_warning<S: Serializer>(warning: &v1::Warning, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Nested<'a> {
        warning: &'a v1::Warning,
    }
    Nested { warning }.serialize(serializer)
}
