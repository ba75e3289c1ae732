//! What an agent should know about a command that failed, and about a file.

use std::collections::BTreeSet;
use std::time::Duration;

use recall_core::{
    AddMemory, EndReason, EndSession, HookRecord, LogEvent, MemoryId, MemoryType, Metadata, MetadataValue, Provenance,
    Replacement, Scope, SessionEventType, StartSession, UpdateMemory,
};
use recall_engine::{Engine, Occasion, Origin, RemindRequest, ReminderSubject, Reminders};

use crate::support::{Sandbox, new_memory};
use crate::why::{commit, git, in_session, record};

const CART: &str = "class Cart:\n    def total(self):\n        prices = load_prices()\n        return sum(prices[item] for item in self.items)\n";

const FILES: &[(&str, &str)] = &[
    ("src/shop/cart.py", CART),
    ("src/web/app.js", "export function start() {\n  return listen(8080)\n}\n"),
    ("src/api/app.js", "export function stop() {\n  return close(8080)\n}\n"),
    ("tests/test_cart.py", "def test():\n    assert 'no item called pear in this cart'\n"),
    (
        "src/shop/item.py",
        "def check(item):\n    if item is None:\n        raise KeyError(f\"no item called {item} in this cart\")\n",
    ),
];

fn request(occasion: Occasion) -> RemindRequest {
    RemindRequest {
        occasion,
        budget_tokens: 400,
        place_confidence: 0.2,
        memory_confidence: 0.1,
        shown: BTreeSet::new(),
        session: None,
        others_within: Duration::from_mins(15),
        replacements: Vec::new(),
        scope: Scope::All,
    }
}

fn failed(sandbox: &Sandbox, engine: &Engine, output: &str) -> Reminders {
    let occasion = Occasion::Failure { command: "make test".to_owned(), output: output.to_owned() };
    engine.remind(&sandbox.origin(), &request(occasion)).expect("an answer")
}

fn no_change(id: MemoryId) -> UpdateMemory {
    let provenance = Provenance::default();
    UpdateMemory {
        id,
        title: None,
        content: None,
        tags: None,
        related_files: None,
        cues: None,
        expected: None,
        provenance,
        valid: recall_core::WordedTime::default(),
    }
}

/// The first line of each reminder.
fn titles(reminders: &Reminders) -> Vec<&str> {
    reminders.reminders.iter().filter_map(|reminder| reminder.text.lines().next()).collect()
}

#[test]
fn a_place_counts_if_its_file_is_certain() {
    let sandbox = Sandbox::with(FILES);
    let engine = sandbox.engine();
    let check = |output: &str, expected: &[&str]| assert_eq!(titles(&failed(&sandbox, &engine, output)), expected);
    let named = "- src/shop/cart.py:3 (the output names this line)";
    let trace = |path: &str, function: &str| format!("  File \"{path}\", line 3, in {function}\nError: x y\n");
    let root = sandbox.root();
    check(&trace("src/shop/cart.py", "<module>"), &[named]);
    check(&trace(&format!("{}/src/shop/cart.py", root.display()), "gone"), &[named]);
    // In a container, and from another folder of the project.
    check(&trace("/app/shop/cart.py", "total"), &[named]);
    check(&trace("shop/cart.py", "<module>"), &[named]);
    check(&trace("/app/shop/cart.py", "<module>"), &[]);
    check(&trace("/usr/lib/python3/site-packages/cart.py", "total"), &[]);
    check(&trace("/app/cart.py", "total"), &[]);
    check("Error: x\n    at start (/app/app.js:2:3)\n", &[]);
    check("Error: x\n    at start (/app/web/app.js:2:3)\n", &["- src/web/app.js:2 (the output names this line)"]);
    check(&trace("src/shop/cart.py", "total").replace("line 3", "line 99"), &[]);
}

