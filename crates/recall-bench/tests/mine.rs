//! Mining of queries and checkout of trees, without changes to the repository.

#[path = "mine/repository.rs"]
mod repository;

use std::fs;
use std::path::Path;

use recall_bench::quality::mine::{
    Checkout, CheckoutError, GitError, History, Lineage, MineError, MineLimits, MinedQuery, Moved,
};

use repository::Repository;

fn mine(path: &Path) -> Result<Vec<MinedQuery>, MineError> {
    History::open(path)?.commits(&MineLimits::default())
}

fn texts(queries: &[MinedQuery]) -> Vec<&str> {
    queries.iter().map(|query| query.text.as_str()).collect()
}

#[test]
fn messages_are_queries_and_modified_files_their_answers() {
    let repository = Repository::new();
    let first =
        repository.commit("Add everything there is", &[("src/a.rs", "1"), ("src/b.rs", "1"), ("README.md", "1")]);
    let second = repository.commit(
        "fix(a): retry failed webhook deliveries (#12)\n\nThey are lost otherwise.",
        &[("src/a.rs", "2"), ("README.md", "2")],
    );
    repository.commit("Bump the version", &[("src/b.rs", "2")]);
    let fourth = repository.commit("Explain the webhook delivery", &[("README.md", "3")]);
    let fifth = repository.commit("Verify the signature of webhooks", &[("src/b.rs", "3"), ("src/a.rs", "3")]);
    let expected = [
        MinedQuery {
            commit: fifth,
            parent: fourth,
            text: "Verify the signature of webhooks".to_owned(),
            body: String::new(),
            relevant: vec!["src/a.rs".to_owned(), "src/b.rs".to_owned()],
            tests: Vec::new(),
        },
        MinedQuery {
            commit: second,
            parent: first,
            text: "retry failed webhook deliveries".to_owned(),
            body: "They are lost otherwise.".to_owned(),
            relevant: vec!["src/a.rs".to_owned()],
            tests: Vec::new(),
        },
    ];
    assert_eq!(mine(repository.path()).expect("two queries"), expected);
    assert_eq!(mine(&repository.path().join("src")).expect("also from a folder below"), expected);
    assert_eq!(mine(&repository.path().join(".git")).expect("also from the git directory"), expected);
}

#[test]
fn a_bare_repository_is_mined() {
    let repository = Repository::new();
    repository.commit("Add everything there is", &[("a.rs", "1")]);
    repository.commit("Retry failed webhook deliveries", &[("a.rs", "2")]);
    let bare = repository.clone_to("bare.git", &["--bare"]);
    assert_eq!(texts(&mine(&bare).expect("one query")), ["Retry failed webhook deliveries"]);
}

#[test]
fn names_may_contain_any_character() {
    let repository = Repository::new();
    let odd = "größe\n\u{1e} \"x\"\t.rs";
    repository.commit("Add everything there is", &[(odd, "1"), ("M", "1")]);
    repository.commit("Retry failed webhook deliveries", &[(odd, "2"), ("M", "2")]);
    let queries = mine(repository.path()).expect("one query");
    assert_eq!(queries[0].relevant, [odd]);
    let mut checkout = checkout(&repository);
    checkout.at(&queries[0].parent).expect("a commit");
    assert_eq!(fs::read_to_string(checkout.folder().join(odd)).expect("written"), "1");
}

#[test]
fn merges_are_skipped_and_merged_branches_are_read_on_request() {
    let repository = Repository::new();
    repository.commit("Add everything there is", &[("a.rs", "1"), ("b.rs", "1")]);
    repository.git(&["switch", "--quiet", "--create", "side"]);
    repository.commit("Retry failed webhook deliveries", &[("a.rs", "2")]);
    repository.git(&["switch", "--quiet", "main"]);
    repository.commit("Verify signatures of webhooks", &[("b.rs", "2")]);
    repository.git(&["merge", "--quiet", "--no-ff", "-m", "Take three telling words", "side"]);
    let history = History::open(repository.path()).expect("a repository");
    let texts_of = |lineage| {
        let limits = MineLimits { lineage, ..MineLimits::default() };
        let mut texts: Vec<_> =
            history.commits(&limits).expect("queries").into_iter().map(|query| query.text).collect();
        texts.sort_unstable();
        texts
    };
    assert_eq!(texts_of(Lineage::FirstParent), ["Verify signatures of webhooks"]);
    assert_eq!(texts_of(Lineage::All), ["Retry failed webhook deliveries", "Verify signatures of webhooks"]);
}

