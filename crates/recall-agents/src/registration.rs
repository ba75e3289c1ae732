//! Registration in an agent: what would be changed, and the change.
//!
//! A [`Change`] is planned without side effects, so that it can be shown first. An edit is made only if the file
//! is still the one that was planned on; a command of the vendor is checked by what the file has afterwards.
//! An undo returns to the text from before if nobody has changed it since; otherwise it removes recall's entry alone (ADR 35).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::agent::Agent;
use crate::config_file::{ConfigFile, remove_empty};
use crate::document::{DocumentError, EmptySection, Format};
use crate::entry::{NAME, ServerVariables, command, is_ours};
use crate::error::RegisterError;
use crate::hooks::{self, contract, own_file};
use crate::ledger::{Ledger, Part, Patch, Record};
use crate::place::Folders;
use crate::rules;
use crate::table::agent;
use crate::vendor::{Run, Vendor};

/// For whom an agent is registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// For the user, in all projects.
    User,
    /// For everyone in the project with this root.
    Project(PathBuf),
}

/// What a change does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Recall's entry is added, or replaced by one with the wanted command.
    Register,
    /// Recall's entry is removed.
    Unregister,
}

/// How a change is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// By the vendor's commands, which are these lines for a shell.
    Vendor(Vec<String>),
    /// By an edit of the file; the text before and after, `None` for no file.
    Edit(Option<String>, Option<String>),
}

/// A change that is planned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The name of the agent.
    pub agent: &'static str,
    /// Which part it is about.
    pub part: Part,
    /// Whether it is registered or unregistered.
    pub outcome: Outcome,
    /// The file, as the agent's row names it.
    pub file: PathBuf,
    within: Vec<PathBuf>,
    work: Work,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Work {
    /// The vendor's commands. After the last one the file has an entry with the command, or none.
    Run { runs: Vec<Run>, expected: Option<String> },
    /// `base` is the text without recall, to which an undo returns.
    Edit { before: Option<String>, base: Option<String>, after: Option<String>, had_section: bool },
}

/// What registrations depend on.
#[derive(Clone, Copy)]
pub struct Registrar<'a> {
    /// The user's folders.
    pub folders: &'a Folders,
    /// Finds a program on `PATH`.
    pub on_path: &'a dyn Fn(&str) -> Option<PathBuf>,
    /// What the server needs of the environment. An agent that was not started from a shell has another one.
    pub variables: &'a ServerVariables,
}

/// A file with recall's entry or hooks in it, or without.
struct Seen {
    file: ConfigFile,
    /// The text without recall; `None` if it would be no file.
    base: Option<String>,
    had_section: bool,
    /// Whether the text is the one that recall wrote last.
    is_untouched: bool,
}

