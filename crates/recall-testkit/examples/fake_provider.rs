//! The fake server of models as a program, for clients in other languages.
//!
//! Writes its address to standard output, and ends with its standard input.

use std::io::{Read as _, Write as _, stdin, stdout};

use recall_testkit::{FakeProvider, FakeRules};

fn main() {
    let key = Some("sk-right".to_owned());
    let fake = FakeProvider::start(FakeRules { key, dimensions: 16, longest_text: 2_000, ..FakeRules::default() });
    writeln!(stdout(), "{}", fake.address()).expect("standard output is open");
    let mut input = String::new();
    // An error ends it too.
    let _ = stdin().read_to_string(&mut input);
}