#[test]
fn limits_bound_the_queries_the_commits_and_the_files() {
    let repository = Repository::new();
    let subjects = ["first thing arrives", "second thing arrives", "third thing arrives", "fourth thing arrives"];
    repository.commit("Add everything there is", &[("a.rs", "0"), ("b.rs", "0")]);
    for (number, subject) in subjects.iter().enumerate() {
        repository.commit(subject, &[("a.rs", &format!("{number} more"))]);
    }
    repository.commit("sign and retry deliveries together", &[("a.rs", "x"), ("b.rs", "x")]);
    let history = History::open(repository.path()).expect("a repository");
    let mined = |limits: &MineLimits| history.commits(limits).expect("queries");
    let all = MineLimits::default();
    assert_eq!(mined(&all).len(), 5);
    assert_eq!(
        texts(&mined(&MineLimits { queries: 2, ..all })),
        ["sign and retry deliveries together", "third thing arrives"]
    );
    assert_eq!(
        texts(&mined(&MineLimits { commits: 2, ..all })),
        ["sign and retry deliveries together", "fourth thing arrives"]
    );
    assert_eq!(mined(&MineLimits { relevant: 1, ..all }).len(), 4);
    let too_few = history.commits(&MineLimits { fewest_queries: 6, ..all });
    assert!(matches!(too_few, Err(MineError::TooFew { found: 5, needed: 6, looked_at: 6, .. })), "{too_few:?}");
}

#[test]
fn a_repeated_message_counts_once() {
    let repository = Repository::new();
    repository.commit("Add everything there is", &[("a.rs", "1"), ("b.rs", "1")]);
    repository.commit("Retry failed webhook deliveries", &[("b.rs", "2")]);
    repository.commit("retry failed webhook deliveries", &[("a.rs", "2")]);
    let queries = mine(repository.path()).expect("one query");
    assert_eq!((queries.len(), &*queries[0].relevant), (1, &["a.rs".to_owned()][..]));
}

#[test]
fn a_path_without_a_history_is_an_error() {
    let place = tempfile::tempdir().expect("a folder");
    let error = mine(place.path()).expect_err("no repository");
    assert!(matches!(&error, MineError::NotARepository { path, .. } if path == place.path()), "{error:?}");
    let error = mine(&place.path().join("missing")).expect_err("no folder");
    assert!(matches!(error, MineError::NotARepository { .. }), "{error:?}");
    let error = mine(Repository::new().path()).expect_err("no commit");
    assert!(matches!(error, MineError::NoCommit { .. }), "{error:?}");
}

#[test]
fn a_shallow_clone_is_reported_as_such() {
    let repository = Repository::new();
    repository.commit("Add everything there is", &[("a.rs", "1")]);
    repository.commit("Retry failed webhook deliveries", &[("a.rs", "2")]);
    let shallow = repository.clone_to("shallow", &["--depth=1"]);
    let error = mine(&shallow).expect_err("its one commit has no parent");
    assert!(matches!(error, MineError::Shallow { found: 0, needed: 1, looked_at: 1, .. }), "{error:?}");
}

fn checkout(repository: &Repository) -> Checkout {
    let history = History::open(repository.path()).expect("a repository");
    Checkout::new(history.git_dir(), &repository.beside("tree")).expect("a new folder")
}

#[track_caller]
fn check_tree(checkout: &mut Checkout, commit: &str, expected: &[(&str, &str)]) -> Moved {
    let moved = checkout.at(commit).expect("a commit");
    let mut found = Vec::new();
    let mut open = vec![checkout.folder().to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("readable") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(checkout.folder()).expect("below").to_str().expect("text").to_owned();
                found.push((name, fs::read_to_string(&path).expect("text")));
            }
        }
    }
    found.sort_unstable();
    let found: Vec<_> = found.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    assert_eq!(found, expected);
    moved
}

#[test]
fn a_move_writes_only_the_files_that_differ() {
    let repository = Repository::new();
    let first = repository.commit("one", &[("a/b/c.rs", "1"), ("d.rs", "1"), ("same.rs", "same")]);
    repository.git(&["rm", "--quiet", "-r", "a"]);
    let second = repository.commit("two", &[("a", "a file now"), ("d.rs", "2")]);
    let mut checkout = checkout(&repository);
    let at_first = [("a/b/c.rs", "1"), ("d.rs", "1"), ("same.rs", "same")];
    let at_second = [("a", "a file now"), ("d.rs", "2"), ("same.rs", "same")];
    let moved = check_tree(&mut checkout, &first, &at_first);
    assert_eq!(moved, Moved { written: 3, ..Moved::default() });
    let times = || fs::metadata(repository.beside("tree/same.rs")).and_then(|seen| seen.modified()).expect("seen");
    let before = times();
    let moved = check_tree(&mut checkout, &second, &at_second);
    assert_eq!(moved, Moved { written: 2, removed: 1, ..Moved::default() });
    assert_eq!(check_tree(&mut checkout, &second, &at_second), Moved::default());
    check_tree(&mut checkout, &first, &at_first);
    assert_eq!(times(), before);
}

