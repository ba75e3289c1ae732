//! The command in a terminal: the finder, the pager, colours, hits by number, the overview and completion.

#![cfg(unix)]

use std::fs;
use std::io::{Read as _, Write};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use recall_testkit::{Project, wait_until};
use recall_tests::{Sandbox, sandbox};
use serde_json::Value;

mod questions;

const SOURCE: &str =
    "/// Feeds the wombats.\npub fn feed_wombats(count: u32) -> String {\n    format!(\"{count} are fed\")\n}\n";

/// A program in a terminal of its own.
struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
    keyboard: Box<dyn Write + Send>,
    shown: Arc<Mutex<Shown>>,
}

/// What the terminal shows, and every byte that it received.
struct Shown {
    parser: vt100::Parser,
    bytes: Vec<u8>,
    has_ended: bool,
}

impl Terminal {
    /// Runs a program of the sandbox in a project, with further variables.
    fn start(sandbox: &Sandbox, project: &Project, words: &[&str], variables: &[(&str, &str)]) -> Self {
        Self::of_size((12, 80), sandbox, project, words, variables)
    }

    /// Runs a program in a terminal with these lines and columns; a terminal with none does not say how many it has.
    fn of_size(
        (rows, cols): (u16, u16),
        sandbox: &Sandbox,
        project: &Project,
        words: &[&str],
        variables: &[(&str, &str)],
    ) -> Self {
        let pair = native_pty_system().openpty(PtySize { rows, cols, ..PtySize::default() }).expect("a terminal");
        let like = sandbox.command(Path::new(words[0]), project.root());
        let mut command = CommandBuilder::new(words[0]);
        command.args(&words[1..]);
        command.env_clear();
        for (name, value) in like.get_envs() {
            command.env(name, value.expect("set"));
        }
        command
            .env("PATH", format!("{}:/usr/bin:/bin", sandbox.binaries().recall.parent().expect("a folder").display()));
        command.env("TERM", "xterm-256color");
        for (name, value) in variables {
            command.env(name, value);
        }
        command.cwd(project.root());
        let child = pair.slave.spawn_command(command).expect("the program runs");
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().expect("readable");
        let keyboard = pair.master.take_writer().expect("writable");
        let or_else = |length: u16, usual: u16| if length == 0 { usual } else { length };
        let parser = vt100::Parser::new(or_else(rows, 24), or_else(cols, 80), 0);
        let shown = Arc::new(Mutex::new(Shown { parser, bytes: Vec::new(), has_ended: false }));
        let writer = Arc::clone(&shown);
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            loop {
                let read = reader.read(&mut buffer).unwrap_or(0);
                let mut shown = writer.lock().expect("not poisoned");
                if read == 0 {
                    shown.has_ended = true;
                    return;
                }
                shown.parser.process(&buffer[..read]);
                shown.bytes.extend_from_slice(&buffer[..read]);
            }
        });
        Self { child, _master: pair.master, keyboard, shown }
    }

    fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("the terminal takes keys");
        self.keyboard.flush().expect("the terminal takes keys");
    }

    /// Waits until the screen contains a text.
    #[track_caller]
    fn wait_for(&self, text: &str) {
        wait_until(text, || self.screen().contains(text).then_some(()));
    }

    fn screen(&self) -> String {
        self.shown.lock().expect("not poisoned").parser.screen().contents()
    }

    /// Waits for the end of the program and returns everything that it wrote.
    fn end(mut self) -> (u32, String, bool) {
        let status = wait_until("the end of the program", || self.child.try_wait().expect("a child"));
        wait_until("the end of the output", || self.shown.lock().expect("not poisoned").has_ended.then_some(()));
        let shown = self.shown.lock().expect("not poisoned");
        let text = String::from_utf8_lossy(&shown.bytes).into_owned();
        (status.exit_code(), text, shown.parser.screen().alternate_screen())
    }
}

/// Writes a program into the sandbox and returns its path.
fn script(sandbox: &Sandbox, name: &str, text: &str) -> PathBuf {
    let path = sandbox.path().join(name);
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("set");
    path
}

fn project(sandbox: &Sandbox) -> Project {
    let long = (1..=40).map(|number| format!("line {number} of the long one\n")).collect::<Vec<_>>().concat();
    sandbox.project("zoo", &[("src/wombats.rs", SOURCE), ("notes.txt", &long)])
}

fn recall(sandbox: &Sandbox) -> String {
    sandbox.binaries().recall.display().to_string()
}

