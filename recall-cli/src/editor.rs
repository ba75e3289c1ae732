//! The user's editor, and how it is told the line.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use recall_api::Reason;

use crate::Exit;
use crate::error::{CliError, CommandError};
use crate::process_env::ProcessEnv;

/// How an editor is told the line of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineSyntax {
    /// `+LINE FILE`
    Plus,
    /// `FILE:LINE`
    Colon,
    /// `--goto FILE:LINE`
    Goto,
    /// `--line LINE FILE`
    Line,
}

/// The known editors by their program's name.
const EDITORS: &[(&[&str], LineSyntax)] = &[
    (&["vi", "vim", "nvim", "view", "gvim", "mvim", "vimx", "vis", "elvis", "nvi"], LineSyntax::Plus),
    (&["emacs", "emacsclient", "mg", "zile", "jmacs", "xemacs"], LineSyntax::Plus),
    (&["nano", "pico", "rnano", "micro", "ne", "joe", "jed", "kak", "mcedit", "tilde"], LineSyntax::Plus),
    (&["gedit", "gnome-text-editor", "pluma", "xed", "geany", "bbedit", "leafpad"], LineSyntax::Plus),
    (&["hx", "helix", "zed", "zeditor", "subl", "sublime_text", "lapce", "lite-xl"], LineSyntax::Colon),
    (&["code", "code-insiders", "code-oss", "codium", "vscodium", "cursor", "windsurf", "positron"], LineSyntax::Goto),
    (
        &["idea", "clion", "goland", "phpstorm", "pycharm", "rider", "rubymine", "rustrover", "webstorm", "studio"],
        LineSyntax::Line,
    ),
    (&["kate", "kwrite", "mate"], LineSyntax::Line),
];

/// The editor of users who name none.
const FALLBACK: &str = "vi";

/// An editor as the user named it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Editor {
    words: Vec<String>,
}

impl Editor {
    /// Returns the user's editor: `VISUAL`, else `EDITOR`, else vi, as for git.
    ///
    /// # Errors
    /// None is named and there is no vi, or a quotation mark in the command is not closed.
    pub(crate) fn find(process_env: &ProcessEnv) -> Result<Self, CommandError> {
        Self::choose(process_env.editor.as_deref(), process_env.programs.on_path(FALLBACK).is_some())
    }

    fn choose(command: Option<&str>, has_fallback: bool) -> Result<Self, CommandError> {
        let Some(command) = command.or(has_fallback.then_some(FALLBACK)) else {
            let message = format!("neither VISUAL nor EDITOR is set, and there is no `{FALLBACK}`");
            let cli_error = CliError::new(Exit::Usage, Reason::NotFound, message);
            return Err(cli_error.with_hint("name your editor, as in `export EDITOR=nano`").into());
        };
        match shlex::split(command).filter(|words| !words.is_empty()) {
            Some(words) => Ok(Self { words }),
            None => Err(CliError::usage(format!("the editor's command `{command}` is not a line of a shell"))
                .with_hint("correct VISUAL or EDITOR")
                .into()),
        }
    }

    /// Opens a file at a line, and waits until the editor ends.
    ///
    /// # Errors
    /// The editor cannot be started, or it fails.
    pub(crate) fn open(&self, file: &Path, line: u32) -> Result<(), CommandError> {
        let (program, arguments) = self.command(file, line);
        let ended = Command::new(&program).args(arguments).status().map_err(|source| {
            let cli_error = CliError::refusal(format!("cannot run the editor `{}`", program.display()), &source);
            cli_error.with_hint("correct VISUAL or EDITOR")
        })?;
        if ended.success() {
            return Ok(());
        }
        let message = format!("the editor `{}` failed: {ended}", program.display());
        Err(CliError::new(Exit::Refused, Reason::Unavailable, message).into())
    }

    /// Returns the program and its arguments for a file and a line, which counts from 1. An editor that is not known gets the
    /// file alone.
    pub(crate) fn command(&self, file: &Path, line: u32) -> (PathBuf, Vec<OsString>) {
        let (program, given) = self.words.split_first().expect("not empty, as parsed");
        let program = PathBuf::from(program);
        let mut arguments: Vec<OsString> = given.iter().map(OsString::from).collect();
        let at_line = || {
            let mut place = file.as_os_str().to_owned();
            place.push(format!(":{line}"));
            place
        };
        match line_syntax(&program) {
            Some(LineSyntax::Plus) => arguments.extend([format!("+{line}").into(), file.into()]),
            Some(LineSyntax::Colon) => arguments.push(at_line()),
            Some(LineSyntax::Goto) => arguments.extend(["--goto".into(), at_line()]),
            Some(LineSyntax::Line) => arguments.extend(["--line".into(), line.to_string().into(), file.into()]),
            None => arguments.push(file.into()),
        }
        (program, arguments)
    }
}

fn line_syntax(program: &Path) -> Option<LineSyntax> {
    let name = program.file_name()?.to_str()?;
    // `vim.basic`, `emacs-29.1`, `code.cmd` and `idea.sh` are called by those names too.
    let stem = name.split('.').next().unwrap_or(name);
    let stem = stem.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('-');
    let known = EDITORS.iter().find(|(names, _)| names.contains(&name) || names.contains(&stem));
    known.map(|(_, syntax)| *syntax)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(editor: &str) -> String {
        let editor = Editor::choose(Some(editor), false).expect("well-formed");
        let (program, arguments) = editor.command(Path::new("/p/a b.rs"), 12);
        let words = std::iter::once(program.into_os_string()).chain(arguments);
        words.map(|word| word.into_string().expect("text")).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn known_editors_are_told_the_line() {
        for (editor, expected) in [
            ("vim", "vim|+12|/p/a b.rs"),
            ("/usr/bin/vim.basic -n", "/usr/bin/vim.basic|-n|+12|/p/a b.rs"),
            ("emacsclient -nw -a ''", "emacsclient|-nw|-a||+12|/p/a b.rs"),
            ("emacs-29.1", "emacs-29.1|+12|/p/a b.rs"),
            ("code --wait", "code|--wait|--goto|/p/a b.rs:12"),
            ("hx", "hx|/p/a b.rs:12"),
            ("'/opt/my ides/idea.sh'", "/opt/my ides/idea.sh|--line|12|/p/a b.rs"),
            ("something-else", "something-else|/p/a b.rs"),
        ] {
            assert_eq!(command(editor), expected);
        }
    }

    #[test]
    fn without_a_named_editor_vi_is_used_if_it_is_there() {
        let editor = Editor::choose(None, true).expect("vi");
        assert_eq!(editor.command(Path::new("a.rs"), 3).1, ["+3", "a.rs"]);
        assert_eq!(Editor::choose(Some("nano"), true).expect("named").words, ["nano"]);
    }

    #[test]
    fn an_editor_is_in_one_row_only() {
        let mut names: Vec<_> = EDITORS.iter().flat_map(|(names, _)| names.iter()).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn without_an_editor_the_error_says_how_to_name_one() {
        for command in [None, Some(""), Some("vim 'x")] {
            let Err(CommandError::Failed(cli_error)) = Editor::choose(command, false) else {
                panic!("{command:?} is refused")
            };
            assert_eq!(cli_error.exit, Exit::Usage);
            assert!(cli_error.hint.is_some_and(|hint| hint.contains("EDITOR")));
        }
    }
}
