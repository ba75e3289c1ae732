//! Comparison of a store with the one in memory, which compares everything with everything.

use oorandom::Rand32;
use recall_shared::{
    Ask, Depths, FacetScan, Filters, Found, Key, Memory, PathCondition, Place, SharedStore, StoreError, TextScan,
    Weighted, publish, verify,
};

use super::corpus::{Corpus, KINDS, LANGUAGES, TAGS, branch, model, number, query_vector};

const NONE: Depths = Depths { words: 0, definitions: 0, files: 0, nearest: 0 };

/// All of the suite, on an empty store.
pub fn everything(store: &dyn SharedStore) {
    an_empty_store_says_so(store);
    answers_equal_those_of_the_memory(store);
    the_nearest_are_found(store);
    what_is_unchanged_is_not_sent(store);
    readers_see_a_publication_as_a_whole(store);
    a_taken_over_publication_fails(store);
    what_was_lost_is_repaired(store);
    a_document_is_read_by_its_place(store);
    every_text_is_compared(store);
}

fn an_empty_store_says_so(store: &dyn SharedStore) {
    assert!(matches!(store.statistics(&[1]), Err(StoreError::Empty)), "{:?}", store.statistics(&[1]));
    assert!(store.models().expect("it answers").is_empty());
}

fn answers_equal_those_of_the_memory(store: &dyn SharedStore) {
    let memory = Memory::default();
    let mut random = Rand32::new(7);
    let mut corpora: Vec<Corpus> = (0..3).map(|seed| Corpus::random(seed, 60)).collect();
    for round in 0..4 {
        for (place, corpus) in corpora.iter().enumerate() {
            let branch = branch(&format!("team/repository{place}"), "main");
            let there = publish(store, &branch, Some(&model()), corpus).expect("it answers");
            let here = publish(&memory, &branch, Some(&model()), corpus).expect("it answers");
            assert_eq!((there.generation, there.documents), (here.generation, here.documents), "{round} {place}");
            assert_eq!(there.sent_documents, here.sent_documents, "{round} {place}");
            let other = super::corpus::branch(&format!("team/repository{place}"), "feature");
            let mut changed = corpus.clone();
            changed.change(&mut random);
            publish(store, &other, Some(&model()), &changed).expect("it answers");
        }
        for _ in 0..40 {
            let ask = ask(&memory, &mut random);
            let (there, here) = (store.find(&ask).expect("it answers"), memory.find(&ask).expect("it answers"));
            assert_equal(&there, &here, &ask);
            let facets = FacetScan {
                words: ask.words.iter().map(|one| one.key).collect(),
                paths: ask.files.iter().map(|one| one.key).collect(),
                filters: ask.filters.clone(),
                without: ask.without.clone(),
            };
            let counted = |store: &dyn SharedStore| store.facets(&facets).expect("it answers");
            assert_eq!(counted(store), counted(&memory), "{facets:?}");
        }
        for corpus in &mut corpora {
            corpus.change(&mut random);
        }
    }
}

/// A random request that finds more than its depths only where the order decides what is found.
fn ask(memory: &Memory, random: &mut Rand32) -> Ask {
    let keys: Vec<u32> =
        (0..random.rand_range(1..5)).map(|_| number(&format!("w{}", random.rand_range(0..40)))).collect();
    let files: Vec<u32> = [number("src"), number("deep")][..random.rand_range(0..3) as usize].to_vec();
    let counts = memory.statistics(&[&keys[..], &files].concat()).expect("it answers").counts;
    let weighted = |keys: &[u32]| -> Vec<Weighted> {
        let mut keys = keys.to_vec();
        keys.sort_unstable();
        keys.dedup();
        let known = keys.into_iter().filter(|key| counts.contains_key(key));
        known
            .enumerate()
            .map(|(place, key)| Weighted { key, weight: 1.0 + place as f32, count: counts[&key] })
            .collect()
    };
    let some = |random: &mut Rand32, all: &[&str]| -> Vec<String> {
        all.iter().filter(|_| random.rand_float() < 0.2).map(|one| (*one).to_owned()).collect()
    };
    let paths = match random.rand_range(0..6) {
        0 => vec![PathCondition::Below("src".to_owned())],
        1 => vec![PathCondition::Glob("src/**/*[1-5].rs".to_owned()), PathCondition::Below("docs".to_owned())],
        2 => vec![PathCondition::Glob("**/file{1,2}?.rs*".to_owned())],
        _ => Vec::new(),
    };
    let filters =
        Filters { kinds: some(random, &KINDS), languages: some(random, &LANGUAGES), paths, tags: some(random, &TAGS) };
    let all = 10_000;
    Ask {
        words: weighted(&keys),
        definitions: weighted(&keys[..1]),
        files: weighted(&files),
        vector: (random.rand_float() < 0.7).then(|| (model(), query_vector(random))),
        filters,
        without: if random.rand_float() < 0.3 { vec!["team/repository1".to_owned()] } else { Vec::new() },
        depths: Depths { words: all, definitions: all, files: all, nearest: all },
    }
}

