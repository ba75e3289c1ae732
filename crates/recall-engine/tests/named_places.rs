//! Places that a sentence names: files by their paths and classes, members of types, lines, messages, and what throws an error.

use recall_engine::Engine;

use crate::support::{Sandbox, paths};

#[test]
fn a_name_in_small_letters_shows_the_first_lines_of_its_definition() {
    let sandbox = Sandbox::new();
    let method = |name: &str| {
        let lines: Vec<String> = (0..40).map(|number| format!("        frame_{number} = text[{number}]\n")).collect();
        let lines = lines.concat();
        format!("    def {name}(self, text):\n{lines}        return text\n\n")
    };
    let class = ["read_frames", "stream_response", "reads_of_stream"].map(method).concat();
    sandbox.write("src/streams.py", &format!("class FrameReader:\n    \"\"\"Text in parts.\"\"\"\n\n{class}"));
    let engine = sandbox.engine();
    sandbox.index(&engine);
    for query in ["FrameReader", "framereader", "frame_reader", "frame-reader", "frame reader"] {
        let answer = sandbox.search(&engine, query);
        let first = answer.hits.first().map(|hit| &*hit.text);
        assert!(first.is_some_and(|text| text.starts_with("class FrameReader:")), "{query}: {first:?}");
    }
}

/// A project whose files have the words of the paths, the classes and the members that are asked for.
fn shop() -> (Sandbox, Engine) {
    let sandbox = Sandbox::new();
    for number in 0..30 {
        let text = format!(
            "package org.other;\n\nimport com.acme.shop.Cart;\n\n/** Explains what a cart of the shop in src/main/java does. */\nclass CartShop{number} {{\n    void totalOfCart(Cart cart) {{\n        cart.total(cart.price(\"no cart\"));\n    }}\n}}\n"
        );
        sandbox.write(&format!("other/src/CartShop{number}.java"), &text);
    }
    let filler = |name: &str| {
        let lines: Vec<String> = (0..40).map(|number| format!("        {name}Of{number} = price{number};\n")).collect();
        let lines = lines.concat();
        format!("    void {name}() {{\n{lines}    }}\n\n")
    };
    let total = "    int total() {\n        if (empty) {\n            throw new CartError(\"cannot sum an empty list of\" + kind);\n        }\n        return sum;\n    }\n";
    let cart = format!("package com.acme.shop;\n\nclass Cart {{\n{}{total}{}}}\n", filler("fillUp"), filler("takeOut"));
    sandbox.write("shop/src/com/acme/shop/Cart.java", &cart);
    sandbox.write(
        "shop/src/com/acme/shop/CartError.java",
        "package com.acme.shop;\n\n/** Thrown by a cart. */\nclass CartError extends RuntimeException {\n}\n",
    );
    let engine = sandbox.engine();
    sandbox.index(&engine);
    (sandbox, engine)
}

const CART: &str = "shop/src/com/acme/shop/Cart.java";

#[test]
fn a_file_that_a_sentence_names_is_first() {
    let (sandbox, engine) = shop();
    for query in [
        "explain shop/src/com/acme/shop/Cart.java",
        "what does `shop/Cart.java` do?",
        "how does Cart.java explain the price",
        "com.acme.shop.Cart",
        "import com.acme.shop.Cart;",
        "what does com.acme.shop.Cart do",
        r"what is com\acme\shop\Cart",
    ] {
        let answer = sandbox.search(&engine, query);
        assert_eq!(paths(&answer).first(), Some(&CART), "{query}: {:?}", paths(&answer));
        assert!(!answer.is_doubtful, "{query}");
    }
    let answer = sandbox.search(&engine, "who imports com.acme.shop.Cart");
    assert!(paths(&answer)[..4].iter().any(|path| path.starts_with("other/")), "{:?}", paths(&answer));
}

