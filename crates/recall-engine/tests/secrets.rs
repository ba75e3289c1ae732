//! Secrets in files and file names are masked in answers, and are not stored in journals.

#[path = "../../recall-secrets/tests/secrets/forms.rs"]
mod forms;
mod kept;
mod names;
#[path = "../../recall-secrets/tests/secrets/places.rs"]
mod places;
#[path = "../../recall-secrets/tests/secrets/samples.rs"]
#[expect(dead_code, reason = "the tests of the masker use the rest")]
mod samples;

use forms::{IN_CONTEXT, TOKENS};
use oorandom::Rand32;
use places::{FILES, PLACES};
use recall_core::Scope;
use recall_engine::{DoctorRequest, Engine, Fix, ItemRequest, Parent, Problem, SecretScan, Warning};
use samples::{Sample, filled};

use crate::support::{Sandbox, request};

/// Texts that look like secrets, one per line, after lines with their kind that begin with `##`; `\\n` stands for a line break.
const LOOKALIKES: &str = include_str!("../../recall-secrets/tests/secrets/lookalikes.txt");

/// Returns a sample of each shape, from a seed.
fn samples_of_all_shapes(seed: u64) -> Vec<Sample> {
    let forms = TOKENS.iter().chain(IN_CONTEXT).chain(PLACES).map(|(_, form)| *form).enumerate();
    let samples: Vec<_> = forms.map(|(nth, form)| filled(form, &mut Rand32::new(seed + nth as u64))).collect();
    assert!(samples.len() >= 300);
    samples
}

/// Returns whether a line of a secret is in a text.
fn is_shown(sample: &Sample, text: &str) -> bool {
    let line = |line: &str| line.trim().trim_end_matches("==").to_owned();
    sample.secrets.iter().any(|secret| secret.lines().map(line).any(|line| text.contains(&line)))
}

fn whole(sandbox: &Sandbox, engine: &Engine, path: &str) -> Option<String> {
    let item = engine
        .get(&sandbox.origin(), &ItemRequest { id: path.to_owned(), parent: Parent::Leave, scope: Scope::All })
        .ok()?;
    Some(item.text)
}

#[test]
fn of_the_secrets_in_files_98_percent_are_masked_in_hits_and_documents() {
    let sandbox = Sandbox::new();
    let mut samples = Vec::new();
    for (nth, sample) in samples_of_all_shapes(0).into_iter().enumerate() {
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
        if told.iter().any(|text| is_shown(sample, text)) {
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
fn texts_that_only_look_like_secrets_are_not_masked() {
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
fn no_other_kind_of_answer_has_a_secret() {
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
        since: None,
        before: None,
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
    told.push(format!("{:?}", engine.related_documents(&origin, &related).expect("related")));
    for (nth, answer) in told.iter().enumerate() {
        assert!(!answer.contains(&token), "answer {nth}");
        assert!(answer.contains("[secret: github-token]"), "answer {nth} tells of the file: {answer}");
    }
}

#[test]
fn a_page_that_quotes_a_private_key_is_found_without_the_key() {
    let sandbox = Sandbox::new();
    let key =
        filled("-----BEGIN RSA PRIVATE KEY-----\n⟦{lines:12}⟧\n-----END RSA PRIVATE KEY-----\n", &mut Rand32::new(3));
    let changes = "## Version 4.9.0\n\nA wombat may hold a certificate, and may say which one it is.\n\n".repeat(12);
    sandbox
        .write("changes.md", &format!("{changes}```\n{}```\n\n## Version 4.8.0\n\nA numbat reads them.\n", key.text));
    let engine = sandbox.engine();
    sandbox.index(&engine);
    for query in ["which wombat may hold a certificate", "numbat"] {
        let answer = sandbox.search(&engine, query);
        assert_eq!(
            answer.hits.first().map(|hit| hit.document.path.to_string()).as_deref(),
            Some("changes.md"),
            "{query}"
        );
    }
    let text = whole(&sandbox, &engine, "changes.md").expect("indexed");
    assert!(!is_shown(&key, &text), "{text}");
    assert!(text.contains("[secret: private-key]") && text.contains("A numbat reads them."), "{text}");
    let request = DoctorRequest { scope: Scope::All, fix: Fix::Nothing, secrets: SecretScan::On };
    let findings = engine.doctor(&sandbox.origin(), &request).expect("it can be checked").findings;
    let problems: Vec<&Problem> = findings.iter().map(|finding| &finding.problem).collect();
    assert!(
        matches!(problems[..], [Problem::Secrets { path, rules, .. }] if path.as_str() == "changes.md" && rules == &["private-key"])
    );
}

#[test]
fn a_secret_recognised_only_by_the_whole_file_or_its_name_is_masked_in_chunks() {
    let sandbox = Sandbox::new();
    let long = |form: &str| format!("# wombats{}\n{form}", "\n# a comment as any".repeat(120));
    let manifest = format!(
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\n{}data:\n  wombats: ⟦cTdWazJ4Um05VExw⟧\n",
        "# a comment about this manifest, which goes on and on and on\n".repeat(150)
    );
    let key = "-----BEGIN RSA PRIVATE KEY-----\n⟦{lines:90}⟧\n-----END RSA PRIVATE KEY-----\n";
    let mut files: Vec<(String, Sample)> = vec![
        ("deploy/db.yaml".to_owned(), filled(&manifest, &mut Rand32::new(1))),
        ("deploy/wombats.txt".to_owned(), filled(&long(key), &mut Rand32::new(2))),
    ];
    for (nth, (_, name, form)) in FILES.iter().enumerate() {
        let sample = filled(form, &mut Rand32::new(nth as u64));
        files.push(((*name).to_owned(), sample));
    }
    for (path, sample) in &files {
        sandbox.write(path, &sample.text);
    }
    let engine = sandbox.engine();
    sandbox.index(&engine);
    let mut looked_at = 0;
    for (path, sample) in &files {
        // Files that hold only secrets are not indexed unless they are added.
        let Some(text) = whole(&sandbox, &engine, path) else { continue };
        looked_at += 1;
        assert!(!is_shown(sample, &text), "{path}: {text}");
        let id = recall_core::DocumentId::from_path(&recall_text::DocPath::new(path).expect("plain"));
        for ordinal in 0..40 {
            let id = recall_core::ChunkId { document: id, ordinal }.to_string();
            for parent in [Parent::Leave, Parent::Include] {
                let request = ItemRequest { id: id.clone(), parent, scope: Scope::All };
                let Ok(item) = engine.get(&sandbox.origin(), &request) else { continue };
                assert!(!is_shown(sample, &format!("{item:?}")), "{path}, {ordinal}: {item:?}");
            }
        }
        for query in ["wombats", "deploy", "password", "rsa private key"] {
            let answer = format!("{:?}", sandbox.search(&engine, query));
            assert!(!is_shown(sample, &answer), "{path}, {query}");
        }
        let listing = format!("{:?}", engine.list(&sandbox.origin(), &list()).expect("a listing"));
        assert!(!is_shown(sample, &listing), "{path}: {listing}");
    }
    assert!(looked_at >= 5, "{looked_at} files were indexed");
}

/// Returns a request to list everything by path.
fn list() -> recall_engine::ListRequest {
    recall_engine::ListRequest {
        scope: Scope::All,
        types: Vec::new(),
        languages: Vec::new(),
        tags: Vec::new(),
        path: None,
        since: None,
        before: None,
        said: recall_engine::Said::Anything,
        sort: recall_engine::ListSort::Path,
        offset: 0,
        limit: 1000,
    }
}
