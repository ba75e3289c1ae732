//! Damaged lines, which must not affect any other line.

use std::sync::Arc;

use recall_core::{Event, EventBody, MemoryChange};
use recall_journal::{Day, FaultKind, Follower, LINE_BYTES};

use crate::drawn::{LATER, add, delete, lines, update};
use recall_testkit::ModelDisk;

fn day() -> Day {
    Day::from_name("2026-11-20").expect("a day")
}

/// Reads a file. Returns its events, and its faults with their lines.
fn read(text: &[u8]) -> (Vec<Event>, Vec<(u64, FaultKind)>) {
    let model = ModelDisk::new("memory");
    model.replace(day(), text);
    let mut follower = Follower::new(Arc::new(model.clone()));
    let events = follower.replay(LATER).expect("readable");
    let faults = follower.faults().map(|fault| (fault.line, fault.kind.clone())).collect();
    assert_eq!(model.content(day()).expect("there"), text, "reading writes nothing");
    (events, faults)
}

fn events() -> Vec<Event> {
    vec![add(0, 0, "one"), update(1, 0, "two"), delete(2, 1)]
}

/// Checks that all three events are read from a text, and which faults are reported.
#[track_caller]
fn check(text: &[u8], expected: &[(u64, FaultKind)]) {
    let (found, faults) = read(text);
    assert_eq!(found, events());
    assert_eq!(faults, expected);
}

fn not_json(column: usize, reason: &str) -> FaultKind {
    FaultKind::NotJson { column, reason: reason.to_owned() }
}

fn not_an_event(reason: &str) -> FaultKind {
    FaultKind::NotAnEvent { reason: reason.to_owned() }
}

#[test]
fn line_endings_blank_lines_and_byte_order_marks_are_accepted() {
    let lines = lines(&events());
    check((lines.join("\n") + "\n").as_bytes(), &[]);
    check(lines.join("\n").as_bytes(), &[]);
    check((lines.join("\r\n") + "\r\n").as_bytes(), &[]);
    check(lines.join("\n\n  \n\t\r\n").as_bytes(), &[]);
    check(("\u{feff}".to_owned() + &lines.join("\r\n\u{feff}")).as_bytes(), &[]);
    check(("  ".to_owned() + &lines.join("  \n\t ")).as_bytes(), &[]);
}

#[test]
fn all_objects_on_one_line_are_read() {
    let lines = lines(&events());
    check(lines.concat().as_bytes(), &[]);
    check((lines.join(" ") + "\n").as_bytes(), &[]);
    check(("\u{feff}".to_owned() + &lines.concat() + "\r\n").as_bytes(), &[]);
}

#[test]
fn both_sides_of_a_conflict_are_read() {
    let [one, two, three] = <[String; 3]>::try_from(lines(&events())).expect("three");
    let text = format!("<<<<<<< HEAD\n{one}\n||||||| base\n=======\r\n{two}\n>>>>>>> theirs\n{three}\n");
    let marks = [1, 3, 4, 6].map(|line| (line, FaultKind::ConflictMarker));
    check(text.as_bytes(), &marks);
    assert!(!FaultKind::ConflictMarker.is_loss());
}

#[test]
fn a_line_after_a_torn_one_is_read() {
    let [one, two, three] = <[String; 3]>::try_from(lines(&events())).expect("three");
    let torn = &lines(&[add(9, 9, "torn")])[0];
    // Torn inside a string: the next line terminates that string, and the rest is not JSON.
    let in_a_text = torn.find("torn").expect("there") + 2;
    let text = format!("{one}\n{}{two}\n{three}\n", &torn[..in_a_text]);
    let (found, faults) = read(text.as_bytes());
    assert_eq!(found, events());
    assert!(matches!(&faults[..], [(2, FaultKind::NotJson { column: 0, .. })]), "{faults:?}");
    let behind_a_key = torn.find("\"content\":").expect("there") + 10;
    let text = format!("{one}\n{two}{}{three}\n", &torn[..behind_a_key]);
    let (found, faults) = read(text.as_bytes());
    assert_eq!(found, events());
    assert!(matches!(&faults[..], [(2, FaultKind::NotJson { .. })]), "{faults:?}");
}