#[test]
fn a_member_next_to_its_type_is_the_passage() {
    let (sandbox, engine) = shop();
    for query in ["Cart total", "total of Cart", "Cart.total", "com.acme.shop.Cart.total"] {
        let answer = sandbox.search(&engine, query);
        let first = &answer.hits[0];
        assert_eq!(first.document.path.as_str(), CART, "{query}: {:?}", paths(&answer));
        assert!(first.text.contains("int total()"), "{query}: {}", first.text);
    }
    let answer = sandbox.search(&engine, "how does Cart total prices");
    let of_cart = answer.hits.iter().find(|hit| hit.document.path.as_str() == CART).expect("an answer");
    assert!(of_cart.text.contains("int total()"), "the passage of the member: {}", of_cart.text);
}

#[test]
fn a_line_and_a_path_in_any_order_are_a_place() {
    let (sandbox, engine) = shop();
    let text = std::fs::read_to_string(sandbox.root().join(CART)).expect("read");
    let line = text.lines().position(|line| line.contains("throw new CartError")).expect("there") + 1;
    for query in [
        format!("line {line} of {CART}"),
        format!("explain lines {line}-{} of Cart.java", line + 1),
        format!("error in /srv/build/{CART} on line {line}"),
        format!("{CART}, line {line}"),
    ] {
        let answer = sandbox.search(&engine, &query);
        assert!(answer.hits[0].text.contains("throw new CartError"), "{query}: {:?}", paths(&answer));
    }
}

#[test]
fn a_name_that_a_text_has_is_not_another_name() {
    let sandbox = Sandbox::new();
    sandbox.write("src/buffer.rs", "pub struct Frame {\n    pub byte_reader: u8,\n}\n");
    sandbox.write("src/skip.rs", "pub fn skip_bytes(reader: &mut ByteReader) {\n    reader.skip();\n}\n");
    let engine = sandbox.engine();
    sandbox.index(&engine);
    let first = |query: &str| paths(&sandbox.search(&engine, query)).first().map(|path| (*path).to_owned());
    assert_eq!(first("skip_bytes of ByteReader").as_deref(), Some("src/skip.rs"), "the field has another name");
    assert_eq!(first("what does byteREADER hold").as_deref(), Some("src/skip.rs"), "a text has it in another case");
    assert_eq!(
        first("what does SkipBytes do").as_deref(),
        Some("src/skip.rs"),
        "nothing has this name as it is written"
    );
}

#[test]
fn a_question_about_a_message_leads_to_its_source() {
    let (sandbox, engine) = shop();
    for query in [
        "why do I get cannot sum an empty list of apples?",
        "how do I fix the error: cannot sum an empty list of apples",
        "where does cannot sum an empty list of apples come from",
    ] {
        let answer = sandbox.search(&engine, query);
        let first = &answer.hits[0];
        assert!(first.text.contains("cannot sum an empty list"), "{query}: {:?}", paths(&answer));
    }
}

#[test]
fn what_throws_an_error_comes_before_its_definition() {
    let (sandbox, engine) = shop();
    for query in ["where is CartError thrown", "which code throws CartError?", "throw new CartError"] {
        let answer = sandbox.search(&engine, query);
        assert_eq!(paths(&answer)[..2], [CART, "shop/src/com/acme/shop/CartError.java"], "{query}");
        assert!(answer.hits[0].text.contains("throw new CartError"), "{query}: {}", answer.hits[0].text);
    }
}

#[test]
fn the_definitions_of_an_operator_are_first() {
    let sandbox = Sandbox::new();
    let method = |name: &str| format!("    def {name}(other)\n      @items.equal?(other)\n    end\n\n");
    let methods = ["add", "remove", "count", "==", "sum"].map(method).concat();
    sandbox.write("lib/cart.rb", &format!("module Shop\n  class Cart\n{methods}  end\nend\n"));
    sandbox.write(
        "src/cart.h",
        "struct Cart {\n  bool operator==(const Cart& other) const { return n == other.n; }\n  int n;\n};\n",
    );
    sandbox.write("src/Loader.kt", "interface Loader {\n  fun load()\n  companion object {\n    inline operator fun invoke(block: () -> Unit): Loader = of(block)\n  }\n}\n");
    for number in 0..20 {
        sandbox.write(
            &format!("src/operator{number}.kt"),
            &format!("/** The operator fun: invoke an operator with ==, where it is defined. */\nfun operator{number}(a: Int) {{ invoke(a == {number}) }}\n"),
        );
    }
    let engine = sandbox.engine();
    sandbox.index(&engine);
    for query in ["operator==", "where is operator == defined?", "operator fun invoke"] {
        let answer = sandbox.search(&engine, query);
        let count = if query.ends_with("invoke") { 1 } else { 2 };
        let mut first: Vec<&str> = paths(&answer).into_iter().take(count).collect();
        first.sort_unstable();
        let expected: &[&str] = if count == 1 { &["src/Loader.kt"] } else { &["lib/cart.rb", "src/cart.h"] };
        assert_eq!(first, expected, "{query}");
        assert!(!answer.is_doubtful, "{query}");
    }
}

