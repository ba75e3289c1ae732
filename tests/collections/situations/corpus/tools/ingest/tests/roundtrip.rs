use std::process::Command;

fn ingest(file: &str) -> bool {
    Command::new(env!("CARGO_BIN_EXE_ingest"))
        .args([file, "--database-url", "postgres://app:app@localhost/parcelhub_test"])
        .status()
        .unwrap()
        .success()
}

#[test]
fn loads_small_file() {
    assert!(ingest("tests/data/small.csv"));
}

#[test]
fn loads_two_batches() {
    assert!(ingest("tests/data/two_batches.csv"));
}
