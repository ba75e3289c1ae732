//! The audit of what a tool remembers: which claims do not hold in the project, and which items hold secrets.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_agents::foreign::{ForeignMemory, ForeignSession, Item, Reading};
use recall_core::{ForeignKind, Scope, StoreScope};
use recall_text::DocPath;
use recall_watch::StatOutcome;

use super::MigrateError;
use super::claims::{self, Claim};
use super::memories::{display_name, one_line};
use super::sources::{ForeignProjects, ForeignSource};
use crate::Engine;
use crate::error::StoreError;
use crate::links::path_text;
use crate::mask;
use crate::origin::Origin;
use crate::store::Store;

/// The most items of one source that are audited, as of an import.
const MOST_ITEMS: u64 = 100_000;

/// The result of an audit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditReport {
    /// One entry for each audited tool.
    pub sources: Vec<AuditedSource>,
    /// How long it took.
    pub took: Duration,
}

/// What was found in one tool's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditedSource {
    /// The tool whose memory it is.
    pub kind: ForeignKind,
    /// The files and folders that were read.
    pub paths: Vec<PathBuf>,
    /// The items that belong to the store.
    pub items: u64,
    /// The items without a finding.
    pub sound: u64,
    /// The files and symbols that they name.
    pub claims: u64,
    /// The named files that the project does not have.
    pub missing_files: u64,
    /// The named symbols that occur nowhere in the project.
    pub missing_symbols: u64,
    /// The number of secrets in the items.
    pub secrets: u64,
    /// The findings, as many as were asked for.
    pub findings: Vec<AuditFinding>,
}

/// Something that is wrong with one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditFinding {
    /// Which kind of problem it is.
    pub kind: AuditFindingKind,
    /// The foreign id of the item, with secrets masked.
    pub item: String,
    /// The title of the item, with secrets masked.
    pub title: String,
    /// The file, the symbol, or the rule that recognised the secret.
    pub what: String,
    /// The line of the item's text; 0 if it is not in the text.
    pub line: u32,
}

/// What is wrong with an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AuditFindingKind {
    /// It names a file that the project does not have.
    MissingFile,
    /// It names a symbol that occurs nowhere in the project.
    MissingSymbol,
    /// It holds a secret.
    Secret,
}

impl Engine {
    /// Compares what tools remember with the project, and looks for secrets in it. Writes nothing.
    ///
    /// Without a kind, all tools are audited that have a usual place with something in it, except for transcripts.
    ///
    /// # Errors
    /// A source is missing, is something else, or cannot be read; or the store cannot be read.
    pub fn audit(
        &self,
        origin: &Origin,
        kinds: &[ForeignKind],
        source: &ForeignSource,
        most_findings: usize,
    ) -> Result<AuditReport, MigrateError> {
        let began = Instant::now();
        let store = self.memory_store(origin, source.scope)?;
        self.fresh_stores(origin, if source.scope == Scope::All { Scope::Project } else { source.scope })?;
        let mut sources = Vec::new();
        let (asked, is_every) = match kinds {
            [] => (ForeignKind::ALL.to_vec(), true),
            kinds => (kinds.to_vec(), false),
        };
        for kind in asked {
            if is_every && kind == ForeignKind::Transcripts {
                continue;
            }
            let source = ForeignSource { kind, ..source.clone() };
            let paths = match source.paths(&store, &self.registry.places) {
                Err(MigrateError::NotFound { .. }) if is_every => continue,
                paths => paths?,
            };
            sources.push(Audit::new(&store, &source, paths, most_findings).run()?);
        }
        Ok(AuditReport { sources, took: began.elapsed() })
    }
}

/// A running audit of one tool.
struct Audit<'a> {
    store: &'a Arc<Store>,
    source: &'a ForeignSource,
    report: AuditedSource,
    most_findings: usize,
    /// Whether a file or symbol is there, by name.
    looked_up: HashMap<String, bool>,
    failure: Option<StoreError>,
}

impl<'a> Audit<'a> {
    fn new(store: &'a Arc<Store>, source: &'a ForeignSource, paths: Vec<PathBuf>, most_findings: usize) -> Self {
        let report = AuditedSource {
            kind: source.kind,
            paths,
            items: 0,
            sound: 0,
            claims: 0,
            missing_files: 0,
            missing_symbols: 0,
            secrets: 0,
            findings: Vec::new(),
        };
        Self { store, source, report, most_findings, looked_up: HashMap::new(), failure: None }
    }

    fn run(mut self) -> Result<AuditedSource, MigrateError> {
        let is_filtered = self.source.projects != ForeignProjects::Every && self.source.path.is_none();
        let root = is_filtered.then_some(self.store.root.as_path());
        for path in self.report.paths.clone() {
            let reading = Reading { scratch: &self.store.folder.path, root };
            recall_agents::foreign::read(self.source.kind, &path, reading, &mut |item| match self.take(&item) {
                Ok(()) if self.report.items < MOST_ITEMS => ControlFlow::Continue(()),
                Ok(()) => ControlFlow::Break(()),
                Err(error) => {
                    self.failure = Some(error);
                    ControlFlow::Break(())
                }
            })?;
            if let Some(failure) = self.failure.take() {
                return Err(failure.into());
            }
        }
        Ok(self.report)
    }