#[test]
fn the_uses_of_an_annotation_come_before_what_defines_it() {
    let sandbox = Sandbox::new();
    sandbox.write("src/Since.java", "package shop;\n\n/** The class or field is there since a version: use @Since. */\npublic @interface Since {\n    double value();\n}\n");
    sandbox.write("test/CartTest.java", "package shop;\n\nclass CartTest {\n    @Since(1.1)\n    int price;\n}\n");
    sandbox.write(
        "src/Reader.java",
        "package shop;\n\n// Where the version is used: see @Since.\nclass Reader {\n    int since;\n}\n",
    );
    sandbox.write("src/category.cs", "class Message {\n  // Where [Category] is used.\n  string Category { get; }\n  void Read() { items[Category] = 1; }\n}\n");
    sandbox.write("test/slow.cs", "class SlowTests {\n  [Test, Category(\"slow\")]\n  void Reads() { }\n}\n");
    let engine = sandbox.engine();
    sandbox.index(&engine);
    for query in ["@Since", "where is @Since used"] {
        let answer = sandbox.search(&engine, query);
        assert_eq!(paths(&answer)[..2], ["test/CartTest.java", "src/Since.java"], "{query}");
        assert!(!answer.is_doubtful, "{query}");
    }
    for query in ["[Category]", "where is [Category] used"] {
        assert_eq!(paths(&sandbox.search(&engine, query))[0], "test/slow.cs", "{query}");
    }
}

#[test]
fn a_word_that_nothing_is_called_by_is_the_name_of_a_file_or_the_beginning_of_names() {
    let sandbox = Sandbox::new();
    let other = "// The bench util: bench utils, thousands of them, seps, and the config file of a bench.\nint util;\n";
    sandbox.write("src/util.cc", other);
    sandbox.write("src/config.cc", "int limit;\n");
    sandbox.write("bench/benchUtil.ts", "export const timed = 3;\n");
    sandbox.write("doc/syntax.md", "# Format strings\n\nAs in Python.\n");
    let number = |name: &str| format!("int {name}(int value) {{\n  return value;\n}}\n\n");
    let names = ["first", "thousands_sep", "thousands_sep_impl", "thousands_separated", "thousands_sep_of", "last"];
    sandbox.write("src/numbers.cc", &names.map(number).concat());
    let engine = sandbox.engine();
    sandbox.index(&engine);
    for (query, file) in
        [("benchUtil", "bench/benchUtil.ts"), ("syntax file", "doc/syntax.md"), ("thousands_se", "src/numbers.cc")]
    {
        let answer = sandbox.search(&engine, query);
        assert_eq!(paths(&answer)[0], file, "{query}");
        assert!(!answer.is_doubtful, "{query}");
    }
    assert_eq!(paths(&sandbox.search(&engine, "config file"))[0], "src/util.cc", "a phrase of a text");
}

#[test]
fn who_uses_a_text_with_a_slash_does_not_ask_for_a_directory() {
    let sandbox = Sandbox::new();
    sandbox.write("build.txt", "add_subdirectory(test/fuzzing)\n");
    sandbox.write("test/fuzzing/README.md", "# Fuzzing\n\nWhere fuzzing is used in a test.\n");
    sandbox.write("test/fuzzing/main.cc", "int main() {}\n");
    let engine = sandbox.engine();
    sandbox.index(&engine);
    assert_eq!(paths(&sandbox.search(&engine, "where is test/fuzzing used"))[0], "build.txt");
    assert_eq!(paths(&sandbox.search(&engine, "what is in test/fuzzing"))[0], "test/fuzzing/README.md");
}