impl Registrar<'_> {
    /// Plans the registration of the MCP server with a command; `None` if it is registered.
    ///
    /// # Errors
    /// The file cannot be edited, or another server has the name.
    pub fn register(
        self,
        agent: &'static Agent,
        target: &Target,
        shim: &str,
        ledger: &Ledger,
    ) -> Result<Option<Change>, RegisterError> {
        let (file, within) = self.place(agent, target)?;
        let config = ConfigFile::read(&file, &within)?;
        let entry = known_entry(agent, &config)?;
        if entry.as_ref().is_some_and(|entry| !is_ours(entry)) {
            return Err(RegisterError::Taken { name: NAME, path: config.path });
        }
        // A project's file is shared, and other users have other folders.
        let none = ServerVariables::new();
        let variables = if *target == Target::User { self.variables } else { &none };
        if entry.as_ref().is_some_and(|entry| agent.shape.is_entry(entry, shim, variables)) {
            return Ok(None);
        }
        let wanted = agent.shape.entry(shim, variables);
        let vendor = self.vendor(agent, target).filter(|(vendor, _)| variables.is_empty() || vendor.takes_entry());
        let work = if let Some((vendor, program)) = vendor {
            let mut runs = vec![vendor.add(&program, shim, &wanted)];
            if entry.is_some() {
                runs.insert(0, vendor.remove(&program));
            }
            Work::Run { runs, expected: Some(shim.to_owned()) }
        } else {
            let seen = inspect(agent, Part::Mcp, &file, config, ledger)?;
            let text = seen.base.as_deref().unwrap_or_default();
            let after = agent.format.with(text, agent.section, NAME, &wanted);
            let after = after.map_err(|source| unusable(&seen.file.path, source))?;
            seen.becomes(Some(after))
        };
        Ok(Some(Change { agent: agent.name, part: Part::Mcp, outcome: Outcome::Register, file, within, work }))
    }

    /// Plans the registration of the hooks with a command, a change for each file; none if they are registered.
    ///
    /// # Errors
    /// The agent has no hooks, a file cannot be edited, or another one is where recall's would be.
    pub fn register_hooks(
        self,
        agent: &'static Agent,
        recall: &str,
        ledger: &Ledger,
    ) -> Result<Vec<Change>, RegisterError> {
        let contract = agent.hooks.ok_or(RegisterError::NoHooks { title: agent.title })?.contract;
        let (files, within) = (agent.hook_files(self.folders), agent.bounds(self.folders));
        if files.is_empty() {
            return Err(RegisterError::NoHooks { title: agent.title });
        }
        let mut changes = Vec::new();
        for file in files {
            let config = ConfigFile::read(&file, &within)?;
            let seen = inspect(agent, Part::Hooks, &file, config, ledger)?;
            let after = match contract.own_text(&file, recall) {
                Some(_) if seen.base.is_some() => return Err(RegisterError::NotOurs { path: seen.file.path }),
                Some(text) => text,
                None => hooks::with(seen.base.as_deref().unwrap_or_default(), contract, recall)
                    .map_err(|source| unusable(&seen.file.path, source))?,
            };
            if seen.file.text.as_deref() == Some(&*after) {
                continue;
            }
            let (work, within) = (seen.becomes(Some(after)), within.clone());
            changes.push(Change {
                agent: agent.name,
                part: Part::Hooks,
                outcome: Outcome::Register,
                file,
                within,
                work,
            });
        }
        Ok(changes)
    }

    /// Plans the addition of the block about recall to the user's rules; `None` if it is there.
    ///
    /// # Errors
    /// The file cannot be edited, or the agent has no rules.
    pub fn register_rules(self, agent: &'static Agent, ledger: &Ledger) -> Result<Option<Change>, RegisterError> {
        let file = agent.rules_file(self.folders).ok_or(RegisterError::NoHooks { title: agent.title })?;
        let within = agent.bounds(self.folders);
        let config = ConfigFile::read(&file, &within)?;
        let seen = inspect(agent, Part::Rules, &file, config, ledger)?;
        let after = rules::with(seen.base.as_deref().unwrap_or_default());
        if seen.file.text.as_deref() == Some(&*after) {
            return Ok(None);
        }
        let work = seen.becomes(Some(after));
        Ok(Some(Change { agent: agent.name, part: Part::Rules, outcome: Outcome::Register, file, within, work }))
    }

    /// Plans the removal of what is registered in an agent's files for a target, the latest first.
    ///
    /// # Errors
    /// A file cannot be edited.
    pub fn unregister(
        self,
        agent: &'static Agent,
        target: &Target,
        ledger: &Ledger,
    ) -> Result<Vec<Change>, RegisterError> {
        let (file, within) = self.place(agent, target)?;
        let mut parts = vec![(Part::Mcp, file)];
        if *target == Target::User {
            parts.extend(agent.hook_files(self.folders).into_iter().map(|file| (Part::Hooks, file)));
            parts.extend(agent.rules_file(self.folders).map(|file| (Part::Rules, file)));
        }
        let place = |part: Part, file: &Path| {
            ledger.records().iter().position(|record| record.part == part && record.file == file)
        };
        parts.sort_by_key(|(part, file)| std::cmp::Reverse(place(*part, file)));
        let mut changes: Vec<Change> = Vec::new();
        for (part, file) in parts {
            let mut config = ConfigFile::read(&file, &within)?;
            // Both parts of some agents are in one file: the second change starts where the first one ends.
            if let Some(How::Edit(_, after)) = changes.iter().find(|change| change.file == file).map(Change::how) {
                config.text = after;
            }
            changes.extend(self.unregister_part(
                agent,
                part,
                &file,
                config,
                &within,
                *target == Target::User,
                ledger,
            )?);
        }
        Ok(changes)
    }

    /// Plans the removal of a registration of the ledger; `None` if it is gone.
    ///
    /// # Errors
    /// The file cannot be edited.
    pub fn undo(self, record: &Record, ledger: &Ledger) -> Result<Option<Change>, RegisterError> {
        let Some(agent) = agent(&record.agent) else { return Ok(None) };
        let config = ConfigFile::read(&record.file, &record.within)?;
        let is_users = record.by_vendor || record.file == agent.user_file(self.folders);
        self.unregister_part(agent, record.part, &record.file, config, &record.within, is_users, ledger)
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one file's change")]
    fn unregister_part(
        self,
        agent: &'static Agent,
        part: Part,
        file: &Path,
        config: ConfigFile,
        within: &[PathBuf],
        is_users: bool,
        ledger: &Ledger,
    ) -> Result<Option<Change>, RegisterError> {
        // A file that does not name recall is not recall's business, even if it is broken.
        if !config.text.as_deref().unwrap_or_default().contains(NAME) {
            return Ok(None);
        }
        let is_there = match part {
            Part::Mcp => known_entry(agent, &config)?.is_some_and(|entry| is_ours(&entry)),
            Part::Rules => rules::are_in(config.text.as_deref().unwrap_or_default()),
            Part::Hooks => {
                let text = config.text.as_deref().unwrap_or_default();
                let are_in = agent.hooks.map(|hooks| hooks.are_in(text)).transpose();
                are_in.map_err(|source| unusable(&config.path, source))?.unwrap_or(false)
            }
        };
        if !is_there {
            return Ok(None);
        }
        let record = ledger.find(part, file);
        let by_edit = record.is_some_and(|record| !record.by_vendor);
        let vendor = if is_users && part == Part::Mcp { self.vendor(agent, &Target::User) } else { None };
        let seen = inspect(agent, part, file, config, ledger)?;
        let work = match vendor {
            Some((vendor, program)) if !by_edit && !seen.is_untouched => {
                Work::Run { runs: vec![vendor.remove(&program)], expected: None }
            }
            _ => {
                let base = seen.base.clone();
                seen.becomes(base)
            }
        };
        let (file, within) = (file.to_owned(), within.to_owned());
        Ok(Some(Change { agent: agent.name, part, outcome: Outcome::Unregister, file, within, work }))
    }

    fn place(self, agent: &Agent, target: &Target) -> Result<(PathBuf, Vec<PathBuf>), RegisterError> {
        Ok(match target {
            Target::User => (agent.user_file(self.folders), agent.bounds(self.folders)),
            Target::Project(root) => {
                let file = agent.project_file(root).ok_or(RegisterError::NoProjectFile { title: agent.title })?;
                (file, vec![root.clone()])
            }
        })
    }

    fn vendor(self, agent: &Agent, target: &Target) -> Option<(Vendor, PathBuf)> {
        let vendor = agent.vendor.filter(|_| *target == Target::User)?;
        Some((vendor, (self.on_path)(vendor.program)?))
    }
}