    fn take(&mut self, item: &Item) -> Result<(), StoreError> {
        match item {
            Item::LeftOut(_) => Ok(()),
            Item::Memory(memory) => {
                let ForeignMemory { id, content, files, belongs, .. } = &**memory;
                if self.source.reason_to_leave_out(self.store, belongs).is_some() {
                    return Ok(());
                }
                let title = display_name(memory);
                let root = belongs.project.as_deref();
                let named = files.iter().map(|file| below_root(file, root, &self.store.root.to_string_lossy()));
                let text =
                    if memory.title.is_empty() { content.clone() } else { format!("{}\n{content}", memory.title) };
                // The first line is the title, if there is one.
                let titled = u32::from(!memory.title.is_empty());
                self.examine(id, &title, &text, titled, &named.flatten().collect::<Vec<_>>())
            }
            Item::Session(session) => {
                let ForeignSession { id, goal, summary, events, belongs, .. } = &**session;
                if self.source.reason_to_leave_out(self.store, belongs).is_some() {
                    return Ok(());
                }
                let events = events.iter().map(|event| event.details.content.as_str());
                let parts = goal.as_deref().into_iter().chain(summary.as_deref()).chain(events);
                let text = parts.collect::<Vec<_>>().join("\n");
                let title = goal.as_deref().map_or_else(|| id.clone(), one_line);
                self.examine(id, &title, &text, 0, &[])
            }
            Item::File(file) => self.examine(&file.below, &file.below, &file.content, 0, &[]),
        }
    }

    /// Examines an item: its text, whose first `titled` lines are not counted, and the files that it lists.
    fn examine(
        &mut self,
        item: &str,
        title: &str,
        text: &str,
        titled: u32,
        listed: &[String],
    ) -> Result<(), StoreError> {
        self.report.items += 1;
        let mut findings = Vec::new();
        for finding in mask::find(text) {
            let line = 1 + text[..finding.span.start].matches('\n').count() as u32;
            findings.push((AuditFindingKind::Secret, finding.rule.to_owned(), line.saturating_sub(titled)));
        }
        if self.store.scope == StoreScope::Project {
            let listed = listed.iter().map(|name| Claim { line: 0, name });
            for Claim { line, name } in listed.chain(claims::files(text)) {
                self.report.claims += 1;
                if !self.has_file(name) {
                    findings.push((AuditFindingKind::MissingFile, name.to_owned(), line.saturating_sub(titled)));
                }
            }
            for Claim { line, name } in claims::symbols(text) {
                self.report.claims += 1;
                if !self.has_symbol(name)? {
                    findings.push((AuditFindingKind::MissingSymbol, name.to_owned(), line.saturating_sub(titled)));
                }
            }
        }
        let mut known = std::collections::HashSet::new();
        findings.retain(|(kind, what, _)| *kind == AuditFindingKind::Secret || known.insert((*kind, what.clone())));
        self.report.sound += u64::from(findings.is_empty());
        for (kind, mut what, line) in findings {
            *match kind {
                AuditFindingKind::MissingFile => &mut self.report.missing_files,
                AuditFindingKind::MissingSymbol => &mut self.report.missing_symbols,
                AuditFindingKind::Secret => &mut self.report.secrets,
            } += 1;
            if self.report.findings.len() < self.most_findings {
                let (mut item, mut title) = (item.to_owned(), title.to_owned());
                for text in [&mut item, &mut title, &mut what] {
                    mask::text(text);
                    mask::path_text(text);
                }
                self.report.findings.push(AuditFinding { kind, item, title, what, line });
            }
        }
        Ok(())
    }

    /// Returns whether the project has a file: at the path, or at a path that ends with it.
    fn has_file(&mut self, name: &str) -> bool {
        let key = format!("file {name}");
        if let Some(known) = self.looked_up.get(&key) {
            return *known;
        }
        let is_there = DocPath::new(name).is_ok_and(|path| self.store.files.stat(&path) != StatOutcome::Gone)
            || self.store.index.known_documents().files.keys().any(|path| path_text::ends_with(path, name));
        self.looked_up.insert(key, is_there);
        is_there
    }

    /// Returns whether the project defines or mentions a symbol anywhere in its files.
    fn has_symbol(&mut self, name: &str) -> Result<bool, StoreError> {
        let last = name.rsplit([':', '.', '#']).next().unwrap_or(name);
        let key = format!("symbol {last}");
        if let Some(known) = self.looked_up.get(&key) {
            return Ok(*known);
        }
        let known = self.store.index.known_documents();
        let searcher = self.store.index.searcher();
        let failed = |source| self.store.index.search_error(source);
        let mut is_there = !searcher.defining(last, 1).map_err(failed)?.is_empty();
        if !is_there {
            // A memory that names the symbol does not prove it.
            let mentions = searcher.mentioning(last, MENTIONS).map_err(failed)?;
            is_there = mentions.iter().any(|candidate| known.memories.memory_in_row(candidate.document).is_none());
        }
        self.looked_up.insert(key, is_there);
        Ok(is_there)
    }
}

/// The most mentions of a name that are looked at: memories among them do not count.
const MENTIONS: usize = 64;

/// Returns a listed file below the root; `None` for one that lies elsewhere.
fn below_root(file: &str, project: Option<&str>, root: &str) -> Option<String> {
    let inside = |root: &str| file.strip_prefix(root)?.strip_prefix('/');
    let below = project.and_then(inside).or_else(|| inside(root)).unwrap_or(file);
    (!below.starts_with(['/', '~'])).then(|| below.trim_start_matches("./").to_owned())
}
