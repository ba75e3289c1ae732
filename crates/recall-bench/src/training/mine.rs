//! Mining of judged queries from the histories of repositories.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::quality::mine::{Checkout, History, MineLimits};
use recall_engine::{ContentKind, RankedDocument, Rankers};
use recall_rank::{Judged, JudgedQuery};
use recall_text::DocPath;

use crate::training::arguments::{Knows, MineArguments, report};
use crate::training::ask::{Models, QueryEngine};
use crate::training::comments::{self, Section, Uncommented};
use crate::training::letor;
use crate::training::sources::{Source, Sources, files, spread};

/// The number of commits asked per repository.
const COMMITS: usize = 24;
/// The number of comments asked per repository.
const COMMENTS: usize = 25;
/// The minimum number of sections of a repository.
const MIN_SECTIONS: usize = 40;

type Failure = Box<dyn Error + Send + Sync>;

/// Mines all repositories without output files.
pub(crate) fn run(arguments: &MineArguments) -> Result<(), Failure> {
    let sources = Sources::read(&arguments.sources)?;
    let models = Models::open(arguments)?;
    for knows in Knows::ALL {
        fs::create_dir_all(arguments.out.join(knows.folder()))?;
    }
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..arguments.jobs.max(1) {
            let worker = std::thread::Builder::new().stack_size(recall_chunk::PARSE_STACK_BYTES);
            let work = || {
                while let Some(source) = sources.source.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let name = format!("{}.letor", source.name.replace('/', "+"));
                    let files = Knows::ALL.map(|knows| arguments.out.join(knows.folder()).join(&name));
                    if files.iter().all(|file| file.exists()) {
                        continue;
                    }
                    match mine(source, arguments, &models).and_then(|mined| {
                        for (file, judged) in files.iter().zip(&mined.0) {
                            fs::write(file, letor::write(judged))?;
                        }
                        Ok(mined.0[0].queries.len())
                    }) {
                        Ok(count) => report(&format!("{}: {count} queries", source.name)),
                        Err(error) => {
                            report(&format!("{}: {error}", source.name));
                            failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(&source.name);
                        }
                    }
                }
            };
            worker.spawn_scoped(scope, work).expect("the system can start a thread");
        }
    });
    let failed = failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    if failed.is_empty() { Ok(()) } else { Err(format!("mining failed for {} repositories", failed.len()).into()) }
}

/// The queries of a repository, one set for each of [`Knows::ALL`].
struct Mined([Judged; Knows::ALL.len()]);

fn mine(source: &Source, arguments: &MineArguments, models: &Models) -> Result<Mined, Failure> {
    let asks = |kind: &str| arguments.kinds.iter().any(|asked| asked == kind);
    let git_dir = source.git_dir(&arguments.mirrors)?;
    let folder = tempfile::tempdir()?;
    let (tree, home) = (folder.path().join("tree"), folder.path().join("home"));
    let mut mined = Mined(Knows::ALL.map(|knows| Judged {
        features: recall_engine::feature_names(knows.feature_set()).iter().map(ToString::to_string).collect(),
        queries: Vec::new(),
    }));
    let mut checkout = Checkout::new(&git_dir, &tree)?;
    let asked = QueryEngine::new(&tree, &home, models, Rankers::none());
    let limits = MineLimits { queries: COMMITS, ..MineLimits::default() };
    let commits = History::open(&git_dir)?.commits(&limits)?;
    if let Some(newest) = commits.first()
        && !asks("commit")
    {
        checkout.at(&newest.parent)?;
    }
    for query in commits.iter().rev().filter(|_| asks("commit")) {
        checkout.at(&query.parent)?;
        asked.refresh()?;
        let asking = Asking { source, kind: "commit", text: &query.text, of: ContentKind::Code };
        let is_relevant = |document: &RankedDocument| query.relevant.iter().any(|path| path == document.path.as_str());
        mined.ask(&asked, &asking, query.relevant.len(), is_relevant)?;
    }
    let files = files(&tree)?;
    let described = if asks("comment") { bare(&tree, &files) } else { Vec::new() };
    for (path, Uncommented { text, .. }) in &described {
        fs::write(tree.join(path.as_str()), text)?;
    }
    if !described.is_empty() {
        asked.refresh()?;
    }
    for (path, Uncommented { sentence, .. }) in &described {
        let asking = Asking { source, kind: "comment", text: sentence, of: ContentKind::Code };
        mined.ask(&asked, &asking, 1, |document| document.path == *path)?;
    }
    drop(asked);
    if asks("heading") {
        sections(source, arguments, models, &tree, &files, folder.path(), &mut mined)?;
    }
    Ok(mined)
}

