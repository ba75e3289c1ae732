//! Judged questions over whole repositories with memories, for training the relevance.
//!
//! Each repository is checked out as it was before its newest commits, with documents, tests and data. The bodies of
//! commit messages become memories. The questions cover everything that people look for, and the features of candidates
//! of all kinds are recorded in one pool.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::quality::mine::{Checkout, History, MineLimits, MinedQuery};
use recall_engine::RankedDocument;
use recall_rank::{Judged, JudgedQuery};
use recall_text::DocPath;

use crate::training::arguments::{Knows, PoolArguments, report};
use crate::training::ask::{Models, QueryEngine};
use crate::training::comments::Body;
use crate::training::questions::{self, Question, Vocabulary};
use crate::training::sources::{Source, Sources, files, spread};
use crate::training::{comments, letor};

/// The number of newest queries of a history that are after the tree in which they are asked.
const NEWEST: usize = 60;

/// The number of queries that are read from a history, large enough that the newest ones are consecutive.
const LOOKED_AT: usize = 600;

/// The maximum number of files of a tree. Larger trees take minutes and add no information.
const MAX_FILES: usize = 6_000;

/// The number of memories per repository, used in turn. A memory must be found among few and among many.
const MEMORIES: [usize; 5] = [1, 12, 40, 120, 360];

/// The number of recorded candidates of each kind, in the order of that kind's ranker. Relevant candidates below are
/// dropped like all others there: otherwise their low rank alone would reveal that they are relevant.
const PER_KIND: usize = 20;

type Failure = Box<dyn Error + Send + Sync>;

/// Processes all repositories without output files.
pub(crate) fn run(arguments: &PoolArguments) -> Result<(), Failure> {
    let sources = Sources::read(&arguments.sources)?;
    let models = Models::instant();
    for knows in Knows::ALL {
        fs::create_dir_all(arguments.out.join(knows.folder()))?;
    }
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(0_usize);
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(source) = sources.source.get(number).filter(|_| number < arguments.repositories) else { break };
            let foreign = &sources.source[(number + 1) % sources.source.len()];
            let name = format!("{}.letor", source.name.replace('/', "+"));
            let paths = Knows::ALL.map(|knows| arguments.out.join(knows.folder()).join(&name));
            if paths.iter().all(|path| path.exists()) {
                continue;
            }
            let mined = mine(source, foreign, MEMORIES[number % MEMORIES.len()], arguments, &models);
            let written = mined.and_then(|pools| {
                paths.iter().zip(&pools.0).try_for_each(|(path, judged)| fs::write(path, letor::write(judged)))?;
                Ok(pools.0[0].queries.len())
            });
            match written {
                Ok(count) => report(&format!("{}: {count} questions", source.name)),
                Err(error) => {
                    report(&format!("{}: {error}", source.name));
                    *failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner) += 1;
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs.max(1) {
            let worker = std::thread::Builder::new().stack_size(recall_chunk::PARSE_STACK_BYTES);
            worker.spawn_scoped(scope, work).expect("the system can start a thread");
        }
    });
    match failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        0 => Ok(()),
        count => Err(format!("mining failed for {count} repositories").into()),
    }
}

/// The questions of a repository, one set for each of [`Knows::ALL`].
struct Pools([Judged; Knows::ALL.len()]);

