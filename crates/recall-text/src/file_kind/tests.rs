use super::*;

#[track_caller]
fn check_text(path: &str, text: &str, expected: FileKind) {
    let path = DocPath::new(path).expect("plain");
    assert_eq!(FileKind::from_text(&path, None, text, Definitions::Own), expected, "{path}: {text}");
}

#[track_caller]
fn check_path(path: &str, expected: FileKind) {
    assert_eq!(FileKind::from_path(&DocPath::new(path).expect("plain")), expected, "{path}");
}

#[test]
fn the_role_follows_from_the_path() {
    for (path, expected) in [
        ("src/store.rs", FileKind::Main),
        ("src/latest.rs", FileKind::Main),
        ("tests/store.rs", FileKind::Test),
        ("pkg/store_test.go", FileKind::Test),
        ("src/app.spec.ts", FileKind::Test),
        ("src/main/java/StoreTest.java", FileKind::Test),
        ("examples/hello.py", FileKind::Example),
        ("types/index.d.ts", FileKind::Declaration),
        ("api/v1/api.pb.go", FileKind::Generated),
        ("web/jquery.min.js", FileKind::Generated),
        ("package-lock.json", FileKind::Generated),
        ("docs/logo.svg", FileKind::Generated),
        ("dist/index.js", FileKind::Generated),
        ("build/rules.rs", FileKind::Main),
        ("target/rules.rs", FileKind::Main),
        ("vendor/jquery.min.js", FileKind::Vendored),
        ("vendor/github.com/a/b.go", FileKind::Vendored),
        ("third_party/zlib/inflate.c", FileKind::Vendored),
        ("third_party/zlib/test/inflate.c", FileKind::Test),
        ("src/vendor.rs", FileKind::Main),
        ("src/requests/compat.py", FileKind::Compat),
        ("src/py3_compat.py", FileKind::Compat),
        ("src/LegacyStore.java", FileKind::Compat),
        ("src/compat/events.ts", FileKind::Compat),
        ("src/compatible.rs", FileKind::Main),
        ("src/store/mod.rs", FileKind::Main),
    ] {
        check_path(path, expected);
    }
}

#[test]
fn every_file_in_a_tree_of_tests_is_a_test() {
    for path in [
        "test/support/conn_case.ex",
        "test/test_helper.exs",
        "spec/spec_helper.rb",
        "activesupport/test/abstract_unit.rb",
        "tests/conftest.py",
        "tests/fixtures/users.json",
        "pkg/tests/factories.py",
        "src/numeric/core/tests/data.py",
        "src/components/__tests__/setup.ts",
        "src/__mocks__/store.js",
        "pkg/parser/testdata/input.go",
        "app/src/test/java/com/example/Fakes.java",
        "src/test/resources/users.json",
        "core/src/jvmTest/kotlin/Fakes.kt",
        "app/src/androidTest/java/Robot.java",
        "src/Symfony/Component/Form/Tests/Fixtures/Author.php",
        "src/Store.UnitTests/Fakes.cs",
        "Tests/StoreTests/Fakes.swift",
        "crates/store/benches/open.rs",
        "e2e/pages/login.ts",
        "tests/README.md",
    ] {
        check_text(path, "", FileKind::Test);
        check_path(path, FileKind::Test);
    }
}

#[test]
fn names_reserved_for_tests_need_no_look_at_the_text() {
    for path in ["pkg/store/export_test.go", "lib/store/store_test.exs", "src/store/conftest.py", "lib/store.bats"] {
        check_text(path, "", FileKind::Test);
        check_path(path, FileKind::Test);
    }
}

#[test]
fn names_of_tests_in_other_languages_do_not_count() {
    for path in [
        "lib/phoenix/test/conn_test.ex",
        "lib/store/testing.ex",
        "mix.exs",
        "test_server.go",
        "pkg/testing/fake.go",
        "internal/mocks/store.go",
        "lib/std/testing.zig",
        "starlette/testclient.py",
        "serde_test/src/de.rs",
        "lib/rack/mock.rb",
        "src/latest.js",
        "docs/testing/fixtures.md",
        "test_plan.md",
    ] {
        check_text(path, "", FileKind::Main);
        check_path(path, FileKind::Main);
    }
}