fn assert_equal(there: &Found, here: &Found, ask: &Ask) {
    let plain = |found: &Found| {
        let documents = found.documents.iter();
        documents.map(|one| (one.repository.clone(), one.path.clone(), one.record.clone())).collect::<Vec<_>>()
    };
    assert_eq!(plain(there), plain(here), "{ask:?}");
    assert_eq!(there.has_cosines, here.has_cosines);
    for (one, other) in there.documents.iter().zip(&here.documents) {
        assert_eq!((one.key, one.chunks.len()), (other.key, other.chunks.len()));
        for (one, other) in one.chunks.iter().zip(&other.chunks) {
            assert_eq!((one.key, one.is_near), (other.key, other.is_near), "{ask:?}");
            let differ = one.cosine.unwrap_or(9.0) - other.cosine.unwrap_or(9.0);
            assert!(differ.abs() < 0.01, "{:?} {:?}", one.cosine, other.cosine);
        }
    }
}

/// Stores round vectors, so that chunks that are equally near may change places.
fn the_nearest_are_found(store: &dyn SharedStore) {
    let mut random = Rand32::new(17);
    let ask = |nearest, vector| Ask {
        words: Vec::new(),
        definitions: Vec::new(),
        files: Vec::new(),
        vector: Some((model(), vector)),
        filters: Filters { kinds: vec![KINDS[1].to_owned()], ..Filters::default() },
        without: Vec::new(),
        depths: Depths { nearest, ..NONE },
    };
    for _ in 0..20 {
        let vector = query_vector(&mut random);
        let cosines = |nearest| {
            let found = store.find(&ask(nearest, vector.clone())).expect("it answers").documents;
            let near = found.iter().flat_map(|one| &one.chunks).filter(|chunk| chunk.is_near);
            let mut near: Vec<f32> = near.filter_map(|chunk| chunk.cosine).collect();
            near.sort_by(|a, b| b.total_cmp(a));
            near
        };
        let (ten, all) = (cosines(10), cosines(10_000));
        assert!(ten.len() >= 10 && all.len() > 20, "{} {}", ten.len(), all.len());
        for (one, other) in ten.iter().zip(&all).take(10) {
            assert!((one - other).abs() < 0.005, "{ten:?} {all:?}");
        }
    }
}

fn what_is_unchanged_is_not_sent(store: &dyn SharedStore) {
    let mut corpus = Corpus::random(11, 50);
    let main = branch("team/same", "main");
    let first = publish(store, &main, Some(&model()), &corpus).expect("it answers");
    assert_eq!(first.sent_chunks as usize, *corpus.embedded.borrow());
    let again = publish(store, &main, Some(&model()), &corpus).expect("it answers");
    assert_eq!((again.generation, again.sent_chunks, again.sent_documents), (1, 0, 0));
    let release = publish(store, &branch("team/same", "release"), Some(&model()), &corpus).expect("it answers");
    assert_eq!((release.sent_chunks, release.sent_documents), (0, 50), "another branch shares the chunks");
    let texts = vec!["an unknown text".to_owned()];
    corpus.put("src/one.rs", &texts, &mut Rand32::new(1));
    let one = publish(store, &main, Some(&model()), &corpus).expect("it answers");
    assert_eq!((one.generation, one.sent_chunks, one.sent_documents), (2, 1, 1));
    corpus.remove("src/one.rs");
    let gone = publish(store, &main, Some(&model()), &corpus).expect("it answers");
    assert_eq!((gone.sent_chunks, gone.sent_documents, gone.removed_documents), (0, 0, 1));
    assert!(paths_with(store, "unknown").is_empty());
    let key = super::corpus::chunk("an unknown text").key;
    assert!(store.texts(&[key, Key::default()]).expect("it answers")[1].is_none());
}

