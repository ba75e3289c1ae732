//! Where lines of a file come from: the commit that wrote them, the session that made it and what it was asked, what was decided about
//! them, and what other tools say of them.
//!
//! Each step is evidence and not a proof, so an answer says what kind it is, and where it has none, what was looked at. Git knows the
//! commit; the session log knows commits and edited files, not lines (ADR 75). Begin with `Engine::why`.

mod makers;
mod ties;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;

use recall_agents::foreign::Action;
use recall_core::{Citation, Lines, Scope, Symbol, SymbolKind, Timestamp};
use recall_index::catalog::StoredDocument;
use recall_os::Folder;
use recall_os::git::Repository;
use recall_text::error_chain;
use recall_text::quote::inline;

use super::agent_trace::{TraceClaim, TraceContributor, Traces};
use crate::Engine;
use crate::engine::{MountedStore, MountedStores};
use crate::error::GetError;
use crate::git::{BlamedLine, Git, LineBlame, LineCommit, NotedCommit};
use crate::graph::start::Name;
use crate::inspect::find_document;
use crate::mask;
use crate::origin::Origin;
use crate::session_log::masking::masked_text;
use crate::session_log::story::first_chars;
use crate::warning::Warning;
use makers::{Maker, Makers};
use ties::LineSubject;

pub use ties::LineTie;

/// The file in which tools append records of who wrote lines, and the most bytes of it that are read.
const TRACE_FILE: &str = ".agent-trace/traces.jsonl";
const TRACE_BYTES: u64 = 16 * 1024 * 1024;

/// The place of a record that was made while its lines were not committed, in words.
const BEFORE_COMMIT: &str = ".agent-trace/traces.jsonl, written before the commit";

/// The most characters of a prompt and of a title.
const PROMPT_CHARS: usize = 400;

/// A question about lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhyRequest {
    /// The id of a document, a path below the root, or either with lines.
    pub file: String,
    /// The lines; `None` for those that `file` names, or the whole file. Those after the end of the file are left out.
    pub lines: Option<RangeInclusive<u32>>,
}

/// Where lines come from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Why {
    /// The path of the file as the client sees it.
    pub path: String,
    /// The number of lines of the file.
    pub line_count: u32,
    /// The first of the lines that were asked for.
    pub first: u32,
    /// The lines by their origin, in order; empty if the file does not have them.
    pub ranges: Vec<LineOrigin>,
    /// What belongs to the lines, memories first.
    pub ties: Vec<LineTie>,
    /// The number of ties that the answer has no room for.
    pub more_ties: u32,
    /// Conditions that affect the answer.
    pub warnings: Vec<Warning>,
}

/// Lines with one origin.
#[derive(Clone, Debug, PartialEq)]
pub struct LineOrigin {
    /// The first line.
    pub first: u32,
    /// The last line.
    pub last: u32,
    /// The commit that wrote them, or why none is named.
    pub commit: Result<LineCommit, UnknownCommit>,
    /// The path that the file had in that commit, if it is another one.
    pub moved_from: Option<String>,
    /// The session that made the commit, or why none is named.
    pub session: Result<LineSession, String>,
    /// What a record of Agent Trace says of them.
    pub trace: Option<LineTrace>,
}

/// Why no commit is named for lines. Its words are the reason that a client sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnknownCommit {
    /// The file is committed, and these lines are not.
    #[error("not committed")]
    NewLines,
    /// No commit has the file.
    #[error("the file is not committed")]
    NewFile,
    /// The store's root has no repository of its own.
    #[error("the folder has no git repository of its own")]
    NoRepository,
    /// The lines may be committed.
    #[error("git did not answer in time")]
    NoAnswer,
}

/// A session that made lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineSession {
    /// Its id.
    pub id: String,
    /// The agent that ran it.
    pub agent: Option<String>,
    /// Its name.
    pub title: Option<String>,
    /// What was asked before the file was edited, on one line.
    pub prompt: Option<String>,
    /// What says that it made the lines, in words.
    pub evidence: String,
}