#[test]
fn a_failed_move_is_repaired_by_the_next() {
    let repository = Repository::new();
    let all = [("a.rs", "1"), ("b.rs", "1"), ("c.rs", "1")];
    let first = repository.commit("one", &all);
    let mut checkout = checkout(&repository);
    // A folder in place of the file.
    fs::create_dir(repository.beside("tree/b.rs")).expect("made");
    let error = checkout.at(&first).expect_err("b.rs cannot be written");
    assert!(matches!(&error, CheckoutError::Write { path, .. } if path.ends_with("b.rs")), "{error:?}");
    fs::remove_dir(repository.beside("tree/b.rs")).expect("removed");
    check_tree(&mut checkout, &first, &all);
}

#[test]
fn the_repository_and_its_work_tree_do_not_change() {
    let repository = Repository::new();
    let first = repository.commit("one", &[("a.rs", "1")]);
    repository.commit("two", &[("a.rs", "2")]);
    repository.write("a.rs", "not committed");
    let before = repository.snapshot();
    mine(repository.path()).expect_err("no message says enough");
    check_tree(&mut checkout(&repository), &first, &[("a.rs", "1")]);
    assert_eq!(repository.snapshot(), before);
}

#[test]
fn no_filter_hook_or_attribute_is_applied() {
    let repository = Repository::new();
    let canary = repository.beside("canary");
    let touch = format!("touch {}; cat", canary.display());
    let commit = repository.commit("one", &[("a.rs", "1\n"), (".gitattributes", "")]);
    repository.git(&["config", "filter.evil.smudge", &touch]);
    repository.git(&["config", "core.fsmonitor", &touch]);
    repository.git(&["config", "core.autocrlf", "true"]);
    repository.write(".git/hooks/post-checkout", &format!("#!/bin/sh\n{touch}\n"));
    repository.write(".git/info/attributes", "*.rs filter=evil text eol=crlf\n");
    check_tree(&mut checkout(&repository), &commit, &[(".gitattributes", ""), ("a.rs", "1\n")]);
    assert!(!canary.exists());
}

#[test]
#[cfg(unix)]
fn a_link_is_written_as_a_file() {
    let repository = Repository::new();
    std::os::unix::fs::symlink("/etc", repository.path().join("link")).expect("made");
    let commit = repository.commit("one", &[("a.rs", "1")]);
    check_tree(&mut checkout(&repository), &commit, &[("a.rs", "1"), ("link", "/etc")]);
    assert!(!repository.beside("tree/link").is_symlink());
}

#[test]
fn a_missing_object_is_skipped_and_not_fetched() {
    let repository = Repository::new();
    let first = repository.commit("one", &[("a.rs", "1"), ("b.rs", "1")]);
    repository.commit("two", &[("a.rs", "2")]);
    let partial = repository.clone_to("partial.git", &["--bare", "--filter=blob:none"]);
    let mut checkout = Checkout::new(&partial, &repository.beside("tree")).expect("a new folder");
    let moved = check_tree(&mut checkout, &first, &[]);
    assert_eq!(moved, Moved { left_out: vec!["a.rs".to_owned(), "b.rs".to_owned()], ..Moved::default() });
}

#[test]
fn a_submodule_is_skipped() {
    let repository = Repository::new();
    let commit = repository.commit("one", &[("a.rs", "1")]);
    repository.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{commit},module")]);
    let with_module = repository.commit("two", &[]);
    check_tree(&mut checkout(&repository), &with_module, &[("a.rs", "1")]);
}

#[test]
fn an_unknown_commit_and_a_used_folder_are_refused() {
    let repository = Repository::new();
    repository.commit("one", &[("a.rs", "1")]);
    let error = checkout(&repository).at("0123456789012345678901234567890123456789").expect_err("no such commit");
    assert!(matches!(error, CheckoutError::Git(GitError::Failed { command: "ls-tree", .. })), "{error:?}");
    let error = Checkout::new(&repository.path().join(".git"), repository.path()).expect_err("it holds files");
    assert!(matches!(&error, CheckoutError::NotEmpty { path } if path == repository.path()), "{error:?}");
}
