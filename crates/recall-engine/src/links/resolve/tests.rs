//! Each language's imports, on small trees.

use crate::links::paths::{Paths, places};

/// What a target in a file means in a tree.
fn check(tree: &[&str], from: &str, target: &str, expected: &[&str]) {
    let paths = Paths::new(places(tree));
    let from_place = paths.at(from).unwrap_or_else(|| panic!("{from} is not in the tree"));
    let found: Vec<&str> =
        paths.resolve(from_place, target).into_iter().map(|document| paths.place(document).path.as_str()).collect();
    assert_eq!(found, expected, "`{target}` in {from}");
}

#[test]
fn rust_paths_name_modules_below_their_crate() {
    let tree = [
        "crates/recall-core/src/lib.rs",
        "crates/recall-core/src/ids.rs",
        "crates/recall-core/src/rank/mod.rs",
        "crates/recall-core/src/rank/fuse.rs",
        "crates/recall-engine/src/lib.rs",
        "crates/recall-engine/src/search.rs",
        "crates/recall-engine/src/search/expand.rs",
        "crates/recall-engine/tests/support.rs",
        "crates/recall-engine/tests/scopes.rs",
        "xtask/src/main.rs",
    ];
    let check = |from: &str, target: &str, expected: &[&str]| check(&tree, from, target, expected);
    let (core, engine) = ("crates/recall-core/src/rank/fuse.rs", "crates/recall-engine/src/search.rs");
    check(core, "crate::ids::ChunkId", &["crates/recall-core/src/ids.rs"]);
    check(core, "crate::rank", &["crates/recall-core/src/rank/mod.rs"]);
    check(core, "super::Fused", &["crates/recall-core/src/rank/mod.rs"]);
    check(core, "super::super::ids::ChunkId", &["crates/recall-core/src/ids.rs"]);
    check(core, "crate::Generation", &["crates/recall-core/src/lib.rs"]);
    check(engine, "expand::Expanded", &["crates/recall-engine/src/search/expand.rs"]);
    check(engine, "self::expand", &["crates/recall-engine/src/search/expand.rs"]);
    check(engine, "recall_core::rank::fuse::Fused", &["crates/recall-core/src/rank/fuse.rs"]);
    check(engine, "recall_core::Scope", &["crates/recall-core/src/lib.rs"]);
    check("crates/recall-engine/tests/scopes.rs", "support::Sandbox", &["crates/recall-engine/tests/support.rs"]);
    check(engine, "std::sync::Arc", &[]);
    check(engine, "serde::Serialize", &[]);
    check("xtask/src/main.rs", "crate::Generation", &[]);
}

#[test]
fn python_modules_are_dotted_and_relative_ones_begin_with_dots() {
    let tree = [
        "src/app/__init__.py",
        "src/app/store.py",
        "src/app/db/__init__.py",
        "src/app/db/session.py",
        "src/app/db/models.py",
        "scripts/run.py",
        "scripts/tools.py",
        "typings/app/store.pyi",
    ];
    let check = |from: &str, target: &str, expected: &[&str]| check(&tree, from, target, expected);
    let session = "src/app/db/session.py";
    check("scripts/run.py", "app.store", &["src/app/store.py"]);
    check("scripts/run.py", "app.db.session.Session", &["src/app/db/session.py"]);
    check("scripts/run.py", "app.db", &["src/app/db/__init__.py"]);
    check("scripts/run.py", "app", &["src/app/__init__.py"]);
    check("scripts/run.py", "tools", &["scripts/tools.py"]);
    check(session, ".models", &["src/app/db/models.py"]);
    check(session, "..store", &["src/app/store.py"]);
    check(session, "..", &["src/app/__init__.py"]);
    check(session, "....beyond", &[]);
    check(session, "os.path", &[]);
    check(session, "json", &[]);
}

#[test]
fn the_root_may_be_the_package_itself() {
    check(&["store.py", "db/session.py"], "store.py", "app.db.session", &["db/session.py"]);
}

