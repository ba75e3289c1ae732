//! The modes in which an agent works: each is a text for its system prompt, in a Markdown file with YAML front matter;
//! and the modes of repositories that this user confirmed.
//!
//! A mode of the project takes precedence over one of the user, and that over a built-in one.
//!
//! A mode from a repository would instruct the user's agent, and anyone may have written it. The hash of a confirmed
//! one, which includes its name, is kept in the data home; a changed file has to be confirmed again.

use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use recall_api::Reason;
use recall_config::Dirs;
use recall_core::ContentHash;
use recall_os::{Folder, OpenError, read_own};
use recall_text::PROJECT_FOLDER;
use serde::Deserialize;

use crate::Exit;
use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::project_root;

/// The built-in modes. Their texts have the format of a user's file.
const BUILT_IN: [(&str, &str); 4] = [
    ("coder", include_str!("modes/coder.md")),
    ("architect", include_str!("modes/architect.md")),
    ("reviewer", include_str!("modes/reviewer.md")),
    ("incident", include_str!("modes/incident.md")),
];

/// Other names of the built-in modes, which are also the commands that switch to them. The first one is the usual one.
pub(super) const ALIASES: [(&str, &[&str]); 4] = [
    ("architect", &["plan", "architect", "design"]),
    ("coder", &["build", "code", "implement"]),
    ("reviewer", &["review", "check"]),
    ("incident", &["incident", "debug", "fix"]),
];

/// The folder of modes in `.recall`, in `.edi` and in the user's configuration.
const FOLDER: &str = "agents";

/// The folder of EDI's files in a project and in the home folder.
const EDI_FOLDER: &str = ".edi";

/// The greatest size of a mode's file. It is part of the system prompt of a whole session.
const MODE_BYTES: u64 = 64 * 1024;

/// A mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mode {
    pub(crate) name: String,
    /// One line; empty if the file has none.
    pub(crate) description: String,
    /// The tools that the mode uses, by their names.
    pub(crate) tools: Vec<String>,
    /// The skills that the mode uses, by their names.
    pub(crate) skills: Vec<String>,
    /// The text for the system prompt.
    pub(crate) prompt: String,
    pub(crate) source: ModeSource,
}

/// Where a mode comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ModeSource {
    /// A file of the repository, by its path below the root. Anyone may have written it; the hash identifies its name
    /// and its whole text.
    Project { path: PathBuf, hash: ContentHash },
    /// A file of the user.
    User { path: PathBuf },
    /// A part of this program.
    BuiltIn,
}

/// The folders in which modes are found.
#[derive(Clone, Debug)]
pub(crate) struct Modes {
    root: PathBuf,
    user: Vec<PathBuf>,
}

/// The front matter of a mode's file. Other fields belong to other programs.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct FrontMatter {
    name: Option<String>,
    description: Option<String>,
    tools: Names,
    skills: Names,
}

/// A list of names, as YAML or as one line with commas.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Names {
    List(Vec<String>),
    Line(String),
    Nothing(()),
}

impl Default for Names {
    fn default() -> Self {
        Self::Nothing(())
    }
}

impl From<Names> for Vec<String> {
    fn from(names: Names) -> Self {
        match names {
            Names::List(names) => names,
            Names::Line(line) => {
                line.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
            }
            Names::Nothing(()) => Self::new(),
        }
    }
}

impl Modes {
    /// Returns the modes of the project of a command and of its user.
    pub(crate) fn read(context: &CommandContext) -> Self {
        let home = context.process_env.environment.home.iter().map(|home| home.join(EDI_FOLDER).join(FOLDER));
        let user = std::iter::once(context.dirs().config.join(FOLDER)).chain(home).collect();
        Self { root: project_root::resolve(context), user }
    }

    /// Finds a mode by its name, or a built-in one by another of its names.
    ///
    /// # Errors
    /// No mode has the name, or the file that decides cannot be read.
    pub(crate) fn find(&self, name: &str) -> Result<Mode, CommandError> {
        if !is_name(name) {
            let cli_error = CliError::usage(format!("`{name}` cannot be the name of a mode"));
            return Err(cli_error.with_hint("names consist of letters, digits, `-` and `_`").into());
        }
        if let Some(mode) = self.find_mode(name)? {
            return Ok(mode);
        }
        let aliased = ALIASES.iter().find(|(_, aliases)| aliases.contains(&name)).map(|(mode, _)| *mode);
        if let Some(mode) = aliased.map(|mode| self.find_mode(mode)).transpose()?.flatten() {
            return Ok(mode);
        }
        let known: Vec<String> = self.names().into_iter().collect();
        let hint = format!("the modes are {}; see `recall launch --list-modes`", known.join(", "));
        Err(CliError::usage(format!("no mode is named `{name}`")).with_hint(hint).into())
    }

