//! Questions and texts in several languages.

use crate::support::Sandbox;

const FILES: &[(&str, &str)] = &[
    ("src/session.rs", "/// Stores a session until it expires.\npub fn store_session(id: u64) {}\n"),
    (
        "src/refund.py",
        "def issue_refund(order):\n    \"\"\"Pay the money back to the customer.\"\"\"\n    return order.total\n",
    ),
    ("src/route.go", "package main\n\n// register adds a route to the router.\nfunc register(path string) {}\n"),
    ("src/cache.ts", "// 期限切れのエントリを毎晩まとめて削除する\nexport function sweep() {}\n"),
    (
        "docs/freigabe.md",
        "# Rückerstattungen\n\nEine Rückerstattung über 100 Euro muss von zwei Mitarbeitern freigegeben werden, und der Kunde wird darüber informiert.\n",
    ),
];

/// The path of the best hit for a query, the language that it was translated from, and the words that were searched.
fn best(sandbox: &Sandbox, query: &str) -> (String, Option<(&'static str, String)>) {
    let answer = sandbox.search(&sandbox.engine(), query);
    let path = answer.hits.first().map(|hit| hit.document.path.to_string());
    (path.unwrap_or_default(), answer.translated)
}

#[test]
fn a_question_in_any_language_finds_the_code() {
    let sandbox = Sandbox::with(FILES);
    for (query, language, path) in [
        ("Wo werden die Sitzungen gespeichert?", "German", "src/session.rs"),
        ("où les sessions sont-elles enregistrées", "French", "src/session.rs"),
        ("¿cómo se registra una ruta?", "Spanish", "src/route.go"),
        ("come viene registrata una rotta", "Italian", "src/route.go"),
        ("jak rejestrowane są trasy", "Polish", "src/route.go"),
        ("como uma rota é registrada", "Portuguese", "src/route.go"),
        ("где сохраняются сессии", "Russian", "src/session.rs"),
        ("waar worden de sessies opgeslagen", "Dutch", "src/session.rs"),
        ("oturumlar nerede saklanıyor", "Turkish", "src/session.rs"),
        ("セッションはどこに保存されますか", "Japanese", "src/session.rs"),
        ("会话存储在哪里", "Chinese", "src/session.rs"),
        ("환불은 어떻게 처리되나요", "Korean", "src/refund.py"),
    ] {
        let (found, translated) = best(&sandbox, query);
        assert_eq!((found.as_str(), translated.map(|(language, _)| language)), (path, Some(language)), "{query}");
    }
}

#[test]
fn a_text_in_another_language_is_found_in_its_own_in_english_and_in_a_third() {
    let sandbox = Sandbox::with(FILES);
    for (query, path) in [
        ("Wer muss Rückerstattungen freigeben?", "docs/freigabe.md"),
        ("期限切れのエントリ", "src/cache.ts"),
        ("remove expired entries every night", "src/cache.ts"),
        ("abgelaufene Einträge löschen", "src/cache.ts"),
        ("кто утверждает возврат средств", "docs/freigabe.md"),
    ] {
        let answer = sandbox.search(&sandbox.engine(), query);
        let found = answer.hits.iter().map(|hit| hit.document.path.as_str());
        let found: Vec<&str> = found.take(2).collect();
        assert!(found.contains(&path), "{query}: {found:?}");
    }
}

#[test]
fn an_english_question_is_searched_as_it_is() {
    let sandbox = Sandbox::with(FILES);
    for query in ["where is a session stored", "register route", "store_session", "src/route.go"] {
        assert_eq!(best(&sandbox, query).1, None, "{query}");
    }
}

#[test]
fn quoted_phrases_and_filters_of_a_question_are_not_translated() {
    let sandbox = Sandbox::with(FILES);
    let answer = sandbox.search(&sandbox.engine(), "type:code wie funktioniert \"adds a route\"");
    assert_eq!(answer.hits[0].document.path.as_str(), "src/route.go");
    assert!(answer.hits.iter().all(|hit| !hit.document.path.as_str().starts_with("docs")), "the filter holds");
}

/// A project whose names, paths and headings are in other languages than English.
const NAMED: &[(&str, &str)] = &[
    ("src/合计.py", "def 计算合计(订单):\n    return sum(订单)\n"),
    (
        "src/report.py",
        "from 合计 import 计算合计\n\n# 计算合计 is called here, the total of all orders is calculated\nprint(计算合计([]), \"计算合计\")\n",
    ),
    ("src/Lager.cs", "class Lager { public int BerechneGröße() { return 1; } }\n"),
    ("src/size.cs", "class Size { public int CalculateSize() { return calculate(size); } }\n"),
    ("docs/übersicht.md", "# Übersicht\n\nDie Teile des Systems und wie sie zusammenarbeiten.\n"),
    ("docs/overview.md", "# Overview\n\nAn overview of the summary: the parts of the system.\n"),
    ("docs/a.md", "# Erstattung beantragen\n\nDas Formular liegt im Ordner der Abteilung.\n"),
    ("docs/b.md", "# Refunds\n\nHow to apply for a refund: request the refund, apply for reimbursement, request it.\n"),
];

#[test]
fn what_the_project_names_in_its_language_is_found_by_its_name() {
    let sandbox = Sandbox::with(NAMED);
    // Other texts have the same words more often, and their English words too.
    for number in 0..6 {
        let text = "# Berichte\n\nÜbersicht: overview, Übersicht, Docs. Erstattung: refund, beantragen: request, apply. Erstattung, beantragen.\n";
        sandbox.write(&format!("notes/n{number}.md"), text);
        let code = "# 计算合计: calculate total, 合计 total py\ntotal = calculate(total)  # BerechneGröße definiert: define, calculate size\n";
        sandbox.write(&format!("lib/use{number}.py"), code);
    }
    for (query, path) in [
        ("计算合计", "src/合计.py"),
        ("合计.py", "src/合计.py"),
        ("BerechneGröße", "src/Lager.cs"),
        ("wo ist BerechneGröße definiert", "src/Lager.cs"),
        ("docs/übersicht.md", "docs/übersicht.md"),
        ("was steht in docs/übersicht.md", "docs/übersicht.md"),
        ("übersicht", "docs/übersicht.md"),
        ("Erstattung beantragen", "docs/a.md"),
    ] {
        assert_eq!(best(&sandbox, query).0, path, "{query}");
    }
}

#[test]
fn a_question_about_a_kind_of_place_may_be_in_the_language_of_the_pages() {
    let page = "# Was ist neu im Ordner\n\nWas ist neu in der Version, was ist im Ordner und wo wird der Fehler geworfen? Die Version steht im \
                Ordner, und die Tests für den Ordner sind neu. Welche Umgebungsvariablen werden gelesen?\n";
    let mut files = FILES.to_vec();
    files.extend([
        ("docs/de/seite.md", page),
        ("src/cart/mod.rs", "pub fn total() {}\n"),
        ("src/config.py", "import os\n\nHOME = os.getenv(\"SHOP_HOME\")\n"),
        ("tests/test_cart_page.py", "def test_total():\n    assert CartPage().total() == 0\n"),
        ("src/page.py", "class CartPage:\n    def total(self):\n        return 0\n"),
        ("CHANGELOG.md", "# Changes\n\n## 1.2.4\n\nFaster.\n\n## 1.2.3\n\nCarts are summed.\n"),
    ]);
    let sandbox = Sandbox::with(&files);
    for (query, path) in [
        ("was ist im Ordner src/cart", "src/cart/mod.rs"),
        ("was ist neu in Version 1.2.3", "CHANGELOG.md"),
        ("welche Umgebungsvariablen werden gelesen", "src/config.py"),
        ("Tests für CartPage", "tests/test_cart_page.py"),
    ] {
        assert_eq!(best(&sandbox, query).0, path, "{query}");
    }
}

#[test]
fn a_question_that_names_a_place_leads_to_it_in_any_language() {
    let sandbox = Sandbox::with(&[
        ("Cargo.toml", "[package]\nname = \"shop\"\n\n[dependencies]\nserde = \"1.0\"\n"),
        ("LICENSE", "Permission is hereby granted, free of charge, to any person.\n"),
        (
            "src/serde.rs",
            "/// Which version of a price is used, and where serde stores it.\npub fn serde_price_version() {}\n",
        ),
        ("src/route-table.ts", "export const routes = [];\nexport const project = 'this project';\n"),
        ("src/route.ts", "// A file where a route is in a table.\nexport function route_table() {}\n"),
        ("src/price.rs", "pub fn price() {\n    panic!(\"no price for the order\");\n}\n"),
        ("src/order.rs", "/// Why an error comes with a price: no order.\npub fn order_error_price() {}\n"),
    ]);
    let engine = sandbox.engine();
    for (query, path) in [
        ("Welche Version von serde wird benutzt?", "Cargo.toml"),
        ("quelle version de serde est utilisée ?", "Cargo.toml"),
        ("какая версия serde используется?", "Cargo.toml"),
        ("serde のバージョンは何ですか", "Cargo.toml"),
        ("我们依赖 serde 吗？", "Cargo.toml"),
        ("под какой лицензией этот проект?", "LICENSE"),
        ("このプロジェクトのライセンスは何ですか", "LICENSE"),
        ("wo ist die Datei route-table?", "src/route-table.ts"),
        ("文件 route-table 在哪里？", "src/route-table.ts"),
        ("Zeile 2 der Datei src/price.rs", "src/price.rs"),
        ("src/price.rs の 2 行目", "src/price.rs"),
        ("почему возникает ошибка «no price for the order»?", "src/price.rs"),
        ("なぜ「no price for the order」というエラーが出ますか", "src/price.rs"),
    ] {
        let answer = sandbox.search(&engine, query);
        let found = answer.hits.first().map(|hit| hit.document.path.to_string());
        assert_eq!(found.as_deref(), Some(path), "{query}: {:?}", answer.translated);
        assert!(!answer.is_doubtful, "{query} is answered, and not doubted");
    }
}
