//! What is known of a coding agent.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::document::{DocumentError, Format};
use crate::entry::{NAME, Shape, is_ours};
use crate::hook_event::HookEvent;
use crate::hooks::contract::Contract;
use crate::hooks::{self, own_file};
use crate::place::{Folders, Place, System, exists, first_existing};
use crate::rules;
use crate::vendor::Vendor;

/// A coding agent: where it keeps its MCP servers, and how an entry looks.
#[derive(Clone, Copy, Debug)]
pub struct Agent {
    /// The name on the command line.
    pub name: &'static str,
    /// The name of the product.
    pub title: &'static str,
    /// The user's file, with alternatives: the first that exists, else the first.
    pub(crate) user: &'static [Place],
    /// The project's file below its root, with alternatives; empty if the agent has none.
    pub(crate) project: &'static [&'static str],
    pub(crate) format: Format,
    /// The key of the object that holds the servers.
    pub(crate) section: &'static str,
    pub(crate) shape: Shape,
    /// The names of the agent's program.
    pub(crate) programs: &'static [&'static str],
    /// Files and folders that exist where the agent was used.
    pub(crate) signs: &'static [Place],
    pub(crate) vendor: Option<Vendor>,
    pub(crate) hooks: Option<HookContract>,
    /// The user's file of rules, for an agent without a hook that adds to the context.
    pub(crate) rules: Option<Place>,
}

/// The hooks of an agent: the file, and the contract of the vendor.
#[derive(Clone, Copy, Debug)]
pub struct HookContract {
    /// The file, or the folder of the files.
    pub(crate) place: Place,
    pub(crate) contract: &'static Contract,
}

impl Agent {
    /// Returns the user's file with MCP servers.
    ///
    /// # Panics
    /// If the agent's row has no place, which a test excludes.
    pub fn user_file(&self, folders: &Folders) -> PathBuf {
        first_existing(self.user.iter().map(|place| place.path(folders))).expect("every agent has a place")
    }

    /// Returns the project's file with MCP servers, if the agent has one.
    pub fn project_file(&self, root: &Path) -> Option<PathBuf> {
        first_existing(self.project.iter().map(|path| root.join(path)))
    }

    /// Returns the files with the user's hooks; none if the agent has no hooks that recall can use on this system.
    pub fn hook_files(&self, folders: &Folders) -> Vec<PathBuf> {
        self.hooks.map(|hooks| hooks.files(folders)).unwrap_or_default()
    }

    /// Returns the user's file of rules, if recall adds its block to it.
    pub fn rules_file(&self, folders: &Folders) -> Option<PathBuf> {
        self.rules.map(|rules| rules.path(folders))
    }

    /// Whether recall's block is in the user's rules; `None` if the agent has no rules for it.
    pub fn has_rules(&self, folders: &Folders) -> Option<bool> {
        let file = self.rules_file(folders)?;
        Some(rules::are_in(&fs::read_to_string(file).unwrap_or_default()))
    }

    /// Whether the agent has hooks that recall can use.
    pub fn has_hook_contract(&self) -> bool {
        self.hooks.is_some()
    }

    /// Returns the agent's own names of an event; none if it does not have the event.
    pub fn hook_event_names(&self, event: HookEvent) -> impl Iterator<Item = &'static str> {
        self.hooks.into_iter().flat_map(move |hooks| hooks.contract.event_names(event))
    }

    /// Whether the agent adds the answer to an event to the model's context.
    pub fn adds_context(&self, event: HookEvent) -> bool {
        self.hooks.is_some_and(|hooks| hooks.contract.adds_context(event))
    }

    /// Whether two agents run the same hooks, because they read the same file.
    pub fn shares_hooks_with(&self, other: &Self) -> bool {
        let contracts = self.hooks.zip(other.hooks);
        contracts.is_some_and(|(one, other)| one.contract.shares_hooks_with(other.contract))
    }

    /// Returns the answer to an event with a text for the model, as the agent reads it; `None` if it has no use for text.
    /// `named` is its own name of the event.
    pub fn hook_answer(&self, event: HookEvent, named: &str, text: &str) -> Option<String> {
        self.hooks?.contract.answer(event, named, text)
    }

    /// Whether the agent is on this machine: its program is found, or it left files.
    pub fn is_present(&self, folders: &Folders, on_path: impl Fn(&str) -> Option<PathBuf>) -> bool {
        self.programs.iter().any(|program| on_path(program).is_some())
            || self.signs.iter().any(|sign| exists(&sign.path(folders)))
    }

    /// Whether the agent has no file in projects.
    pub fn has_no_project_file(&self) -> bool {
        self.project.is_empty()
    }

    /// Whether recall's server is in the user's file. A file that cannot be read has none.
    pub fn has_server(&self, folders: &Folders) -> bool {
        let text = fs::read_to_string(self.user_file(folders)).unwrap_or_default();
        let entry = self.format.entry(&text, self.section, NAME).ok().flatten();
        entry.is_some_and(|entry| is_ours(&entry))
    }

    /// Whether recall's hooks are in the user's file; `None` if the agent has no hooks that recall can use.
    pub fn has_hooks(&self, folders: &Folders) -> Option<bool> {
        let (hooks, files) = (self.hooks?, self.hook_files(folders));
        let text = |file: &PathBuf| fs::read_to_string(file).unwrap_or_default();
        let are_there = files.iter().any(|file| hooks.are_in(&text(file)).unwrap_or(false));
        (!files.is_empty()).then_some(are_there)
    }

    /// Returns the object of the hooks that start `recall`, by the vendor's events; `None` if the agent has no hooks.
    pub fn hook_groups(&self, recall: &str) -> Option<Value> {
        let groups = self.hooks?.contract.entries(recall);
        Some(groups.map(|(event, group)| (event.to_owned(), Value::Array(vec![group]))).collect::<Map<_, _>>().into())
    }

    /// Returns the folders that the user's files must stay in, links included.
    pub(crate) fn bounds(&self, folders: &Folders) -> Vec<PathBuf> {
        let places = self.user.iter().copied().chain(self.hooks.map(|hooks| hooks.place)).chain(self.rules);
        places.flat_map(|place| place.bounds(folders)).collect()
    }
}

impl HookContract {
    /// Returns the files; none on a system for which the vendor documents others.
    pub(crate) fn files(self, folders: &Folders) -> Vec<PathBuf> {
        // Cline's scripts are PowerShell's on Windows.
        let are_scripts = self.contract.has_scripts();
        if are_scripts && folders.system == System::Windows {
            Vec::new()
        } else {
            self.contract.files(self.place.path(folders))
        }
    }

    /// Whether the text of one of the files has hooks of recall.
    pub(crate) fn are_in(self, text: &str) -> Result<bool, DocumentError> {
        if self.contract.has_own_files() { Ok(own_file::is_ours(text)) } else { hooks::are_in(text) }
    }
}