#[test]
fn a_bad_line_is_reported_and_the_others_are_read() {
    let [one, two, three] = <[String; 3]>::try_from(lines(&events())).expect("three");
    for (bad, expected) in [
        (r#"{"event":"#, not_json(0, "EOF while parsing a value")),
        ("not JSON at all", not_json(0, "expected ident")),
        ("42", not_an_event("not a JSON object")),
        (r#"["add"]"#, not_an_event("not a JSON object")),
        ("{}", not_an_event("missing field `content`")),
        (
            r#"{"event":"promoted_twice","id":"D-00000000"}"#,
            FaultKind::UnknownEvent { event: "promoted_twice".to_owned() },
        ),
        (r#"{"event":"delete","timestamp":"2026-11-20T12:00:00Z"}"#, not_an_event("missing field `id`")),
        (
            r#"{"event":"delete","id":"X-1"}"#,
            not_an_event(
                "`X-1` is not the id of a memory: expected one of the letters D, P, L, F, N, C, then `-` and 8 hexadecimal digits",
            ),
        ),
        (
            r#"{"event":"delete","id":"D-00000001","event_id":"7"}"#,
            not_an_event("`7` is not the id of an event: expected 32 hexadecimal digits"),
        ),
        (
            r#"{"event":"add","id":"D-00000001","type":"note","content":"x"}"#,
            not_an_event("type `note` does not match id D-00000001"),
        ),
        (
            r#"{"event":"update","id":"D-00000001","title":7}"#,
            not_an_event("invalid type: integer `7`, expected a string"),
        ),
        (r#"{"event":"feedback","id":"D-00000001"}"#, not_an_event("missing field `feedback`")),
        (r#"{"event":"feedback","id":"D-00000001","feedback":"fine"}"#, not_an_event("unknown feedback `fine`")),
        (
            r#"{"event":"feedback","id":"D-00000001","feedback":"duplicate"}"#,
            not_an_event("missing field `duplicate_of`"),
        ),
        (
            r#"{"event":"delete","id":"D-00000001","timestamp":[]}"#,
            not_an_event("the timestamp is neither a string nor a number"),
        ),
        (
            r#"{"event":"delete","id":"D-00000001","timestamp":"1500-01-01T00:00:00Z"}"#,
            not_an_event("the timestamp is outside the years 1677 to 2262"),
        ),
    ] {
        check(format!("{one}\n{bad}\n{two}\n{three}\n").as_bytes(), &[(2, expected)]);
    }
    check(
        format!("{one}\n{}\n{two}\n{three}", "[".repeat(100_000)).as_bytes(),
        &[(2, not_json(0, "recursion limit exceeded"))],
    );
}

#[test]
fn invalid_utf8_affects_only_its_own_line() {
    let [one, two, three] = <[String; 3]>::try_from(lines(&events())).expect("three");
    let text = [one.as_bytes(), b"\n{\"content\":\"\xff\xfe\"}\n", two.as_bytes(), b"\n", three.as_bytes()].concat();
    check(&text, &[(2, FaultKind::NotUtf8 { column: 12 })]);
    let text = [one.as_bytes(), b"\xff\n", two.as_bytes(), b"\n", three.as_bytes()].concat();
    check(&text, &[(1, FaultKind::NotUtf8 { column: one.len() })]);
    let text = [one.as_bytes(), b"\n\0\0\0\0\n", two.as_bytes(), b"\n", three.as_bytes()].concat();
    check(&text, &[(2, not_json(0, "expected value"))]);
}

#[test]
fn a_line_over_the_limit_is_not_held_in_memory() {
    let [one, two, three] = <[String; 3]>::try_from(lines(&events())).expect("three");
    let long = "x".repeat(LINE_BYTES + 1);
    let text = format!("{one}\n{long}\n{two}\n{three}\n");
    check(text.as_bytes(), &[(2, FaultKind::TooLong { bytes: LINE_BYTES as u64 + 2, limit: LINE_BYTES })]);
}

#[test]
fn a_line_of_unfinished_objects_is_given_up_soon() {
    let text = r#"{"event":""#.repeat(LINE_BYTES / 10 - 1);
    let (found, faults) = read(text.as_bytes());
    assert!(found.is_empty());
    assert!(!faults.is_empty() && faults.len() <= 64, "{}", faults.len());
}

#[test]
fn a_torn_last_line_is_reported_as_torn() {
    let lines = lines(&events());
    let text = lines.join("\n");
    let (found, faults) = read(&text.as_bytes()[..text.len() - 1]);
    assert_eq!(found, events()[..2]);
    assert_eq!(faults, [(3, FaultKind::Torn)]);
}

#[test]
fn many_faults_are_counted() {
    let (found, faults) = read("?\n".repeat(5000).as_bytes());
    assert!(found.is_empty());
    assert_eq!(faults.len(), 1001);
    assert_eq!(faults[1000].1, FaultKind::More { count: 4000 });
}

#[test]
fn unknown_fields_are_ignored() {
    let lines: Vec<_> =
        lines(&events()).iter().map(|line| line.replacen('{', r#"{"mood":{"good":[1,2]},"#, 1)).collect();
    check(lines.join("\n").as_bytes(), &[]);
}

#[test]
fn a_path_outside_the_project_is_left_out() {
    let line = lines(&[add(0, 0, "one")])[0].replace("src/lib.rs", "../../etc/passwd");
    let (found, faults) = read(line.as_bytes());
    let [Event { body: EventBody::Memory { change: MemoryChange::Add(added), .. }, .. }] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!((&*added.content, added.related_files.len()), ("one", 0));
    assert!(matches!(&faults[..], [(1, FaultKind::PathOutside { path, .. })] if path == "../../etc/passwd"));
    assert!(!faults[0].1.is_loss());
}

#[test]
fn lines_without_an_event_id_that_differ_in_spacing_are_one_event() {
    let line =
        r#"{"id":"L-0000000a","type":"lesson","title":"t","content":"c","timestamp":"2026-11-20T10:00:00+02:00"}"#;
    let (found, faults) = read(
        format!("{line}\n{}\n", line.replace(':', " : ").replace("10 : 00 : 00+02 : 00", "10:00:00+02:00")).as_bytes(),
    );
    assert_eq!((found.len(), faults.len()), (2, 0));
    assert_eq!(found[0], found[1]);
    assert_eq!(found[0].timestamp.as_millis(), 1_795_161_600_000);
}
