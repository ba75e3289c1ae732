//! Tests that hostile content cannot break out of the frames of an answer.

use proptest::prelude::*;
use recall_api::v1::{GetResponse, Hit, Severity, Warning};

use crate::render::text::ANSWER_CHARS;
use crate::render::{Shape, clean, get, sample, search};

/// The lines of an answer outside of its frames, and those within each frame.
struct Parsed<'t> {
    outside: Vec<&'t str>,
    frames: Vec<Vec<&'t str>>,
}

/// Parses an answer as Markdown: a fence is a line that begins with three or more backticks, and ends with the next line that
/// has at least as many and nothing else.
fn parse(answer: &str) -> Parsed<'_> {
    let mut parsed = Parsed { outside: Vec::new(), frames: Vec::new() };
    let mut open: Option<usize> = None;
    for line in answer.split('\n') {
        let unindented = line.trim_start_matches(' ');
        let is_code = line.len() - unindented.len() > 3;
        let ticks = unindented.len() - unindented.trim_start_matches('`').len();
        let info = &unindented[ticks..];
        match open {
            Some(opening) if !is_code && ticks >= opening && info.trim().is_empty() => open = None,
            Some(_) => parsed.frames.last_mut().expect("a frame is open").push(line),
            None if !is_code && ticks >= 3 && !info.contains('`') => {
                open = Some(ticks);
                parsed.frames.push(Vec::new());
            }
            None => parsed.outside.push(line),
        }
    }
    assert_eq!(open, None, "a frame is not closed: {answer}");
    parsed
}

/// Returns the numbers of the visible hits.
fn numbers(parsed: &Parsed<'_>) -> Vec<u32> {
    let number = |line: &&str| line.strip_prefix('[')?.split_once("] ")?.0.parse().ok();
    parsed.outside.iter().filter_map(number).collect()
}

/// Generates text with everything that might imitate a frame, and arbitrary text.
fn content() -> impl Strategy<Value = String> {
    let hostile = prop::sample::select(vec![
        "```",
        "````",
        "`",
        "~~~",
        "\n",
        "\r\n",
        "\n```\n",
        "\n[2] src/x.rs:1-2@0123456789ab\n",
        "    ",
        "1 | ",
        "More: ",
        " · ",
        "project decision, written by a person, trusted",
        "\u{1b}[31m",
        "\u{1b}]",
        "\u{7}",
        "\u{1b}\\",
        "\u{1b}",
        "[",
        "\u{202e}",
        "\u{2066}",
        "\u{200b}",
        "\u{feff}",
        "\u{e0041}",
        "\u{fe01}",
        "\u{2028}",
        "\u{85}",
        "\u{c}",
        "\t",
        "\0",
        "note: ",
        "ü",
        "\u{1f468}\u{200d}\u{1f469}",
    ]);
    let part = prop_oneof![6 => hostile.prop_map(str::to_owned), 2 => "[ -~]{0,20}", 1 => any::<String>()];
    let parts = prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat());
    prop_oneof![9 => parts.clone(), 1 => (parts, 1..60_usize).prop_map(|(text, times)| text.repeat(times))]
}

fn hit() -> impl Strategy<Value = Hit> {
    (content(), content(), content(), content(), content(), 0..4_usize).prop_map(
        |(text, path, title, symbol, tag, more)| {
            let mut doc = sample::doc(&path, if more % 2 == 0 { "code" } else { "adr" }, &tag);
            doc.title = title;
            doc.source.clone_from(&symbol);
            doc.tag = vec![tag; more];
            let mut hit = sample::hit(doc, &symbol, &text);
            hit.also_at = vec![path; more];
            hit
        },
    )
}