#[test]
fn scripts_name_files_with_and_without_extension() {
    let tree = [
        "src/app.ts",
        "src/lib/store.ts",
        "src/lib/store.test.ts",
        "src/lib/index.ts",
        "src/lib/a.service.ts",
        "src/lib/theme.css",
        "src/components/Button.tsx",
        "packages/core/src/index.ts",
        "packages/core/src/parse.ts",
        "packages/web/index.js",
        "index.js",
    ];
    let check = |from: &str, target: &str, expected: &[&str]| check(&tree, from, target, expected);
    let app = "src/app.ts";
    check(app, "./lib/store", &["src/lib/store.ts"]);
    check(app, "./lib/store.js", &["src/lib/store.ts"]);
    check(app, "./lib", &["src/lib/index.ts"]);
    check(app, "./lib/index.js", &["src/lib/index.ts"]);
    check(app, "./lib/a.service", &["src/lib/a.service.ts"]);
    check(app, "./lib/theme.css?inline", &["src/lib/theme.css"]);
    check("src/lib/store.ts", "..", &[]);
    check("src/lib/store.ts", "../..", &["index.js"]);
    check("src/lib/store.test.ts", "./store", &["src/lib/store.ts"]);
    check(app, "@/components/Button", &["src/components/Button.tsx"]);
    check(app, "@acme/core", &["packages/core/src/index.ts"]);
    check(app, "@acme/core/parse", &["packages/core/src/parse.ts"]);
    check(app, "web", &["packages/web/index.js"]);
    check(app, "react", &[]);
    check(app, "node:path", &[]);
    check(app, "../../outside", &[]);
}

#[test]
fn a_twin_in_another_language_gives_way() {
    check(&["a.js", "b.js", "b.ts"], "a.js", "./b", &["b.ts"]);
    check(&["a.js", "b.js", "b.ts"], "a.js", "./b.js", &["b.js"]);
}

#[test]
fn pages_and_sheets_name_assets() {
    let tree = ["index.html", "js/app.js", "css/site.css", "css/_base.scss", "css/main.scss"];
    let check = |from: &str, target: &str, expected: &[&str]| check(&tree, from, target, expected);
    check("index.html", "js/app.js?v=3", &["js/app.js"]);
    check("index.html", "/css/site.css", &["css/site.css"]);
    check("index.html", "https://example.org/app.js", &[]);
    check("css/main.scss", "base", &["css/_base.scss"]);
}

#[test]
fn classes_are_found_by_their_package() {
    let tree = [
        "app/src/main/java/com/acme/store/Store.java",
        "app/src/main/java/com/acme/store/Entry.java",
        "app/src/test/java/com/acme/store/StoreTest.java",
        "app/src/main/kotlin/net/Client.kt",
        "app/src/main/java/com/acme/App.java",
    ];
    let check = |from: &str, target: &str, expected: &[&str]| check(&tree, from, target, expected);
    let app = "app/src/main/java/com/acme/App.java";
    let store = "app/src/main/java/com/acme/store/Store.java";
    check(app, "com.acme.store.Store", &[store]);
    check(app, "com.acme.store.Store.open", &[store]);
    check(app, "com.acme.store", &["app/src/main/java/com/acme/store/Entry.java", store]);
    check(app, "com.acme.net.Client", &["app/src/main/kotlin/net/Client.kt"]);
    check(app, "java.util.List", &[]);
}

#[test]
fn go_packages_are_directories() {
    let tree =
        ["main.go", "store/store.go", "store/entry.go", "store/store_test.go", "json/x.go", "go/pkg/util/util.go"];
    let check = |from: &str, target: &str, expected: &[&str]| check(&tree, from, target, expected);
    check("main.go", "github.com/acme/app/store", &["store/entry.go", "store/store.go"]);
    check("main.go", "example.com/store", &["store/entry.go", "store/store.go"]);
    check("main.go", "github.com/acme/app/pkg/util", &["go/pkg/util/util.go"]);
    check("main.go", "encoding/json", &[]);
    check("main.go", "fmt", &[]);
    check("main.go", "github.com/acme/app", &[]);
}

#[test]
fn namespaces_are_directories() {
    let tree = ["src/Acme.Store/Index/Reader.cs", "src/Acme.Store/Store.cs", "src/App/Program.cs"];
    let check = |target: &str, expected: &[&str]| check(&tree, "src/App/Program.cs", target, expected);
    check("Acme.Store", &["src/Acme.Store/Store.cs"]);
    check("Acme.Store.Index", &["src/Acme.Store/Index/Reader.cs"]);
    check("System.Text", &[]);
}

#[test]
fn swift_targets_are_directories_of_sources() {
    let tree = ["Sources/Store/Store.swift", "Tests/StoreTests/StoreTests.swift"];
    check(&tree, "Tests/StoreTests/StoreTests.swift", "Store", &["Sources/Store/Store.swift"]);
}

#[test]
fn included_files_are_beside_or_below_a_searched_directory() {
    let tree = ["src/store.c", "src/store.h", "include/acme/store.h", "include/acme/list.h", "lib/store.h"];
    let check = |from: &str, target: &str, expected: &[&str]| check(&tree, from, target, expected);
    check("src/store.c", "store.h", &["src/store.h"]);
    check("src/store.c", "acme/list.h", &["include/acme/list.h"]);
    check("src/store.c", "../lib/store.h", &["lib/store.h"]);
    check("src/store.c", "stdio.h", &[]);
}