#[test]
fn a_message_finds_the_line_of_the_program_that_raises_it() {
    let sandbox = Sandbox::with(FILES);
    let engine = sandbox.engine();
    let found = failed(&sandbox, &engine, "Error: no item called apple in this cart\n");
    assert_eq!(titles(&found), ["- src/shop/item.py:3 (this line has the words of the message)"]);
    for unknown in ["Error: no such file called apple\n", "Error: no rule for apples in this shop\n"] {
        assert_eq!(failed(&sandbox, &engine, unknown), Reminders::default(), "{unknown}");
    }
}

#[test]
fn secrets_in_the_lines_are_masked() {
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let sandbox = Sandbox::with(&[("src/push.py", &format!("def push():\n    send(\"{secret}\")\n"))]);
    let found = failed(&sandbox, &sandbox.engine(), "  File \"src/push.py\", line 2, in push\nError: x\n");
    let text = &found.reminders.first().expect("a place").text;
    assert!(text.contains("[secret: ") && !text.contains(&secret), "{text}");
}

#[test]
fn a_file_that_was_just_changed_is_shown_as_it_is() {
    let sandbox = Sandbox::with(FILES);
    let engine = sandbox.engine();
    sandbox.search(&engine, "cart");
    sandbox.write("src/shop/cart.py", &CART.replace("load_prices()", "read_prices()"));
    let found = failed(&sandbox, &engine, "  File \"src/shop/cart.py\", line 3, in total\nError: x\n");
    let text = &found.reminders.first().expect("a place").text;
    assert!(text.contains("  > 3:         prices = read_prices()\n"), "{text}");
}

/// Adds memories about the cart, and returns their keys, the newest first.
fn remember_about_cart(engine: &Engine, sandbox: &Sandbox, texts: &[(MemoryType, &str)]) -> Vec<String> {
    let mut keys = Vec::new();
    for (kind, text) in texts {
        let memory =
            AddMemory { related_files: vec!["src/shop/cart.py".to_owned()], ..new_memory(*kind, *text, *text) };
        let id = engine.add_memory(&sandbox.origin(), &memory).expect("added").id;
        keys.insert(0, format!("memory {id}"));
    }
    keys
}

fn keys_at(sandbox: &Sandbox, engine: &Engine, file: &str, request: RemindRequest) -> Vec<String> {
    let request = RemindRequest { occasion: Occasion::File(file.to_owned()), ..request };
    let found = engine.remind(&sandbox.origin(), &request).expect("an answer");
    found.reminders.into_iter().map(|reminder| reminder.key).collect()
}

#[test]
fn few_memories_about_a_file_are_shown_newest_first_and_many_are_not() {
    let sandbox = Sandbox::with(FILES);
    let engine = sandbox.engine();
    sandbox.search(&engine, "cart");
    // Those of the types that matter most to a change are the oldest.
    let few = [
        (MemoryType::Decision, "The cart rounds at the end."),
        (MemoryType::Lesson, "Prices are read once a request, or the sum changes."),
        (MemoryType::Note, "The cart was written in spring."),
    ];
    let keys = remember_about_cart(&engine, &sandbox, &few);
    let base = request(Occasion::File(String::new()));
    let ask = |file: &str, request: RemindRequest| keys_at(&sandbox, &engine, file, request);
    for file in ["src/shop/cart.py", "./src/shop/cart.py", &sandbox.root().join("src/shop/cart.py").to_string_lossy()] {
        assert_eq!(ask(file, base.clone()), keys, "{file}");
    }
    let shown = keys[1..].iter().cloned().collect();
    assert_eq!(ask("src/shop/cart.py", RemindRequest { shown, ..base.clone() }), keys[..1]);
    assert_eq!(ask("src/web/app.js", base.clone()), [""; 0]);
    assert_eq!(ask("src/new.py", base.clone()), [""; 0]);
    remember_about_cart(&engine, &sandbox, &[(MemoryType::Lesson, "A pear is an item.")]);
    assert_eq!(ask("src/shop/cart.py", base), [""; 0], "nothing says which of four matters");
}

