//! Searches in scripts other than plain Latin, and in other Unicode forms than the text.

use recall_core::{DocumentType, Filters, PathFilter, understand};

use crate::fixture::{ChunkSpec, Doc, Store, definitions, doc, rows};

/// A sentence of each language, and words of it as a user types them.
const SENTENCES: &[(&str, &[&str])] = &[
    ("订单超过七天未付款时，系统会自动关闭并释放库存。", &["付款", "自动关闭", "库存", "未付款"]),
    ("購入後に領収書再発行を申請できる。", &["領収書", "再発行", "申請", "領収書再発行"]),
    ("サーバーはトークンの有効期限を検証する。", &["トークン", "有効期限", "検証", "ﾄｰｸﾝ"]),
    ("ระบบจะคืนเงินให้ลูกค้าภายในสามวันทำการ", &["คืนเงิน", "ลูกค้า", "สามวัน"]),
    ("결제를 취소하면 환불이 사흘 안에 처리됩니다.", &["결제", "환불", "취소", "처리"]),
    ("ប្រព័ន្ធនឹងសងប្រាក់ជូនអតិថិជនក្នុងរយៈពេលបីថ្ងៃ", &["សងប្រាក់", "អតិថិជន", "បីថ្ងៃ"]),
    ("ລະບົບຈະຄືນເງິນໃຫ້ລູກຄ້າພາຍໃນສາມວັນ", &["ຄືນເງິນ", "ລູກຄ້າ"]),
    ("စနစ်သည်ဖောက်သည်ထံငွေပြန်အမ်းမည်", &["ငွေပြန်အမ်း", "ဖောက်သည်"]),
    ("Перед развёртыванием нужна РЕЗЕРВНАЯ копия.", &["резервная", "КОПИЯ", "развертыванием", "Развёртыванием"]),
    ("Die Straßengröße steht im Maßblatt.", &["STRASSENGRÖSSE", "straßengröße", "strassengrosse", "MASSBLATT"]),
    ("Sipariş İSTANBUL deposunda, ışık kapalı.", &["istanbul", "sipariş", "siparis", "IŞIK"]),
    ("Ο χρήστης ακυρώνει την παραγγελία· ὁ λόγος.", &["ΧΡΉΣΤΗΣ", "παραγγελια", "χρηστησ", "ΛΌΓΟΣ"]),
    ("Le re\u{301}sume\u{301} du cafe\u{301} est prêt.", &["résumé", "resume", "CAFÉ", "pre\u{302}t"]),
    ("The ｆｕｌｌ－ｗｉｄｔｈ ＬＡＢＥＬ of the ﬁle.", &["label", "width", "file", "Ｆｕｌｌ"]),
    ("כל הַזְמָנָה נבדקת", &["הזמנה"]),
    ("हर ऑर्डर की जाँच होती है", &["ऑर्डर"]),
];

fn store() -> Store {
    let docs: Vec<Doc> = (1..).zip(SENTENCES).map(|(row, (text, _))| doc(row, &format!("{row}.md"), &[text])).collect();
    Store::of(&docs)
}

#[test]
fn a_word_inside_a_sentence_is_found_in_every_script() {
    let store = store();
    for (row, (sentence, words)) in (1..).zip(SENTENCES) {
        for word in *words {
            assert_eq!(store.lexical(word).first(), Some(&(row * 10)), "{word} in {sentence}");
        }
    }
}

#[test]
fn any_part_of_a_sentence_without_spaces_is_found() {
    let store = store();
    for (row, (sentence, _)) in (1..).zip(SENTENCES) {
        let sentence = &*recall_text::normalize_text(sentence);
        for run in recall_text::words::runs(sentence).filter(|run| recall_text::words::unspaced_letters(run) > 0) {
            let letters: Vec<&str> = recall_text::words::letters(run).collect();
            for length in 1..=letters.len().min(7) {
                for part in letters.windows(length) {
                    let part = part.concat();
                    assert!(store.lexical(&part).contains(&(row * 10)), "{part} in {sentence}");
                }
            }
        }
    }
}

#[test]
fn the_spelling_of_the_query_comes_first() {
    let store = Store::of(&[doc(1, "a.md", &["un cafe noir"]), doc(2, "b.md", &["un café noir"])]);
    assert_eq!(store.lexical("café"), [20, 10]);
    assert_eq!(store.lexical("cafe"), [10, 20]);
}

