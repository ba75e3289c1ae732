//! The evidence that is computed from analyses equals that of an index of the same documents.

use recall_core::{ChunkRow, DocumentRow, DocumentType, Filters, Traits, understand};
use recall_index::lexical::{
    ChunkAnalysis, ChunkParts, Depths, Lengths, LookedUp, NearSpellings, PortableDocument, PortableQuery, Statistics,
    document_keys,
};
use recall_text::{DocPath, FileKind, Form, Language};

use crate::fixture::{ChunkSpec, Doc, Store, definitions, doc};

/// The documents as a shared store returns them, and the statistics of all.
fn portable(docs: &[Doc], wanted: &[u32]) -> (Vec<PortableDocument>, Statistics) {
    let (mut statistics, mut lengths) = (Statistics::default(), Lengths::default());
    let mut count = |keys: &[u32]| {
        for key in wanted.iter().filter(|key| keys.binary_search(key).is_ok()) {
            *statistics.counts.entry(*key).or_default() += 1;
        }
    };
    let mut documents = Vec::new();
    for doc in docs {
        let path = DocPath::new(&doc.path).expect("plain");
        count(&document_keys(&path, &mut lengths));
        let mut chunks = Vec::new();
        for (place, spec) in doc.chunks.iter().enumerate() {
            let is_prose = doc.document_type != DocumentType::Code;
            let headings: Vec<&str> =
                spec.names.iter().filter(|_| is_prose).map(|name| name.rsplit("::").next().expect("one")).collect();
            let analysis = ChunkAnalysis::new(&ChunkParts {
                body: &spec.text,
                names: &spec.names,
                phrases: &headings,
                ..ChunkParts::default()
            });
            assert!(place < 10, "the rows of a test have room for ten chunks");
            count(&analysis.keys());
            analysis.add_lengths(&mut lengths);
            chunks.push(ChunkAnalysis::decode(&analysis.encode()).expect("its own form"));
        }
        documents.push(PortableDocument {
            row: DocumentRow(doc.row),
            first_chunk: ChunkRow(doc.row * 10),
            traits: Traits {
                document_type: doc.document_type,
                file_kind: FileKind::from_path(&path),
                form: Form::for_language(doc.language.map(Language::from_static).as_ref()),
            },
            tags: doc.tags.clone(),
            path,
            chunks,
        });
    }
    statistics.chunks = docs.iter().map(|doc| doc.chunks.len() as u64).sum();
    statistics.documents = docs.len() as u64;
    statistics.lengths = lengths;
    (documents, statistics)
}

fn corpus() -> Vec<Doc> {
    let words = ["open", "store", "file", "parser", "token", "session", "retry", "index"];
    let mut docs = vec![
        definitions(1, "src/store/open.rs", &["Store::open", "Store::reopen", "openFile"]),
        doc(2, "src/parser.rs", &["parse every token of the file", "open the parser", "fn session()"]),
        Doc {
            document_type: DocumentType::Documentation,
            language: Some("markdown"),
            chunks: vec![ChunkSpec {
                text: "Sessions are retried until the store opens.".to_owned(),
                names: vec!["Guide::Opening a store".to_owned()],
            }],
            ..doc(3, "docs/opening.md", &[])
        },
        doc(4, "tests/test_store.rs", &["assert the store opens again and again and opens"]),
    ];
    docs.push(doc(
        40,
        "文档/订单.md",
        &["订单超过七天未付款时，系统会自动关闭。", "Der Cafe\u{301}-Straßenplan und ＡＰＩ"],
    ));
    docs.push(definitions(41, "src/Größe.rs", &["Größe::öffnen"]));
    // Some are so long that an index rounds their lengths.
    for row in 5..40 {
        let text: Vec<String> =
            (0..row * 5 % 130 + 2).map(|place| words[((row * 3 + place * place) % 8) as usize].to_owned()).collect();
        docs.push(doc(row, &format!("src/module{}/file{row}.rs", row % 3), &[&text.join(" "), "unrelated words"]));
    }
    docs
}

