//! The contracts of the vendors: for each agent its events, how a hook is written in its file, and what an answer looks like.
//!
//! Only what a vendor documents, or what its program shows, is listed. The names of the fields that an event brings are in
//! `recall-cli`'s `hook/input.rs`, since one list of names serves all agents.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use HookEvent::{PostTool, PreCompact, PreTool, Prompt, SessionEnd, SessionStart, Stop, SubagentStart};
use Purpose::{Answer, Background, Foreign, Record};

use super::own_file::{HookLine, OwnFile, script};
use crate::hook_event::HookEvent;

/// The key of the object that holds the hooks.
pub(crate) const SECTION: &str = "hooks";

/// The program that hooks start, and its first argument.
pub(super) const PROGRAM: (&str, &str) = ("recall", "hook");

/// The seconds after which an agent ends a hook. The hook limits itself to a fraction of a second.
const TIMEOUT_S: u32 = 5;

/// The contract of a vendor.
#[derive(Debug)]
pub(crate) struct Contract {
    /// The name of the client on the command line of a hook. Two agents that read the same file share it.
    client: &'static str,
    /// Where hooks stand in the vendor's file.
    layout: Layout,
    /// How a hook is written.
    entry: Entry,
    /// What an answer looks like.
    answer: AnswerForm,
    events: &'static [EventRow],
}

/// Where hooks stand in the vendor's file.
#[derive(Clone, Copy, Debug)]
enum Layout {
    /// For each event a list of groups, each with a list of hooks.
    Groups,
    /// For each event a list of hooks; the file names this version of its format.
    Lists { version: Option<u32> },
    /// A file of recall's own.
    OwnFile(OwnFile),
    /// A folder with a script for each event, which has the event's name.
    Scripts,
}

/// How a hook is written.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Whether the program and its arguments stand apart, so that no shell is started.
    has_arguments: bool,
    /// Whether it has a name and a type.
    has_name: bool,
    has_type: bool,
    /// After what the agent ends it, in the vendor's unit; `None` for the vendor's default.
    timeout: Option<u32>,
}

/// What an answer looks like.
#[derive(Clone, Copy, Debug)]
enum AnswerForm {
    /// `hookSpecificOutput`, with the event's name and `additionalContext`.
    Specific,
    /// The same and `additionalContext`: VS Code reads the first, Copilot CLI the second, and both run the same hooks.
    Copilot,
    /// `additional_context`.
    Cursor,
    /// `context`.
    Crush,
    /// `contextModification`, and that the task goes on.
    Cline,
    /// The text itself.
    Text,
}

/// What a hook is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The agent waits, and adds the answer to the model's context.
    Answer,
    /// The agent waits, and has no use for an answer.
    Record,
    /// The agent does not wait. An answer comes late.
    Background,
    /// The agent does not send the event. The hook is for another one that reads the same file.
    Foreign,
}

/// An event of a vendor: its name, the tools that it is for, recall's event, and what the hook is for.
type EventRow = (&'static str, Option<&'static str>, HookEvent, Purpose);

const LINE: Entry = Entry { has_arguments: false, has_name: false, has_type: true, timeout: Some(TIMEOUT_S) };

pub(crate) const CLAUDE: Contract = Contract {
    client: "claude-code",
    layout: Layout::Groups,
    entry: Entry { has_arguments: true, ..LINE },
    answer: AnswerForm::Specific,
    events: &[
        ("SessionStart", None, SessionStart, Answer),
        ("UserPromptSubmit", None, Prompt, Answer),
        ("PreToolUse", Some("Read|Edit|Write|MultiEdit|NotebookEdit|Grep|Glob|Bash"), PreTool, Answer),
        (
            "PostToolUse",
            Some("Edit|Write|MultiEdit|NotebookEdit|Bash|TodoWrite|TaskCreate|TaskUpdate"),
            PostTool,
            Background,
        ),
        // What is known about a failure comes with it, not a turn later.
        ("PostToolUseFailure", Some("Bash"), PostTool, Answer),
        ("SubagentStart", None, SubagentStart, Answer),
        ("PreCompact", None, PreCompact, Record),
        // A hook that is not waited for is ended with the session, which in a run without a terminal is after the first turn.
        ("Stop", None, Stop, Record),
        ("SessionEnd", None, SessionEnd, Record),
    ],
};