/// What a record of Agent Trace says of lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineTrace {
    /// Who wrote them.
    pub contributor: TraceContributor,
    /// The model.
    pub model: Option<String>,
    /// The address of the conversation.
    pub url: Option<String>,
    /// The program that made the record.
    pub tool: Option<String>,
    /// Where the record is, in words.
    pub source: &'static str,
}

/// The file that a question is about.
struct AskedFile<'s> {
    store: &'s MountedStore,
    document: StoredDocument,
    /// The lines that the question names with the file.
    cited: Option<Lines>,
    /// Its path as the client sees it, which is how sessions name it.
    outer: String,
    /// The path of the store's root from the top of the repository, with `/` at its end; empty at the top.
    prefix: String,
}

/// A line's origin before it is joined with its neighbours: the commit, the path there, and the claim of a record.
type Source = (Option<Arc<LineCommit>>, Arc<str>, Option<(TraceClaim, &'static str)>);

impl Engine {
    /// Returns where lines of a file of the project come from.
    ///
    /// # Errors
    /// The file is unknown or is a memory, or a store cannot be opened or read.
    pub fn why(&self, origin: &Origin, request: &WhyRequest) -> Result<Why, GetError> {
        self.flush_recorder();
        let MountedStores { stores, mut warnings } = self.fresh_stores(origin, Scope::Project)?;
        let now = self.clock.now();
        for store in &stores {
            if let Err(error) = store.ledger.refresh(now) {
                warnings.push(Warning::JournalsUnread { reason: error_chain(&error) });
            }
        }
        let file = self.find_asked(origin, &stores, &request.file)?;
        let (text, symbols) = file.store.index.read(|snapshot| {
            let row = file.document.row;
            Ok((snapshot.text(row)?.unwrap_or_default(), snapshot.symbols_of(row)?))
        })?;
        let line_count = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
        let path = mask::shown_path(file.outer.clone());
        let cited = file.cited.map(|Lines { start, end }| start..=end);
        let asked = request.lines.clone().or(cited).unwrap_or(1..=u32::MAX);
        let (first, end) = (*asked.start(), line_count.min(*asked.end()));
        let mut why = Why { path: path.clone(), line_count, first, warnings, ..Why::default() };
        let limit = self.settings.why.lines;
        let last = end.min(first.saturating_add(limit.saturating_sub(1)));
        if first == 0 || first > last {
            return Ok(why);
        }
        if last < end {
            why.warnings.push(Warning::LinesLeftOut { last, limit });
        }
        let lines = first..=last;
        let git = Git::at(&file.store.root);
        let (blamed, unknown) = match git.blame(&file.document.document.path, &lines, self.settings.why.wait) {
            LineBlame::Lines(blamed) => (blamed, UnknownCommit::NewLines),
            LineBlame::NewFile => (Vec::new(), UnknownCommit::NewFile),
            LineBlame::NoRepository => (Vec::new(), UnknownCommit::NoRepository),
            LineBlame::NoAnswer => {
                why.warnings.push(Warning::HistoryUnread { path });
                (Vec::new(), UnknownCommit::NoAnswer)
            }
        };
        let mut hashes: Vec<&str> =
            blamed.iter().filter_map(|line| line.commit.as_ref()).map(|commit| commit.hash.as_str()).collect();
        hashes.sort_unstable();
        hashes.dedup();
        let noted = git.commit_notes(&hashes);
        let mut records = TraceSources::read(&file.store.root, noted.clone());
        let sources = records.sources(&blamed, lines.clone(), &file);
        if records.count_invalid() > 0 {
            why.warnings.push(Warning::TracesUnread { records: records.count_invalid() });
        }
        // The sessions of a project are in its own store, also those that edit a nested repository.
        let project = &stores[0];
        let sessions = Self::sessions_of(project, now).map_err(|error| error_chain(&error));
        let mut makers = Makers::new(project, sessions);
        let mut found: BTreeMap<String, Maker> = BTreeMap::new();
        let mut wanted = Vec::new();
        for (lines, source) in sources {
            let key = source.0.as_ref().map(|commit| commit.hash.clone()).unwrap_or_default();
            let maker = found.entry(key).or_insert_with(|| file.maker(&source, git, &mut makers, unknown, now));
            wanted.push((lines, source, maker.clone()));
        }
        let there = wanted.iter().map(|(_, (_, path_there, _), _)| file.outer_there(path_there));
        let prompts = self.prompts(project, &there.collect(), found.values());
        let subject = LineSubject {
            symbols: symbols_around(&symbols, &lines),
            text: part(&text, &lines),
            commits: noted.into_iter().map(|(hash, noted)| (hash, noted.message)).collect(),
            sessions: found.values().filter_map(session_id).map(str::to_owned).collect(),
            inner: file.document.document.path.to_string(),
            path: file.outer.clone(),
        };
        why.ranges = wanted
            .into_iter()
            .map(|(lines, source, maker)| file.origin(lines, source, maker, &makers, &prompts, unknown))
            .collect();
        (why.ties, why.more_ties) = ties::find(&stores, &subject, now)?;
        Ok(why)
    }

    /// Finds the file that a question names.
    fn find_asked<'s>(
        &self,
        origin: &Origin,
        stores: &'s [MountedStore],
        named: &str,
    ) -> Result<AskedFile<'s>, GetError> {
        let name_of = |citation: Citation<'_>| Some((self.name(origin, citation.document)?, citation.lines));
        let candidates: Vec<(Name, Option<Lines>)> = Citation::readings(named.trim()).filter_map(name_of).collect();
        for store in stores {
            for (name, cited) in &candidates {
                let Some(name) = name.in_store(store) else { continue };
                let Some(document) = find_document(store, &name)? else { continue };
                if document.document.memory.is_some() {
                    continue;
                }
                let outer = store.mount.outer(document.document.path.as_str());
                let work_tree = Repository::find(&store.root).map(|repository| repository.work_tree);
                let below = work_tree.as_deref().and_then(|top| store.root.strip_prefix(top).ok());
                let mut prefix = below.unwrap_or(Path::new("")).to_string_lossy().replace('\\', "/");
                if !prefix.is_empty() {
                    prefix.push('/');
                }
                return Ok(AskedFile { store, document, cited: *cited, outer, prefix });
            }
        }
        match self.named_by_end(origin, Scope::All, named)? {
            Some(whole) => self.find_asked(origin, stores, &whole.citation),
            None => Err(self.explain_missing(origin, Scope::All, named)),
        }
    }

    /// Returns what was asked in sessions before they edited one of these files last, from the transcripts, if they are read.
    fn prompts<'m>(
        &self,
        project: &MountedStore,
        paths: &BTreeSet<String>,
        makers: impl Iterator<Item = &'m Maker>,
    ) -> BTreeMap<String, String> {
        let mut until: BTreeMap<&str, Timestamp> = BTreeMap::new();
        for maker in makers {
            if let Maker::Session { id, until: at, .. } = maker {
                let known = until.entry(id).or_insert(*at);
                *known = (*known).max(*at);
            }
        }
        let mut prompts = BTreeMap::new();
        if until.is_empty() {
            return prompts;
        }
        self.read_transcripts(project, &mut |transcript| {
            let Some(until) = until.get(transcript.session.as_str()) else { return };
            let mut edits = transcript.turns.iter().filter(|turn| {
                let is_edit = |action: &Action| matches!(action, Action::Edited(file) if paths.contains(file));
                let is_before = |time: Option<Timestamp>| time.is_none_or(|time| time <= *until);
                turn.steps.iter().any(|step| is_edit(&step.action) && is_before(step.time.or(turn.time)))
            });
            if let Some(turn) = edits.next_back().filter(|turn| !turn.prompt.trim().is_empty()) {
                prompts.insert(transcript.session.clone(), turn.prompt.clone());
            }
        });
        prompts
    }
}