    /// Lists the modes by name, each from the place that decides; or why its file is not usable.
    pub(crate) fn list(&self) -> Vec<(String, Result<Mode, CommandError>)> {
        let found = self.names().into_iter().filter_map(|name| {
            let mode = self.find_mode(&name).transpose()?;
            Some((name, mode))
        });
        found.collect()
    }

    /// The names of all modes. A folder that cannot be read has none.
    fn names(&self) -> BTreeSet<String> {
        let mut names: BTreeSet<String> = BUILT_IN.iter().map(|(name, _)| (*name).to_owned()).collect();
        let mut add = |file: &Path| {
            let name = file.file_stem().and_then(|stem| stem.to_str()).filter(|name| is_name(name));
            if let Some(name) = name.filter(|_| file.extension().is_some_and(|ending| ending == "md")) {
                names.insert(name.to_owned());
            }
        };
        for below in project_folders() {
            let folder = Folder::open(&self.root).and_then(|root| root.folder(&below));
            let found = folder.map(|folder| folder.names().unwrap_or_default()).unwrap_or_default();
            for name in &found {
                add(Path::new(name));
            }
        }
        for folder in &self.user {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                add(&entry.path());
            }
        }
        names
    }

    /// Returns the mode with exactly this name from the first place that has one.
    fn find_mode(&self, name: &str) -> Result<Option<Mode>, CommandError> {
        let file = format!("{name}.md");
        for below in project_folders().map(|folder| folder.join(&file)) {
            let read = Folder::open(&self.root).and_then(|root| root.read(&below, MODE_BYTES + 1));
            let bytes = match read {
                Ok(bytes) => bytes,
                Err(error) if error.is_missing() => continue,
                Err(error) => return Err(unreadable(&self.root.join(&below), &error)),
            };
            let hash = ContentHash::hash(&[b"recall mode\0", name.as_bytes(), b"\0", &*bytes].concat());
            let source = ModeSource::Project { path: below.clone(), hash };
            return parse(name, &bytes, source, &self.root.join(&below)).map(Some);
        }
        for path in self.user.iter().map(|folder| folder.join(&file)) {
            match read_own(&path, MODE_BYTES + 1) {
                Ok(bytes) => return parse(name, &bytes, ModeSource::User { path: path.clone() }, &path).map(Some),
                Err(error) if error.is_missing() => {}
                Err(error) => return Err(unreadable(&path, &error)),
            }
        }
        let built_in = BUILT_IN.iter().find(|(known, _)| *known == name);
        built_in.map(|(_, text)| parse(name, text.as_bytes(), ModeSource::BuiltIn, Path::new(&file))).transpose()
    }
}

/// The folders of a project's modes, the first one takes precedence.
fn project_folders() -> impl Iterator<Item = PathBuf> {
    [PROJECT_FOLDER, EDI_FOLDER].into_iter().map(|folder| Path::new(folder).join(FOLDER))
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

fn unreadable(path: &Path, error: &OpenError) -> CommandError {
    let message = format!("cannot read the mode `{}`: {error}", path.display());
    CliError::new(Exit::Refused, Reason::PermissionDenied, message).with_causes_of(error).into()
}

/// Parses a mode's file.
fn parse(name: &str, bytes: &[u8], source: ModeSource, path: &Path) -> Result<Mode, CommandError> {
    let wrong = |why: String| -> CommandError {
        CliError::usage(format!("the mode `{}` is not usable: {why}", path.display())).into()
    };
    if bytes.len() as u64 > MODE_BYTES {
        return Err(wrong(format!("it is longer than {} KiB", MODE_BYTES / 1024)));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| wrong("it is not UTF-8".to_owned()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let (front, prompt) = divide(&text).ok_or_else(|| wrong("its front matter has no end: a line `---`".to_owned()))?;
    let front: FrontMatter = if front.trim().is_empty() {
        FrontMatter::default()
    } else {
        serde_saphyr::from_str(front).map_err(|error| wrong(format!("its front matter is not YAML: {error}")))?
    };
    if let Some(other) = front.name.as_deref().filter(|other| *other != name) {
        return Err(wrong(format!("its front matter calls it `{other}`; a file and its mode have one name")));
    }
    if prompt.trim().is_empty() {
        return Err(wrong("it has no text after the front matter".to_owned()));
    }
    Ok(Mode {
        name: name.to_owned(),
        description: front.description.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" "),
        tools: front.tools.into(),
        skills: front.skills.into(),
        prompt: prompt.trim().to_owned(),
        source,
    })
}

/// Divides a text into its front matter and the rest; `None` if the front matter does not end.
fn divide(text: &str) -> Option<(&str, &str)> {
    let Some(rest) = text.strip_prefix("---\n") else { return Some(("", text)) };
    let mut end = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some((&rest[..end], &rest[end + line.len()..]));
        }
        end += line.len();
    }
    None
}

