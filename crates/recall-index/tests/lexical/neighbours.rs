//! Definitions by exact name, mentions of a name, and similar texts.

use recall_core::{DocumentType, Filters};

use crate::fixture::{Doc, Store, definitions, doc, rows};

fn store() -> Store {
    Store::of(&[
        definitions(1, "src/store.rs", &["Store::open", "Store::close"]),
        definitions(2, "src/index.rs", &["Index::open", "opened"]),
        doc(3, "src/main.rs", &["let store = Store::open(path);", "the store is opened", "nothing of the kind"]),
    ])
}

fn defining(name: &str) -> Vec<i64> {
    rows(&store().searcher().defining(name, 10).expect("searched"))
}

#[test]
fn a_definition_is_found_by_its_name_with_and_without_scope() {
    assert_eq!(defining("Store::open"), [10]);
    assert_eq!(defining("Store.open"), [10]);
    assert_eq!(defining("open"), [10, 20]);
    assert_eq!(defining("Open"), [0; 0]);
    assert_eq!(defining("ope"), [0; 0]);
    assert_eq!(defining(""), [0; 0]);
}

#[test]
fn a_mention_is_a_word_of_the_text() {
    let mentioning = |name| rows(&store().searcher().mentioning(name, 10).expect("searched"));
    let mut all = mentioning("open");
    all.sort_unstable();
    assert_eq!(all, [10, 20, 21, 30, 31], "other forms of a plain word are candidates too");
    assert_eq!(mentioning("unknown"), [0; 0]);
    assert_eq!(mentioning("::"), [0; 0]);
}

#[test]
fn texts_with_the_same_significant_words_are_similar() {
    let texts = [
        doc(1, "a.rs", &["retry the payment after the gateway timed out"]),
        doc(2, "b.rs", &["the gateway timed out and payment must retry later"]),
        doc(3, "c.rs", &["render the invoice as a page"]),
        Doc { document_type: DocumentType::Documentation, ..doc(4, "d.md", &["a gateway that timed out"]) },
    ];
    let store = Store::of(&texts);
    let alike = |filters: &Filters| {
        rows(&store.searcher().more_like_this("payment retry: gateway timed out", filters, 10).expect("searched"))
    };
    let all = alike(&Filters::default());
    assert_eq!((all.len(), all.contains(&30)), (3, false));
    let prose = Filters { types: vec![DocumentType::Documentation], ..Filters::default() };
    assert_eq!(alike(&prose), [40]);
    assert_eq!(rows(&store.searcher().more_like_this("the of 12", &Filters::default(), 10).expect("searched")), [0; 0]);
}

#[test]
fn a_chunk_with_the_rarest_words_of_a_text_comes_first() {
    let common = "store page lock index search query chunk term";
    let mut docs: Vec<Doc> = (1..=40).map(|row| doc(row, &format!("{row}.rs"), &[common])).collect();
    docs.push(doc(50, "a.rs", &["store page lock marsupial burrow"]));
    docs.push(definitions(51, "b.rs", &["platypus"]));
    let store = Store::of(&docs);
    let sharing = |text: &str| {
        let found = store.searcher().sharing_rare_terms(text, &Filters::default(), 2).expect("searched");
        rows(&found)
    };
    assert_eq!(sharing(&format!("{common} marsupial of another burrow"))[0], 500);
    assert_eq!(sharing("the platypus")[0], 510, "a word that is only in a name");
    // The words at the start or the end of a long text are searched too.
    let letters = || 'a'..='g';
    let unknown: Vec<String> =
        letters().flat_map(|one| letters().map(move |other| format!("q{one}q{other}q"))).collect();
    assert_eq!(sharing(&format!("{} marsupial burrow", unknown.join(" ")))[0], 500);
    assert_eq!(sharing(&unknown.join(" ")), [0; 0]);
}
