//! Recognition of test definitions in a text, one function per language, in its lines of code without comments and
//! multi-line strings.
//!
//! The functions are called only for files that may be tests by their paths. They need not distinguish tests from all
//! other code, only from code that supports testing.
//!
//! Works line by line without parsing: a comment or string that starts in the middle of a line may be missed.

use crate::language::syntaxes::{self, Syntax};

/// `def test_open`, `def testOpen`. A class alone does not define a test: `class TestClient`, `class
/// TestCase(unittest.TestCase)`.
pub(super) fn python(text: &str) -> bool {
    any(text, &syntaxes::PYTHON, |line| {
        let line = line.strip_prefix("async ").unwrap_or(line);
        line.strip_prefix("def test").is_some_and(|rest| rest.starts_with('_') || begins_capital(rest))
    })
}

/// `#[test]`, `#[tokio::test]`, `#[rstest]`, `proptest! {`. A module of tests after other definitions does not make the
/// file a test.
pub(super) fn rust(text: &str) -> bool {
    const ATTRIBUTES: &[&str] =
        &["test", "rstest", "test_case", "bench", "quickcheck", "proptest", "wasm_bindgen_test"];
    const OTHERS: &[&str] = &["#![cfg(test)]", "proptest! {", "criterion_main!(", "divan::main("];
    const GUARD: &str = "#[cfg(test)]";
    const DEFINITIONS: &[&str] =
        &["pub ", "pub(", "fn ", "struct ", "enum ", "trait ", "impl", "const ", "static ", "type ", "macro_rules!"];

    let is_test = |line: &str| {
        let attribute = line.strip_prefix("#[").map(|rest| path(rest, ':'));
        attribute.is_some_and(|name| ATTRIBUTES.contains(&name)) || begins_with_any(line, OTHERS)
    };
    let (mut defines, mut is_guarded) = (false, false);
    let mut lines = code_lines(text, &syntaxes::RUST);
    while let Some(line) = lines.next() {
        let code = line.trim_start();
        if is_test(code) {
            return true;
        }
        let item = code.strip_prefix(GUARD).map_or(code, str::trim_start);
        is_guarded |= item.len() < code.len();
        if is_guarded && item.starts_with("mod ") && item.contains('{') {
            return !defines && lines.any(|line| is_test(line.trim_start()));
        }
        is_guarded &= item.is_empty() || item.starts_with("#[");
        defines |= begins_with_any(line, DEFINITIONS);
    }
    false
}

/// `describe Store do`, `it "opens" do`, `test "opens" do`; `def test_open` in a class with the name of a test.
pub(super) fn ruby(text: &str) -> bool {
    const BLOCKS: &[&str] =
        &["describe", "context", "it", "specify", "test", "should", "scenario", "feature", "example"];
    let is_block = |line: &str| {
        let line = line.strip_prefix("RSpec.").unwrap_or(line);
        after_any(line, BLOCKS).is_some_and(|rest| {
            let titled = rest.strip_prefix([' ', '(']).map_or("", str::trim_start);
            titled.starts_with(['"', '\'', '{']) || titled == "do" || begins_capital(titled) && titled.ends_with("do")
        })
    };
    let is_class = |line: &str| declared_class(line).is_some_and(is_named_as_test);
    any(text, &syntaxes::RUBY, is_block)
        || any(text, &syntaxes::RUBY, is_class) && any(text, &syntaxes::RUBY, |line| line.starts_with("def test_"))
}