#[test]
fn the_finder_searches_while_typing_and_opens_the_hit_at_its_line() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let told = sandbox.path().join("told");
    let editor = script(&sandbox, "vim", &format!("echo \"$@\" > {}", told.display()));
    let editor = editor.display().to_string();
    let mut terminal = Terminal::start(&sandbox, &project, &[&recall(&sandbox), "find"], &[("EDITOR", &editor)]);
    terminal.wait_for("type words");
    terminal.press("feed_wombats");
    terminal.wait_for("src/wombats.rs:1");
    terminal.wait_for("format!(\"{count} are fed\")");
    terminal.press("\r");
    let (code, output, is_alternate) = terminal.end();
    assert_eq!((code, is_alternate), (0, false), "{output}");
    let expected = format!("+1 {}\n", project.path("src/wombats.rs").canonicalize().expect("there").display());
    assert_eq!(fs::read_to_string(&told).expect("the editor ran"), expected);
}

#[test]
fn the_finder_prints_a_citation_and_leaves_nothing_on_escape() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let words = [&recall(&sandbox), "find", "--print", "feed_wombats"];
    let mut terminal = Terminal::start(&sandbox, &project, &words, &[]);
    terminal.wait_for("src/wombats.rs:1");
    terminal.press("\r");
    let (code, output, _) = terminal.end();
    let printed = output.rsplit("\u{1b}[?1049l").next().unwrap_or_default();
    assert_eq!(code, 0);
    assert!(printed.contains("src/wombats.rs:1-4@"), "{output:?}");
    let mut terminal = Terminal::start(&sandbox, &project, &words, &[]);
    terminal.wait_for("src/wombats.rs:1");
    terminal.press("\u{1b}");
    let (code, output, is_alternate) = terminal.end();
    assert_eq!((code, is_alternate), (1, false), "{output:?}");
}

#[test]
fn a_finder_that_is_asked_to_end_restores_the_terminal() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let terminal = Terminal::start(&sandbox, &project, &[&recall(&sandbox), "find"], &[]);
    terminal.wait_for("type words");
    let process = i32::try_from(terminal.child.process_id().expect("it runs")).expect("a process id");
    let process = rustix::process::Pid::from_raw(process).expect("a process id");
    rustix::process::kill_process(process, rustix::process::Signal::TERM).expect("sent");
    let (code, output, is_alternate) = terminal.end();
    assert_eq!((code, is_alternate), (1, false), "{output:?}");
}

#[test]
fn no_terminal_of_any_size_gets_control_sequences_of_a_file() {
    let sandbox = sandbox!();
    let prose = "The wombats dig at night, and sleep by day in their burrows.\n".repeat(4);
    let hostile = format!("# Wombats\n\n{prose}\u{1b}[2J\u{1b}]0;title\u{1b}\\ \u{202e}reversed\nThe end.\n");
    let project = sandbox.project("zoo", &[("CLAUDE.md", &hostile)]);
    let recall = recall(&sandbox);
    for size in [(0, 0), (24, 0), (12, 80)] {
        for words in
            [&["get", "CLAUDE.md"][..], &["--json", "get", "CLAUDE.md"], &["context", "wombat", "--format", "md"]]
        {
            let words = [&[recall.as_str()], words].concat();
            let (code, output, _) = Terminal::of_size(size, &sandbox, &project, &words, &[("PAGER", "cat")]).end();
            assert!(code == 0 && output.contains("wombat") && output.contains("end"), "{words:?}: {output:?}");
            for sequence in ["\u{1b}[2J", "\u{1b}]0;", "\u{202e}"] {
                assert!(!output.contains(sequence), "{size:?} {words:?}: {output:?}");
            }
        }
    }
    let piped = sandbox.recall(&project, &["get", "CLAUDE.md"]);
    assert_eq!(piped.stdout, hostile, "a pipe gets the file as it is");
}

#[test]
fn long_output_goes_through_the_pager_on_a_terminal_only() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let shown = sandbox.path().join("paged");
    let pager = format!("tee '{}'", shown.display());
    let run = |words: &[&str]| {
        let _ = fs::remove_file(&shown);
        let recall = recall(&sandbox);
        let words = [&[recall.as_str()], words].concat();
        let (code, output, _) = Terminal::start(&sandbox, &project, &words, &[("PAGER", &pager)]).end();
        assert_eq!(code, 0, "{output}");
        assert!(output.contains("of the long one") || output.contains("are fed"), "{output}");
        shown.exists()
    };
    assert!(run(&["get", "notes.txt"]));
    assert!(!run(&["--no-pager", "get", "notes.txt"]));
    assert!(!run(&["get", "src/wombats.rs"]), "it fits");
    let outcome = sandbox.recall(&project, &["get", "notes.txt"]);
    assert_eq!(outcome.stdout.lines().count(), 40, "{outcome:?}");
}