#[test]
fn a_name_that_fits_several_files_means_the_nearest() {
    let tree = ["a/main.c", "a/inc/x.h", "b/inc/x.h", "c/main.c"];
    check(&tree, "a/main.c", "x.h", &["a/inc/x.h"]);
    check(&tree, "c/main.c", "x.h", &["a/inc/x.h", "b/inc/x.h"]);
}

#[test]
fn zig_and_shell_name_files() {
    check(&["src/main.zig", "src/store.zig"], "src/main.zig", "store.zig", &["src/store.zig"]);
    check(&["src/main.zig", "src/std.zig"], "src/main.zig", "std", &[]);
    check(&["bin/run.sh", "bin/lib.sh", "etc/env.sh"], "bin/run.sh", "lib.sh", &["bin/lib.sh"]);
    check(&["bin/run.sh", "etc/env.sh"], "bin/run.sh", "/etc/env.sh", &["etc/env.sh"]);
}

#[test]
fn ruby_files_are_below_lib_or_beside() {
    let tree = ["lib/acme/store.rb", "lib/acme.rb", "spec/store_spec.rb", "spec/spec_helper.rb"];
    let check = |from: &str, target: &str, expected: &[&str]| check(&tree, from, target, expected);
    check("spec/store_spec.rb", "acme/store", &["lib/acme/store.rb"]);
    check("spec/store_spec.rb", "acme", &["lib/acme.rb"]);
    check("spec/store_spec.rb", "spec_helper", &["spec/spec_helper.rb"]);
    check("spec/store_spec.rb", "../lib/acme", &["lib/acme.rb"]);
    check("spec/store_spec.rb", "json", &[]);
}

#[test]
fn php_namespaces_stand_for_source_directories() {
    let tree = ["app/Models/User.php", "src/Kernel.php", "public/index.php", "public/boot.php"];
    let check = |target: &str, expected: &[&str]| check(&tree, "public/index.php", target, expected);
    check("App\\Models\\User", &["app/Models/User.php"]);
    check("Acme\\Kernel", &["src/Kernel.php"]);
    check("boot.php", &["public/boot.php"]);
    check("/../src/Kernel.php", &["src/Kernel.php"]);
    check("Vendor\\Thing\\Other", &[]);
}

#[test]
fn lua_elixir_and_haskell_modules_are_paths() {
    check(&["lua/acme/store.lua", "init.lua"], "init.lua", "acme.store", &["lua/acme/store.lua"]);
    check(&["lua/acme/init.lua", "init.lua"], "init.lua", "acme", &["lua/acme/init.lua"]);
    let elixir = ["lib/my_app/accounts/http_client.ex", "lib/my_app.ex"];
    check(&elixir, "lib/my_app.ex", "MyApp.Accounts.HTTPClient", &["lib/my_app/accounts/http_client.ex"]);
    check(&elixir, "lib/my_app/accounts/http_client.ex", "MyApp", &["lib/my_app.ex"]);
    check(&elixir, "lib/my_app.ex", "Ecto.Schema", &[]);
    check(&["src/Data/Store.hs", "app/Main.hs"], "app/Main.hs", "Data.Store", &["src/Data/Store.hs"]);
    check(&["src/Data/Store.hs", "app/Main.hs"], "app/Main.hs", "Data.Map", &[]);
}

#[test]
fn links_lead_to_documents() {
    let tree = ["docs/guide.md", "docs/adr/README.md", "docs/adr/0001-store it.md", "README.md", "src/store.rs"];
    let check = |from: &str, target: &str, expected: &[&str]| check(&tree, from, target, expected);
    let guide = "docs/guide.md";
    check(guide, "adr/0001-store%20it.md", &["docs/adr/0001-store it.md"]);
    check(guide, "adr", &["docs/adr/README.md"]);
    check(guide, "adr/", &["docs/adr/README.md"]);
    check(guide, "../src/store.rs", &["src/store.rs"]);
    check(guide, "src/store.rs", &["src/store.rs"]);
    check(guide, "/README.md", &["README.md"]);
    check("docs/adr/README.md", "../guide", &["docs/guide.md"]);
    check(guide, "%zz", &[]);
    check(guide, "missing.md", &[]);
}

#[test]
fn a_document_never_means_itself() {
    check(&["src/lib.rs"], "src/lib.rs", "crate::Store", &[]);
    check(&["a.ts"], "a.ts", "./a", &[]);
}