/// Whether a mode may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// It is built-in, the user's own, or confirmed.
    Trusted,
    /// It came with the repository, and the user has not confirmed its text.
    Unconfirmed,
}

/// Returns whether a mode may be used.
///
/// # Errors
/// The file of confirmations cannot be read.
pub(crate) fn trust_of(mode: &Mode, dirs: &Dirs) -> Result<Trust, CommandError> {
    let ModeSource::Project { hash, .. } = &mode.source else { return Ok(Trust::Trusted) };
    let path = file(dirs);
    match fs::read_to_string(&path) {
        Ok(text) if text.lines().any(|line| line == hash.to_string()) => Ok(Trust::Trusted),
        Ok(_) => Ok(Trust::Unconfirmed),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Trust::Unconfirmed),
        Err(error) => Err(CliError::refusal(format!("cannot read `{}`", path.display()), &error).into()),
    }
}

/// Stores that the user confirms a mode as it is.
///
/// # Errors
/// An agent asks for it, or the file cannot be written.
pub(crate) fn confirm_mode(mode: &Mode, context: &CommandContext) -> Result<(), CommandError> {
    if is_agent(context) {
        let message = "only a person can confirm a mode, and the environment names an agent";
        let cli_error = CliError::new(Exit::Refused, Reason::PermissionDenied, message);
        return Err(cli_error.with_hint("confirm it in a shell of your own").into());
    }
    let ModeSource::Project { hash, .. } = &mode.source else { return Ok(()) };
    let path = file(context.dirs());
    append(&context.dirs().data, &path, hash)
        .map_err(|error| CliError::refusal(format!("cannot write `{}`", path.display()), &error).into())
}

/// Whether the environment names an agent or its session.
pub(crate) fn is_agent(context: &CommandContext) -> bool {
    let caller = &context.process_env.caller;
    !caller.agent.is_empty() || !caller.session_id.is_empty()
}

fn append(folder: &PathBuf, path: &PathBuf, hash: &ContentHash) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    writeln!(file, "{hash}")?;
    file.sync_all()
}

