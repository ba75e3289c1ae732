//! Places that a question asks for by their kind: the files of a directory, the section of a release, the tests of a name, one of several
//! overloads, the definition of a name as it is written, the declaration of a dependency, and the code that reads an option.

use recall_engine::{Answer, Engine};

use crate::support::{Sandbox, paths};

fn project(files: &[(&str, &str)]) -> (Sandbox, Engine) {
    let sandbox = Sandbox::new();
    for (path, text) in files {
        sandbox.write(path, text);
    }
    let engine = sandbox.engine();
    sandbox.index(&engine);
    (sandbox, engine)
}

fn first_text(answer: &Answer) -> &str {
    answer.hits.first().map_or("", |hit| &hit.text)
}

#[test]
fn the_file_that_explains_a_directory_is_first() {
    let other = "//! What is in the folder src/cart, and what its files hold: the directory of the cart.\npub fn explain() {}\n";
    let (sandbox, engine) = project(&[
        ("src/cart/mod.rs", "mod item;\n"),
        ("src/cart/item.rs", "pub struct Item;\n"),
        ("src/cart/README.md", "# Sums\n\nPrices of all.\n"),
        ("src/explain.rs", other),
        ("src/cart_folder.rs", other),
        ("docs/files.md", "# Files in src/cart\n\nThe cart folder is explained here.\n"),
    ]);
    for query in [
        "what is in src/cart",
        "files in src/cart/",
        "what does the folder src/cart hold?",
        r"explain the directory src\cart",
        "what is the cart folder for",
        "src/cart/",
        "was ist im Ordner src/cart",
    ] {
        let answer = sandbox.search(&engine, query);
        let first = &paths(&answer)[..3];
        assert_eq!(first, ["src/cart/README.md", "src/cart/mod.rs", "src/cart/item.rs"], "{query}");
        assert!(!answer.is_doubtful, "{query}");
    }
    let answer = sandbox.search(&engine, "where is the folder explained in src/cart");
    assert_ne!(paths(&answer)[0], "src/cart/README.md", "the question is about something in the directory");
}

#[test]
fn a_directory_may_have_blanks_in_its_name() {
    let other =
        "//! What is in the folder, my docs, and what its files hold: the folder of my docs.\npub fn explain() {}\n";
    let (sandbox, engine) = project(&[
        ("docs/my folder/README.md", "# Sums\n\nPrices of all.\n"),
        ("docs/my folder/item.rs", "pub struct Item;\n"),
        ("docs/my.md", "# My folder\n\nWhat is in docs: my folder.\n"),
        ("src/explain.rs", other),
    ]);
    for query in [
        "what is in docs/my folder",
        "what is in \"docs/my folder\"",
        "explain the folder `docs/my folder`, please",
        "files in My Folder/",
        r"ls docs/my\ folder",
        "docs/my folder",
    ] {
        let answer = sandbox.search(&engine, query);
        assert_eq!(paths(&answer)[..2], ["docs/my folder/README.md", "docs/my folder/item.rs"], "{query}");
        assert!(!answer.is_doubtful, "{query}");
    }
}

#[test]
fn a_table_that_repeats_the_question_is_behind_what_answers() {
    let questions = "id\tquestion\tanswer\n1\thow long does a refund take\tx\n2\thow is a payment retried\ty\n3\twho validates a zip code\tz\n";
    let (sandbox, engine) = project(&[
        ("bench/questions.tsv", questions),
        (
            "bench/questions.jsonl",
            "{\"question\": \"how long does a refund take\"}\n{\"question\": \"how is a payment retried\"}\n",
        ),
        ("docs/guide.md", "# Guide\n\n## Refunds\n\nA refund takes three days at most.\n"),
        ("src/payment.rs", "/// Retries a payment with growing delays.\npub fn retry_payment(payment: &Payment) {}\n"),
    ]);
    let first = |query: &str| sandbox.search(&engine, query).hits[0].document.path.to_string();
    assert_eq!(first("how long does a refund take"), "docs/guide.md");
    assert_eq!(first("how is a payment retried"), "src/payment.rs");
    assert_eq!(first("who validates a zip code"), "bench/questions.tsv", "nothing else has the words");
    assert_eq!(first("bench/questions.tsv"), "bench/questions.tsv");
    assert_eq!(first("\"validates a zip\""), "bench/questions.tsv");
}

