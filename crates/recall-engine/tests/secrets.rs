//! Secrets that stand in indexed files do not come out of them.

#[path = "../../recall-secrets/tests/secrets/forms.rs"]
mod forms;
#[path = "../../recall-secrets/tests/secrets/samples.rs"]
#[expect(dead_code, reason = "the tests of the masker use the rest")]
mod samples;
mod support;

use forms::{IN_CONTEXT, TOKENS};
use oorandom::Rand32;
use recall_core::Scope;
use recall_engine::{Engine, ItemRequest, Parent, Warning};
use samples::filled;
use support::{Sandbox, request};

/// A look-alike a line, after its kind in a line that begins with `##`; `\\n` within one is a line break.
const LOOKALIKES: &str = include_str!("../../recall-secrets/tests/secrets/lookalikes.txt");

fn whole(sandbox: &Sandbox, engine: &Engine, path: &str) -> Option<String> {
    let item = engine
        .get(&sandbox.origin(), &ItemRequest { id: path.to_owned(), parent: Parent::Leave, scope: Scope::All })
        .ok()?;
    Some(item.text)
}

#[test]
fn of_the_secrets_in_files_98_percent_are_masked_in_hits_and_documents() {
    let sandbox = Sandbox::new();
    let shapes: Vec<_> = TOKENS.iter().chain(IN_CONTEXT).enumerate().collect();
    assert!(shapes.len() >= 60);
    let mut samples = Vec::new();
    for (nth, (_, form)) in &shapes {
        let sample = filled(form, &mut Rand32::new(*nth as u64));
        let (word, path) = (format!("wombat{nth}"), format!("notes/{nth}.txt"));
        sandbox.write(&path, &format!("about {word}\n\n{}\n\nmore of {word}\n", sample.text));
        samples.push((word, path, sample));
    }
    let engine = sandbox.engine();
    let (mut hidden, mut shown) = (0, Vec::new());
    for (word, path, sample) in &samples {
        let text = std::fs::read_to_string(sandbox.root().join(path)).expect("written");
        let answer = sandbox.search(&engine, word);
        let hits = answer.hits.iter().filter(|hit| hit.document.path.as_str() == path);
        let mut told: Vec<String> = hits.clone().map(|hit| hit.text.clone()).collect();
        for hit in hits.clone() {
            assert!(hit.highlights.iter().all(|range| hit.text.get(range.clone()).is_some()), "{path}");
            let marked = hit.highlights.iter().any(|range| hit.text[range.clone()].contains("wombat"));
            assert!(marked || !hit.text.contains("wombat"), "{path}: words are marked where they stand");
        }
        if let Some(document) = whole(&sandbox, &engine, path) {
            assert_eq!(document.lines().count(), text.lines().count(), "{path} keeps its lines");
            told.push(document);
        }
        let is_told = |secret: &String| {
            let line = |line: &str| line.trim().trim_end_matches("==").to_owned();
            secret.lines().map(line).any(|line| told.iter().any(|text| text.contains(&line)))
        };
        if sample.secrets.iter().any(is_told) {
            shown.push(format!("{path}: {told:?}"));
        } else {
            hidden += 1;
        }
        let warned = answer.warnings.contains(&Warning::SecretsMasked { path: path.clone() });
        assert!(
            warned || hits.count() == 0 || shown.last().is_some_and(|last| last.starts_with(path)),
            "{path} is told"
        );
    }
    println!("{hidden} of {} shapes masked", samples.len());
    assert!(hidden * 100 >= samples.len() * 98, "{}", shown.join("\n"));
}

#[test]
fn what_only_looks_like_a_secret_is_told_as_it_stands() {
    let lines = LOOKALIKES.lines().filter(|line| !line.is_empty() && !line.starts_with("##"));
    let lines: Vec<String> = lines.map(|line| line.replace("\\n", "\n")).collect();
    assert!(lines.len() >= 200);
    let sandbox = Sandbox::new();
    for (nth, line) in lines.iter().enumerate() {
        sandbox.write(&format!("notes/{nth}.txt"), &format!("{line}\n"));
    }
    let engine = sandbox.engine();
    sandbox.index(&engine);
    let other = |(nth, line): &(usize, &String)| {
        let told = whole(&sandbox, &engine, &format!("notes/{nth}.txt"));
        told.is_some_and(|told| told != format!("{line}\n"))
    };
    let masked: Vec<_> = lines.iter().enumerate().filter(other).collect();
    println!("{} look-alikes, {} masked", lines.len(), masked.len());
    assert!(masked.len() * 200 <= lines.len(), "{masked:?}");
}

#[test]
fn no_other_answer_tells_a_secret_either() {
    let token = filled("ghp_{an:36}", &mut Rand32::new(1)).text;
    let sandbox = Sandbox::with(&[
        ("docs/a.md", &format!("# Call it with {token}\n\nSee [b](b.md).\n\n## And {token} too\n\nwombats\n")),
        ("docs/b.md", "# B\n\nwombats\n"),
    ]);
    let engine = sandbox.engine();
    let origin = sandbox.origin();
    let mut told = vec![format!("{:?}", sandbox.search(&engine, "wombats"))];
    let faceted = recall_core::SearchRequest { facets: recall_core::Facets::On, ..request("wombats") };
    told.push(format!("{:?}", engine.search(&origin, &faceted).expect("an answer")));
    for parent in [Parent::Leave, Parent::Include] {
        let hits = sandbox.search(&engine, "wombats").hits;
        let chunk = hits.iter().find(|hit| hit.document.path.as_str() == "docs/a.md").expect("found").id.to_string();
        for id in ["docs/a.md".to_owned(), chunk] {
            told.push(format!(
                "{:?}",
                engine.get(&origin, &ItemRequest { id, parent, scope: Scope::All }).expect("there")
            ));
        }
    }
    let list = recall_engine::ListRequest {
        scope: Scope::All,
        types: Vec::new(),
        languages: Vec::new(),
        tags: Vec::new(),
        path: None,
        said: recall_engine::Said::Anything,
        sort: recall_engine::ListSort::Path,
        offset: 0,
        limit: 10,
    };
    told.push(format!("{:?}", engine.list(&origin, &list).expect("a listing")));
    let graph = recall_engine::GraphRequest {
        node: "docs/b.md".to_owned(),
        relations: Vec::new(),
        depth: 2,
        limit: 50,
        scope: Scope::All,
    };
    told.push(format!("{:?}", engine.graph(&origin, &graph).expect("a graph")));
    let related =
        recall_engine::RelatedRequest { id: "docs/b.md".to_owned(), scope: Scope::All, limit: 10, types: Vec::new() };
    told.push(format!("{:?}", engine.related(&origin, &related).expect("related")));
    for (nth, answer) in told.iter().enumerate() {
        assert!(!answer.contains(&token), "answer {nth}");
        assert!(answer.contains("[secret: github-token]"), "answer {nth} tells of the file: {answer}");
    }
}