#[test]
fn names_are_found_in_any_unicode_form() {
    let store = Store::of(&[
        definitions(1, "a.rs", &["Größe::öffnen"]),
        definitions(2, "b.rs", &["Cafe\u{301}Klasse"]),
        definitions(3, "c.rs", &["支付网关::创建订单"]),
        definitions(4, "d.rs", &["ＦｕｌｌＷｉｄｔｈ"]),
    ]);
    for (query, expected) in [
        ("GRÖSSE::ÖFFNEN", 10),
        ("gro\u{308}ße::o\u{308}ffnen", 10),
        ("CaféKlasse", 20),
        ("caféklasse", 20),
        ("创建订单", 30),
        ("支付网关::创建订单", 30),
        ("FullWidth", 40),
        ("fullwidth", 40),
    ] {
        let found = store.searcher().symbols(&understand(query), &Filters::default(), 10).expect("searched");
        assert_eq!(rows(&found).first(), Some(&expected), "{query}");
    }
    let defining = store.searcher().defining("CaféKlasse", 10).expect("searched");
    assert_eq!(rows(&defining), [20]);
}

#[test]
fn paths_are_found_and_filtered_in_any_unicode_form() {
    let store = Store::of(&[
        doc(1, "docs/re\u{301}sume\u{301}.md", &["lock"]),
        doc(2, "文档/接口说明.md", &["lock"]),
        doc(3, "ｄａｔａ/［草案］？.md", &["lock"]),
        doc(4, "Straße/plan.md", &["lock"]),
    ]);
    for (query, expected) in [
        ("docs/résumé.md", 10),
        ("DOCS/RÉSUMÉ.md", 10),
        ("résumé", 10),
        ("接口说明.md", 20),
        ("接口", 20),
        ("STRASSE/plan.md", 40),
    ] {
        let found = store.searcher().paths(&understand(query), &Filters::default(), 10).expect("searched");
        assert_eq!(rows(&found).first(), Some(&expected), "{query}");
    }
    for (pattern, expected) in [
        ("docs/résumé.md", vec![10]),
        ("docs/re\u{301}sume\u{301}.md", vec![10]),
        ("*/résu*.md", vec![10]),
        ("文档", vec![20]),
        ("data", vec![30]),
        ("data/*.md", vec![30]),
        ("ｄａｔａ/［草案］？.md", vec![30]),
        ("data/［草案］？.md", vec![30]),
    ] {
        let filters = Filters { paths: vec![PathFilter::new(pattern)], ..Filters::default() };
        let found = store.searcher().lexical(&understand("lock"), &filters, 10).expect("searched");
        assert_eq!(rows(&found), expected, "{pattern}");
        let matches = recall_index::lexical::path_matcher(&filters.paths[0]);
        let paths = ["docs/re\u{301}sume\u{301}.md", "文档/接口说明.md", "ｄａｔａ/［草案］？.md", "Straße/plan.md"];
        let passing: Vec<i64> =
            (1..).zip(paths).filter(|(_, path)| matches(path)).map(|(row, _): (i64, _)| row * 10).collect();
        assert_eq!(passing, expected, "{pattern}");
    }
}

#[test]
fn tags_are_filtered_in_any_unicode_form() {
    let tagged = Doc { tags: vec!["re\u{301}seau".to_owned(), "运维".to_owned()], ..doc(1, "a.md", &["lock"]) };
    let store = Store::of(&[tagged, doc(2, "b.md", &["lock"])]);
    for query in ["tag:réseau lock", "tag:re\u{301}seau lock", "tag:运维 lock"] {
        let understood = understand(query);
        let found = store.searcher().lexical(&understood, &understood.filters, 10).expect("searched");
        assert_eq!(rows(&found), [10], "{query}");
    }
}

#[test]
fn a_heading_is_found_as_a_phrase_in_any_unicode_form() {
    let guide = Doc {
        document_type: DocumentType::Documentation,
        language: Some("markdown"),
        chunks: vec![ChunkSpec {
            text: "本文".to_owned(), names: vec!["手引き::ＡＰＩの使い方".to_owned()]
        }],
        ..doc(1, "guide.md", &[])
    };
    let store = Store::of(&[guide, doc(2, "other.md", &["APIの使い方を説明する。APIの使い方。"])]);
    let found = store.searcher().symbols(&understand("APIの使い方"), &Filters::default(), 10).expect("searched");
    assert_eq!(rows(&found).first(), Some(&10));
}
