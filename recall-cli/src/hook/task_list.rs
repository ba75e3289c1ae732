//! The list of tasks of a client that says one change at a time.
//!
//! The tasks are entries of the session. Hooks that nobody waits for may run in another order than the calls, so a change of a task
//! that was not created yet is kept for its creation.

use recall_core::TaskState;

use crate::hook::input::{Task, TaskCall};
use crate::hook::record::one_line;
use crate::hook::seen::Seen;

/// The prefix of the entry of a task: its id, its state and its text follow.
const TASK: &str = "task ";

/// The most bytes of an id and of a text. Longer entries are kept as hashes.
const ID_BYTES: usize = 40;
const TEXT_BYTES: usize = 300;

/// A task with the id that the client gave it.
struct KnownTasks {
    id: String,
    task: Task,
}

/// Applies a change to the list of the session, and returns the list, the oldest task first.
pub(crate) fn change(call: &TaskCall, seen: &mut Seen) -> Vec<Task> {
    let mut all = read(seen);
    match call {
        TaskCall::Created { id, text } => {
            let id = id.as_deref().map_or_else(|| next_id(&all), short_id);
            let state = all.iter().find(|known| known.id == id).map_or(TaskState::Pending, |known| known.task.state);
            put(&mut all, seen, KnownTasks { id, task: Task { text: short_text(text), state } });
        }
        TaskCall::Updated { id, text, state } => {
            let id = short_id(id);
            let before = all.iter().find(|known| known.id == id).map(|known| known.task.clone());
            let before = before.unwrap_or(Task { text: String::new(), state: TaskState::Pending });
            let text = text.as_deref().map_or(before.text, short_text);
            put(&mut all, seen, KnownTasks { id, task: Task { text, state: state.unwrap_or(before.state) } });
        }
        TaskCall::Deleted { id } => {
            let id = short_id(id);
            all.retain(|known| known.id != id);
            seen.remove_all(&format!("{TASK}{id} "));
        }
    }
    all.into_iter().map(|known| known.task).filter(|task| !task.text.is_empty()).collect()
}

fn put(all: &mut Vec<KnownTasks>, seen: &mut Seen, new: KnownTasks) {
    seen.remove_all(&format!("{TASK}{} ", new.id));
    seen.add(&format!("{TASK}{} {} {}", new.id, new.task.state.as_str(), new.task.text));
    match all.iter_mut().find(|known| known.id == new.id) {
        Some(known) => *known = new,
        None => all.push(new),
    }
    sort(all);
}

fn read(seen: &Seen) -> Vec<KnownTasks> {
    let known = |entry: &str| {
        let mut parts = entry.strip_prefix(TASK)?.splitn(3, ' ');
        let (id, state, text) = (parts.next()?, TaskState::from_name(parts.next()?)?, parts.next()?);
        Some(KnownTasks { id: id.to_owned(), task: Task { text: text.to_owned(), state } })
    };
    let mut all: Vec<KnownTasks> = seen.entries_with(TASK).filter_map(known).collect();
    sort(&mut all);
    all
}

/// Sorts by id. Clients count.
fn sort(all: &mut [KnownTasks]) {
    all.sort_by(|a, b| (a.id.len(), &a.id).cmp(&(b.id.len(), &b.id)));
}

fn next_id(all: &[KnownTasks]) -> String {
    let greatest = all.iter().filter_map(|known| known.id.parse::<u64>().ok()).max().unwrap_or_default();
    (greatest + 1).to_string()
}

fn short_id(id: &str) -> String {
    let id: String = id.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect();
    id[..id.floor_char_boundary(ID_BYTES)].to_owned()
}

fn short_text(text: &str) -> String {
    let text = one_line(text);
    text[..text.floor_char_boundary(TEXT_BYTES)].to_owned()
}

#[cfg(test)]
mod tests {
    use recall_config::{Dirs, Environment};

    use super::*;

    #[test]
    fn a_list_is_made_of_the_changes_in_any_order() {
        let home = tempfile::tempdir().expect("a temporary folder");
        let environment = Environment { recall_home: Some(home.path().to_owned()), ..Environment::default() };
        let dirs = Dirs::from_environment(&environment).expect("absolute");
        let check = |call: TaskCall, expected: &[(&str, TaskState)]| {
            // Each hook is a process of its own.
            let mut seen = Seen::open(&dirs, "s").expect("opened");
            let list = change(&call, &mut seen);
            seen.save().expect("saved");
            let list: Vec<_> = list.iter().map(|task| (task.text.as_str(), task.state)).collect();
            assert_eq!(list, expected, "{call:?}");
        };
        let created =
            |id: Option<&str>, text: &str| TaskCall::Created { id: id.map(str::to_owned), text: text.to_owned() };
        let updated = |id: &str, text: Option<&str>, state| TaskCall::Updated {
            id: id.to_owned(),
            text: text.map(str::to_owned),
            state,
        };
        let (pending, running, done) = (TaskState::Pending, TaskState::InProgress, TaskState::Completed);
        check(updated("2", None, Some(running)), &[]);
        check(created(Some("1"), "Dig\na  hole"), &[("Dig a hole", pending)]);
        check(created(Some("2"), "Fill it"), &[("Dig a hole", pending), ("Fill it", running)]);
        check(updated("1", None, Some(done)), &[("Dig a hole", done), ("Fill it", running)]);
        check(updated("2", Some("Fill both"), None), &[("Dig a hole", done), ("Fill both", running)]);
        check(created(None, "Paint"), &[("Dig a hole", done), ("Fill both", running), ("Paint", pending)]);
        check(TaskCall::Deleted { id: "2".to_owned() }, &[("Dig a hole", done), ("Paint", pending)]);
        let long = "ü".repeat(10_000);
        check(created(Some("10"), &long), &[("Dig a hole", done), ("Paint", pending), (&long[..TEXT_BYTES], pending)]);
        check(
            updated("10", None, Some(done)),
            &[("Dig a hole", done), ("Paint", pending), (&long[..TEXT_BYTES], done)],
        );
    }
}
