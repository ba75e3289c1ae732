//! Benchmarks of scoring and training.
//!
//! `cargo bench -p recall-rank` trains 250 trees of 15 leaves on a small set and prints the time of scoring 120
//! candidates; `cargo bench -p recall-rank -- <queries>` trains on that many queries of 100 candidates with 50
//! features.

#![expect(clippy::print_stdout, reason = "a benchmark reports to its terminal")]

use std::hint::black_box;
use std::time::Instant;

use oorandom::Rand32;
use recall_rank::{Columns, Judged, JudgedQuery, Parameters, Ranker, ndcg_at, train};

const FEATURES: usize = 50;
const CANDIDATES: usize = 100;
const SCORED: usize = 120;
const ROUNDS: usize = 2000;

fn main() {
    let queries = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(300);
    let judged = judged(queries);
    let start = Instant::now();
    let ranker = train(&judged, &Parameters::default()).expect("the queries are valid");
    println!("{queries} queries of {CANDIDATES} candidates, {FEATURES} features: trained in {:.1?}", start.elapsed());
    println!(
        "{} trees, {} bytes, nDCG@10 on its own queries {:.3}",
        ranker.trees(),
        ranker.write().len(),
        mean(&ranker, &judged)
    );

    let rows: Vec<f32> = judged.queries.iter().flat_map(|query| &query.rows).copied().take(SCORED * FEATURES).collect();
    let candidates = Columns::from_rows(FEATURES, &rows);
    let mut scores = Vec::new();
    let mut micros: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            ranker.score(black_box(&candidates), &mut scores);
            black_box(&scores);
            start.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    micros.sort_by(f64::total_cmp);
    println!("{SCORED} candidates scored: least {:.1} µs, median {:.1} µs", micros[0], micros[ROUNDS / 2]);

    let start = Instant::now();
    for row in rows.chunks_exact(FEATURES) {
        black_box(ranker.contributions(row));
    }
    println!("contributions of a row: {:.1} µs", start.elapsed().as_secs_f64() * 1e6 / SCORED as f64);
}

fn mean(ranker: &Ranker, judged: &Judged) -> f64 {
    let mut scores = Vec::new();
    let of_queries = judged.queries.iter().filter_map(|query| {
        ranker.score_rows(&query.rows, &mut scores);
        ndcg_at(10, &scores, &query.labels, query.missed)
    });
    of_queries.sum::<f64>() / judged.queries.len() as f64
}

/// One candidate in fifty is relevant. Ten features depend on it, the others are noise, and a tenth of the values is
/// missing.
fn judged(queries: usize) -> Judged {
    let mut rng = Rand32::new(7);
    let query = |rng: &mut Rand32| {
        let labels: Vec<f32> = (0..CANDIDATES).map(|at| f32::from(u8::from(at % 50 == 0))).collect();
        let value = |rng: &mut Rand32, label: f32, feature: usize| {
            let signal = if feature < 10 { label / (feature + 1) as f32 } else { 0.0 };
            if rng.rand_float() < 0.1 { f32::NAN } else { signal + rng.rand_float() + rng.rand_float() }
        };
        let rows = labels.iter().flat_map(|label| (0..FEATURES).map(move |feature| (*label, feature)));
        let rows = rows.map(|(label, feature)| value(rng, label, feature)).collect();
        JudgedQuery { group: "g".to_owned(), kind: "k".to_owned(), weight: 1.0, rows, labels, missed: 0 }
    };
    Judged {
        features: (0..FEATURES).map(|feature| format!("f{feature}")).collect(),
        queries: (0..queries).map(|_| query(&mut rng)).collect(),
    }
}