/// The user trusts each hook of Codex by its hash, so a hook must be the same in every version of recall. A new one is a row
/// of its own.
pub(crate) const CODEX: Contract = Contract {
    client: "codex",
    layout: Layout::Groups,
    entry: LINE,
    answer: AnswerForm::Specific,
    events: &[
        ("SessionStart", None, SessionStart, Answer),
        ("UserPromptSubmit", None, Prompt, Answer),
        ("PostToolUse", Some("Bash"), PostTool, Answer),
        ("Stop", None, Stop, Record),
        ("PreToolUse", Some("apply_patch"), PreTool, Answer),
        ("PostToolUse", Some("apply_patch"), PostTool, Record),
        ("PreCompact", None, PreCompact, Record),
        ("SubagentStart", None, SubagentStart, Answer),
        ("PreToolUse", Some("Bash"), PreTool, Answer),
    ],
};

/// Milliseconds. `BeforeTool` adds no context, so there is no hook of it.
pub(crate) const GEMINI: Contract = Contract {
    client: "gemini",
    layout: Layout::Groups,
    entry: Entry { has_name: true, timeout: Some(TIMEOUT_S * 1000), ..LINE },
    answer: AnswerForm::Specific,
    events: &[
        ("SessionStart", None, SessionStart, Answer),
        ("BeforeAgent", None, Prompt, Answer),
        ("AfterTool", Some("write_file|replace|run_shell_command"), PostTool, Answer),
        ("AfterAgent", None, Stop, Record),
        ("PreCompress", None, PreCompact, Record),
        ("SessionEnd", None, SessionEnd, Record),
    ],
};

/// Its versions disagree on the unit of `timeout`; its default is a minute. What a hook of `PreToolUse` adds is dropped, so what is
/// known about a tool's call comes with its result.
pub(crate) const QWEN: Contract = Contract {
    client: "qwen",
    layout: Layout::Groups,
    entry: Entry { has_name: true, timeout: None, ..LINE },
    answer: AnswerForm::Specific,
    events: &[
        ("SessionStart", None, SessionStart, Answer),
        ("UserPromptSubmit", None, Prompt, Answer),
        ("PostToolUse", Some("read_file|write_file|edit|grep_search|glob|run_shell_command"), PreTool, Answer),
        ("PostToolUse", Some("write_file|edit|run_shell_command|todo_write"), PostTool, Answer),
        ("PostToolUseFailure", Some("run_shell_command"), PostTool, Answer),
        ("SubagentStart", None, SubagentStart, Answer),
        ("PreCompact", None, PreCompact, Record),
        ("Stop", None, Stop, Record),
        ("SessionEnd", None, SessionEnd, Record),
    ],
};

/// What a hook of `PreToolUse` adds is dropped, so what is known about a file comes with the tool's result. A command that failed
/// has no event after it, and `Stop` brings no message.
///
/// Of several hooks of `PostToolUse` the first answer counts, so no tool has two hooks that may answer. Both spellings of the fields
/// (`session_id`, `sessionId`) occur in its documentation.
pub(crate) const DROID: Contract = Contract {
    client: "droid",
    layout: Layout::Groups,
    entry: LINE,
    answer: AnswerForm::Specific,
    events: &[
        ("SessionStart", None, SessionStart, Answer),
        ("UserPromptSubmit", None, Prompt, Answer),
        ("PostToolUse", Some("Read|Grep|Glob|Edit|Create|ApplyPatch|Execute"), PreTool, Answer),
        ("PostToolUse", Some("Edit|Create|ApplyPatch|Execute|TodoWrite"), PostTool, Record),
        ("PreCompact", None, PreCompact, Record),
        ("SessionEnd", None, SessionEnd, Record),
    ],
};

/// The message of a turn is in `afterAgentResponse`; `stop` has none.
pub(crate) const CURSOR: Contract = Contract {
    client: "cursor",
    layout: Layout::Lists { version: Some(1) },
    entry: Entry { has_type: false, ..LINE },
    answer: AnswerForm::Cursor,
    events: &[
        ("sessionStart", None, SessionStart, Answer),
        ("beforeSubmitPrompt", None, Prompt, Answer),
        ("preToolUse", Some("Read|Write|Grep|Shell"), PreTool, Answer),
        ("postToolUse", Some("Write|Shell"), PostTool, Answer),
        ("postToolUseFailure", Some("Shell"), PostTool, Answer),
        ("afterAgentResponse", None, Stop, Record),
        ("preCompact", None, PreCompact, Record),
        ("sessionEnd", None, SessionEnd, Record),
    ],
};