#[test]
fn the_goal_of_the_session_chooses_a_memory_about_a_file() {
    let sandbox = Sandbox::with(FILES);
    let engine = sandbox.engine();
    sandbox.search(&engine, "cart");
    let texts = [
        (MemoryType::Decision, "The total is rounded at the end, once for the whole cart."),
        (MemoryType::Lesson, "Prices are read once a request."),
        (MemoryType::Failure, "A cart without items has no sum."),
        (MemoryType::Context, "Items come from the warehouse."),
        (MemoryType::Note, "The cart was written in spring."),
    ];
    let keys = remember_about_cart(&engine, &sandbox, &texts);
    let at_cart = |session: &str, goal: &str, request: RemindRequest| {
        let provenance = Provenance { session: Some(session.to_owned()), ..Provenance::default() };
        let start = StartSession { goal: Some(goal.to_owned()), provenance };
        engine.start_session(&sandbox.origin(), &start).expect("started");
        keys_at(&sandbox, &engine, "src/shop/cart.py", RemindRequest { session: Some(session.to_owned()), ..request })
    };
    let base = request(Occasion::File(String::new()));
    let rounding = "Round the total of each line, not of the whole cart";
    assert_eq!(at_cart("rounding", rounding, base.clone()), [keys[4].clone()]);
    assert_eq!(at_cart("colours", "Make the buttons of the page green", base.clone()), [""; 0]);
    let strict = RemindRequest { memory_confidence: 0.9, ..base.clone() };
    assert_eq!(at_cart("strict", rounding, strict), [""; 0]);
    // What is asked later counts too, and a short answer does not hide it.
    for prompt in [rounding, "yes, go on"] {
        let later = RemindRequest { session: Some("later".to_owned()), ..request(Occasion::Prompt(prompt.to_owned())) };
        engine.remind(&sandbox.origin(), &later).expect("an answer");
        assert_eq!(at_cart("later", "Make the buttons of the page green", base.clone()), [keys[4].clone()], "{prompt}");
    }
    let shown = keys.iter().cloned().collect();
    assert_eq!(at_cart("shown", rounding, RemindRequest { shown, ..base }), [""; 0]);
}

#[test]
fn a_memory_is_shown_at_its_cues() {
    let sandbox = Sandbox::with(FILES);
    sandbox.write(".git/HEAD", "ref: refs/heads/release/2\n");
    let engine = sandbox.engine();
    let mut ids = Vec::new();
    for (text, cues) in [
        ("Stop the workers before `make migrate`, or rows lock.", &[][..]),
        ("Never on Fridays.", &["command:make deploy", "branch:release/*", "path:src/web/"]),
        ("Renew the certificate.", &["date:2020-01-01"]),
        ("Far in the future.", &["date:9999-01-01"]),
    ] {
        let cues = cues.iter().map(|cue| cue.parse().expect("a cue")).collect();
        let memory = AddMemory { cues, ..new_memory(MemoryType::Lesson, text, text) };
        ids.push(engine.add_memory(&sandbox.origin(), &memory).expect("added"));
    }
    assert_eq!(ids[0].cues.iter().map(ToString::to_string).collect::<Vec<_>>(), ["command:make migrate"]);
    let ask = |occasion: Occasion| -> Vec<String> {
        let reminders = engine.remind(&sandbox.origin(), &request(occasion)).expect("an answer").reminders;
        let because = |text: &str| text.lines().nth(1).unwrap_or_default().trim().to_owned();
        // Memories of a type are in the order of their ids, which differ from run to run.
        let mut reasons: Vec<String> = reminders.iter().map(|reminder| because(&reminder.text)).collect();
        reasons.sort_unstable();
        reasons
    };
    let command = |line: &str| ask(Occasion::Command(line.to_owned()));
    assert_eq!(command("cd api && make migrate"), ["because its cue is command:make migrate"]);
    assert_eq!(command("make deploy ENV=test"), ["because its cue is command:make deploy"]);
    assert_eq!(command("make test"), [""; 0]);
    assert_eq!(command("make migrate --help"), [""; 0]);
    assert_eq!(ask(Occasion::File("src/web/app.js".to_owned())), ["because its cue is path:src/web/"]);
    let prompt = ask(Occasion::Prompt("go on with the basket".to_owned()));
    assert_eq!(prompt, ["because its cue is branch:release/*", "because its cue is date:2020-01-01"]);
    let update = UpdateMemory { cues: Some(Vec::new()), ..no_change(ids[0].id) };
    engine.update_memory(&sandbox.origin(), &update).expect("amended");
    assert_eq!(command("make migrate"), [""; 0]);
    let again = sandbox.engine();
    let line = Occasion::Command("make deploy".to_owned());
    assert_eq!(again.remind(&sandbox.origin(), &request(line)).expect("an answer").reminders.len(), 1);
}