#[test]
fn a_line_that_imports_something_leads_to_its_definition() {
    let user =
        "from shop.cart import Cart\nfrom shop import Price\nimport { Item } from \"./item.js\"\n#include \"sums.h\"\n";
    let (sandbox, engine) = project(&[
        ("shop/__init__.py", "from .money import Price as Price\n"),
        ("shop/cart.py", "import os\n\n\nclass Cart:\n    def total(self):\n        return 0\n"),
        ("shop/money.py", "class Price:\n    pass\n"),
        ("web/item.ts", "export class Item {\n  price = 0;\n}\n"),
        ("src/sums.h", "int total(int x);\n"),
        ("src/a.py", user),
        ("src/b.py", user),
        ("src/c.c", user),
    ]);
    for (query, path) in [
        ("from shop.cart import Cart", "shop/cart.py"),
        ("import shop.cart", "shop/cart.py"),
        ("from shop import Price", "shop/money.py"),
        ("import { Item } from \"./item.js\";", "web/item.ts"),
        ("#include \"sums.h\"", "src/sums.h"),
    ] {
        assert_eq!(paths(&sandbox.search(&engine, query))[0], path, "{query}");
    }
}

#[test]
fn the_section_of_a_release_is_first() {
    let changes = "# Changes\n\n## 1.2.30 (2021-01-01)\n\nNew version: what changed in 1.2.3 is fixed.\n\n## [1.2.3] - 2020-01-01\n\n- Carts are summed.\n\n## 1.2.2\n\nThe release notes of version 1.2.3 will be breaking.\n";
    let (sandbox, engine) = project(&[
        ("CHANGELOG.md", changes),
        (
            "docs/guide.md",
            "# What changed in version 1.2.3\n\nThe release notes are in the list of breaking changes.\n",
        ),
        ("NEWS", "Shop 2.0 (2022)\n\nPrices.\n\nShop 1.0 (2019)\n\nAll is new.\n"),
    ]);
    for query in [
        "what changed in version 1.2.3",
        "what is new in v1.2.3?",
        "release notes of shop 1.2.3",
        "breaking changes in 1.2.3",
        "was ist neu in Version 1.2.3",
        "что изменилось в версии 1.2.3",
    ] {
        let answer = sandbox.search(&engine, query);
        assert!(first_text(&answer).contains("Carts are summed"), "{query}: {}", first_text(&answer));
        assert!(!answer.is_doubtful, "{query}");
    }
    let answer = sandbox.search(&engine, "what changed in 1.0");
    assert_eq!(paths(&answer)[0], "NEWS", "a plain text has lines instead of headings");
}

fn test_that_uses_a_cart(number: usize) -> (String, String) {
    let text = "from shop import Cart\n\n\ndef test_cart():\n    # Tests of Cart: where Cart is tested.\n    assert Cart().cart == Cart()\n";
    (format!("tests/test_all_{number}.py"), text.to_owned())
}