/// Returns files without one of their comments, sampled evenly.
fn bare(tree: &Path, files: &[DocPath]) -> Vec<(DocPath, Uncommented)> {
    // Most files have no suitable comment.
    let tried = spread(files, 8 * COMMENTS);
    let read = |path: &&DocPath| fs::read_to_string(tree.join(path.as_str())).ok();
    let bared: Vec<(DocPath, Uncommented)> =
        tried.filter_map(|path| Some((path.clone(), comments::without_comment(path, &read(&path)?)?))).collect();
    let places: Vec<usize> = (0..bared.len()).collect();
    let kept: Vec<usize> = spread(&places, COMMENTS).copied().collect();
    bared.into_iter().enumerate().filter(|(place, _)| kept.contains(place)).map(|(_, bared)| bared).collect()
}

/// Asks for sections by their headings, with each section in a file of its own.
fn sections(
    source: &Source,
    arguments: &MineArguments,
    models: &Models,
    tree: &Path,
    files: &[DocPath],
    folder: &Path,
    mined: &mut Mined,
) -> Result<(), Failure> {
    let mut sections: Vec<(DocPath, Section)> = Vec::new();
    for path in files.iter().filter(|path| path.extension() == Some("md")) {
        let Ok(text) = fs::read_to_string(tree.join(path.as_str())) else { continue };
        for section in comments::sections(&text) {
            let file = DocPath::new(&format!("{}/{}.md", path.as_str().trim_end_matches(".md"), sections.len()))?;
            sections.push((file, section));
        }
    }
    sections.truncate(arguments.sections);
    if sections.len() < MIN_SECTIONS {
        return Ok(());
    }
    let (root, home) = (folder.join("sections"), folder.join("sections-home"));
    for (file, section) in &sections {
        let path = root.join(file.as_str());
        fs::create_dir_all(path.parent().unwrap_or(&root))?;
        fs::write(path, &section.text)?;
    }
    let asked = QueryEngine::new(&root, &home, models, Rankers::none());
    asked.refresh()?;
    let telling: Vec<&(DocPath, Section)> =
        sections.iter().filter(|(_, section)| comments::is_descriptive(&section.heading)).collect();
    for (file, section) in spread(&telling, arguments.headings) {
        let same = sections.iter().filter(|(_, other)| other.heading == section.heading).count();
        if same == 1 {
            let asking = Asking { source, kind: "heading", text: &section.heading, of: ContentKind::Prose };
            mined.ask(&asked, &asking, 1, |document| document.path == *file)?;
        }
    }
    Ok(())
}

/// A query of a repository.
struct Asking<'a> {
    source: &'a Source,
    kind: &'a str,
    text: &'a str,
    of: ContentKind,
}

impl Mined {
    /// Asks a query, and records the features of its candidates, if there are any.
    fn ask(
        &mut self,
        asked: &QueryEngine,
        asking: &Asking<'_>,
        relevant: usize,
        is_relevant: impl Fn(&RankedDocument) -> bool,
    ) -> Result<(), Failure> {
        for (knows, judged) in Knows::ALL.into_iter().zip(&mut self.0) {
            let candidates = asked.candidates(asking.text, asking.of, knows)?;
            let labels: Vec<f32> =
                candidates.iter().map(|document| f32::from(u8::from(is_relevant(document)))).collect();
            let found = labels.iter().filter(|&&label| label > 0.0).count();
            if labels.is_empty() {
                continue;
            }
            judged.queries.push(JudgedQuery {
                group: asking.source.name.clone(),
                kind: asking.kind.to_owned(),
                weight: 1.0,
                rows: candidates.into_iter().flat_map(|document| document.features).collect(),
                labels,
                missed: relevant.saturating_sub(found) as u32,
            });
        }
        Ok(())
    }
}