fn readers_see_a_publication_as_a_whole(store: &dyn SharedStore) {
    let mut random = Rand32::new(3);
    let main = branch("team/whole", "main");
    let mut corpus = Corpus::default();
    corpus.put("src/a.rs", &["the earlier text".to_owned()], &mut random);
    publish(store, &main, Some(&model()), &corpus).expect("it answers");
    // A publication that ends before its commit.
    let mut later = Corpus::default();
    later.put("src/a.rs", &["the later text".to_owned()], &mut random);
    let begun = store.begin(&main, Some(&model())).expect("it answers");
    let (document, chunks) = later.documents["src/a.rs"].clone();
    store.put_chunks(&chunks, Some(&model())).expect("it answers");
    store.put_documents(&begun, std::slice::from_ref(&document)).expect("it answers");
    store.put_documents(&begun, &[document]).expect("a repeated request changes nothing");
    assert_eq!(paths_with(store, "earlier"), ["src/a.rs"]);
    assert!(paths_with(store, "later").is_empty());
    // The next one replaces it.
    publish(store, &main, Some(&model()), &later).expect("it answers");
    assert!(paths_with(store, "earlier").is_empty());
    assert_eq!(paths_with(store, "later"), ["src/a.rs"]);
}

fn a_taken_over_publication_fails(store: &dyn SharedStore) {
    let main = branch("team/taken", "main");
    let corpus = Corpus::random(5, 3);
    let first = store.begin(&main, None).expect("it answers");
    publish(store, &main, Some(&model()), &corpus).expect("it answers");
    let document = corpus.documents.values().next().expect("there are some").0.clone();
    let failed = store.put_documents(&first, &[document]);
    assert!(matches!(failed, Err(StoreError::Busy)), "{failed:?}");
    assert_eq!(store.manifest(&main).expect("it answers").len(), 3);
}

fn what_was_lost_is_repaired(store: &dyn SharedStore) {
    let main = branch("team/verified", "main");
    let mut corpus = Corpus::random(6, 9);
    publish(store, &main, Some(&model()), &corpus).expect("it answers");
    let (difference, repaired) = verify(store, &main, Some(&model()), &corpus).expect("it answers");
    assert!(difference.is_empty() && repaired.is_none(), "{difference:?}");
    corpus.put("docs/more.rs", &["w1 w2".to_owned()], &mut Rand32::new(8));
    let (difference, repaired) = verify(store, &main, Some(&model()), &corpus).expect("it answers");
    assert_eq!(difference.missing, ["docs/more.rs"]);
    assert_eq!(repaired.map(|outcome| outcome.sent_documents), Some(1));
}

fn a_document_is_read_by_its_place(store: &dyn SharedStore) {
    let mut random = Rand32::new(4);
    let main = branch("team/read", "main");
    let place = |repository: &str, path: &str| Place { repository: repository.to_owned(), path: path.to_owned() };
    let text_at = |places: &[Place]| {
        let found = store.document(places).expect("it answers");
        found.map(|found| (found.document.repository, found.document.path, found.document.chunks.len(), found.text))
    };
    let mut corpus = Corpus::default();
    corpus.put("a.rs", &["the first".to_owned(), "the second".to_owned()], &mut random);
    corpus.put("src/a.rs", &["below".to_owned()], &mut random);
    publish(store, &main, Some(&model()), &corpus).expect("it answers");
    let whole =
        |path: &str, chunks, text: &str| Some(("team/read".to_owned(), path.to_owned(), chunks, text.to_owned()));
    let both = [place("team", "read/a.rs"), place("team/read", "a.rs")];
    assert_eq!(text_at(&both), whole("a.rs", 2, "the first\nthe second"));
    let [one, other] = [place("team/read", "src/a.rs"), place("team/read", "a.rs")];
    assert_eq!(text_at(&[one.clone(), other.clone()]), whole("src/a.rs", 1, "below"), "the first place counts");
    assert_eq!(text_at(&[other.clone(), one.clone()]), whole("a.rs", 2, "the first\nthe second"));
    assert_eq!(text_at(&[place("team/read", "no.rs"), place("team/no", "a.rs")]), None);
    assert_eq!(text_at(&[]), None);
    // Another branch and what is not committed are not seen; what is replaced or removed is gone.
    let mut later = corpus.clone();
    later.put("a.rs", &["changed".to_owned()], &mut random);
    later.remove("src/a.rs");
    publish(store, &branch("team/read", "feature"), Some(&model()), &later).expect("it answers");
    let begun = store.begin(&main, Some(&model())).expect("it answers");
    store.put_documents(&begun, std::slice::from_ref(&later.documents["a.rs"].0)).expect("it answers");
    assert_eq!(text_at(std::slice::from_ref(&other)), whole("a.rs", 2, "the first\nthe second"));
    publish(store, &main, Some(&model()), &later).expect("it answers");
    assert_eq!(text_at(&[other]), whole("a.rs", 1, "changed"));
    assert_eq!(text_at(&[one]), None);
}