#[test]
fn a_search_of_files_shows_places_and_memories_once() {
    let sandbox = Sandbox::with(FILES);
    let engine = sandbox.engine();
    sandbox.index(&engine);
    let text = "`Cart` adds up what it holds.";
    engine.add_memory(&sandbox.origin(), &new_memory(MemoryType::Lesson, text, text)).expect("added");
    let ask = |occasion: Occasion, shown: BTreeSet<String>| {
        let request = RemindRequest { shown, ..request(occasion) };
        engine.remind(&sandbox.origin(), &request).expect("an answer")
    };
    let search = Occasion::Search("class Cart\\b".to_owned());
    let found = ask(search.clone(), BTreeSet::new());
    assert!(found.reminders[0].text.contains("because its cue is symbol:Cart"), "{found:?}");
    assert!(found.reminders.iter().any(|reminder| reminder.text.starts_with("- src/shop/cart.py:")), "{found:?}");
    let by_command = ask(Occasion::Command("rg -n 'class Cart' src".to_owned()), BTreeSet::new());
    assert_eq!(by_command, found);
    let shown = found.reminders.iter().map(|reminder| reminder.key.clone()).collect();
    assert_eq!(ask(search, shown), Reminders::default());
    assert_eq!(ask(Occasion::Search("[]".to_owned()), BTreeSet::new()), Reminders::default());
}

/// Logs an edit of a file by a session, as a hook does.
fn edit(engine: &Engine, origin: &Origin, session: &str, file: &str) {
    replace(engine, origin, session, file, &[]);
}

/// Logs an edit of a file with what it replaced.
fn replace(engine: &Engine, origin: &Origin, session: &str, file: &str, replacements: &[Replacement]) {
    let metadata =
        Metadata::from([(HookRecord::KEY.to_owned(), MetadataValue::Text(HookRecord::Edit.as_str().to_owned()))]);
    let provenance =
        Provenance { session: Some(session.to_owned()), agent: Some("codex".to_owned()), ..Provenance::default() };
    let goal = StartSession { goal: Some(format!("Fix the cart\nof {session}")), provenance: provenance.clone() };
    engine.start_session(origin, &goal).expect("started");
    let event = LogEvent {
        event_type: SessionEventType::Observation,
        content: format!("edited {file}"),
        rationale: None,
        resolution: None,
        from_agent: None,
        to_agent: None,
        related_files: vec![file.to_owned()],
        metadata,
        key: None,
        replacements: replacements.to_vec(),
        provenance,
    };
    engine.log_event(origin, &event).expect("logged");
}

