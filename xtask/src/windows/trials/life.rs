//! How the daemon ends, and how recall leaves a machine.

use std::fs;

use super::{END, Project, SESSIONS, check, expect};
use crate::windows::wine::{Wine, signal, within};

/// A daemon ends on request, on Ctrl-C at its console, and there is never a second one.
pub(super) fn stop(wine: &Wine) -> Result<String, String> {
    let project = Project::new(wine, "stop", &[("src/sessions.rs", SESSIONS)])?;
    project.recall(wine, &["daemon", "start"])?;
    let second = wine.run("recalld.exe", &["--foreground"], &project.root)?;
    check(second.status.success() && wine.daemons().len() == 1, || "a second daemon started".to_owned())?;
    expect(&project.recall(wine, &["daemon", "stop"])?, "has ended")?;
    check(within(END, || wine.daemons().is_empty()), || "a stopped daemon still runs".to_owned())?;

    let mut foreground = wine.start("recalld.exe", &["--foreground"], &project.root)?;
    check(within(END, || wine.daemons().len() == 1), || "no daemon in the foreground".to_owned())?;
    let answers = within(END, || project.recall(wine, &["daemon", "status"]).is_ok_and(|said| said.contains("pid")));
    check(answers, || "the daemon in the foreground does not answer".to_owned())?;
    for id in wine.daemons() {
        signal(id, "INT")?;
    }
    let ended = within(END, || matches!(foreground.try_wait(), Ok(Some(_))));
    check(ended, || "Ctrl-C did not end the daemon".to_owned())?;

    // A command without a daemon leaves none behind.
    expect(&project.recall(wine, &["--no-daemon", "search", "open_sessions"])?, "src/sessions.rs")?;
    check(within(END, || wine.daemons().is_empty()), || "a private daemon stayed".to_owned())?;
    Ok(String::new())
}

/// The task scheduler takes the task, and gives it up. Whether it starts the daemon at logon is not tried, and Wine answers each
/// question about a task with yes.
pub(super) fn service(wine: &Wine) -> Result<String, String> {
    let project = Project::new(wine, "service", &[])?;
    project.recall(wine, &["service", "install"])?;
    expect(&project.recall(wine, &["service", "status"])?, "installed yes, enabled yes")?;
    expect(&project.recall(wine, &["service", "uninstall"])?, "remove ")?;
    expect(&project.recall(wine, &["service", "status"])?, "installed no")?;
    Ok(String::new())
}

/// `recall doctor` names each program of another version, and none that has the right one.
pub(super) fn skew(wine: &Wine) -> Result<String, String> {
    let project = Project::new(wine, "skew", &[("src/sessions.rs", SESSIONS)])?;
    project.recall(wine, &["service", "install"])?;
    let doctor = project.recall(wine, &["doctor"])?;
    let differs = doctor.contains("does not start") || doctor.contains("has version");
    check(!differs, || format!("every program has one version:\n{doctor}"))?;
    project.recall(wine, &["service", "uninstall"])?;
    project.recall(wine, &["daemon", "stop"])?;
    let mut command = wine.command("test-recalld.exe", &["--foreground"], &project.root);
    let mut older = command.env("RECALL_TEST_VERSION", "0.0.1").spawn().map_err(|error| error.to_string())?;
    let answers = within(END, || project.recall(wine, &["daemon", "status"]).is_ok_and(|said| said.contains("0.0.1")));
    check(answers, || "the older daemon does not answer".to_owned())?;
    expect(&project.recall(wine, &["doctor"])?, "the running daemon has version 0.0.1")?;
    project.recall(wine, &["daemon", "stop"])?;
    check(within(END, || matches!(older.try_wait(), Ok(Some(_)))), || "the older daemon still runs".to_owned())?;
    Ok(String::new())
}

/// `recall uninstall --purge` stops the daemon and deletes recall's folders, whose files the daemon had open, and no memory of a project.
pub(super) fn purge(wine: &Wine) -> Result<String, String> {
    let project = Project::new(wine, "purge", &[("src/sessions.rs", SESSIONS)])?;
    project.recall(wine, &["remember", "The project keeps the medlar"])?;
    project.recall(wine, &["remember", "--scope", "global", "The machine forgets the loquat"])?;
    expect(&project.recall(wine, &["search", "loquat"])?, "forgets the loquat")?;
    let home = wine.home()?;
    let shown = project.recall(wine, &["uninstall", "--purge", "--dry-run"])?;
    expect(&shown, "would delete")?;
    check(home.join("data").is_dir(), || "a dry run deleted the data".to_owned())?;
    let said = project.recall(wine, &["uninstall", "--purge", "--yes"])?;
    expect(&said, "deleted ")?;
    let left = |name: &str| home.join(name).exists();
    check(!["data", "config", "cache"].into_iter().any(left), || format!("something is left:\n{said}"))?;
    check(within(END, || wine.daemons().is_empty()), || "the daemon still runs".to_owned())?;
    let journal = super::journal_lines(&project.root.join(".recall"));
    expect(&journal, "keeps the medlar")?;
    // The next start begins anew.
    expect(&project.recall(wine, &["search", "medlar"])?, "keeps the medlar")?;
    let found = project.recall(wine, &["search", "loquat"])?;
    check(!found.contains("forgets the loquat"), || "a deleted memory was found".to_owned())?;
    let entries = fs::read_dir(&home).map_err(|error| error.to_string())?.count();
    Ok(format!("{entries} folders after the next start"))
}