#[test]
fn the_test_that_is_called_like_a_name_is_first() {
    let users: Vec<(String, String)> = (0..8).map(test_that_uses_a_cart).collect();
    let mut files = vec![
        ("src/shop/cart.py", "class Cart:\n    \"\"\"Sums prices.\"\"\"\n"),
        ("tests/test_cart.py", "def test_that_sums_are_right():\n    assert total() == 3\n"),
        (
            "src/price.rs",
            "pub fn price_of() {}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a_sum() {\n        super::price_of();\n    }\n}\n",
        ),
    ];
    files.extend(users.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    let (sandbox, engine) = project(&files);
    for query in [
        "tests for Cart",
        "where is Cart tested",
        "unit test of Cart",
        "how is Cart tested?",
        "Tests für Cart",
        "tests for src/shop/cart.py",
        "tests for cart",
    ] {
        let answer = sandbox.search(&engine, query);
        assert_eq!(paths(&answer)[0], "tests/test_cart.py", "{query}: {:?}", paths(&answer));
    }
    let answer = sandbox.search(&engine, "tests for price_of");
    assert!(first_text(&answer).contains("fn a_sum"), "a test in the file itself: {}", first_text(&answer));
}

#[test]
fn parameters_tell_overloads_apart() {
    let body = |name: &str| {
        let lines: Vec<String> =
            (0..30).map(|number| format!("        {name}({number}, cart, list, json);\n")).collect();
        lines.concat()
    };
    let overload = |parameters: &str, name: &str| {
        format!("    /** See {{@link #read(List, Cart)}}. */\n    void read({parameters}) {{\n{}    }}\n\n", body(name))
    };
    let text = ["Cart cart, List list", "final List<Cart> list, Cart cart", "Cart cart"];
    let text: String =
        text.iter().zip(["one", "two", "three"]).map(|(parameters, name)| overload(parameters, name)).collect();
    let (sandbox, engine) = project(&[
        ("src/Reader.java", &format!("class Reader {{\n{text}}}\n")),
        ("src/List.java", "/** read(List, Cart) */\nclass List {\n    Cart read;\n}\n"),
    ]);
    for (query, expected) in [
        ("read(List, Cart)", "two(1,"),
        ("where is read(Cart, List) defined", "one(1,"),
        ("Reader.read(Cart)", "three(1,"),
    ] {
        let answer = sandbox.search(&engine, query);
        assert!(first_text(&answer).contains(expected), "{query}: {}", first_text(&answer));
    }
}

#[test]
fn a_name_in_a_sentence_is_the_one_that_is_written_so() {
    let (sandbox, engine) = project(&[
        (
            "src/Results.php",
            "<?php\n\n/** The routing results: what the value of routing results is, and where they are declared. */\nclass RoutingResults\n{\n    public array $routingResults = [];\n}\n",
        ),
        ("src/Context.php", "<?php\n\nclass Context\n{\n    public const ROUTING_RESULTS = '__results__';\n}\n"),
        ("src/tokens.rs", "pub fn parse_tokens() {}\n"),
        (
            "src/defined.rs",
            "/// Where is it defined? Tokens are parsed, and a token is defined.\npub fn define_token() {}\n",
        ),
    ]);
    for (query, expected) in [
        ("where is ROUTING_RESULTS declared", "src/Context.php"),
        ("what is the value of ROUTING_RESULTS", "src/Context.php"),
        ("where is RoutingResults declared", "src/Results.php"),
        ("where is parsetokens defined", "src/tokens.rs"),
        (r"src\tokens.rs", "src/tokens.rs"),
        (r"explain src\tokens.rs", "src/tokens.rs"),
    ] {
        let answer = sandbox.search(&engine, query);
        assert_eq!(paths(&answer)[0], expected, "{query}: {:?}", paths(&answer));
        assert!(!answer.is_doubtful, "{query}");
    }
}

#[test]
fn the_file_that_says_the_version_of_a_dependency_is_first() {
    let uses =
        "// The version of apple-sort that this project uses, its dependency, is upgraded here.\nimport apple-sort;\n";
    let (sandbox, engine) = project(&[
        ("build.gradle.kts", "dependencies {\n  implementation(libs.apple-sort)\n}\n"),
        ("gradle/libs.versions.toml", "[versions]\nother = \"3.1\"\napple-sort = \"2.4.1\"\n"),
        (
            "package.json",
            "{\n  \"scripts\": { \"test\": \"pears\" },\n  \"devDependencies\": { \"pears\": \"^1.2.0\" }\n}\n",
        ),
        ("Directory.Build.props", "<Project>\n  <PlumsPackageVersion>4.5.6</PlumsPackageVersion>\n</Project>\n"),
        ("src/one.kt", uses),
        ("src/two.kt", &uses.replace("apple-sort", "pears")),
        ("src/three.kt", &uses.replace("apple-sort", "plums")),
        ("src/schema.kt", "const val SCHEMA_VERSION = 4\n"),
        ("pom.xml", "<properties>\n  <schema>1.0</schema>\n</properties>\n"),
    ]);
    for (name, file) in
        [("apple-sort", "gradle/libs.versions.toml"), ("pears", "package.json"), ("plums", "Directory.Build.props")]
    {
        for query in [
            format!("which version of {name} does this use"),
            format!("{name} version"),
            format!("{name} dependency version"),
            format!("upgrade {name} to the latest version"),
            format!("do we depend on {name}?"),
        ] {
            let answer = sandbox.search(&engine, &query);
            assert_eq!(paths(&answer)[0], file, "{query}");
            assert!(!answer.is_doubtful, "{query}");
        }
    }
    let answer = sandbox.search(&engine, "schema version");
    assert_eq!(paths(&answer)[0], "src/schema.kt", "the project defines it");
    let answer = sandbox.search(&engine, "where is SCHEMA_VERSION declared");
    assert_eq!(paths(&answer)[0], "src/schema.kt", "the project defines it");
    let answer = sandbox.search(&engine, "sort version");
    assert_ne!(paths(&answer)[0], "package.json", "no file declares it");
}

#[test]
fn the_code_that_reads_an_option_is_first() {
    let (sandbox, engine) = project(&[
        ("src/usage.c", "void usage(void) {\n  puts(\"  -j, --join-output  where output is parsed and joined\");\n}\n"),
        (
            "src/main.c",
            "int main(int argc, char **argv) {\n  if (is_option(argv[1], 'j', \"join-output\")) join = 1;\n}\n",
        ),
        ("docs/manual.md", "# Options\n\n`--join-output`: where the option is parsed, output is joined.\n"),
        ("src/sort.py", "parser.add_argument(\"--sort\")\n"),
        ("src/words.py", "WORDS = {\"sort\": 1}  # the option sort, parsed\n"),
    ]);
    for query in ["where is the option --join-output parsed", "which function handles `--join-output`?"] {
        assert_eq!(paths(&sandbox.search(&engine, query))[0], "src/main.c", "{query}");
    }
    assert_eq!(paths(&sandbox.search(&engine, "where is --sort parsed"))[0], "src/sort.py");
}

#[test]
fn the_text_of_a_licence_answers_every_question_about_it() {
    let (sandbox, engine) = project(&[
        ("LICENSE", "Permission is hereby granted, free of charge, to any person to deal in the software.\n"),
        ("README.md", "# Shop\n\n## Projects that use this project\n\nThis project is used under many a roof.\n"),
        ("src/use.rs", "//! Can this be used commercially? What licence is it under?\npub fn used() {}\n"),
    ]);
    for query in ["what licence is this under", "which license does this project use", "can I use this commercially?"] {
        let answer = sandbox.search(&engine, query);
        assert_eq!(paths(&answer)[0], "LICENSE", "{query}");
        assert!(!answer.is_doubtful, "{query}");
    }
}

#[test]
fn a_file_without_its_ending_is_first() {
    let other = "//! Where the file of the cart util is: the file cart, the util file, shown and opened as a file.\npub fn file() {}\n";
    let (sandbox, engine) = project(&[
        ("src/cartUtil.ts", "export const sum = (a: number, b: number) => a + b\n"),
        ("data/shadow2.sums", "def e: 3;\n"),
        ("src/file.rs", other),
        ("src/cart_file.rs", other),
        ("src/log.rs", "pub struct Entry;\n"),
        ("src/write.rs", "/// Writes the log file.\npub fn write_log_file() {}\n"),
    ]);
    for query in ["where is the file cartUtil", "cart util file", "what does the file cartUtil do?"] {
        let answer = sandbox.search(&engine, query);
        assert_eq!(paths(&answer)[0], "src/cartUtil.ts", "{query}");
        assert!(!answer.is_doubtful, "{query}");
    }
    assert_eq!(paths(&sandbox.search(&engine, "open shadow2.sums"))[0], "data/shadow2.sums");
    assert_eq!(paths(&sandbox.search(&engine, "log file"))[0], "src/write.rs", "any file of that kind");
}

#[test]
fn a_text_is_found_as_it_is_written_although_its_words_are_elsewhere() {
    let other = "// Codecs and pipes are used where a burst of pipes and codecs is.\nfun codecs() {}\nfun burst() {}\n";
    let (sandbox, engine) = project(&[
        ("src/schema.kt", "// see codecs/pipes\nval schema = 1\n"),
        ("src/codecs.kt", other),
        ("src/pipes.kt", other),
        ("test/AnswerTest.kt", "import com.acme.Burst\n\n@Burst\nclass AnswerTest\n"),
        ("gradle/libs.versions.toml", "[versions]\nburst = \"2.0\"\n"),
        ("test/slow.cs", "[Category(\"slow\")]\nclass SlowTests { }\n"),
        ("src/category.cs", "// Where the category is used.\nclass Other { string category; }\n"),
    ]);
    for (query, file) in [
        ("codecs/pipes", "src/schema.kt"),
        ("where is codecs/pipes used", "src/schema.kt"),
        ("where do we use `codecs/pipes`", "src/schema.kt"),
        ("@Burst", "test/AnswerTest.kt"),
        ("where is @Burst used", "test/AnswerTest.kt"),
        ("[Category]", "test/slow.cs"),
    ] {
        assert_eq!(paths(&sandbox.search(&engine, query))[0], file, "{query}");
    }
}

#[test]
fn the_beginning_of_a_name_stands_for_the_name() {
    let (sandbox, engine) = project(&[
        ("src/errors.cs", "class Errors {\n  void ThrowUnableToSerializeError() { }\n}\n"),
        ("src/other.cs", "class Other {\n  void ThrowUnexpectedEnd() { } // unable to throw serial errors\n}\n"),
    ]);
    let answer = sandbox.search(&engine, "ThrowUnableToSeria");
    assert_eq!(paths(&answer)[0], "src/errors.cs");
    assert!(first_text(&answer).contains("ThrowUnableToSerializeError"), "{}", first_text(&answer));
}

#[test]
fn a_hunk_of_a_patch_is_a_place() {
    let function = |line: u32| format!("int value_{line}(void) {{\n  return {line};\n}}\n\n");
    let lines = (1..=60).map(function).collect::<Vec<_>>().concat();
    let (sandbox, engine) = project(&[("src/values.c", &lines), ("src/other.c", "int other(void) { return 1; }\n")]);
    for query in [
        "diff --git a/src/values.c b/src/values.c @@ -121,7 +121,8 @@",
        "+++ b/src/values.c @@ -121,7 +121,8 @@",
        "why does this fail?\n--- a/src/values.c\n+++ b/src/values.c\n@@ -118,4 +118,5 @@\n \n \n \n+  other();\n",
        "#0 /var/www/src/values.c(121): run()",
    ] {
        let answer = sandbox.search(&engine, query);
        assert_eq!(paths(&answer)[0], "src/values.c", "{query}");
        assert!(first_text(&answer).contains("value_31("), "{query}: {}", first_text(&answer));
    }
}

#[test]
fn the_subtypes_of_a_type_follow_it_although_generated_pages_have_its_name() {
    let page =
        |number: usize| (format!("site/page{number}.html"), "<p>class One with Encoder, Encoder</p>\n".repeat(3));
    let pages: Vec<(String, String)> = (0..120).map(page).collect();
    let mut files: Vec<(&str, &str)> = pages.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let encoder = "class Encoder {\n  Encoder(int a) { start(a); }\n  Encoder(String a) { start(a.length()); }\n  Encoder(long a, long b) { start((int) a); }\n}\n";
    files.extend([
        ("src/Encoder.java", encoder),
        ("src/Json.java", "class Json extends Encoder {\n  void json() { }\n}\n"),
        ("src/Near.java", "// What implements an encoder: the encoder that implements encoders.\nclass Near { }\n"),
    ]);
    let (sandbox, engine) = project(&files);
    for query in ["what implements Encoder", "subclasses of Encoder"] {
        let answer = sandbox.search(&engine, query);
        assert_eq!(paths(&answer)[..2], ["src/Encoder.java", "src/Json.java"], "{query}");
    }
}

#[test]
fn the_full_name_of_a_type_leads_to_its_definition() {
    let other = "// The event of the shop: shop.Event uses the event, shop and cart.\nclass ShopEvents { }\n";
    let (sandbox, engine) = project(&[
        (
            "src/Events.kt",
            "package shop\n\nval first = 1\n\nclass CartEvent(val price: Int)\n\nclass SaleEvent(val cart: Int)\n",
        ),
        ("src/ShopEvents.kt", &other.replace("Event", "SaleEvent")),
        ("src/Sale.kt", "// Sale events of the shop.\nimport shop.SaleEvent\nclass Sale(val event: SaleEvent)\n"),
    ]);
    for query in ["shop.SaleEvent", r"Shop\SaleEvent", "where is shop.SaleEvent defined", "constructor of SaleEvent"] {
        let answer = sandbox.search(&engine, query);
        assert!(first_text(&answer).contains("class SaleEvent"), "{query}: {:?}", paths(&answer));
    }
}