fn every_text_is_compared(store: &dyn SharedStore) {
    let main = branch("team/scanned", "main");
    let mut corpus = Corpus::random(21, 50);
    let mut random = Rand32::new(22);
    corpus.put("src/signs.rs", &["a <=> b".to_owned(), "100% of it_s\\ (x|y)".to_owned()], &mut random);
    corpus.put("src/other.rs", &["an it's wordinside".to_owned()], &mut random);
    publish(store, &main, Some(&model()), &corpus).expect("it answers");
    // Neither another branch nor what is replaced is compared.
    let mut later = corpus.clone();
    later.put("src/later.rs", &["only here".to_owned()], &mut random);
    publish(store, &branch("team/scanned", "feature"), Some(&model()), &later).expect("it answers");
    let check = |fragments: &[&str], filters: &Filters, expected: &[&str]| {
        let fragments: Vec<String> = fragments.iter().map(|fragment| (*fragment).to_owned()).collect();
        let (found, compared) = scan(store, fragments.clone(), filters);
        assert_eq!(found, expected, "{fragments:?} {filters:?}");
        compared
    };
    let all = Filters::default();
    let (whole, compared) = scan(store, Vec::new(), &all);
    assert_eq!(whole.len() as u64, compared, "without a fragment every document is found");
    let is_here = |path: &&String| corpus.documents.contains_key(path.as_str());
    assert!(whole.iter().filter(is_here).count() >= corpus.documents.len(), "{whole:?}");
    let with_sign = ["src/signs.rs"];
    assert_eq!(check(&["<=>"], &all, &with_sign), compared);
    check(&["b\n100%"], &all, &with_sign);
    check(&["(x|y)"], &all, &with_sign);
    check(&["s\\ (x"], &all, &with_sign);
    check(&["it_s", "dinsi"], &all, &["src/other.rs", "src/signs.rs"]);
    check(&["<=> ?", "it.s", "(x", "\\d"], &all, &with_sign);
    check(&["only here"], &all, &[]);
    let below =
        |directory: &str| Filters { paths: vec![PathCondition::Below(directory.to_owned())], ..Filters::default() };
    check(&["<=>"], &below("docs"), &[]);
    let in_source = check(&["<=>"], &below("src/signs.rs"), &with_sign);
    assert_eq!(in_source, 1, "only what passes is compared");
    let without =
        TextScan { without: vec!["team/scanned".to_owned()], fragments: vec!["<=>".to_owned()], ..TextScan::default() };
    assert!(store.scan_texts(&without).expect("it answers").documents.is_empty());
    // A publication ends a pass.
    let mut step = store.scan_texts(&TextScan::default()).expect("it answers");
    let from = step.next.take();
    publish(store, &main, Some(&model()), &later).expect("it answers");
    if from.is_some() {
        let failed = store.scan_texts(&TextScan { from, ..TextScan::default() });
        assert!(matches!(failed, Err(StoreError::Busy)), "{failed:?}");
    }
    check(&["only here"], &all, &["src/later.rs"]);
}

/// Makes a whole pass. Returns the paths of what was found, sorted, and how many documents were compared.
fn scan(store: &dyn SharedStore, fragments: Vec<String>, filters: &Filters) -> (Vec<String>, u64) {
    let mut scan = TextScan { fragments, filters: filters.clone(), ..TextScan::default() };
    let (mut paths, mut compared) = (Vec::new(), 0);
    loop {
        let step = store.scan_texts(&scan).expect("it answers");
        paths.extend(step.documents.into_iter().map(|one| one.document.path));
        compared += step.compared;
        scan.from = step.next;
        if scan.from.is_none() {
            paths.sort_unstable();
            return (paths, compared);
        }
    }
}

/// The paths of the documents that contain a word.
pub fn paths_with(store: &dyn SharedStore, word: &str) -> Vec<String> {
    let key = number(word);
    let count = store.statistics(&[key]).expect("it answers").counts.get(&key).copied().unwrap_or_default();
    let ask = Ask {
        words: vec![Weighted { key, weight: 1.0, count }],
        definitions: Vec::new(),
        files: Vec::new(),
        vector: None,
        filters: Filters::default(),
        without: Vec::new(),
        depths: Depths { words: 100, ..NONE },
    };
    store.find(&ask).expect("it answers").documents.into_iter().map(|document| document.path).collect()
}
