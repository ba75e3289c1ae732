//! A simple implementation of BM25 over the text of chunks, as an oracle.

use std::collections::HashMap;

use crate::fixture::Doc;

/// Chunk rows with their scores, best first, ties by row. Chunks without any of the words are left out.
pub(crate) fn bm25(docs: &[Doc], query: &[&str]) -> Vec<(i64, f64)> {
    let chunks: Vec<(i64, Vec<&str>)> = docs
        .iter()
        .flat_map(|doc| {
            (0_i64..)
                .zip(&doc.chunks)
                .map(|(place, chunk)| (doc.row * 10 + place, chunk.text.split_whitespace().collect()))
        })
        .collect();
    let count = chunks.len() as f64;
    let mean = (chunks.iter().map(|(_, words)| words.len()).sum::<usize>() as f64 / count).max(1.0);
    let mut with: HashMap<&str, f64> = HashMap::new();
    for word in query {
        let number = chunks.iter().filter(|(_, words)| words.contains(word)).count();
        with.insert(word, number as f64);
    }
    let mut scored: Vec<(i64, f64)> = chunks
        .iter()
        .map(|(row, words)| {
            let score = with.iter().map(|(word, with)| {
                let frequency = words.iter().filter(|known| known == &word).count() as f64;
                let idf = (1.0 + (count - with + 0.5) / (with + 0.5)).ln();
                let norm = 1.2 * (1.0 - 0.75 + 0.75 * words.len() as f64 / mean);
                idf * 2.2 * frequency / (frequency + norm)
            });
            (*row, score.sum::<f64>())
        })
        .filter(|&(_, score)| score > 0.0)
        .collect();
    scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    scored
}