#[test]
fn code_has_colours_unless_they_are_off() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let shown = |words: &[&str], variables: &[(&str, &str)]| {
        let recall = recall(&sandbox);
        let words = [&[recall.as_str()], words].concat();
        Terminal::start(&sandbox, &project, &words, variables).end().1
    };
    let keyword = "\u{1b}[34mpub\u{1b}[0m";
    assert!(shown(&["get", "src/wombats.rs"], &[]).contains(keyword));
    for (words, variables) in [
        (&["get", "src/wombats.rs"][..], &[("NO_COLOR", "1")][..]),
        (&["--color", "never", "get", "src/wombats.rs"], &[]),
    ] {
        let output = shown(words, variables);
        assert!(output.contains("pub fn feed_wombats") && !output.contains('\u{1b}'), "{output:?}");
    }
    // A link is shown only where the terminal is said to know links.
    let linked = |variables| shown(&["search", "feed_wombats"], variables).contains("\u{1b}]8;;file://");
    assert!(linked(&[("FORCE_HYPERLINK", "1")]) && !linked(&[("FORCE_HYPERLINK", "0")]));
}

#[test]
fn a_hit_is_opened_by_its_number_in_the_terminal_that_showed_it() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let recall = recall(&sandbox);
    let run = |line: &str| {
        let line = line.replace("recall", &recall);
        Terminal::start(&sandbox, &project, &["/bin/sh", "-c", &line], &[("EDITOR", "vim")]).end()
    };
    let (code, output, _) = run("recall search feed_wombats -k 1 --lines 0 && recall open 1 --dry-run");
    assert!(code == 0 && output.contains("vim +1 "), "{output}");
    let (code, output, _) = run("recall search feed_wombats -k 1 --lines 0 && recall open 7 --dry-run");
    assert!(code == 1 && output.contains("its hits are 1 to 1"), "{output}");
    let (code, output, _) = run("recall open 1 --dry-run");
    assert!(code == 1 && output.contains("no search was shown in this terminal"), "{output}");
    let (code, output, _) = run("recall open src/wombats.rs:2 --dry-run");
    assert!(code == 0 && output.contains("vim +2 "), "{output}");
}

#[test]
fn an_overview_indexes_nothing_and_suggests_what_to_do() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let json = |arguments: &[&str]| -> Value {
        let outcome = sandbox.recall(&project, arguments);
        serde_json::from_str(&outcome.stdout).unwrap_or_else(|error| panic!("{error}: {outcome:?}"))
    };
    for _ in 0..2 {
        let overview = json(&["--json"]);
        assert_eq!(
            (&overview["stores"][0]["indexed"], &overview["stores"][0]["documents"]),
            (&false.into(), &0.into())
        );
        assert_eq!(overview["next"][0]["command"], "recall search \"…\"");
    }
    json(&["search", "wombats", "--json"]);
    assert_eq!(json(&["--json"])["stores"][0]["documents"], 2);
    let outcome = sandbox.recall(&project, &[]);
    assert!(outcome.stdout.contains("complete, 2 documents"), "{outcome:?}");
}

#[test]
fn completion_asks_a_running_daemon_and_starts_none() {
    let sandbox = sandbox!();
    let project = project(&sandbox);
    let complete = |words: &[&str]| {
        let mut command = sandbox.command(&sandbox.binaries().recall, project.root());
        command.env("RECALL_COMPLETE", "fish").args(["--", "recall"]).args(words);
        let output = command.output().expect("it runs");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("text")
    };
    assert!(complete(&["sea"]).starts_with("search\t"), "commands need no daemon");
    assert!(!complete(&["get", "src/w"]).contains("src/wombats.rs"));
    assert!(!sandbox.is_listening(), "no daemon was started");
    let id = sandbox.recall(&project, &["remember", "Wombats dig.", "--json"]).stdout;
    let id = serde_json::from_str::<Value>(&id).expect("JSON")["id"].as_str().expect("an id").to_owned();
    sandbox.recall(&project, &["search", "wombats"]);
    // Under load, an answer may miss the deadline; the next key asks again.
    let eventually = |words: &[&str], expected: &str| {
        wait_until(expected, || complete(words).lines().any(|line| line.starts_with(expected)).then_some(()));
    };
    eventually(&["get", "sr"], "src/");
    eventually(&["get", "src/w"], "src/wombats.rs");
    eventually(&["verify", &id[..4]], &id);
    eventually(&["graph", "feed_wombats"], "feed_wombats");
}
