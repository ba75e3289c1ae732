//! Which files of a large project its first index reads first: those that most likely answer the questions that wait for it.
//!
//! Parsing and indexing 20,000 files takes half a minute. Looking for a few words in their bytes takes less than a second. So a question
//! that meets a project without an index has its files indexed first. It is answered from them, with a warning that says how much is
//! indexed, and the rest follows. An answer from the looking itself would be a second search with other results. Files that were changed
//! last, without the looking, would know nothing about the question.
//!
//! A question that arrives while the rest is indexed interrupts it: what it needs is indexed next.

use std::cmp::Reverse;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use memchr::memmem::Finder;
use recall_text::FileKind;

use super::prepare::Task;
use crate::index_runs::Cancel;
use crate::store::{Store, Wanted};

/// A first index of fewer files is over about as soon as its likely files would be found.
pub(crate) const MANY_FILES: usize = 1500;

/// The most files that are indexed before a question is answered, and their most bytes: about a second of work.
const MOST_LIKELY_FILES: usize = 200;
const MOST_LIKELY_BYTES: u64 = 1024 * 1024;

/// A path of a question that more files end with is not looked for: `mod.rs`.
const MOST_NAMESAKES: usize = 8;

/// How long files are looked through for one or more questions. Those that are not reached are judged by their paths.
const LOOK_TIME: Duration = Duration::from_millis(600);

/// A larger file is judged by its path. It takes too long to index.
const LOOKED_THROUGH_BYTES: u64 = 256 * 1024;

/// Moves the files that most likely answer the questions to the front of `order`, which has indices of `tasks`. Returns how many.
///
/// They are in the order that they had. None is moved if nothing of the questions is in any file.
pub(super) fn move_to_front(
    store: &Store,
    tasks: &[Task],
    order: &mut [usize],
    questions: &[Wanted],
    threads: NonZero<usize>,
    cancel: &Cancel,
) -> usize {
    let looking = Looking::new(questions);
    let mut reading: Vec<usize> = (0..order.len()).collect();
    let by_path: Vec<u32> = order.iter().map(|&task| looking.words_of_path(&tasks[task])).collect();
    let named = looking.named_files(order.iter().map(|&task| &tasks[task]));
    // What its path promises is looked at while there is time; then what was changed last.
    reading
        .sort_by_key(|&place| (Reverse(by_path[place].count_ones()), Reverse(modification_time(&tasks[order[place]]))));
    let matches = look_through(store, tasks, order, &reading, &looking, threads, cancel);
    let scores = looking.score(&by_path, &matches, &named, |place| &tasks[order[place]]);
    let mut best: Vec<usize> = (0..order.len()).filter(|&place| scores[place] > 0.0).collect();
    best.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
    let (mut chosen, mut bytes, mut files) = (vec![false; order.len()], 0, 0);
    for place in best {
        let task = &tasks[order[place]];
        let is_file = matches!(task, Task::File(_));
        if is_file && (files == MOST_LIKELY_FILES || files > 0 && bytes + task.size_bytes() > MOST_LIKELY_BYTES) {
            continue;
        }
        files += usize::from(is_file);
        bytes += if is_file { task.size_bytes() } else { 0 };
        chosen[place] = true;
    }
    let (first, rest): (Vec<usize>, Vec<usize>) = (0..order.len()).partition(|&place| chosen[place]);
    let moved: Vec<usize> = first.iter().chain(&rest).map(|&place| order[place]).collect();
    order.copy_from_slice(&moved);
    first.len()
}

fn modification_time(task: &Task) -> i64 {
    match task {
        Task::File(file) => file.modified.0,
        Task::Memory { .. } => i64::MAX,
    }
}

/// What is in a file of what is looked for.
#[derive(Clone, Copy, Default)]
struct FileMatch {
    /// The words, as bits.
    words: u32,
    /// Whether an exact text is in it.
    has_text: bool,
}

/// What is looked for.
struct Looking<'q> {
    words: Vec<&'q str>,
    finders: Vec<Finder<'q>>,
    texts: Vec<&'q recall_index::lexical::exact::Pattern>,
    /// The components of paths that a question names, the last one first.
    paths: Vec<Vec<&'q str>>,
}

/// Returns the components of a path, the last one first.
fn from_the_end(path: &str) -> impl Iterator<Item = &str> {
    path.rsplit(['/', '\\']).filter(|part| !matches!(*part, "" | "." | ".."))
}

impl<'q> Looking<'q> {
    fn new(questions: &'q [Wanted]) -> Self {
        let mut words: Vec<&str> = Vec::new();
        let (mut texts, mut paths) = (Vec::new(), Vec::new());
        for question in questions {
            match question {
                Wanted::Question { words: more, paths: named } => {
                    words.extend(more.iter().map(String::as_str));
                    paths.extend(named.iter().map(|path| from_the_end(path).collect()));
                }
                Wanted::Text { pattern, .. } => texts.push(&**pattern),
            }
        }
        words.sort_unstable();
        words.dedup();
        words.truncate(u32::BITS as usize);
        let finders = words.iter().map(|word| Finder::new(word.as_bytes())).collect();
        Self { words, finders, texts, paths }
    }

