//! Scans of trees: which files are found.

#![expect(clippy::unwrap_used, reason = "a test's failure is a panic")]

use std::fs;
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use recall_text::DocPath;
use recall_watch::Depth::{self, Flat, Recursive};
use recall_watch::IgnoreRules::{self, Honour, PassOver};
use recall_watch::{Addition, Rules, Scan, ScanError, SizeLimits, SkipReason, scan};
use tempfile::TempDir;

/// Creates a root with these files, each with a short text.
fn tree(files: &[&str]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    for path in files {
        write(root.path(), path, "text\n");
    }
    root
}

fn write(root: &Path, path: &str, content: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn threads(number: usize) -> NonZero<usize> {
    NonZero::new(number).unwrap()
}

fn scan_all(root: &Path, rules: &Rules) -> Scan {
    scan(root, rules, threads(2), &AtomicBool::new(false)).unwrap()
}

fn check(root: &Path, rules: &Rules, expected: &[&str]) {
    let scan = scan_all(root, rules);
    let found: Vec<&str> = scan.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(found, expected);
}

fn path(text: &str) -> DocPath {
    DocPath::new(text).unwrap()
}

#[test]
fn without_configuration_the_projects_own_text_is_found() {
    let root = tree(&[
        "README.md",
        "Cargo.toml",
        "src/build/plan.rs",
        "src/lib.rs",
        "src/node_modules/x.js",
        "target/debug/x.rs",
        "part/Cargo.toml",
        "part/target/x.rs",
        "part/src/target/mod.rs",
        "vendor/a.go",
        "dist/a.js",
        "build/a.js",
        ".git/config",
        ".github/workflows/ci.yml",
        ".venv/lib/a.py",
        ".editorconfig",
        ".env",
        ".env.example",
        "keys/id_rsa",
        "keys/id_rsa.pub",
        "Cargo.lock",
        "logo.png",
        ".recall/recall.toml",
        ".recall/index/catalog.db",
        ".recall/sessions/1/events.jsonl",
        ".recall/2026-11-20/memories.jsonl",
        ".recall/history/one.md",
        "part/.recall/history/two.md",
    ]);
    check(
        root.path(),
        &Rules::default(),
        &[
            ".editorconfig",
            ".env.example",
            ".github/workflows/ci.yml",
            ".recall/history/one.md",
            "Cargo.toml",
            "README.md",
            "keys/id_rsa.pub",
            "part/Cargo.toml",
            "part/src/target/mod.rs",
            "src/build/plan.rs",
            "src/lib.rs",
        ],
    );
    let skipped: Vec<_> =
        scan_all(root.path(), &Rules::default()).skipped.into_iter().map(|file| (file.path, file.reason)).collect();
    assert_eq!(
        skipped,
        [
            (".env".to_owned(), SkipReason::Secret),
            ("Cargo.lock".to_owned(), SkipReason::LockFile),
            ("keys/id_rsa".to_owned(), SkipReason::Secret),
            ("logo.png".to_owned(), SkipReason::Binary),
        ]
    );
}

#[test]
fn ignore_files_apply_without_git_and_negations_reinclude() {
    let root =
        tree(&["a.log", "keep.log", "sub/a.log", "sub/deep/b.tmp", "sub/deep/c.rs", "vendor/a.go", ".idea/x.xml"]);
    write(root.path(), ".gitignore", "*.log\n!keep.log\n");
    write(root.path(), "sub/.ignore", "*.tmp\n");
    write(root.path(), "sub/deep/.gitignore", "!b.tmp\n");
    write(root.path(), ".recallignore", "!vendor/\n!/sub/a.log\n");
    check(
        root.path(),
        &Rules::default(),
        &[
            ".gitignore",
            ".recallignore",
            "keep.log",
            "sub/.ignore",
            "sub/a.log",
            "sub/deep/.gitignore",
            "sub/deep/c.rs",
            "vendor/a.go",
        ],
    );
}

#[test]
fn a_whitelisting_gitignore_does_not_reinclude_tool_output() {
    let root = tree(&["src/a.rs", "src/a.txt", "node_modules/b.rs", ".cache/c.rs"]);
    write(root.path(), ".gitignore", "*\n!*/\n!*.rs\n");
    check(root.path(), &Rules::default(), &["src/a.rs"]);
}

#[test]
fn a_nested_repository_is_reported_and_not_listed() {
    let root =
        tree(&["a.rs", "libs/x/b.rs", "libs/x/.git/HEAD", ".git/modules/sub/HEAD", "sub/c.rs", "not/.git/config"]);
    write(root.path(), "sub/.git", "gitdir: ../.git/modules/sub\n");
    write(root.path(), "not/d.rs", "a folder named .git is not a repository\n");
    check(root.path(), &Rules::default(), &["a.rs", "not/d.rs"]);
    let skipped = |rules: &Rules| {
        let scan = scan_all(root.path(), rules);
        scan.skipped.iter().map(|skipped| (skipped.path.clone(), skipped.reason.as_str())).collect::<Vec<_>>()
    };
    let repository = |path: &str| (path.to_owned(), "repository");
    assert_eq!(skipped(&Rules::default()), [repository("libs/x"), repository("sub")]);
    assert_eq!(skipped(&Rules { exclude: vec!["libs".to_owned()], ..Rules::default() }), [repository("sub")]);
    let named = Addition {
        path: Some(path("libs/x")),
        depth: Recursive,
        globs: Vec::new(),
        ignore: Vec::new(),
        ignore_rules: Honour,
    };
    check(root.path(), &Rules { additions: vec![named], ..Rules::default() }, &["a.rs", "libs/x/b.rs", "not/d.rs"]);
}

#[test]
fn a_worktree_inside_the_root_is_not_a_second_copy() {
    let root = tree(&["src/a.rs", "trees/w/src/a.rs", "module/src/b.rs"]);
    write(root.path(), "trees/w/.git", "gitdir: ../../.git/worktrees/w\n");
    write(root.path(), "module/.git", "gitdir: ../.git/modules/module\n");
    check(root.path(), &Rules::default(), &["module/src/b.rs", "src/a.rs"]);
}

#[test]
fn the_worktrees_next_to_a_bare_repository_are_repositories_of_their_own() {
    for bare in [".git", ".bare"] {
        let root = tree(&["notes.md", "left/a.rs", "right/src/a.rs"]);
        if bare != ".git" {
            write(root.path(), ".git", &format!("gitdir: ./{bare}\n"));
        }
        for file in ["HEAD", "objects/info/a.txt", "refs/heads/b.txt", "worktrees/left/HEAD", "worktrees/right/HEAD"] {
            write(root.path(), &format!("{bare}/{file}"), "ref: refs/heads/left\n");
        }
        for worktree in ["left", "right"] {
            write(root.path(), &format!("{worktree}/.git"), &format!("gitdir: ../{bare}/worktrees/{worktree}\n"));
        }
        check(root.path(), &Rules::default(), &["notes.md"]);
        let scan = scan_all(root.path(), &Rules::default());
        let skipped: Vec<_> = scan.skipped.iter().map(|skipped| skipped.path.as_str()).collect();
        assert_eq!(skipped, ["left", "right"], "{bare}");
    }
}

#[test]
fn include_narrows_exclude_removes_and_a_removal_overrides_both() {
    let root = tree(&["a.rs", "a.md", "docs/b.md", "docs/drafts/c.md", "src/d.rs", "src/gen/e.rs", "ignored/f.rs"]);
    write(root.path(), ".ignore", "ignored\n");
    let globs = |globs: &[&str]| globs.iter().map(|&glob| glob.to_owned()).collect::<Vec<_>>();
    for (include, exclude, removals, expected) in [
        (&["*.rs"][..], &[][..], &[][..], &["a.rs", "src/d.rs", "src/gen/e.rs"][..]),
        (&["src"], &[], &[], &["src/d.rs", "src/gen/e.rs"]),
        (&["src/**"], &["gen/"], &[], &["src/d.rs"]),
        (&["/src/*.rs"], &[], &[], &["src/d.rs"]),
        (&["docs/**", "!docs/drafts/**"], &[], &[], &["docs/b.md"]),
        (&["ignored"], &[], &[], &[]),
        (&[], &["*.md", "src", ".ignore"], &[], &["a.rs"]),
        (&["*.md"], &[], &["docs/drafts", "a.md"], &["docs/b.md"]),
    ] {
        let rules = Rules {
            include: globs(include),
            exclude: globs(exclude),
            removals: removals.iter().map(|removed| path(removed)).collect(),
            ..Rules::default()
        };
        check(root.path(), &rules, expected);
    }
}

#[test]
fn an_added_path_is_found_despite_other_rules() {
    let root = tree(&[
        "vendor/lib/a.go",
        "vendor/lib/deep/b.go",
        "vendor/lib/deep/c.md",
        "vendor/lib/.hidden/d.go",
        "vendor/lib/secret.pem",
        "vendor/other/e.go",
        "logs/today.log",
        ".recall/index/x.md",
    ]);
    write(root.path(), ".gitignore", "*.log\nd*.md\n.gitignore\n");
    let add = |at: &str, depth: Depth, globs: &[&str], ignore_rules: IgnoreRules| Addition {
        path: (!at.is_empty()).then(|| path(at)),
        depth,
        globs: globs.iter().map(|&glob| glob.to_owned()).collect(),
        ignore: Vec::new(),
        ignore_rules,
    };
    for (addition, expected) in [
        (
            add("vendor/lib", Recursive, &[], Honour),
            &["vendor/lib/a.go", "vendor/lib/deep/b.go", "vendor/lib/deep/c.md"][..],
        ),
        (add("vendor/lib", Flat, &[], Honour), &["vendor/lib/a.go"]),
        (add("vendor/lib", Recursive, &["*.md"], Honour), &["vendor/lib/deep/c.md"]),
        (add("vendor/lib", Recursive, &["/deep/*.go"], Honour), &["vendor/lib/deep/b.go"]),
        (add("vendor/lib", Recursive, &["*.{md,txt}", "/*.go"], Honour), &["vendor/lib/a.go", "vendor/lib/deep/c.md"]),
        (add("vendor/lib", Recursive, &["deep"], Honour), &["vendor/lib/deep/b.go", "vendor/lib/deep/c.md"]),
        (add("vendor/lib/.hidden", Recursive, &[], Honour), &["vendor/lib/.hidden/d.go"]),
        (
            add("vendor/lib", Recursive, &["*.go"], PassOver),
            &["vendor/lib/.hidden/d.go", "vendor/lib/a.go", "vendor/lib/deep/b.go"],
        ),
        (add("logs/today.log", Recursive, &[], Honour), &["logs/today.log"]),
        (add("logs", Recursive, &[], Honour), &[]),
        (add("logs", Recursive, &[], PassOver), &["logs/today.log"]),
        (add("", Recursive, &["*.log"], PassOver), &["logs/today.log"]),
        (add("vendor/lib/secret.pem", Recursive, &[], PassOver), &[]),
        (add("missing", Recursive, &[], PassOver), &[]),
        (add(".recall/index", Recursive, &[], PassOver), &[]),
    ] {
        check(root.path(), &Rules { additions: vec![addition], ..Rules::default() }, expected);
    }
    let twice = Rules {
        additions: vec![add("vendor/lib", Flat, &[], Honour), add("vendor/lib/a.go", Flat, &[], Honour)],
        ..Rules::default()
    };
    check(root.path(), &twice, &["vendor/lib/a.go"]);
    let removed = Rules { removals: vec![path("vendor/lib")], ..twice };
    check(root.path(), &removed, &[]);
}

#[test]
fn the_ignore_patterns_of_an_addition_apply_to_all_plans() {
    let root =
        tree(&["docs/a.md", "docs/old/b.md", "docs/old/c.txt", "old/d.md", "vendor/lib/e.md", "vendor/lib/old/f.md"]);
    let add = |at: &str, ignore: &[&str]| Addition {
        path: Some(path(at)),
        depth: Recursive,
        globs: Vec::new(),
        ignore: ignore.iter().map(|&glob| glob.to_owned()).collect(),
        ignore_rules: Honour,
    };
    for (addition, expected) in [
        (add("docs", &["old/"]), &["docs/a.md", "old/d.md"][..]),
        (add("docs", &["*.md", "!a.md"]), &["docs/a.md", "docs/old/c.txt", "old/d.md"]),
        (add("vendor/lib", &["old"]), &["docs/a.md", "docs/old/b.md", "docs/old/c.txt", "old/d.md", "vendor/lib/e.md"]),
    ] {
        check(root.path(), &Rules { additions: vec![addition], ..Rules::default() }, expected);
    }
}

#[test]
fn too_large_files_are_recognized_by_their_length() {
    let root = tree(&["small.rs"]);
    // A sparse file of four gigabytes, which takes no space and is never read.
    fs::File::create(root.path().join("sparse.rs")).unwrap().set_len(4 << 30).unwrap();
    let sizes = SizeLimits { file_bytes: 5, notebook_bytes: 5 };
    let rules = Rules { sizes, ..Rules::default() };
    let scan = scan_all(root.path(), &rules);
    assert_eq!(scan.files.len(), 1, "if the limit is above its length");
    let [skipped] = &scan.skipped[..] else { panic!("{:?}", scan.skipped) };
    assert_eq!(skipped.reason, SkipReason::TooLarge { bytes: 4 << 30, limit_bytes: 5, setting: "limits.file_bytes" });
    assert_eq!(skipped.size_bytes, Some(4 << 30));
    assert!(skipped.modified.is_none(), "so that it counts as changed once the limit is raised");
}

#[test]
fn an_unlistable_root_and_an_invalid_glob_are_errors() {
    let root = tree(&["file"]);
    let go = AtomicBool::new(false);
    for wrong in ["missing", "file"] {
        let answer = scan(&root.path().join(wrong), &Rules::default(), threads(1), &go);
        assert!(matches!(answer, Err(ScanError::Root { .. })), "{wrong}");
    }
    let rules = Rules { include: vec!["[".to_owned()], ..Rules::default() };
    assert!(matches!(scan(root.path(), &rules, threads(1), &go), Err(ScanError::Glob { glob, .. }) if glob == "["));
    go.store(true, Ordering::Relaxed);
    assert!(matches!(scan(root.path(), &Rules::default(), threads(1), &go), Err(ScanError::Cancelled)));
}

#[test]
fn the_number_of_threads_does_not_change_the_result() {
    let files: Vec<String> = (0..500).map(|n| format!("d{}/e{}/f{n}.rs", n % 7, n % 13)).collect();
    let root = tree(&files.iter().map(String::as_str).collect::<Vec<_>>());
    let go = AtomicBool::new(false);
    let one = scan(root.path(), &Rules::default(), threads(1), &go).unwrap();
    assert_eq!(one.files.len(), 500);
    assert!(one.files.is_sorted_by(|a, b| a.path < b.path));
    for number in [2, 3, 8] {
        assert_eq!(scan(root.path(), &Rules::default(), threads(number), &go).unwrap().files, one.files);
    }
}

#[test]
fn instructions_for_agents_are_found_although_git_ignores_them() {
    let files = [
        "AGENTS.md",
        "CLAUDE.local.md",
        ".claude/CLAUDE.md",
        ".claude/rules/style/rust.md",
        ".claude/settings.local.json",
        ".claude/commands/release.md",
        ".cursor/rules/api.mdc",
        ".github/copilot-instructions.md",
        ".github/workflows/ci.yml",
        "packages/api/CLAUDE.local.md",
        "packages/web/AGENTS.md",
        "private/AGENTS.md",
        "node_modules/x/AGENTS.md",
        "src/lib.rs",
    ];
    let root = tree(&files);
    fs::create_dir_all(root.path().join(".git")).unwrap();
    write(root.path(), ".gitignore", "CLAUDE.local.md\n.claude/\n.cursor\n/private/\nnode_modules/\n");
    write(root.path(), ".git/info/exclude", "AGENTS.md\n.github/\n");
    write(root.path(), ".recallignore", "packages/web/\n");
    check(root.path(), &Rules::default(), &[".gitignore", ".recallignore", "src/lib.rs"]);
    let adopting = Rules { agent_files: PassOver, ..Rules::default() };
    let expected = [
        ".claude/CLAUDE.md",
        ".claude/rules/style/rust.md",
        ".cursor/rules/api.mdc",
        ".github/copilot-instructions.md",
        ".gitignore",
        ".recallignore",
        "AGENTS.md",
        "CLAUDE.local.md",
        "packages/api/CLAUDE.local.md",
        "src/lib.rs",
    ];
    check(root.path(), &adopting, &expected);
    let excluding = Rules { exclude: vec!["CLAUDE.local.md".to_owned(), ".claude".to_owned()], ..adopting };
    let left: Vec<&str> =
        expected.into_iter().filter(|path| !path.contains("CLAUDE.local") && !path.starts_with(".claude")).collect();
    check(root.path(), &excluding, &left);
}

#[test]
fn ignore_files_above_the_root_can_be_passed_over() {
    let place = tree(&["home/notes/a.md", "home/notes/b.md"]);
    fs::create_dir_all(place.path().join("home/.git")).unwrap();
    write(place.path(), "home/.gitignore", "notes/\na.md\n");
    let root = place.path().join("home/notes");
    check(&root, &Rules::default(), &["b.md"]);
    check(&root, &Rules { above: PassOver, ..Rules::default() }, &["a.md", "b.md"]);
}