impl Change {
    /// Returns how the change is made.
    pub fn how(&self) -> How {
        match &self.work {
            Work::Run { runs, .. } => How::Vendor(runs.iter().map(Run::line).collect()),
            Work::Edit { before, after, .. } => How::Edit(before.clone(), after.clone()),
        }
    }

    /// Makes the change and records it.
    ///
    /// # Errors
    /// The file cannot be replaced, or the vendor's command failed.
    pub fn make(&self, ledger: &mut Ledger) -> Result<(), RegisterError> {
        match &self.work {
            Work::Edit { base, after, had_section, .. } => {
                self.edit(base.as_deref(), after.as_deref(), *had_section, ledger)
            }
            Work::Run { runs, expected } => self.run(runs, expected.as_deref(), ledger),
        }
    }

    fn edit(
        &self,
        base: Option<&str>,
        after: Option<&str>,
        had_section: bool,
        ledger: &mut Ledger,
    ) -> Result<(), RegisterError> {
        let Work::Edit { before, .. } = &self.work else { return Ok(()) };
        let file = ConfigFile { text: before.clone(), ..ConfigFile::read(&self.file, &self.within)? };
        // The folders above the file, whichever file they were made for: the last one that goes takes them with it.
        let known = ledger.records().iter().flat_map(|record| &record.made_folders);
        let made_folders: BTreeSet<&PathBuf> = known.filter(|folder| self.file.starts_with(folder)).collect();
        let mut made_folders: Vec<PathBuf> = made_folders.into_iter().cloned().collect();
        match (self.outcome, after) {
            (Outcome::Register, Some(after)) => {
                // The file first: a record of a change that was not made would undo what somebody else wrote.
                made_folders.extend(file.replace(Some(after))?);
                self.record(false, had_section, made_folders, Patch::between(base, after), ledger)
            }
            (_, after) => {
                file.replace(after)?;
                remove_empty(&made_folders);
                ledger.remove(self.part, &self.file)
            }
        }
    }