    /// Returns for each task whether a question names it: of all files, it shares the longest end of a path of the question.
    fn named_files<'t>(&self, tasks: impl Iterator<Item = &'t Task>) -> Vec<bool> {
        let mut named = Vec::new();
        let mut nearest: Vec<(usize, Vec<usize>)> = vec![(1, Vec::new()); self.paths.len()];
        for (place, task) in tasks.enumerate() {
            named.push(false);
            let Task::File(file) = task else { continue };
            for (path, (longest, files)) in self.paths.iter().zip(&mut nearest) {
                let shared =
                    from_the_end(file.path.as_str()).zip(path).take_while(|(one, other)| one == *other).count();
                if shared > *longest {
                    (*longest, *files) = (shared, vec![place]);
                } else if shared == *longest {
                    files.push(place);
                }
            }
        }
        for place in nearest.into_iter().filter(|(_, files)| files.len() <= MOST_NAMESAKES).flat_map(|(_, files)| files)
        {
            named[place] = true;
        }
        named
    }

    fn words_in(&self, lower_case: &[u8]) -> u32 {
        let there = self.finders.iter().enumerate().filter(|(_, finder)| finder.find(lower_case).is_some());
        there.fold(0, |words, (bit, _)| words | 1 << bit)
    }

    fn words_of_path(&self, task: &Task) -> u32 {
        match task {
            Task::File(file) => self.words_in(file.path.as_str().to_ascii_lowercase().as_bytes()),
            Task::Memory { .. } => 0,
        }
    }

    fn look(&self, text: &str) -> FileMatch {
        let words = self.words_in(text.to_ascii_lowercase().as_bytes());
        FileMatch { words, has_text: self.texts.iter().any(|pattern| pattern.matches(text).next().is_some()) }
    }

    /// Returns how likely each file answers: the sum of the rarities of its words, twice that of the words of its path, and above all
    /// others a file that a question names or that has an exact text. Memories come first: they are small, and no other text has what
    /// they say.
    fn score<'t>(
        &self,
        by_path: &[u32],
        matches: &[FileMatch],
        named: &[bool],
        task: impl Fn(usize) -> &'t Task,
    ) -> Vec<f64> {
        let count = matches.len().max(1) as f64;
        let rarities: Vec<f64> = (0..self.words.len())
            .map(|bit| {
                let files = matches.iter().zip(by_path).filter(|(one, path)| (one.words | **path) >> bit & 1 == 1);
                (count / files.count().max(1) as f64).ln()
            })
            .collect();
        let above_words = 4.0 * rarities.iter().sum::<f64>() + 1.0;
        let files = matches.iter().zip(by_path).enumerate();
        files
            .map(|(place, (one, &path))| {
                let by_words = sum_rarities(&rarities, one.words) + 2.0 * sum_rarities(&rarities, path);
                let weight = match task(place) {
                    Task::Memory { .. } => return f64::INFINITY,
                    Task::File(file) if FileKind::from_path(&file.path) != FileKind::Main => SIDE_FILE,
                    Task::File(_) => 1.0,
                };
                weight * by_words + if one.has_text || named[place] { above_words } else { 0.0 }
            })
            .collect()
    }
}

fn sum_rarities(rarities: &[f64], words: u32) -> f64 {
    rarities.iter().enumerate().map(|(bit, rarity)| rarity * f64::from(words >> bit & 1)).sum()
}

/// The weight of tests, examples, generated and vendored files.
const SIDE_FILE: f64 = 0.6;

/// Looks through the files in the order of `reading`, as long as there is time.
fn look_through(
    store: &Store,
    tasks: &[Task],
    order: &[usize],
    reading: &[usize],
    looking: &Looking<'_>,
    threads: NonZero<usize>,
    cancel: &Cancel,
) -> Vec<FileMatch> {
    let until = Instant::now() + LOOK_TIME;
    let next = AtomicUsize::new(0);
    let next_place = || {
        let is_over = Instant::now() >= until || cancel.is_cancelled();
        if is_over { None } else { reading.get(next.fetch_add(1, Ordering::Relaxed)).copied() }
    };
    let mut matches = vec![FileMatch::default(); order.len()];
    std::thread::scope(|scope| {
        let look = || look_at_files(store, tasks, order, looking, next_place);
        let threads: Vec<_> = (1..threads.get()).map(|_| scope.spawn(look)).collect();
        let mut all = look();
        for thread in threads {
            // A panic costs what its thread has found: the files are then judged by their paths.
            all.extend(thread.join().unwrap_or_default());
        }
        for (place, one) in all {
            matches[place] = one;
        }
    });
    matches
}

/// Looks through one file after the other, and returns what is in each with its place.
fn look_at_files(
    store: &Store,
    tasks: &[Task],
    order: &[usize],
    looking: &Looking<'_>,
    next_place: impl Fn() -> Option<usize>,
) -> Vec<(usize, FileMatch)> {
    let limits = store.settings().limits.clone();
    let mut matches = Vec::new();
    while let Some(place) = next_place() {
        let Task::File(file) = &tasks[order[place]] else { continue };
        if file.size_bytes > LOOKED_THROUGH_BYTES {
            continue;
        }
        // A file that cannot be read is recorded when its turn comes.
        if let Ok((content, _)) = store.files.read_file(&file.path, &limits) {
            matches.push((place, looking.look(&content.text)));
        }
    }
    matches
}