/// One file for Copilot CLI and VS Code. The names of VS Code make both send the same fields; VS Code ignores the tools. Copilot CLI
/// names a tool as Claude Code does; older versions use names of their own.
///
/// Copilot CLI adds what the hooks of every event print, if they exit with 0. It refuses the call of a tool if a hook of `PreToolUse`
/// fails, and if its program is missing. So what is known about a call comes with its result. A command that ends with
/// another code than 0 is a success; the last line of its output names the code.
pub(crate) const COPILOT: Contract = Contract {
    client: "copilot",
    layout: Layout::Lists { version: Some(1) },
    entry: LINE,
    answer: AnswerForm::Copilot,
    events: &[
        ("SessionStart", None, SessionStart, Answer),
        ("UserPromptSubmit", None, Prompt, Answer),
        ("PostToolUse", Some(COPILOT_CALLS), PreTool, Answer),
        ("PostToolUse", Some(COPILOT_RESULTS), PostTool, Answer),
        ("PostToolUseFailure", Some(COPILOT_COMMANDS), PostTool, Answer),
        ("SubagentStart", None, SubagentStart, Answer),
        ("PreCompact", None, PreCompact, Record),
        ("SessionEnd", None, SessionEnd, Record),
    ],
};

/// The tools of Copilot CLI whose calls recall knows something about, whose results it records, and that run commands.
const COPILOT_CALLS: &str = "view|grep|glob|create|edit|bash|powershell|Read|Grep|Glob|Write|Edit|Bash";
const COPILOT_RESULTS: &str = "bash|powershell|create|edit|Bash|Write|Edit";
const COPILOT_COMMANDS: &str = "bash|powershell|Bash";

/// VS Code with its own agent, which adds nothing to a prompt. If it runs Copilot's, that is Copilot CLI.
pub(crate) const VSCODE: Contract = Contract {
    events: &[
        ("SessionStart", None, SessionStart, Answer),
        ("UserPromptSubmit", None, Prompt, Record),
        ("PostToolUse", Some(COPILOT_CALLS), PreTool, Answer),
        ("PostToolUse", Some(COPILOT_RESULTS), PostTool, Answer),
        ("PostToolUseFailure", Some(COPILOT_COMMANDS), PostTool, Foreign),
        ("SubagentStart", None, SubagentStart, Answer),
        ("PreCompact", None, PreCompact, Record),
        ("SessionEnd", None, SessionEnd, Foreign),
    ],
    ..COPILOT
};

/// A version of Crush rejects its configuration if it does not know an event, and all versions with hooks know this one.
pub(crate) const CRUSH: Contract = Contract {
    client: "crush",
    layout: Layout::Lists { version: None },
    entry: Entry { has_type: false, ..LINE },
    answer: AnswerForm::Crush,
    events: &[("PreToolUse", Some("^(view|edit|write|multiedit|grep|glob|bash)$"), PreTool, Answer)],
};

/// Cascade, the agent of Windsurf. Its hooks add nothing to the context, and it ends none of them after a time.
pub(crate) const WINDSURF: Contract = Contract {
    client: "windsurf",
    layout: Layout::Lists { version: None },
    entry: Entry { has_type: false, timeout: None, ..LINE },
    answer: AnswerForm::Text,
    events: &[
        ("pre_user_prompt", None, Prompt, Record),
        ("post_write_code", None, PostTool, Record),
        ("post_run_command", None, PostTool, Record),
        ("post_cascade_response", None, Stop, Record),
    ],
};

/// The output of these two hooks is added to the context, and of no other. Each run of a hook is shown to the user.
pub(crate) const KIRO: Contract = Contract {
    client: "kiro",
    layout: Layout::OwnFile(OwnFile::KiroHooks),
    entry: LINE,
    answer: AnswerForm::Text,
    events: &[("SessionStart", None, SessionStart, Answer), ("UserPromptSubmit", None, Prompt, Answer)],
};