fn mine(
    source: &Source,
    foreign: &Source,
    memories: usize,
    arguments: &PoolArguments,
    models: &Models,
) -> Result<Pools, Failure> {
    let git_dir = source.git_dir(&arguments.mirrors)?;
    let folder = tempfile::tempdir()?;
    let (tree, home) = (folder.path().join("tree"), folder.path().join("home"));
    let commits = newest(&git_dir)?;
    let mut checkout = Checkout::new(&git_dir, &tree)?;
    if let Some(oldest) = commits.last() {
        checkout.at(&oldest.parent)?;
    }
    let files = files(&tree)?;
    if files.len() > MAX_FILES {
        return Err(format!("{} files are too many", files.len()).into());
    }
    let mut all = questions::tree_questions(&tree, &files)?;
    all.extend(questions::commit_questions(&tree, &commits));
    all.extend(foreign_questions(foreign, arguments)?);

    let asked = QueryEngine::new(&tree, &home, models, recall_engine::Rankers::built_in());
    asked.refresh()?;
    let asked_for: Vec<&str> = commits.iter().map(|commit| commit.text.as_str()).collect();
    let bodies = comments::read(&git_dir, memories, &asked_for)?;
    let vocabulary = vocabulary(&tree, &files, &bodies);
    for (number, body) in bodies.iter().enumerate() {
        let id = asked.remember(number, body)?;
        all.extend(questions::memory_question(number, body, &id, &vocabulary));
    }
    let mut pools = Pools(Knows::ALL.map(|_| Judged {
        features: recall_engine::all_feature_names().iter().map(ToString::to_string).collect(),
        queries: Vec::new(),
    }));
    for question in &all {
        pools.ask(&asked, source, question)?;
    }
    Ok(pools)
}

/// Counts the words of all files and memories.
fn vocabulary(tree: &Path, files: &[DocPath], bodies: &[Body]) -> Vocabulary {
    let mut vocabulary = Vocabulary::default();
    let texts = files.iter().filter_map(|path| fs::read_to_string(tree.join(path.as_str())).ok());
    for text in texts {
        vocabulary.add(&text);
    }
    for body in bodies {
        vocabulary.add(&body.text);
    }
    vocabulary
}

/// Returns the newest queries of a history, newest first.
fn newest(git_dir: &Path) -> Result<Vec<MinedQuery>, Failure> {
    let mut commits = History::open(git_dir)?.commits(&MineLimits { queries: LOOKED_AT, ..MineLimits::default() })?;
    commits.truncate(NEWEST.min(commits.len().div_ceil(2)));
    Ok(commits)
}

/// Returns questions about another repository, which this one does not answer.
fn foreign_questions(foreign: &Source, arguments: &PoolArguments) -> Result<Vec<Question>, Failure> {
    let commits = newest(&foreign.git_dir(&arguments.mirrors)?)?;
    Ok(spread(&commits, 20).map(|commit| Question::new("foreign", &commit.text)).collect())
}

impl Pools {
    /// Asks a question, and records the features of its best candidates, if there are any.
    fn ask(&mut self, asked: &QueryEngine, source: &Source, question: &Question) -> Result<(), Failure> {
        for (knows, judged) in Knows::ALL.into_iter().zip(&mut self.0) {
            let candidates = asked.candidates_of_all_kinds(&question.text, knows)?;
            let kept = best(candidates, &judged.features, question);
            if kept.is_empty() {
                continue;
            }
            let is_relevant = |document: &RankedDocument| question.is_answer(document.path.as_str());
            judged.queries.push(JudgedQuery {
                group: source.name.clone(),
                kind: question.kind.to_owned(),
                weight: 1.0,
                labels: kept.iter().map(|document| f32::from(u8::from(is_relevant(document)))).collect(),
                rows: kept.into_iter().flat_map(|document| document.features).collect(),
                missed: 0,
            });
        }
        Ok(())
    }
}

/// Returns the best candidates of each kind, without unjudged ones.
fn best(mut candidates: Vec<RankedDocument>, names: &[String], question: &Question) -> Vec<RankedDocument> {
    let ranked = names.iter().position(|name| name == "ranked").expect("`ranked` is one of the features");
    candidates.sort_by(|a, b| a.kind.cmp(&b.kind).then(b.features[ranked].total_cmp(&a.features[ranked])));
    let mut kept = Vec::new();
    for of_kind in candidates.chunk_by(|a, b| a.kind == b.kind) {
        let judged = of_kind.iter().filter(|document| !question.is_unjudged(document.path.as_str()));
        kept.extend(judged.take(PER_KIND).cloned());
    }
    kept
}