impl AskedFile<'_> {
    /// Returns who made lines: for committed ones the session of the commit, for others the one that edited the file since.
    fn maker(
        &self,
        source: &Source,
        git: Git<'_>,
        makers: &mut Makers<'_>,
        unknown: UnknownCommit,
        now: Timestamp,
    ) -> Maker {
        let (commit, path_there, claim) = source;
        let claimed = claim.as_ref().and_then(|(claim, _)| claim.session());
        match (commit, unknown) {
            (Some(commit), _) => {
                let before = || git.last_change(path_there, Some(&commit.hash));
                makers.find(commit, &self.outer_there(path_there), claimed, before)
            }
            (None, UnknownCommit::NoAnswer) => Maker::Unknown("the commit is not known".to_owned()),
            (None, UnknownCommit::NewLines | UnknownCommit::NewFile | UnknownCommit::NoRepository) => {
                let top = format!("{}{}", self.prefix, self.document.document.path);
                makers.find_editor(&self.outer, git.last_change(&top, None), now)
            }
        }
    }

    /// Returns the path that a file of the repository has for the client.
    fn outer_there(&self, path_there: &str) -> String {
        match path_there.strip_prefix(&self.prefix).filter(|path| !path.is_empty()) {
            Some(inner) => self.store.mount.outer(inner),
            None => self.outer.clone(),
        }
    }

    fn origin(
        &self,
        lines: RangeInclusive<u32>,
        (commit, path_there, claim): Source,
        maker: Maker,
        makers: &Makers<'_>,
        prompts: &BTreeMap<String, String>,
        unknown: UnknownCommit,
    ) -> LineOrigin {
        let outer = self.outer_there(&path_there);
        let moved_from = Some(mask::shown_path(outer.clone())).filter(|_| commit.is_some() && outer != self.outer);
        let commit = commit.map(|commit| LineCommit {
            author: inline(&masked_text(&commit.author)),
            subject: inline(&masked_text(&commit.subject)),
            ..(*commit).clone()
        });
        let session = match maker {
            Maker::Unknown(reason) => Err(reason),
            Maker::Session { id, evidence, .. } => {
                let known = makers.session(&id);
                let line = |text: &str| first_chars(&inline_all(&masked_text(text)), PROMPT_CHARS);
                let goal = known.and_then(|session| session.goal.as_ref());
                Ok(LineSession {
                    agent: known.and_then(|session| session.provenance.agent.clone()).map(mask::shown_path),
                    title: known.and_then(|session| session.title.as_deref()).map(line),
                    prompt: prompts.get(&id).or(goal).map(|prompt| line(prompt)),
                    evidence,
                    id,
                })
            }
        };
        let trace = claim.map(|(TraceClaim { contributor, model, url, tool }, source)| LineTrace {
            contributor,
            model,
            url,
            tool,
            source,
        });
        LineOrigin {
            first: *lines.start(),
            last: *lines.end(),
            commit: commit.ok_or(unknown),
            moved_from,
            session,
            trace,
        }
    }
}