#[test]
fn another_session_at_work_on_a_file_is_named_until_it_ends() {
    let sandbox = Sandbox::with(FILES);
    let engine = sandbox.engine();
    sandbox.search(&engine, "cart");
    let origin = sandbox.origin();
    edit(&engine, &origin, "other", "src/shop/cart.py");
    let ask = |occasion: Occasion, change: &dyn Fn(&mut RemindRequest)| -> Vec<String> {
        let mut request = RemindRequest { session: Some("own".to_owned()), ..request(occasion) };
        change(&mut request);
        let reminders = engine.remind(&origin, &request).expect("an answer").reminders;
        let of_sessions = reminders.into_iter().filter(|it| matches!(it.subject, ReminderSubject::Session(_)));
        of_sessions.map(|reminder| reminder.text).collect()
    };
    let file = |path: &str| Occasion::File(path.to_owned());
    let named = [
        "- Another session (codex) edited src/shop/cart.py less than a minute ago\n  its goal:\n  > Fix the cart\n  > of other\n",
    ];
    assert_eq!(ask(file("src/shop/cart.py"), &|_| {}), named);
    assert_eq!(ask(file("src/web/app.js"), &|_| {}), [""; 0]);
    assert_eq!(ask(file("src/shop/cart.py"), &|it| it.session = Some("other".to_owned())), [""; 0]);
    assert_eq!(ask(file("src/shop/cart.py"), &|it| it.others_within = Duration::ZERO), [""; 0]);
    assert_eq!(
        ask(file("src/shop/cart.py"), &|it| it.shown = ["session other src/shop/cart.py".to_owned()].into()),
        [""; 0]
    );
    let prompt = ask(Occasion::Prompt("?".to_owned()), &|_| {});
    assert!(prompt[0].starts_with("- Another session (codex) is at work here: edited src/shop/cart.py"), "{prompt:?}");
    let live = engine.live_sessions();
    assert_eq!(live.iter().map(|it| (it.id.as_str(), it.files.len())).collect::<Vec<_>>(), [("other", 1)]);
    // A file that is not in the index yet.
    edit(&engine, &origin, "second", "src/new.py");
    assert_eq!(ask(file("src/new.py"), &|_| {}).len(), 1);
    for (reason, expected) in [(EndReason::Compact, 1), (EndReason::Exit, 0)] {
        let provenance = Provenance { session: Some("other".to_owned()), ..Provenance::default() };
        let end = EndSession { summary: None, memories: Vec::new(), reason, provenance };
        engine.end_session(&origin, &end).expect("ended");
        assert_eq!(ask(file("src/shop/cart.py"), &|_| {}).len(), expected, "{reason:?}");
    }
}

