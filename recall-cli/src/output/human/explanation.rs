//! Text output of the score of a hit.

use std::fmt::Write;

use recall_api::v1;
use recall_core::feature_words;

/// The number of features shown. The others seldom add up to as much as the last of these.
const MOST_FEATURES: usize = 10;

/// Formats the score and its parts on one line, then the features with the largest contributions, one per line.
pub(super) fn lines(score: f64, explain: &v1::Explain) -> Vec<String> {
    let mut lines = vec![first(score, explain)];
    let mut features: Vec<(&str, f64)> =
        explain.contributions.iter().map(|(name, &part)| (name.as_str(), part)).collect();
    features.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then_with(|| a.0.cmp(b.0)));
    let parts: Vec<String> = features.iter().take(MOST_FEATURES).map(|(_, part)| format!("{part:+.3}")).collect();
    let width = parts.iter().map(String::len).max().unwrap_or_default();
    for (part, (name, _)) in parts.iter().zip(&features) {
        lines.push(format!("  {part:>width$}  {}", feature_words(name).unwrap_or(name)));
    }
    if let Some(more) = features.len().checked_sub(MOST_FEATURES).filter(|more| *more > 0) {
        lines.push(format!("  {:width$}  and {more} more", ""));
    }
    lines
}

/// `score 0.0325: lexical #1 (12.30 × 1.00) + symbol #2 (0.90 × 1.50), fused 0.0542, file_kind ×0.60`
fn first(score: f64, explain: &v1::Explain) -> String {
    let v1::Explain { lexical, semantic, symbol, path, fused, priors, rerank, contributions: _ } = explain;
    let retrievers = [("lexical", lexical), ("semantic", semantic), ("symbol", symbol), ("path", path)];
    let found: Vec<String> = retrievers
        .into_iter()
        .filter_map(|(name, said)| Some((name, (*said)?)))
        .map(|(name, v1::Retrieved { rank, score, weight })| format!("{name} #{rank} ({score:.2} × {weight:.2})"))
        .collect();
    let mut text = format!("score {score:.4}: {}, fused {fused:.4}", found.join(" + "));
    for (name, factor) in priors {
        let _ = write!(text, ", {name} ×{factor:.2}");
    }
    if let Some(v1::Reranked { model, stage, score, rank_before }) = rerank {
        let _ = write!(text, ", rerank {stage} by {model} {score:.3} (was #{rank_before})");
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn the_features_with_the_largest_contributions_are_listed() {
        let parts = [1.25, -0.5, 0.001, -10.125, 0.3, 0.2, 0.1, 0.05, 0.04, -0.03, 0.02, 0.01];
        let mut contributions: BTreeMap<String, f64> =
            (0..).zip(parts).map(|(n, part)| (format!("f{n}"), part)).collect();
        contributions.insert("body_best".to_owned(), 0.75);
        let explain = v1::Explain { contributions, fused: 0.05, ..v1::Explain::default() };
        insta::assert_snapshot!(lines(2.0, &explain)[1..].join("\n"), @r"
          -10.125  f3
           +1.250  f0
           +0.750  text of the best passage
           -0.500  f1
           +0.300  f4
           +0.200  f5
           +0.100  f6
           +0.050  f7
           +0.040  f8
           -0.030  f9
                   and 3 more
        ");
        assert_eq!(lines(2.0, &v1::Explain::default()).len(), 1);
    }

    #[test]
    fn an_explanation_names_every_part_of_the_score() {
        let explain = v1::Explain {
            lexical: Some(v1::Retrieved { rank: 1, score: 12.3, weight: 1.0 }),
            symbol: Some(v1::Retrieved { rank: 2, score: 0.9, weight: 1.5 }),
            fused: 0.0542,
            priors: BTreeMap::from([("file_kind".to_owned(), 0.6)]),
            ..v1::Explain::default()
        };
        insta::assert_snapshot!(first(0.0325, &explain), @r"
        score 0.0325: lexical #1 (12.30 × 1.00) + symbol #2 (0.90 × 1.50), fused 0.0542, file_kind ×0.60
        ");
    }
}