/// `describe('…')`, `it('…')`, `test('…')`, `test.only(…)`, `Deno.test(…)`, `group('…')`. Declarations of such
/// functions do not match.
pub(super) fn javascript(text: &str) -> bool {
    const CALLS: &[&str] = &[
        "describe",
        "it",
        "test",
        "suite",
        "context",
        "specify",
        "bench",
        "tape",
        "scenario",
        "group",
        "testWidgets",
        "xit",
        "fit",
        "xdescribe",
        "fdescribe",
    ];
    const MEMBERS: &[&str] = &["only", "skip", "each", "concurrent", "todo", "describe", "serial", "failing", "fails"];
    const OTHERS: &[&str] =
        &["QUnit.", "Deno.test(", "Deno.bench(", "tap.test(", "t.test(", "tester.run(", "ruleTester.run("];

    any(text, &syntaxes::JAVASCRIPT, |line| {
        let line = line.strip_prefix("await ").unwrap_or(line);
        let is_call = after_any(line, CALLS).is_some_and(|rest| match rest.as_bytes().first() {
            Some(b'.') => MEMBERS.contains(&path(&rest[1..], '(')),
            Some(b'(') => is_title(rest[1..].trim_start()),
            _ => false,
        });
        is_call || begins_with_any(line, OTHERS)
    })
}

/// Whether arguments begin with the title of a test: a string, a class, or anything on the next line.
fn is_title(arguments: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    arguments.is_empty()
        || arguments.starts_with(['"', '\'', '`'])
        || begins_capital(arguments) && arguments.trim_start_matches(is_name).starts_with(',')
}

/// `@Test`, `@ParameterizedTest`; `class StoreSpec extends AnyFunSuite`, `class StoreTests : FunSpec({`. A class or
/// trait that is meant to be extended does not match.
pub(super) fn java(text: &str) -> bool {
    const ANNOTATIONS: &[&str] =
        &["Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Property", "Benchmark"];
    const BASES: &[&str] = &["Suite", "Spec", "TestCase", "Specification", "SpecDefault", "Properties"];
    /// The base classes of the test styles themselves.
    const ROOTS: &[&str] = &["Suite", "Spec"];

    let mut is_concrete = false;
    any(text, &syntaxes::JAVA, |line| {
        if line.strip_prefix('@').is_some_and(|rest| ANNOTATIONS.contains(&path(rest, '.'))) {
            return true;
        }
        if ["class ", "object ", "trait ", "interface "].iter().any(|word| line.contains(word)) {
            is_concrete = !["abstract ", "open ", "trait ", "interface "].iter().any(|word| line.contains(word));
        }
        // The base of a Scala class may be on a line of its own.
        let extended =
            line.split_once("extends ").or_else(|| line.split_once(" : ").filter(|_| line.contains("class ")));
        let base = extended.map(|(_, base)| path(base.trim_start(), '.'));
        is_concrete
            && base.is_some_and(|base| BASES.iter().any(|ending| base.ends_with(ending)) && !ROOTS.contains(&base))
    })
}

/// `[Fact]`, `[Theory]`, `[Test]`, `[TestMethod]`, `[<Test>]`.
pub(super) fn csharp(text: &str) -> bool {
    const ATTRIBUTES: &[&str] = &["Test", "TestCase", "TestCaseSource", "TestMethod", "DataTestMethod", "Benchmark"];
    any(text, &syntaxes::CSHARP, |line| {
        let attribute = line.strip_prefix('[').map(|rest| path(rest.trim_start_matches('<'), '.'));
        attribute.is_some_and(|name| ATTRIBUTES.contains(&name) || name.ends_with("Fact") || name.ends_with("Theory"))
    })
}

/// `@Test`, `@Suite`, `class StoreTests: XCTestCase`. A class named `StoreTestCase` is a base class and does not match.
pub(super) fn swift(text: &str) -> bool {
    any(text, &syntaxes::KOTLIN, |line| {
        let attribute = line.strip_prefix('@').map(|rest| path(rest, '.'));
        let class = declared_class(line).filter(|name| !name.ends_with("TestCase"));
        let is_case = ["XCTestCase", "QuickSpec", "AsyncSpec"].iter().any(|base| line.contains(base));
        matches!(attribute, Some("Test" | "Suite")) || class.is_some() && is_case
    })
}