#[test]
fn evidence_from_analyses_equals_that_from_an_index() {
    let docs = corpus();
    let store = Store::of(&docs);
    let depths = Depths { lexical: 100, symbol: 100, path: 100, rare_words: 0 };
    for text in [
        "open the store",
        "Store::open",
        "src/parser.rs",
        "how are sessions retried",
        "opening a store",
        "token",
        "open.rs",
        "订单未付款怎么办",
        "文档/订单.md",
        "STRASSENPLAN api",
        "café",
        "GRO\u{308}SSE::öffnen",
    ] {
        let understood = understand(text);
        let query = PortableQuery::new(&understood);
        let (documents, statistics) = portable(&docs, &query.keys());
        let here = store
            .searcher()
            .retrieve(&understood, &Filters::default(), depths, Vec::new, LookedUp::default(), None)
            .expect("searched");
        let there = query.retrieve(&statistics, &documents, depths, &[]);
        assert_eq!(format!("{:?}", there.evidence.query), format!("{:?}", here.evidence.query), "{text}");
        for known in &here.evidence.documents {
            let of = there.evidence.documents.iter().find(|one| one.document == known.document);
            // An index also has spelling suggestions.
            let plain = recall_index::lexical::DocumentEvidence { names_near: 0.0, ..*known };
            assert_eq!(format!("{:?}", of.expect("it has the same words")), format!("{plain:?}"), "{text}");
        }
        let first = |list: &[recall_core::Candidate]| list.first().map(|one| one.document);
        assert_eq!(first(&there.lexical), first(&here.lexical), "{text}");
    }
}

#[test]
fn spellings_are_suggested_as_from_an_index() {
    let docs = corpus();
    let store = Store::of(&docs);
    let depths = Depths { lexical: 100, symbol: 100, path: 100, rare_words: 0 };
    for (text, expected) in [
        ("reopn", &["reopen"][..]),
        ("opneFile", &["openFile"]),
        ("parsr.rs", &["parser.rs"]),
        ("opeing", &["opening"]),
        ("reopen", &[]),
        ("wombat", &[]),
        ("reopn twice", &[]),
    ] {
        let understood = understand(text);
        let mut query = PortableQuery::new(&understood);
        let (documents, mut statistics) = portable(&docs, &query.keys());
        let near = NearSpellings::new(&understood, &statistics);
        let counts = portable(&docs, &near.keys()).1.counts;
        query.suggest(&near, &counts);
        statistics.counts.extend(counts);
        let there = query.retrieve(&statistics, &documents, depths, &[]);
        let here = store
            .searcher()
            .retrieve(&understood, &Filters::default(), depths, Vec::new, LookedUp::default(), None)
            .expect("searched");
        let suggested = [&there.suggestions.names[..], &there.suggestions.paths[..]].concat();
        assert_eq!(suggested, expected, "{text}");
        assert_eq!(there.suggestions, here.suggestions, "{text}");
        let is_near = |one: &recall_index::lexical::DocumentEvidence| one.names_near > 0.0;
        assert_eq!(there.evidence.documents.iter().any(is_near), !expected.is_empty(), "{text}");
        assert!(there.symbol.len() + there.path.len() >= expected.len(), "{text}: what is suggested is found");
    }
}

#[test]
fn damaged_analyses_are_refused() {
    let names = ["Store::open".to_owned()];
    let whole = ChunkAnalysis::new(&ChunkParts { body: "open the store", names: &names, ..ChunkParts::default() });
    let bytes = whole.encode();
    assert_eq!(ChunkAnalysis::decode(&bytes), Some(whole));
    for end in 0..bytes.len() {
        assert_eq!(ChunkAnalysis::decode(&bytes[..end]), None, "{end}");
    }
    let mut other = bytes;
    other[0] += 1;
    assert_eq!(ChunkAnalysis::decode(&other), None);
}