fn file(dirs: &Dirs) -> PathBuf {
    dirs.data.join("confirmed-modes")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A project and a user, each with modes.
    fn modes(project: &[(&str, &str)], user: &[(&str, &str)]) -> (tempfile::TempDir, Modes) {
        let place = tempfile::tempdir().expect("a folder");
        let put = |folder: PathBuf, files: &[(&str, &str)]| {
            for (file, text) in files {
                let path = folder.join(file);
                fs::create_dir_all(path.parent().expect("below")).expect("made");
                fs::write(path, text).expect("written");
            }
            folder
        };
        let root = put(place.path().join("project"), project);
        fs::create_dir_all(&root).expect("made");
        let home = put(place.path().join("home"), user);
        let modes = Modes { root, user: vec![home.join("recall/agents"), home.join(".edi/agents")] };
        (place, modes)
    }

    fn prompt(modes: &Modes, name: &str) -> String {
        modes.find(name).unwrap_or_else(|error| panic!("{error:?}")).prompt
    }

    fn error(modes: &Modes, name: &str) -> String {
        match modes.find(name) {
            Err(CommandError::Failed(error)) => format!("{} {}", error.message, error.hint.unwrap_or_default()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_project_precedes_the_user_and_the_user_the_built_in_modes() {
        let user =
            [("recall/agents/coder.md", "Mine."), (".edi/agents/coder.md", "Old."), (".edi/agents/ops.md", "O.")];
        let (_place, of_project) =
            modes(&[(".recall/agents/coder.md", "Ours."), (".edi/agents/coder.md", "Theirs.")], &user);
        assert_eq!(prompt(&of_project, "coder"), "Ours.");
        assert_eq!(prompt(&modes(&[(".edi/agents/coder.md", "Theirs.")], &user).1, "architect"), built_in_architect());
        let (_place, of_edi) = modes(&[(".edi/agents/coder.md", "Theirs.")], &user);
        assert_eq!(prompt(&of_edi, "build"), "Theirs.");
        let (_place, of_user) = modes(&[], &user);
        assert_eq!((prompt(&of_user, "coder").as_str(), prompt(&of_user, "ops").as_str()), ("Mine.", "O."));
        let names: Vec<String> = of_user.list().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["architect", "coder", "incident", "ops", "reviewer"]);
    }

    fn built_in_architect() -> String {
        parse("architect", BUILT_IN[1].1.as_bytes(), ModeSource::BuiltIn, Path::new("")).expect("well-formed").prompt
    }

    #[test]
    fn every_alias_leads_to_a_built_in_mode_with_a_description() {
        let (_place, modes) = modes(&[], &[]);
        for (mode, aliases) in ALIASES {
            for alias in aliases {
                let found = modes.find(alias).expect("there");
                assert!(found.name == mode && !found.description.is_empty(), "{alias}: {found:?}");
            }
        }
    }

    #[test]
    fn a_file_named_like_an_alias_is_meant_first() {
        let (_place, modes) = modes(&[(".recall/agents/plan.md", "Our plan.")], &[]);
        assert_eq!((prompt(&modes, "plan").as_str(), prompt(&modes, "design")), ("Our plan.", built_in_architect()));
    }

    #[test]
    fn front_matter_is_yaml_and_may_be_missing() {
        let text = "---\r\nname: qa\r\ndescription: >\r\n  Tests\r\n  things\r\ntools:\r\n  - recall_search\r\nskills: a, b\r\nmodel: x\r\n---\r\n\r\nTest.\r\n";
        let (_place, of_qa) = modes(&[(".recall/agents/qa.md", text)], &[]);
        let qa = of_qa.find("qa").expect("well-formed");
        assert_eq!((qa.description.as_str(), qa.prompt.as_str()), ("Tests things", "Test."));
        assert_eq!((qa.tools, qa.skills), (vec!["recall_search".to_owned()], vec!["a".to_owned(), "b".to_owned()]));
        let (_place, of_plain) = modes(&[(".recall/agents/qa.md", "Just test.")], &[]);
        assert_eq!(prompt(&of_plain, "qa"), "Just test.");
    }

    #[test]
    fn an_unusable_file_is_an_error_that_says_why() {
        for (text, why) in [
            ("---\nname: qa\n", "has no end"),
            ("---\nname: [\n---\nx", "not YAML"),
            ("---\nname: other\n---\nx", "calls it `other`"),
            ("---\nname: qa\n---\n \n", "has no text"),
        ] {
            let (_place, modes) = modes(&[(".recall/agents/qa.md", text)], &[]);
            assert!(error(&modes, "qa").contains(why), "{text}: {}", error(&modes, "qa"));
        }
        let (_place, long) = modes(&[(".recall/agents/qa.md", &"x".repeat(70_000))], &[]);
        assert!(error(&long, "qa").contains("longer than 64 KiB"));
        assert!(error(&long, "nobody").contains("the modes are architect"), "{}", error(&long, "nobody"));
        assert!(error(&long, "../x").contains("cannot be the name"));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_repository_is_not_followed() {
        let (place, modes) = modes(&[(".recall/agents/x.md", "x")], &[]);
        fs::write(place.path().join("secret"), "key").expect("written");
        let link = modes.root.join(".recall/agents/qa.md");
        std::os::unix::fs::symlink(place.path().join("secret"), link).expect("linked");
        assert!(error(&modes, "qa").contains("cannot read the mode"), "{}", error(&modes, "qa"));
    }
}