#[test]
fn a_file_named_like_a_test_is_one_if_it_defines_tests() {
    for (path, text) in [
        ("src/store/test_open.py", "import pytest\n\nasync def test_open(store):\n    assert store\n"),
        ("store/tests.py", "class StoreTests(TestCase):\n    def testOpen(self):\n        pass\n"),
        ("django/test/open.py", "def test_open():\n    pass\n"),
        ("src/store/tests.rs", "use super::*;\n\n#[test]\nfn opens() {}\n"),
        (
            "src/store_test.rs",
            "pub(crate) fn store() {}\n\n#[tokio::test(flavor = \"multi_thread\")]\nasync fn opens() {}\n",
        ),
        ("src/tests.rs", "#[cfg(test)]\nmod tests {\n    #[test]\n    fn opens() {}\n}\n"),
        ("lib/store_spec.rb", "require 'store'\n\nRSpec.describe Store do\n  it { is_expected.to be }\nend\n"),
        ("lib/store/test_open.rb", "class TestOpen < Minitest::Test\n  def test_open\n  end\nend\n"),
        ("lib/rails/store_test.rb", "class StoreTest < ActiveSupport::TestCase\n  test \"opens\" do\n  end\nend\n"),
        ("src/store.test.ts", "import { open } from './store';\n\ndescribe('store', () => {\n});\n"),
        ("src/store.spec.js", "test.only('opens', async () => {});\n"),
        ("src/store-test.js", "describe(Store, () => {\n  it(`opens`, () => {});\n});\n"),
        ("lib/store_test.dart", "void main() {\n  group('store', () {});\n}\n"),
        ("src/main/java/StoreTest.java", "class StoreTest {\n    @Test\n    void opens() {}\n}\n"),
        ("src/main/kotlin/StoreTests.kt", "class StoreTests : FunSpec({\n})\n"),
        ("src/main/scala/StoreSuite.scala", "final class StoreSuite\n    extends munit.FunSuite {\n}\n"),
        ("src/Store/StoreTests.cs", "public class StoreTests\n{\n    [Fact]\n    public void Opens() {}\n}\n"),
        ("src/StoreTests.fs", "[<Test>]\nlet opens () = ()\n"),
        ("Sources/Store/StoreTests.swift", "@MainActor final class StoreTests: XCTestCase {\n}\n"),
        ("Sources/Store/StoreTest.swift", "@Test func opens() {}\n"),
        (
            "src/StoreTest.php",
            "final class StoreTest extends TestCase\n{\n    public function testOpens(): void {}\n}\n",
        ),
        ("src/Store/Test/StoreTest.php", "class StoreTest\n{\n    #[Test]\n    public function opens() {}\n}\n"),
        ("src/OpenTest.php", "class OpenTest\n{\n    /** @test */\n    public function opens() {}\n}\n"),
        ("src/store_test.cc", "#include <gtest/gtest.h>\n\nTEST_F(Store, Opens) {\n}\n"),
        ("src/test_store.c", "int main(void) {\n    return 0;\n}\n"),
        ("src/store/StoreTests.m", "@interface StoreTests : XCTestCase\n@end\n"),
        ("lua/store_spec.lua", "describe(\"store\", function()\nend)\n"),
        ("src/StoreSpec.hs", "module StoreSpec (spec) where\n\nspec :: Spec\nspec = pure ()\n"),
        ("lib/store/test.zig", "const std = @import(\"std\");\n\ntest \"opens\" {\n}\n"),
        ("lib/test_store.sh", "test_open() {\n  true\n}\n"),
    ] {
        check_text(path, text, FileKind::Test);
        check_path(path, FileKind::Test);
    }
}