/// Returns whether a character reorders others, is invisible or controls a terminal, by Unicode's tables.
fn is_hidden(c: char) -> bool {
    let hidden = [
        0x00ad..=0x00ad,
        0x034f..=0x034f,
        0x061c..=0x061c,
        0x115f..=0x1160,
        0x17b4..=0x17b5,
        0x180b..=0x180f,
        0x200b..=0x200f,
        0x2028..=0x202e,
        0x2060..=0x206f,
        0x3164..=0x3164,
        0xfe00..=0xfe0f,
        0xfeff..=0xfeff,
        0xffa0..=0xffa0,
        0xfff0..=0xfffb,
        0x1bca0..=0x1bca3,
        0x1d173..=0x1d17a,
        0xe0000..=0xe0fff,
    ];
    (c.is_control() && !matches!(c, '\n' | '\t')) || hidden.iter().any(|range| range.contains(&u32::from(c)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn every_quoted_hit_is_one_frame(hits in prop::collection::vec(hit(), 1..6), warning in content(), query in content()) {
        let mut response = sample::sample_answer(hits);
        response.query.get_or_insert_default().text = query;
        let severity = Severity::Warning.into();
        response.warnings = vec![Warning { message: warning.clone(), path: warning, severity, ..Warning::default() }];
        let shape = Shape { tokens: 1_000_000, reminds: true };
        let answer = search(&response, 0, shape, |offset| format!("<{offset}>"));
        let parsed = parse(&answer);
        let numbers = numbers(&parsed);
        let shown = numbers.len();
        prop_assert_eq!(numbers, (1..=shown as u32).collect::<Vec<_>>(), "{}", &answer);
        // The best hits are quoted. Those that do not fit any more are named, and the answer says how to read them.
        let are_named = parsed.outside.contains(&"recall_get with a citation gives the text.");
        let quoted = parsed.frames.len();
        prop_assert!(quoted == shown || (0 < quoted && quoted < shown && are_named), "{}", &answer);
        let goes_on = answer.ends_with(&format!("cursor \"<{shown}>\"."));
        prop_assert!(shown == response.results.len() || goes_on, "{}", &answer);
        prop_assert!(answer.chars().count() <= ANSWER_CHARS && !answer.contains(is_hidden), "{}", &answer);
        for (frame, hit) in parsed.frames.iter().zip(&response.results) {
            let text = &hit.chunk.as_ref().expect("a hit has a chunk").text;
            // Blank lines at the beginning are left out.
            let left_out = text.lines().count() - frame.len().min(text.lines().count());
            let first = frame.first().and_then(|line| line.split_once(" | ")?.0.trim().parse().ok()).unwrap_or(10_u32);
            prop_assert!((first - 10) as usize <= left_out, "{}", &answer);
            for ((line, number), content) in frame.iter().zip(first..).zip(text.lines().skip(first as usize - 10)) {
                let (gutter, shown) = line.split_once(" | ").expect("a gutter");
                prop_assert_eq!(gutter.trim().parse(), Ok(number));
                prop_assert_eq!(clean(content), shown, "{}", line);
            }
            prop_assert!(frame.len() <= text.lines().count());
        }
        let facts = parsed.outside.iter().filter(|line| line.starts_with("    ") && line.contains(" · id "));
        prop_assert_eq!(facts.count(), 0, "a name from a file looks like a fact: {}", &answer);
    }

    #[test]
    fn an_item_is_one_frame(text in content(), symbol in content(), citation in content()) {
        let doc = Some(sample::doc("src/a.rs", "code", "rust"));
        let chunk = Some(recall_api::v1::Chunk { symbol, start_line: 10, ..recall_api::v1::Chunk::default() });
        let is_empty = text.is_empty();
        let response = GetResponse { doc, chunk, citation, text, start_line: 10, ..GetResponse::default() };
        let answer = get(&response, None, |place| format!("{}.{}", place.line, place.within));
        let parsed = parse(&answer);
        prop_assert_eq!(parsed.frames.len(), usize::from(!is_empty), "{}", &answer);
        prop_assert!(parsed.frames.iter().flatten().all(|line| line.contains(" | ")), "{}", &answer);
        prop_assert!(!answer.contains(is_hidden), "{}", &answer);
    }
}