    fn run(&self, runs: &[Run], expected: Option<&str>, ledger: &mut Ledger) -> Result<(), RegisterError> {
        let agent = agent(self.agent).expect("a change is of an agent in the table");
        let before = ConfigFile::read(&self.file, &self.within)?;
        for run in runs {
            run.execute()?;
        }
        let after = ConfigFile::read(&self.file, &self.within)?;
        let entry = known_entry(agent, &after)?;
        if entry.as_ref().and_then(command) != expected {
            let line = runs.last().map(Run::line).unwrap_or_default();
            let missing = if expected.is_some() { "does not have the entry" } else { "still has the entry" };
            return Err(RegisterError::NoEffect { line, path: after.path, missing });
        }
        let Some(text) = after.text.as_deref().filter(|_| expected.is_some()) else {
            return ledger.remove(self.part, &self.file);
        };
        let had_section = has_section(agent, Part::Mcp, before.text.as_deref().unwrap_or_default());
        // An entry of an earlier recall is not what an undo returns to.
        let base = match known_entry(agent, &before)? {
            None => before.text,
            Some(_) => Some(
                without(agent, Part::Mcp, before.text.as_deref().unwrap_or_default(), EmptySection::Keep)
                    .map_err(|source| unusable(&before.path, source))?,
            ),
        };
        self.record(true, had_section, Vec::new(), Patch::between(base.as_deref(), text), ledger)
    }

    fn record(
        &self,
        by_vendor: bool,
        had_section: bool,
        made_folders: Vec<PathBuf>,
        patch: Patch,
        ledger: &mut Ledger,
    ) -> Result<(), RegisterError> {
        let (agent, part, file) = (self.agent.to_owned(), self.part, self.file.clone());
        let within = self.within.clone();
        ledger.put(Record { agent, part, file, within, by_vendor, had_section, made_folders, patch })
    }
}

impl Seen {
    fn becomes(self, after: Option<String>) -> Work {
        let Self { file, base, had_section, .. } = self;
        Work::Edit { before: file.text, base, after, had_section }
    }
}

/// Finds out what a file is without recall: what it was before, if nobody changed it since, else the text without recall's
/// part.
fn inspect(agent: &Agent, part: Part, path: &Path, file: ConfigFile, ledger: &Ledger) -> Result<Seen, RegisterError> {
    let text = file.text.as_deref().unwrap_or_default();
    let record = ledger.find(part, path);
    if let Some(record) = record.filter(|record| record.patch.is_last(text)) {
        let (base, had_section) = (record.patch.undone(text), record.had_section);
        return Ok(Seen { base, had_section, is_untouched: true, file });
    }
    if part == Part::Hooks && agent.hooks.is_some_and(|hooks| hooks.contract.has_own_files()) {
        let base = file.text.clone().filter(|text| !own_file::is_ours(text));
        return Ok(Seen { base, had_section: false, is_untouched: false, file });
    }
    // The section of a file that recall did not write is somebody's, even if it is empty.
    let had_section = record.map_or_else(|| has_section(agent, part, text), |record| record.had_section);
    let empty = if had_section { EmptySection::Keep } else { EmptySection::Remove };
    let rest = without(agent, part, text, empty).map_err(|source| unusable(&file.path, source))?;
    // A file that recall made, with nothing in it but recall.
    let is_empty = match part {
        Part::Mcp => is_bare(agent.format, &rest),
        Part::Hooks => is_bare(Format::Json, &rest),
        Part::Rules => rest.trim().is_empty(),
    };
    let was_made = record.is_some_and(|record| record.patch.created);
    let base = file.text.is_some().then_some(rest).filter(|_| !(is_empty && was_made));
    Ok(Seen { base, had_section, is_untouched: false, file })
}

fn without(agent: &Agent, part: Part, text: &str, empty: EmptySection) -> Result<String, DocumentError> {
    match part {
        Part::Mcp => agent.format.without(text, agent.section, NAME, empty),
        Part::Hooks => hooks::without(text, empty),
        Part::Rules => Ok(rules::without(text)),
    }
}

fn has_section(agent: &Agent, part: Part, text: &str) -> bool {
    let (format, section) = match part {
        Part::Mcp => (agent.format, agent.section),
        Part::Hooks => (Format::Json, contract::SECTION),
        Part::Rules => return false,
    };
    format.value(text).is_ok_and(|value| value.get(section).is_some())
}

/// Whether a document means nothing.
fn is_bare(format: Format, text: &str) -> bool {
    format.value(text).is_ok_and(|value| value.as_object().is_some_and(hooks::is_bare))
}

/// Returns the entry under recall's name.
fn known_entry(agent: &Agent, file: &ConfigFile) -> Result<Option<serde_json::Value>, RegisterError> {
    let text = file.text.as_deref().unwrap_or_default();
    agent.format.entry(text, agent.section, NAME).map_err(|source| unusable(&file.path, source))
}

fn unusable(path: &Path, source: DocumentError) -> RegisterError {
    RegisterError::Document { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests;