#[test]
fn support_for_tests_of_other_projects_is_not_a_test() {
    for (path, text) in [
        (
            "django/test/client.py",
            "class Client:\n    \"\"\"\n    def test_it(): ...\n    \"\"\"\n    def get(self): pass\n",
        ),
        ("django/test/testcases.py", "class SimpleTestCase(unittest.TestCase):\n    def assertContains(self): pass\n"),
        ("numpy/testing/utils.py", "def assert_close(a, b):\n    pass\n"),
        ("src/store/test_client.py", "class TestClient(httpx.Client):\n    def get(self): pass\n"),
        (
            "actix/src/test/request.rs",
            "pub struct TestRequest;\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn is_sent() {}\n}\n",
        ),
        ("src/test.rs", "//! ```\n//! #[test]\n//! fn opens() {}\n//! ```\npub fn store() {}\n"),
        ("lib/active_support/testing/assertions.rb", "#   test \"opens\" do\ndef assert_difference(name)\nend\n"),
        ("lib/active_support/test_case.rb", "class TestCase < ::Minitest::Test\n  def test_order\n  end\nend\n"),
        ("lib/minitest/test.rb", "class Test < Runnable\n  def test_order\n  end\nend\n"),
        ("packages/core/testing/src/bed.ts", "export class Bed {\n  it(name: string) {\n  }\n}\n"),
        ("src/main/java/org/junit/Test.java", "/**\n * @Test\n */\npublic @interface Test {\n}\n"),
        ("src/main/scala/FunSuite.scala", "abstract class FunSuite\n    extends BaseSuite {\n}\n"),
        ("src/main/scala/WrapperSuite.scala", "class WrapperSuite(clazz: Class[_]) extends Suite {\n}\n"),
        ("src/main/java/org/springframework/test/Mvc.java", "public class Mvc {\n}\n"),
        ("src/Mvc/TestTools/HostTests.cs", "/// [Fact]\npublic class HostTests\n{\n}\n"),
        ("Sources/Kit/Test.swift", "open class StoreTestCase: XCTestCase {\n}\n"),
        ("src/Monolog/Test/TestCase.php", "class TestCase extends Base\n{\n    public function testRecord() {}\n}\n"),
        ("include/check/unit_test.h", "#define TEST(name) void name()\nvoid run(void);\n"),
        ("lib/store/test.lua", "-- describe(\"x\")\nfunction store.open()\nend\n"),
        ("src/Test/QuickCheck.hs", "describe :: String -> Property\ndescribe = undefined\n"),
        ("Test/Hspec.hs", "hspec :: Spec -> IO ()\nhspec = undefined\n"),
        ("lib/std/testing/allocator.zig", "pub fn create() void {}\n\ntest \"creates\" {\n}\n"),
        ("scripts/test.sh", "cargo test --workspace\n"),
        ("config/environments/test.rb", "Rails.application.configure do\nend\n"),
    ] {
        check_text(path, text, FileKind::Main);
    }
}

#[test]
fn the_path_decides_if_the_language_is_unknown() {
    for path in ["src/test/open.jl", "lib/store_test.ml", "config/test.yml"] {
        check_text(path, "", FileKind::Test);
        check_path(path, FileKind::Test);
    }
}

#[test]
fn the_language_counts_for_more_than_the_extension() {
    let path = DocPath::new("bin/test_open").expect("plain");
    let kind = |text| FileKind::from_text(&path, Some(&Language::from_static("python")), text, Definitions::Own);
    assert_eq!(kind("def test_open(): pass\n"), FileKind::Test);
    assert_eq!(kind("def main(): pass\n"), FileKind::Main);
}

#[test]
fn a_marked_file_of_no_other_kind_is_generated() {
    let mark = "// Code generated by mockery. DO NOT EDIT.\npackage store\n";
    check_text("internal/mocks/store.go", mark, FileKind::Generated);
    check_text("store_test.go", mark, FileKind::Test);
    check_text("examples/store.go", mark, FileKind::Example);
    check_text("vendor/a/store.go", mark, FileKind::Vendored);
    check_text("legacy/store.go", mark, FileKind::Compat);
    check_path("internal/mocks/store.go", FileKind::Main);
}

#[test]
fn prose_and_notebooks_are_never_generated() {
    let mark = "<!-- Code generated by a tool. DO NOT EDIT. -->\n";
    let kind = |path, language| {
        let path = DocPath::new(path).expect("plain");
        FileKind::from_text(&path, Some(&Language::from_static(language)), mark, Definitions::Own)
    };
    assert_eq!(kind("api.md", "markdown"), FileKind::Main);
    assert_eq!(kind("api.ipynb", "jupyter"), FileKind::Main);
    assert_eq!(kind("api.xml", "xml"), FileKind::Generated);
}

#[test]
fn the_tag_that_silences_analysers_does_not_make_a_file_generated() {
    check_text("src/Store.cs", "// <auto-generated />\nclass Store {}\n", FileKind::Main);
    check_text("src/Store.cs", "// <auto-generated>\n// This code was generated by a tool.\n", FileKind::Generated);
}
