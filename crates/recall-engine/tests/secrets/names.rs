//! A token in the name of a file is masked in answers, and the masked name still identifies the file.

use recall_core::{Scope, SearchRequest};
use recall_engine::{GraphRequest, ItemRequest, Parent, RelatedRequest};

use super::forms::TOKENS;
use super::samples::{Sample, filled};
use super::{Rand32, is_shown, list};
use crate::support::{Sandbox, request};

#[test]
fn a_token_in_a_name_is_in_no_answer() {
    let is_name = |form: &&str| form.starts_with('⟦') && !form.contains("b64") && !form.contains('/');
    let forms: Vec<&str> = TOKENS.iter().map(|(_, form)| *form).filter(is_name).collect();
    assert!(forms.len() >= 100, "{} tokens can be names", forms.len());
    let sandbox = Sandbox::new();
    let mut samples: Vec<(Sample, String)> = Vec::new();
    for (nth, form) in forms.iter().enumerate() {
        let sample = filled(form, &mut Rand32::new(nth as u64));
        // Several tokens of one kind would have equal masks.

        let path = match nth % 3 {
            0 => format!("notes/{nth}/{}.md", sample.text),
            1 => format!("notes/{nth}-{}/readme.md", sample.text),
            _ => format!("notes/backup-{nth}_{}.md", sample.text),
        };
        sandbox.write(&path, &format!("# Wombat{nth}\n\nSee [the zoo](../zoo.md) about wombat{nth}.\n"));
        samples.push((sample, path));
    }
    sandbox.write("zoo.md", "# Zoo\n\nwombats\n");
    let engine = sandbox.engine();
    let origin = sandbox.origin();
    sandbox.index(&engine);
    let faceted = SearchRequest { facets: recall_core::Facets::On, ..request("wombats zoo") };
    let graph =
        GraphRequest { node: "zoo.md".to_owned(), relations: Vec::new(), depth: 2, limit: 500, scope: Scope::All };
    let related = RelatedRequest { id: "zoo.md".to_owned(), scope: Scope::All, limit: 100, types: Vec::new() };
    let mut answers = vec![
        format!("{:?}", engine.search(&origin, &faceted).expect("an answer")),
        format!("{:?}", engine.list(&origin, &list()).expect("a listing")),
        format!("{:?}", engine.graph(&origin, &graph).expect("a graph")),
        format!("{:?}", engine.related_documents(&origin, &related).expect("related")),
        format!("{:?}", engine.status(&origin, Scope::All, 1000).expect("a status")),
    ];
    for (nth, (_, path)) in samples.iter().enumerate() {
        let answer = sandbox.search(&engine, &format!("wombat{nth}"));
        let hit = answer.hits.iter().find(|hit| hit.text.contains(&format!("wombat{nth}."))).expect("found");
        let shown = hit.document.path.as_str().to_owned();
        assert!(shown.contains("[secret: "), "{shown}");
        answers.push(format!("{} {answer:?}", hit.citation()));
        for id in [hit.id.to_string(), hit.document.id.to_string(), shown.clone(), path.clone()] {
            let item = engine.get(&origin, &ItemRequest { id: id.clone(), parent: Parent::Include, scope: Scope::All });
            let item = item.unwrap_or_else(|error| panic!("{id} names the file: {error}"));
            assert!(item.text.contains(&format!("wombat{nth}.")), "{id}");
            answers.push(format!("{item:?}"));
        }
        let related = RelatedRequest { id: hit.citation(), scope: Scope::All, limit: 5, types: Vec::new() };
        answers.push(format!("{:?}", engine.related_documents(&origin, &related).expect("a citation names the file")));
    }
    for (sample, path) in &samples {
        let shown = answers.iter().position(|answer| is_shown(sample, answer));
        assert_eq!(shown.map(|place| &answers[place]), None, "{path}");
    }
}