/// `function testOpen`, `@test` or `#[Test]` in a class with the name of a test; `it('…')`, `test('…')`.
pub(super) fn php(text: &str) -> bool {
    let is_class =
        |line: &str| declared_class(line).is_some_and(|name| is_named_as_test(name) || name.ends_with("Spec"));
    let is_method = |line: &str| {
        let name = line.split_once("function ").map_or("", |(_, name)| name);
        let is_test = |rest: &str| begins_capital(rest) || rest.starts_with('_');
        name.strip_prefix("test").is_some_and(is_test) || name.starts_with("it_")
    };
    // An annotation is inside a comment, and an attribute looks like one.
    let is_annotated = |line: &str| {
        let line = line.trim_start();
        if let Some(attribute) = line.strip_prefix("#[") {
            return path(attribute.trim_start_matches('\\'), '\\') == "Test";
        }
        let comment = line.trim_start_matches(['/', '*']).trim();
        comment.strip_prefix("@test").is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '*']))
    };
    let is_call = |line: &str| {
        after_any(line, &["it", "test", "describe"])
            .and_then(|rest| rest.strip_prefix('('))
            .is_some_and(|title| title.starts_with(['"', '\'']))
    };
    any(text, &syntaxes::PHP, is_call)
        || any(text, &syntaxes::PHP, is_class)
            && (any(text, &syntaxes::PHP, is_method) || text.lines().any(is_annotated))
}

/// `TEST(`, `TEST_F(`, `BOOST_AUTO_TEST_CASE(`, `SECTION(`, `int main(`, `@interface StoreTests : XCTestCase`.
pub(super) fn c(text: &str) -> bool {
    const OTHERS: &[&str] = &["SECTION", "SCENARIO", "BENCHMARK", "QTEST_MAIN"];
    any(text, &syntaxes::C, |line| {
        let is_macro_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let name = &line[..line.find(|c| !is_macro_name(c)).unwrap_or(line.len())];
        let is_call = line[name.len()..].trim_start().starts_with('(');
        is_call && (OTHERS.contains(&name) || name.split('_').any(|part| part == "TEST"))
            || begins_with_any(line, &["int main(", "int main (", "main(", "auto main("])
            || line.starts_with("@interface") && line.contains("XCTestCase")
    })
}

/// `describe("…")`, `it("…")`, `function TestStore:testOpen()`, `local function test_open()`.
pub(super) fn lua(text: &str) -> bool {
    any(text, &syntaxes::LUA, |line| {
        let titled =
            after_any(line, &["describe", "it", "test", "context"]).map(|rest| rest.trim_start_matches([' ', '(']));
        let function = line.strip_prefix("local ").unwrap_or(line).strip_prefix("function ");
        titled.is_some_and(|title| title.starts_with(['"', '\'']) || title.starts_with("[["))
            || function.is_some_and(|name| name.starts_with("Test") || name.starts_with("test"))
    })
}

/// `spec ::`, `main = hspec`, `describe "…"`, `testCase "…"`, `prop_reverse ::`.
pub(super) fn haskell(text: &str) -> bool {
    const CALLS: &[&str] = &["describe", "context", "it", "prop", "testCase", "testGroup", "testProperty"];
    code_lines(text, &syntaxes::HASKELL).any(|line| {
        let code = line.trim_start().trim_start_matches(['[', ',', ' ']);
        begins_with_any(line, &["spec ::", "prop_", "main = hspec", "main = defaultMain"])
            || after_any(code, CALLS).is_some_and(|rest| rest.starts_with(" \""))
    })
}

/// `test "opens" {` in a file without public definitions.
pub(super) fn zig(text: &str) -> bool {
    let is_test = |line: &str| line.strip_prefix("test ").is_some_and(|rest| rest.contains('{'));
    !code_lines(text, &syntaxes::ZIG).any(|line| line.starts_with("pub "))
        && code_lines(text, &syntaxes::ZIG).any(is_test)
}

/// `test_open() {`, `function test_open`, `testOpen() {`, `Describe '…'`, `It '…'`.
pub(super) fn shell(text: &str) -> bool {
    any(text, &syntaxes::BASH, |line| {
        let name = line.strip_prefix("function ").unwrap_or(line);
        let is_function = name.len() < line.len() || name.contains("()");
        let is_test = name.strip_prefix("test").is_some_and(|rest| rest.starts_with('_') || begins_capital(rest));
        is_function && is_test
            || after_any(line, &["Describe", "It"])
                .is_some_and(|rest| rest.starts_with(" \"") || rest.starts_with(" '"))
    })
}