/// The records of Agent Trace about some commits: in their notes, and in the file of the work tree.
struct TraceSources {
    notes: BTreeMap<String, (Traces, NotedCommit)>,
    file: Traces,
    head: Option<String>,
}

impl TraceSources {
    fn read(root: &Path, noted: BTreeMap<String, NotedCommit>) -> Self {
        let top = Repository::find(root).map_or_else(|| root.to_owned(), |repository| repository.work_tree);
        let text = Folder::open(&top).and_then(|folder| folder.read(TRACE_FILE, TRACE_BYTES)).unwrap_or_default();
        let read = |(hash, noted): (String, NotedCommit)| {
            let traces = if noted.note.is_empty() { Traces::default() } else { Traces::read_note(&noted.note) };
            (hash, (traces, noted))
        };
        Self {
            notes: noted.into_iter().map(read).collect(),
            file: Traces::read_lines(&String::from_utf8_lossy(&text)),
            head: crate::git::Head::read_from(root).commit,
        }
    }

    /// Returns the number of records that are not valid.
    fn count_invalid(&self) -> u64 {
        self.file.invalid + self.notes.values().map(|(traces, _)| traces.invalid).sum::<u64>()
    }

    /// Returns the source of each line, with neighbours of one source joined. Lines without a blame are not committed.
    fn sources(
        &mut self,
        blamed: &[BlamedLine],
        lines: RangeInclusive<u32>,
        file: &AskedFile<'_>,
    ) -> Vec<(RangeInclusive<u32>, Source)> {
        let here: Arc<str> = format!("{}{}", file.prefix, file.document.document.path).into();
        let mut sources: Vec<(RangeInclusive<u32>, Source)> = Vec::new();
        for number in lines {
            let source = match blamed.iter().find(|line| line.number == number) {
                Some(BlamedLine { commit: Some(commit), path_there, number_there, .. }) => {
                    let claim = self.claim(&commit.hash, path_there, *number_there);
                    (Some(Arc::clone(commit)), Arc::clone(path_there), claim)
                }
                _ => (None, Arc::clone(&here), self.claim_of_work(&here, number)),
            };
            match sources.last_mut().filter(|(_, last)| *last == source) {
                Some((lines, _)) => *lines = *lines.start()..=number,
                None => sources.push((number..=number, source)),
            }
        }
        sources
    }