/// A plugin: the names are those of its functions. What is known of a file comes with the output of the tool that reads it.
pub(crate) const OPENCODE: Contract = Contract {
    client: "opencode",
    layout: Layout::OwnFile(OwnFile::OpenCodePlugin),
    entry: LINE,
    answer: AnswerForm::Specific,
    events: &[
        ("chat.message", None, SessionStart, Answer),
        ("chat.message", None, Prompt, Answer),
        ("tool.execute.after", Some("read|grep|glob"), PreTool, Answer),
        ("tool.execute.after", Some("edit|write|bash|todowrite"), PostTool, Answer),
        ("experimental.session.compacting", None, PreCompact, Record),
        ("dispose", None, SessionEnd, Record),
    ],
};

/// The plugins of `OpenCode`, from which it is made. `dispose` is not one of its functions.
pub(crate) const KILO: Contract = Contract {
    client: "kilo",
    layout: Layout::OwnFile(OwnFile::OpenCodePlugin),
    entry: LINE,
    answer: AnswerForm::Specific,
    events: &[
        ("chat.message", None, SessionStart, Answer),
        ("chat.message", None, Prompt, Answer),
        ("tool.execute.after", Some("read|grep|glob"), PreTool, Answer),
        ("tool.execute.after", Some("edit|write|bash|todowrite"), PostTool, Answer),
        ("experimental.session.compacting", None, PreCompact, Record),
    ],
};

/// Scripts with the names of the events, for every tool. What a hook adds is for the model's next step.
pub(crate) const CLINE: Contract = Contract {
    client: "cline",
    layout: Layout::Scripts,
    entry: LINE,
    answer: AnswerForm::Cline,
    events: &[
        ("TaskStart", None, SessionStart, Answer),
        ("TaskResume", None, SessionStart, Answer),
        ("UserPromptSubmit", None, Prompt, Answer),
        ("PreToolUse", None, PreTool, Answer),
        ("PostToolUse", None, PostTool, Answer),
        ("PreCompact", None, PreCompact, Record),
        ("TaskComplete", None, SessionEnd, Record),
    ],
};

/// The scripts of Cline, of which it waits only for those of tools. Those of a prompt did not run in its version 3.0.
pub(crate) const CLINE_CLI: Contract = Contract {
    events: &[
        ("TaskStart", None, SessionStart, Record),
        ("TaskResume", None, SessionStart, Record),
        ("UserPromptSubmit", None, Prompt, Record),
        ("PreToolUse", None, PreTool, Answer),
        ("PostToolUse", None, PostTool, Answer),
        ("PreCompact", None, PreCompact, Record),
        ("TaskComplete", None, SessionEnd, Record),
    ],
    ..CLINE
};