/// Whether a line of code, without its indentation, satisfies the predicate.
fn any(text: &str, syntax: &'static Syntax, mut mark: impl FnMut(&str) -> bool) -> bool {
    code_lines(text, syntax).any(|line| mark(line.trim_start()))
}

fn begins_with_any(line: &str, beginnings: &[&str]) -> bool {
    beginnings.iter().any(|beginning| line.starts_with(beginning))
}

/// Returns what follows the first of the words that the line begins with as a whole word.
fn after_any<'a>(line: &'a str, words: &[&str]) -> Option<&'a str> {
    words.iter().find_map(|word| line.strip_prefix(word).filter(|rest| !rest.starts_with(is_of_name)))
}

/// Returns the last part of the path at the beginning of a text: `test` of `tokio::test(flavor)`.
fn path(text: &str, separator: char) -> &str {
    let end = text.find(|c| !is_of_name(c) && c != separator).unwrap_or(text.len());
    text[..end].rsplit(separator).find(|part| !part.is_empty()).unwrap_or_default()
}

/// Returns the name of the class that a line declares.
fn declared_class(line: &str) -> Option<&str> {
    let (modifiers, rest) = line.split_once("class ")?;
    let is_modifier = |c: char| c.is_ascii_alphabetic() || matches!(c, ' ' | '@');
    modifiers.chars().all(is_modifier).then(|| &rest[..rest.find(|c| !is_of_name(c)).unwrap_or(rest.len())])
}

/// Whether a class has the name of a test: `StoreTest`, `StoreTests`, `TestStore`, but not `Test` or `TestCase`, which
/// are base classes.
fn is_named_as_test(class: &str) -> bool {
    class != "Test" && class.ends_with("Test")
        || class.ends_with("Tests")
        || class.strip_prefix("Test").is_some_and(|rest| begins_capital(rest) && !rest.ends_with("Case"))
}

fn begins_capital(text: &str) -> bool {
    text.starts_with(|c: char| c.is_uppercase())
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The shortest mark of a string that is counted: `"""`. Shorter ones also stand in characters and comments.
const MARK_BYTES: usize = 3;

/// Returns the lines of code, unchanged.
pub(super) fn code_lines<'a>(text: &'a str, syntax: &'static Syntax) -> impl Iterator<Item = &'a str> {
    let mut end: Option<&str> = None;
    text.lines().filter(move |line| {
        if let Some(waited_for) = end {
            if line.contains(waited_for) {
                end = None;
            }
            return false;
        }
        let code = line.trim_start();
        if let Some((sign, last)) = syntax.block_comments.iter().find(|(sign, _)| code.starts_with(sign)) {
            end = (!code[sign.len()..].contains(last)).then_some(*last);
            return false;
        }
        if syntax.line_comments.iter().any(|sign| code.starts_with(sign)) {
            return false;
        }
        let mut marks = syntax.quotes.iter().filter(|quote| quote.open == quote.close).map(|quote| quote.close);
        end = marks.find(|mark| mark.len() >= MARK_BYTES && line.matches(mark).count() % 2 == 1);
        true
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::syntaxes::JAVA;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(code_lines(text, &JAVA).collect::<Vec<_>>(), expected, "{text:?}");
    }

    #[test]
    fn comments_and_multi_line_strings_are_skipped() {
        check("a\n // b\n/* c */\n/*\nd\n*/\ne\n", &["a", "e"]);
        check("x = \"\"\"\nb\n\"\"\"\nc\n", &["x = \"\"\"", "c"]);
        check("x = \"\"\"one line\"\"\"\nc\n", &["x = \"\"\"one line\"\"\"", "c"]);
        check("/* never closed\na\n", &[]);
    }

    #[test]
    fn a_comment_sign_in_the_middle_of_a_line_is_ignored() {
        check("glob(\"src/**/*.ts\")\na\n", &["glob(\"src/**/*.ts\")", "a"]);
        check("// a \"\"\" in a comment\na\n", &["a"]);
    }
}
