//! The chart of what a rank is made of.

use maud::{Markup, html};
use recall_api::v1::{Explain, Retrieved};

/// How many contributions are shown.
const SHOWN: usize = 8;

/// The height of a row.
const ROW: usize = 20;

/// The width of the longest bar; bars lead from the middle to both sides.
const HALF: f64 = 100.0;

/// Shows which retrievers found a hit, and which contributions decided its rank.
pub(crate) fn chart(explain: &Explain) -> Markup {
    let lists = [
        ("words", &explain.lexical),
        ("meaning", &explain.semantic),
        ("names", &explain.symbol),
        ("paths", &explain.path),
    ];
    let mut contributions: Vec<(&str, f64)> = explain
        .contributions
        .iter()
        .map(|(name, value)| (name.as_str(), *value))
        .filter(|(_, value)| value.is_finite())
        .collect();
    contributions.sort_by(|(_, left), (_, right)| right.abs().total_cmp(&left.abs()));
    contributions.truncate(SHOWN);
    let most = contributions.first().map_or(1.0, |(_, value)| value.abs()).max(f64::MIN_POSITIVE);
    html! {
        p.found {
            @for (name, found) in lists { @if let Some(Retrieved { rank, .. }) = found { span { (name) " " b { "#" (rank) } } } }
            @for (name, factor) in &explain.priors { @if (factor - 1.0).abs() > 1e-9 { span { (name) " × " (format!("{factor:.2}")) } } }
            @if let Some(rerank) = &explain.rerank { span { "reread from #" (rerank.rank_before) } }
        }
        @if !contributions.is_empty() {
            svg.chart viewBox={ "0 0 440 " (contributions.len() * ROW) } role="img" aria-label="What the rank is made of" {
                @for (at, (name, value)) in contributions.iter().enumerate() {
                    @let width = (value.abs() / most * HALF).max(1.0);
                    @let x = if *value < 0.0 { 290.0 - width } else { 290.0 };
                    text x="180" y=(at * ROW + 14) text-anchor="end" { (name.replace('_', " ")) }
                    rect.minus[*value < 0.0] x=(format!("{x:.1}")) y=(at * ROW + 4) width=(format!("{width:.1}")) height="12" rx="2" {}
                    text x="436" y=(at * ROW + 14) text-anchor="end" { (format!("{value:+.2}")) }
                }
                line x1="290" y1="0" x2="290" y2=(contributions.len() * ROW) {}
            }
        }
    }
}