impl Contract {
    /// Returns the vendor's names of an event, in the order of the table.
    pub(crate) fn event_names(&self, event: HookEvent) -> impl Iterator<Item = &'static str> {
        self.rows(event).map(|(name, ..)| *name)
    }

    /// Returns the rows of an event, without those of an agent that reads the same file.
    fn rows(&self, event: HookEvent) -> impl Iterator<Item = &'static EventRow> {
        self.events.iter().filter(move |(_, _, answered, purpose)| *answered == event && *purpose != Foreign)
    }

    /// Whether the agent adds the answer to an event to the model's context.
    pub(crate) fn adds_context(&self, event: HookEvent) -> bool {
        self.rows(event).any(|(.., purpose)| *purpose != Record)
    }

    /// Whether two agents run the same hooks, because they read the same file.
    pub(crate) fn shares_hooks_with(&self, other: &Self) -> bool {
        self.client == other.client
    }

    /// Returns the answer with a text for the model; `None` if the agent has no use for text. `named` is the vendor's name of
    /// the event in its input: some refuse an answer to another of their events.
    pub(crate) fn answer(&self, event: HookEvent, named: &str, text: &str) -> Option<String> {
        let named = self.rows(event).find(|(name, ..)| *name == named);
        let (name, .., purpose) = named.or_else(|| self.rows(event).next())?;
        if *purpose == Record {
            return None;
        }
        let specific = json!({"hookEventName": name, "additionalContext": text});
        let answer = match self.answer {
            AnswerForm::Text => return Some(format!("{text}\n")),
            AnswerForm::Specific => json!({"hookSpecificOutput": specific}),
            AnswerForm::Copilot => json!({"additionalContext": text, "hookSpecificOutput": specific}),
            AnswerForm::Cursor => json!({"additional_context": text}),
            AnswerForm::Crush => json!({"version": 1, "context": text}),
            AnswerForm::Cline => json!({"cancel": false, "contextModification": text}),
        };
        Some(format!("{answer}\n"))
    }

    /// Returns the files with the hooks: the one at `place`, or those in this folder.
    pub(crate) fn files(&self, place: PathBuf) -> Vec<PathBuf> {
        match self.layout {
            Layout::Scripts => self.events.iter().map(|(name, ..)| place.join(name)).collect(),
            Layout::Groups | Layout::Lists { .. } | Layout::OwnFile(_) => vec![place],
        }
    }

    /// Whether the files are recall's own.
    pub(crate) fn has_own_files(&self) -> bool {
        matches!(self.layout, Layout::OwnFile(_) | Layout::Scripts)
    }

    /// Whether the files are scripts.
    pub(crate) fn has_scripts(&self) -> bool {
        matches!(self.layout, Layout::Scripts)
    }

    /// Returns the text of a file of recall's own; `None` if the file is the vendor's, or is not one of [`files`](Self::files).
    pub(crate) fn own_text(&self, file: &Path, recall: &str) -> Option<String> {
        match self.layout {
            Layout::OwnFile(form) => Some(form.text(recall, self.client, &self.lines(recall))),
            Layout::Scripts => {
                let row = self.events.iter().find(|(name, ..)| file.file_name() == Some(name.as_ref()))?;
                Some(script(&self.line(recall, row.2)))
            }
            Layout::Groups | Layout::Lists { .. } => None,
        }
    }

    /// Returns the version of the file's format that its file names, if it names one.
    pub(super) fn version(&self) -> Option<u32> {
        match self.layout {
            Layout::Lists { version } => version,
            Layout::Groups | Layout::OwnFile(_) | Layout::Scripts => None,
        }
    }

    /// Returns the vendor's events with what starts `recall`: a group, or a hook.
    pub(crate) fn entries(&self, recall: &str) -> impl Iterator<Item = (&'static str, Value)> {
        self.events.iter().map(move |row| (row.0, self.entry(recall, *row)))
    }

    fn entry(&self, recall: &str, row: EventRow) -> Value {
        let (_, tools, event, purpose) = row;
        let hook = self.hook(recall, event, purpose);
        let mut entry = Map::new();
        if let Some(tools) = tools {
            entry.insert("matcher".to_owned(), json!(tools));
        }
        match self.layout {
            Layout::Groups => drop(entry.insert(SECTION.to_owned(), json!([hook]))),
            Layout::Lists { .. } | Layout::OwnFile(_) | Layout::Scripts => entry.extend(hook),
        }
        Value::Object(entry)
    }

    fn hook(&self, recall: &str, event: HookEvent, purpose: Purpose) -> Map<String, Value> {
        let Entry { has_arguments, has_name, has_type, timeout } = self.entry;
        let mut hook = Map::new();
        let mut put = |key: &str, value: Value| hook.insert(key.to_owned(), value);
        if has_name {
            put("name", json!(hook_name(event)));
        }
        if has_type {
            put("type", json!("command"));
        }
        if has_arguments {
            put("command", json!(recall));
            put("args", json!([PROGRAM.1, event.as_str()]));
        } else {
            put("command", json!(self.line(recall, event)));
        }
        if let Some(timeout) = timeout {
            put("timeout", json!(timeout));
        }
        if purpose == Background {
            put("async", json!(true));
        }
        hook
    }

    /// Returns the command line of an event.
    fn line(&self, recall: &str, event: HookEvent) -> String {
        let recall = shlex::try_quote(recall).unwrap_or(recall.into());
        format!("{recall} {} {} --client {}", PROGRAM.1, event.as_str(), self.client)
    }

    fn lines(&self, recall: &str) -> Vec<HookLine> {
        let lines = self.events.iter().map(|(name, _, event, _)| HookLine {
            name: hook_name(*event),
            event: name,
            line: self.line(recall, *event),
            timeout_s: self.entry.timeout,
        });
        lines.collect()
    }
}

fn hook_name(event: HookEvent) -> String {
    format!("{}-{}", PROGRAM.0, event.as_str())
}