    /// Returns what the records say of a line of a commit: those of the commit itself before those that were made while it was not
    /// committed yet.
    fn claim(&self, hash: &str, path: &str, line: u32) -> Option<(TraceClaim, &'static str)> {
        let (note, noted) = self.notes.get(hash)?;
        let of_note = note.claim(None, path, line).map(|claim| (claim, "the note of the commit"));
        let of_file = || self.file.claim(Some(&[hash]), path, line).map(|claim| (claim, TRACE_FILE));
        let parents: Vec<&str> = noted.parents.iter().map(String::as_str).collect();
        let before = || self.file.claim(Some(&parents), path, line).map(|claim| (claim, BEFORE_COMMIT));
        of_note.or_else(of_file).or_else(before)
    }

    /// Returns what the records say of a line that is not committed.
    fn claim_of_work(&self, path: &str, line: u32) -> Option<(TraceClaim, &'static str)> {
        let claim = self.file.claim(Some(&[self.head.as_deref()?]), path, line)?;
        Some((claim, TRACE_FILE))
    }
}

/// Returns the qualified names of the definitions around lines.
fn symbols_around(symbols: &[Symbol], lines: &RangeInclusive<u32>) -> BTreeSet<String> {
    let is_code = |symbol: &&Symbol| !matches!(symbol.kind, SymbolKind::Heading | SymbolKind::Key);
    let is_around = |symbol: &&Symbol| symbol.span.start_line <= *lines.end() && symbol.span.end_line >= *lines.start();
    symbols.iter().filter(is_code).filter(is_around).map(|symbol| symbol.qualified.clone()).collect()
}

/// Returns the text of lines.
fn part(text: &str, lines: &RangeInclusive<u32>) -> String {
    let count = (lines.end() - lines.start()) as usize + 1;
    text.split_inclusive('\n').skip(*lines.start() as usize - 1).take(count).collect()
}

fn session_id(maker: &Maker) -> Option<&str> {
    match maker {
        Maker::Session { id, .. } => Some(id),
        Maker::Unknown(_) => None,
    }
}

/// Returns a text on one line, without invisible characters.
fn inline_all(text: &str) -> String {
    recall_text::clean(text).split_whitespace().collect::<Vec<_>>().join(" ")
}
