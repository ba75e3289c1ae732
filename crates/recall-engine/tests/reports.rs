//! Bug reports, traces and messages as questions.

use crate::support::{Sandbox, paths};

const CART: &str = "class Cart:\n    def __init__(self):\n        self.items = []\n\n    def total(self):\n        prices = load_prices()\n        return sum(prices[item] for item in self.items)\n\n\ndef remove(cart, item):\n    if item not in cart.items:\n        raise KeyError(f\"no item called {item} in this cart of the shop\")\n    cart.items.remove(item)\n";

const FILES: &[(&str, &str)] = &[
    ("src/shop/cart.py", CART),
    (
        "src/shop/prices.py",
        "def load_prices():\n    with open('prices.json') as file:\n        return parse(file.read())\n",
    ),
    (
        "src/shop/web.py",
        "def checkout(cart):\n    \"\"\"Checkout of a cart: shows the total.\"\"\"\n    return render(cart.total())\n",
    ),
    ("src/other/prices.py", "def discount():\n    return 0\n"),
    (
        "tests/test_cart.py",
        "def test_remove():\n    message = 'no item called apple in this cart of the shop'\n    assert message\n",
    ),
    ("docs/checkout.md", "# Checkout\n\nThe total of a cart is shown at the checkout.\n"),
];

/// The path and the first and last line of the best hits.
fn places(sandbox: &Sandbox, query: &str, count: usize) -> Vec<(String, u32, u32)> {
    let answer = sandbox.search(&sandbox.engine(), query);
    let place =
        |hit: &recall_engine::Hit| (hit.document.path.to_string(), hit.chunk.span.start_line, hit.chunk.span.end_line);
    answer.hits.iter().map(place).take(count).collect()
}

#[test]
fn the_place_that_failed_is_first_at_its_line_and_its_callers_follow() {
    let sandbox = Sandbox::with(FILES);
    let trace = "Checkout does not work since the update\n\nTraceback (most recent call last):\n  File \"/usr/lib/python3/site-packages/shop/web.py\", line 3, in checkout\n    return render(cart.total())\n  File \"/usr/lib/python3/site-packages/shop/cart.py\", line 6, in total\n    prices = load_prices()\n  File \"/usr/lib/python3/site-packages/shop/prices.py\", line 3, in load_prices\n    return parse(file.read())\n  File \"/usr/lib/python3.12/json/decoder.py\", line 355, in raw_decode\njson.decoder.JSONDecodeError: Expecting value\n";
    let found = places(&sandbox, trace, 3);
    let at: Vec<&str> = found.iter().map(|(path, ..)| path.as_str()).collect();
    assert_eq!(at, ["src/shop/prices.py", "src/shop/cart.py", "src/shop/web.py"]);
    assert!((found[1].1..=found[1].2).contains(&6), "{found:?}");
}

#[test]
fn a_path_with_a_line_shows_the_passage_of_the_line() {
    let sandbox = Sandbox::with(FILES);
    for query in [
        "cart.py:13",
        "src/shop/cart.py:13",
        "src/shop/cart.py:13:5",
        "/srv/checkout/src/shop/cart.py:13",
        "what does src/shop/cart.py:13 do?",
        "what does /srv/checkout/src/shop/cart.py:13:5 do?",
    ] {
        let found = places(&sandbox, query, 1);
        assert_eq!(found[0].0, "src/shop/cart.py", "{query}");
        assert!(found[0].1 > 3 && (found[0].1..=found[0].2).contains(&13), "{query}: {found:?}");
    }
}

#[test]
fn a_line_that_has_moved_gives_the_function() {
    let sandbox = Sandbox::with(FILES);
    let trace = "it fails\n  File \"shop/cart.py\", line 3, in remove\n    cart.items.remove(item)\nValueError: x\n";
    let found = places(&sandbox, trace, 1);
    assert_eq!(found[0].0, "src/shop/cart.py");
    assert!(found[0].1 > 3, "the chunk of `remove`: {found:?}");
}

#[test]
fn a_file_of_an_installed_package_is_not_one_of_the_project_by_its_name_alone() {
    let sandbox = Sandbox::with(FILES);
    let trace =
        "the checkout shows no total\n  File \"/usr/lib/python3/site-packages/requests/prices.py\", line 1, in get\n";
    assert_ne!(places(&sandbox, trace, 1)[0].0, "src/other/prices.py");
}

#[test]
fn a_class_without_a_path_is_in_the_file_of_its_name() {
    let test = "package org.acme.shop;\n\nclass CartTest {\n    @Test\n    void empty() {\n        assertEquals(0, new Cart().total());\n    }\n\n    @Test\n    void sums() {\n        assertEquals(3, cart(1, 2).total());\n    }\n}\n";
    let sandbox = Sandbox::with(&[
        ("src/test/java/org/acme/shop/CartTest.java", test),
        (
            "src/main/java/org/acme/shop/Cart.java",
            "package org.acme.shop;\n\nclass Cart {\n    int total() {\n        return 0;\n    }\n}\n",
        ),
        ("docs/tests.md", "# Tests\n\nCartTest sums what a cart holds. Tests that FAILED are run again.\n"),
    ]);
    for output in [
        "[ERROR] Failures:\n[ERROR]   CartTest.sums:11 expected: <3> but was: <0>\n[INFO]\n",
        "org.acme.shop.CartTest > sums() FAILED\n    org.opentest4j.AssertionFailedError: expected: <3> but was: <0>\n",
        "[ERROR] org.acme.shop.CartTest.sums  Time elapsed: 0.02 s  <<< FAILURE!\n",
    ] {
        let found = places(&sandbox, output, 1);
        assert_eq!(found[0].0, "src/test/java/org/acme/shop/CartTest.java", "{output}");
        assert!((found[0].1..=found[0].2).contains(&11), "the chunk of `sums`: {found:?}");
    }
}

#[test]
fn a_message_with_other_values_finds_the_line_that_raises_it() {
    let sandbox = Sandbox::with(FILES);
    let found = places(&sandbox, "no item called pear in this cart of the shop", 2);
    assert_eq!(found[0].0, "src/shop/cart.py");
    assert!((found[0].1..=found[0].2).contains(&12), "{found:?}");
    assert_eq!(found[1].0, "tests/test_cart.py");
}

#[test]
fn a_report_is_searched_by_its_title_and_not_by_its_example() {
    let sandbox = Sandbox::with(FILES);
    let example = "```py\nimport discount\nfor discount in discounts: discount.discount(discount)\n```\n".repeat(4);
    let report = format!(
        "The checkout of a cart shows the wrong total\n\n## Steps to reproduce\n\n{example}\n\n## Environment\nLinux 6.1, Python 3.12, prices 4.5 and other software that nobody asks about at all\n"
    );
    let answer = sandbox.search(&sandbox.engine(), &report);
    let first: Vec<&str> = paths(&answer).into_iter().take(2).collect();
    assert!(first.contains(&"src/shop/web.py"), "{first:?}");
    assert!(!first.contains(&"src/other/prices.py"), "{first:?}");
}

#[test]
fn a_report_whose_title_finds_nothing_is_searched_by_all_of_its_words() {
    let sandbox = Sandbox::with(FILES);
    let body =
        "the checkout shows a wrong total of the cart, which was right before the last release of it\n".repeat(4);
    let answer = sandbox.search(&sandbox.engine(), &format!("ราคาในตะกร้าไม่ถูกต้อง\n\n{body}"));
    assert!(paths(&answer).contains(&"src/shop/web.py"), "{:?}", paths(&answer));
}
