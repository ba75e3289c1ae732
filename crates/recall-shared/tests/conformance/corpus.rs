//! Random documents.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::convert::Infallible;

use oorandom::Rand32;
use recall_shared::{Branch, ChunkRecord, DocumentRecord, Key, Manifest, Model, Source};

pub const KINDS: [&str; 3] = ["code", "documentation", "adr"];
pub const LANGUAGES: [&str; 3] = ["rust", "go", ""];
pub const TAGS: [&str; 2] = ["old", "new"];

/// The documents of a branch.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    pub documents: BTreeMap<String, (DocumentRecord, Vec<ChunkRecord>)>,
    manifest: Manifest,
    /// How many chunks were embedded.
    pub embedded: RefCell<usize>,
}

pub fn model() -> Model {
    Model { fingerprint: "0123456789abcdef".to_owned(), dimensions: 8 }
}

pub fn branch(repository: &str, name: &str) -> Branch {
    Branch { repository: repository.to_owned(), name: name.to_owned() }
}

fn key(parts: &[&str]) -> Key {
    let hash = blake3::hash(parts.join("\n").as_bytes());
    Key(hash.as_bytes()[..16].try_into().expect("sixteen bytes"))
}

fn vector(random: &mut Rand32) -> Vec<f32> {
    let mut vector: Vec<f32> = (0..model().dimensions).map(|_| random.rand_float() - 0.5).collect();
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    for x in &mut vector {
        *x /= length;
    }
    vector
}

/// A chunk of that text, with a vector that depends on the text alone.
pub fn chunk(text: &str) -> ChunkRecord {
    let mut keys: Vec<u32> = text.split_whitespace().map(number).collect();
    keys.sort_unstable();
    keys.dedup();
    ChunkRecord {
        key: key(&[text]),
        text: text.to_owned(),
        lengths: [keys.len() as u64, 1, 0, 0, 0, 0],
        keys,
        vector: None,
    }
}

/// The number of a word. Some are negative in a signed column.
pub fn number(word: &str) -> u32 {
    u32::from_le_bytes(blake3::hash(word.as_bytes()).as_bytes()[..4].try_into().expect("four bytes"))
}

impl Corpus {
    /// A number of random documents.
    pub fn random(seed: u64, documents: usize) -> Self {
        let mut corpus = Self::default();
        let mut random = Rand32::new(seed);
        for number in 0..documents {
            let texts: Vec<String> = (0..random.rand_range(1..4)).map(|_| text(&mut random)).collect();
            let folder = ["src", "src/deep", "docs"][random.rand_range(0..3) as usize];
            corpus.put(&format!("{folder}/file{number}.rs"), &texts, &mut random);
        }
        corpus
    }

    pub fn put(&mut self, path: &str, texts: &[String], random: &mut Rand32) {
        let chunks: Vec<ChunkRecord> = texts.iter().map(|text| chunk(text)).collect();
        let keys: Vec<Key> = chunks.iter().map(|chunk| chunk.key).collect();
        let all = texts.join("\n");
        let mut of_path: Vec<u32> = path.split(['/', '.']).map(number).collect();
        of_path.sort_unstable();
        of_path.dedup();
        let record = DocumentRecord {
            path: path.to_owned(),
            key: key(&[path, &all]),
            record: all.as_bytes().to_vec(),
            chunks: keys,
            lengths: [0, 0, 0, of_path.len() as u64, 1, 1],
            keys: of_path,
            kind: KINDS[random.rand_range(0..3) as usize].to_owned(),
            language: LANGUAGES[random.rand_range(0..3) as usize].to_owned(),
            tags: TAGS.iter().filter(|_| random.rand_float() < 0.3).map(|tag| (*tag).to_owned()).collect(),
            text: all,
        };
        self.manifest.insert(path.to_owned(), record.key);
        self.documents.insert(path.to_owned(), (record, chunks));
    }

    pub fn remove(&mut self, path: &str) {
        self.manifest.remove(path);
        self.documents.remove(path);
    }

    /// Edits, adds and removes some documents.
    pub fn change(&mut self, random: &mut Rand32) {
        let paths: Vec<String> = self.documents.keys().cloned().collect();
        for path in paths {
            match random.rand_range(0..10) {
                0 => self.remove(&path),
                1 | 2 => {
                    let mut texts: Vec<String> =
                        self.documents[&path].1.iter().map(|chunk| chunk.text.clone()).collect();
                    texts[0] = text(random);
                    self.put(&path, &texts, random);
                }
                3 => {
                    let texts: Vec<String> = vec![text(random)];
                    self.put(&format!("{path}.new"), &texts, random);
                }
                _ => {}
            }
        }
    }

    /// The number of different chunks.
    pub fn chunks(&self) -> usize {
        let all = self.documents.values().flat_map(|(_, chunks)| chunks.iter().map(|chunk| chunk.key));
        all.collect::<std::collections::BTreeSet<_>>().len()
    }
}

const WORDS: usize = 40;

fn text(random: &mut Rand32) -> String {
    let words = (0..random.rand_range(2..9)).map(|_| {
        // A few words are frequent, most are rare.
        let place = (random.rand_float() * random.rand_float() * WORDS as f32) as usize;
        format!("w{place}")
    });
    words.collect::<Vec<_>>().join(" ")
}

impl Source for Corpus {
    type Error = Infallible;

    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn read(&self, paths: &[String]) -> Result<Vec<(DocumentRecord, Vec<ChunkRecord>)>, Infallible> {
        Ok(paths.iter().filter_map(|path| self.documents.get(path).cloned()).collect())
    }

    fn embed(&self, chunks: &mut [ChunkRecord]) -> Result<(), Infallible> {
        *self.embedded.borrow_mut() += chunks.len();
        for chunk in chunks {
            let seed = u64::from(number(&chunk.text));
            chunk.vector = Some(vector(&mut Rand32::new(seed)));
        }
        Ok(())
    }

    fn report(&self, _: u64, _: u64) -> bool {
        true
    }
}

/// A random query vector.
pub fn query_vector(random: &mut Rand32) -> Vec<f32> {
    vector(random)
}
