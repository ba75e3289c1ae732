//! A check that the other tests run the real programs.

use recall_testkit::Running;
use recall_tests::sandbox;

#[test]
fn every_program_is_installed_and_prints_its_version() {
    let sandbox = sandbox!();
    let binaries = sandbox.binaries();
    for (program, name) in [
        (&binaries.recall, "recall"),
        (&binaries.recalld, "recalld"),
        (&binaries.recall_shim, "recall-shim"),
        (&binaries.recall_bench, "recall-bench"),
    ] {
        assert_eq!(program.file_stem().and_then(|stem| stem.to_str()), Some(name));
        assert_eq!(program.parent(), binaries.recall.parent());
        let mut command = sandbox.command(program, sandbox.path());
        command.arg("--version");
        let outcome = Running::to_end(command);
        assert_eq!(outcome.code, Some(0), "{outcome:?}");
        assert_eq!(outcome.stdout, format!("{name} {}\n", env!("CARGO_PKG_VERSION")));
    }
    assert!(sandbox.processes().is_empty(), "printing a version starts no daemon");
}