#[test]
fn a_session_in_another_work_tree_of_the_repository_is_named() {
    let sandbox = Sandbox::with(FILES);
    let git = |arguments: &[&str]| {
        let done =
            std::process::Command::new("git").arg("-C").arg(sandbox.root()).args(arguments).output().expect("git runs");
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "."]);
    git(&["-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "one"]);
    git(&["worktree", "add", "-q", "-b", "fix", "../shop-fix"]);
    let engine = sandbox.engine();
    let linked = sandbox.root().parent().expect("a parent").join("shop-fix");
    let there = Origin { directory: linked.clone(), project: Some(linked), ..sandbox.origin() };
    edit(&engine, &there, "other", "src/shop/cart.py");
    let request =
        RemindRequest { session: Some("own".to_owned()), ..request(Occasion::File("src/shop/cart.py".to_owned())) };
    let reminders = engine.remind(&sandbox.origin(), &request).expect("an answer").reminders;
    let text = &reminders.first().expect("one").text;
    assert!(text.contains("in the work tree shop-fix, on fix\n"), "{text}");
}

const TWO: &str =
    "def parse_header(line):\n    return line.strip()\n\n\ndef parse_body(line):\n    return line.lower()\n";

fn replacement(before: &str, after: &str) -> Replacement {
    Replacement { before: before.to_owned(), after: after.to_owned() }
}

/// Returns the first lines about other sessions, and their keys.
fn others(engine: &Engine, origin: &Origin, occasion: Occasion, replaced: &[Replacement]) -> Vec<(String, String)> {
    let session = Some("own".to_owned());
    let request = RemindRequest { session, replacements: replaced.to_vec(), ..request(occasion) };
    let reminders = engine.remind(origin, &request).expect("an answer").reminders.into_iter();
    let of_sessions = reminders.filter(|reminder| matches!(reminder.subject, ReminderSubject::Session(_)));
    let line = |text: String| text.lines().next().unwrap_or_default().replace("- Another session (codex) ", "");
    of_sessions.map(|reminder| (line(reminder.text), reminder.key)).collect()
}

#[test]
fn another_session_at_work_on_the_same_definition_is_named_with_it() {
    let sandbox = Sandbox::with(&[("src/parse.py", TWO)]);
    let engine = sandbox.engine();
    sandbox.search(&engine, "header");
    let origin = sandbox.origin();
    let header = replacement("    return line.strip()\n", "    return line.rstrip()\n");
    let body = replacement("    return line.lower()\n", "    return line.upper()\n");
    replace(&engine, &origin, "other", "src/parse.py", std::slice::from_ref(&header));
    let file = || Occasion::File("src/parse.py".to_owned());
    let edit_of = || Occasion::Edit("src/parse.py".to_owned());
    let ago = "edited src/parse.py less than a minute ago";
    let of_file = "session other src/parse.py".to_owned();
    let expected = [(format!("{ago}, in `parse_header`"), of_file.clone())];
    assert_eq!(others(&engine, &origin, file(), &[]), expected, "before it is read");
    assert_eq!(others(&engine, &origin, file(), std::slice::from_ref(&body)), expected, "another function");
    let same = [(format!("{ago}, also in `parse_header`"), format!("{of_file} parse_header"))];
    assert_eq!(others(&engine, &origin, file(), std::slice::from_ref(&header)), same);
    assert_eq!(others(&engine, &origin, edit_of(), std::slice::from_ref(&header)), same, "the file was read before");
    assert_eq!(others(&engine, &origin, edit_of(), std::slice::from_ref(&body)), []);
    let prompt = others(&engine, &origin, Occasion::Prompt("?".to_owned()), &[]);
    assert_eq!(prompt[0].0, "is at work here: edited src/parse.py (in `parse_header`) less than a minute ago");

    // A second edit does not hide the first one.
    replace(&engine, &origin, "other", "src/parse.py", std::slice::from_ref(&body));
    let both = others(&engine, &origin, file(), &[]);
    assert_eq!(both, [(format!("{ago}, in `parse_body`, `parse_header`"), of_file)]);
    // The index has the text after the edit.
    sandbox.write("src/parse.py", &TWO.replace("line.strip()", "line.rstrip()"));
    sandbox.search(&engine, "header");
    assert_eq!(others(&engine, &origin, edit_of(), &[header]), same);
}

#[test]
fn a_file_whose_definitions_are_not_known_is_named_alone() {
    let sandbox = Sandbox::with(&[("src/parse.py", TWO)]);
    let engine = sandbox.engine();
    sandbox.search(&engine, "header");
    let origin = sandbox.origin();
    let new = replacement("def new():\n", "def newer():\n");
    replace(&engine, &origin, "other", "src/new.py", std::slice::from_ref(&new));
    replace(&engine, &origin, "second", "src/parse.py", &[replacement("(line)", "(text)")]);
    let ask = |path: &str| others(&engine, &origin, Occasion::File(path.to_owned()), std::slice::from_ref(&new));
    assert_eq!(ask("src/new.py")[0].0, "edited src/new.py less than a minute ago", "it is not indexed");
    assert_eq!(ask("src/parse.py")[0].0, "edited src/parse.py less than a minute ago", "it is there twice");
}

/// Adds a memory about the parser and returns its key.
fn add_about_parsing(sandbox: &Sandbox, engine: &Engine, text: &str, provenance: Provenance) -> String {
    let related_files = vec!["src/parse.py".to_owned()];
    let memory = AddMemory { related_files, provenance, ..new_memory(MemoryType::Lesson, text, text) };
    format!("memory {}", engine.add_memory(&sandbox.origin(), &memory).expect("added").id)
}

/// Returns the keys of what is shown before an edit, with the reasons.
fn shown_with_reasons(
    sandbox: &Sandbox,
    engine: &Engine,
    occasion: Occasion,
    replaced: &[Replacement],
    shown: &[&String],
) -> Vec<(String, String)> {
    let shown = shown.iter().map(|key| (*key).clone()).collect();
    let request = RemindRequest { replacements: replaced.to_vec(), shown, ..request(occasion) };
    let reminders = engine.remind(&sandbox.origin(), &request).expect("an answer").reminders;
    reminders.into_iter().map(|reminder| (reminder.key, reminder.reason)).collect()
}

#[test]
fn a_memory_that_was_made_with_the_replaced_lines_is_shown_before_the_edit() {
    let sandbox = Sandbox::with(&[("src/parse.py", "import re\n\n\n")]);
    git(&sandbox, &["init", "-q", "-b", "main"]);
    commit(&sandbox, "Begin");
    git(&sandbox, &["commit", "-q", "--allow-empty", "-m", "Prepare"]);
    let engine = sandbox.engine();
    // One is added while the first function is written, one after the second, and one in the session that commits the third.
    let before = add_about_parsing(&sandbox, &engine, "Clients pad.", Provenance::default());
    let text = format!("import re\n\n\n{TWO}");
    sandbox.write("src/parse.py", &text[..text.find("def parse_body").expect("a second one")]);
    commit(&sandbox, "Parse headers");
    sandbox.write("src/parse.py", &text);
    commit(&sandbox, "Parse bodies");
    let after = add_about_parsing(&sandbox, &engine, "Gulls eat chips.", Provenance::default());
    git(&sandbox, &["commit", "-q", "--allow-empty", "-m", "Nothing"]);
    let of_session = add_about_parsing(&sandbox, &engine, "Tails wag.", in_session("s-tail"));
    git(&sandbox, &["commit", "-q", "--allow-empty", "-m", "Nothing again"]);
    sandbox.write("src/parse.py", &format!("{text}\n\ndef parse_tail(line):\n    return line.title()\n"));
    let hash = commit(&sandbox, "Parse tails");
    record(&sandbox, &engine, "s-tail", &format!("committed {} Parse", &hash[..7]), HookRecord::Commit, &[]);
    // With a fourth one, nothing but the lines says which one matters.
    let elsewhere = Provenance { commit: Some("0".repeat(40)), ..Provenance::default() };
    add_about_parsing(&sandbox, &engine, "Bells ring.", elsewhere);
    sandbox.search(&engine, "parse");
    let file = Occasion::File("src/parse.py".to_owned());
    let edit = Occasion::Edit("src/parse.py".to_owned());
    let reason = "it was made with the lines that the edit replaces".to_owned();
    let header = [replacement("    return line.strip()\n", "    return line.rstrip()\n")];
    let body = [replacement("    return line.lower()\n", "    return line.upper()\n")];
    let tail = [replacement("    return line.title()\n", "    return line\n")];
    for (replaced, key) in [(&header, &before), (&body, &after), (&tail, &of_session)] {
        for occasion in [&file, &edit] {
            let found = shown_with_reasons(&sandbox, &engine, occasion.clone(), replaced, &[]);
            assert_eq!(found, [(key.clone(), reason.clone())], "{occasion:?} {replaced:?}");
        }
    }
    let import = [replacement("import re\n", "import os\n")];
    for (occasion, replaced, shown, why) in [
        (&edit, &header[..], &[&before][..], "it was shown"),
        (&file, &[], &[], "nothing is replaced"),
        (&edit, &import, &[], "the line is older than all memories"),
    ] {
        assert_eq!(shown_with_reasons(&sandbox, &engine, occasion.clone(), replaced, shown), [], "{why}");
    }
}
