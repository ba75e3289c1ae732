//! Damaged files are detected, or change no result. They never crash the process.

use std::fs;
use std::path::{Path, PathBuf};

use fastrand::Rng;
use recall_core::{ChunkRow, Generation, NearestError, Neighbour, RowFilter, RowSet, VectorIndex};
use recall_index::vector::{Settings, VectorOpenError, Vectors};

use crate::clusters::Clusters;
use crate::fixture::{DIMENSIONS, added, apply, eager, model, open, plain, removed};

/// The number of mutations per file.
const MUTATIONS: usize = 2000;

/// The generation of an index and its search results.
type Answers = (Generation, Vec<Vec<Neighbour>>);

struct Sample {
    dir: tempfile::TempDir,
    settings: Settings,
    queries: Vec<Vec<f32>>,
    /// The results at each generation in the log.
    answers: Vec<Answers>,
}

impl Sample {
    /// An index with a base and a log of several changes.
    fn new(settings: Settings) -> Self {
        let mut clusters = Clusters::new(DIMENSIONS, 400, 5);
        let texts: Vec<_> = (0..400).map(|_| clusters.draw()).collect();
        let queries: Vec<_> = (0..3).map(|_| clusters.draw()).collect();
        let dir = tempfile::tempdir().unwrap();
        let vectors = open(dir.path(), settings.clone());
        apply(&vectors, &added(1, &texts[..350]));
        vectors.merge().unwrap();
        let log = dir.path().join("delta-1.log");
        let head_bytes = fs::metadata(&log).unwrap().len() as usize;
        apply(&vectors, &removed((1..100).step_by(3)));
        let mut answers = Vec::new();
        // The base without changes is a valid state too.
        for (from, texts) in [(351, &texts[350..360]), (10, &texts[360..370]), (361, &texts[370..])] {
            apply(&vectors, &added(from, texts));
        }
        drop(vectors);
        let whole = fs::read(&log).unwrap();
        for length in head_bytes..=whole.len() {
            fs::write(&log, &whole[..length]).unwrap();
            let found = ask(dir.path(), &settings, &queries).unwrap();
            if answers.last() != Some(&found) {
                answers.push(found);
            }
        }
        assert_eq!(answers.len(), 5);
        Self { dir, settings, queries, answers }
    }

    fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<_> = fs::read_dir(self.dir.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        assert_eq!(files.len(), 2);
        files
    }
}

/// Opens an index and runs every kind of search. The error of any step is the result. Only damage is expected.
fn ask(dir: &Path, settings: &Settings, queries: &[Vec<f32>]) -> Result<Answers, String> {
    let vectors = Vectors::open(dir, model(), settings.clone()).map_err(|error| match error {
        VectorOpenError::Damaged { reason, .. } => reason,
        other => panic!("damage was reported as {other:?}"),
    })?;
    let reason = |error| match error {
        NearestError::Damaged { reason } => reason,
        other => panic!("damage was reported as {other:?}"),
    };
    let some = RowSet::from_rows((0..300).map(|number| ChunkRow(number * 2)));
    let few = RowSet::from_rows([1, 5, 9, 355].map(ChunkRow));
    let mut lists = Vec::new();
    for query in queries {
        for filter in [RowFilter::All, RowFilter::Only(&some), RowFilter::Only(&few)] {
            lists.push(vectors.nearest(query, filter, 10).map_err(reason)?);
        }
    }
    Ok((vectors.generation(), lists))
}

/// Applies one kind of random damage.
fn mutate(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let length = bytes.len();
    let range = |rng: &mut Rng| {
        let start = rng.usize(..length);
        start..(start + 1 + rng.usize(..4096)).min(length)
    };
    match rng.u8(..6) {
        0 => (0..=rng.usize(..8)).for_each(|_| bytes[rng.usize(..length)] ^= 1 << rng.u8(..8)),
        1 => bytes.truncate(rng.usize(..length)),
        2 => bytes[range(rng)].fill(0),
        3 => bytes[range(rng)].fill_with(|| rng.u8(..)),
        4 => {
            // Swap two blocks.
            let width = [8, 64, 260, 512][rng.usize(..4)].min(length / 2);
            let (left, right) = (rng.usize(..=length / 2 - width), length / 2 + rng.usize(..=length / 2 - width));
            let block = bytes[left..left + width].to_vec();
            bytes.copy_within(right..right + width, left);
            bytes[right..right + width].copy_from_slice(&block);
        }
        _ => bytes.extend_from_within(range(rng)),
    }
}

fn check(settings: Settings) {
    let sample = Sample::new(settings);
    let mut rng = Rng::with_seed(11);
    for file in sample.files() {
        let whole = fs::read(&file).unwrap();
        let log = sample.dir.path().join("delta-1.log");
        let log_bytes = fs::read(&log).unwrap();
        let mut detected = 0;
        for number in 0..MUTATIONS {
            let mut bytes = whole.clone();
            while bytes == whole {
                mutate(&mut bytes, &mut rng);
            }
            fs::write(&file, &bytes).unwrap();
            match ask(sample.dir.path(), &sample.settings, &sample.queries) {
                Err(_) => detected += 1,
                // A truncated log gives an earlier state, with an earlier generation.
                Ok(found) => {
                    assert!(sample.answers.contains(&found), "mutation {number} of {} is undetected", file.display());
                }
            }
            fs::write(&file, &whole).unwrap();
            fs::write(&log, &log_bytes).unwrap();
        }
        let is_base = file != log;
        // The other mutations hit the padding before the content.
        assert!(!is_base || detected > MUTATIONS * 95 / 100, "{detected} of {}", file.display());
    }
}

#[test]
fn mutations_without_a_graph_never_change_a_result() {
    check(plain());
}

#[test]
fn mutations_with_a_graph_never_change_a_result() {
    check(eager());
}

#[test]
fn another_format_is_reported_with_its_number() {
    let sample = Sample::new(plain());
    for file in sample.files() {
        let whole = fs::read(&file).unwrap();
        let mut bytes = whole.clone();
        bytes[8] = 77;
        let head = if file.ends_with("delta-1.log") { 64 } else { 256 };
        let checksum = crc32fast::hash(&bytes[..head - 4]);
        bytes[head - 4..head].copy_from_slice(&checksum.to_le_bytes());
        fs::write(&file, &bytes).unwrap();
        let rejected = Vectors::open(sample.dir.path(), model(), plain()).err().unwrap();
        assert!(matches!(rejected, VectorOpenError::Outdated { found: 77, known: 2, .. }), "{rejected:?}");
        fs::write(&file, &whole).unwrap();
    }
}
