//! A damaged model, a damaged runtime, and a runtime that crashes the process that loads it: reported and bypassed.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use recall_testkit::wait_until;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::case::{Case, path};
use super::library::built;
use super::network::{Behaviour, network, tokenizer, write_model};

/// Installs and selects a model by writing its files.
fn install(case: &Case) -> PathBuf {
    let folder = case.sandbox.dirs().models().join("tiny");
    let network = network(8, Behaviour::Plain);
    let file = |name: &str, bytes: &[u8]| json!({"name": name, "bytes": bytes.len(), "sha256": hex(bytes)});
    let manifest = json!({
        "version": 1, "role": "embed", "dimensions": 8, "pooling": "mean", "normalise": true, "query_prefix": "",
        "document_prefix": "", "window_tokens": 64, "batching": "together", "licence": null, "origin": null,
        "files": [file("model.onnx", &network), file("tokenizer.json", tokenizer().as_bytes())],
    });
    write_model(&folder, &network, &manifest.to_string());
    fs::write(folder.with_file_name("roles.json"), r#"{"embed":"tiny"}"#).expect("writable");
    folder
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

fn warning<'a>(answer: &'a Value, code: &str) -> Option<&'a Value> {
    answer["warnings"].as_array().expect("a list").iter().find(|warning| warning["code"] == code)
}

/// A library that records that it is loaded, and ends the process.
#[cfg(target_os = "linux")]
fn deadly(folder: &Path, note: &Path) -> PathBuf {
    let source = format!(
        r#"
        use std::io::Write;
        extern "C" fn die() {{
            let mut note = std::fs::File::options().create(true).append(true).open("{}").unwrap();
            note.write_all(b"x").unwrap();
            std::process::abort();
        }}
        #[used]
        #[unsafe(link_section = ".init_array")]
        static BEGIN: extern "C" fn() = die;
        "#,
        note.display()
    );
    built(folder, "deadly", &source)
}

#[test]
#[cfg(target_os = "linux")]
fn a_runtime_that_crashes_the_daemon_is_loaded_once() {
    let place = tempfile::tempdir().expect("a folder");
    let note = place.path().join("note");
    let library = deadly(place.path(), &note);
    let case = Case::with(&[("RECALL_MODELS__RUNTIME", path(&library))]);
    install(&case);
    let loaded = || fs::read(&note).map_or(0, |note| note.len());
    let survives = |times: usize| {
        wait_until("an answer by the daemon that survives", || {
            let outcome = case.recall(&["search", "store"]);
            (loaded() == times && outcome.code == Some(0)).then_some(())
        });
    };
    survives(1);
    case.succeeds(&["daemon", "restart"]);
    survives(1);
    wait_until("the model's problem", || {
        let status = case.json(&["status"]);
        let models = status["models"].as_array().expect("a list");
        let tiny = models.iter().find(|model| model["name"] == "tiny").expect("it is used");
        let problem = tiny["problem"].as_str().unwrap_or_default();
        problem.contains("it crashed the daemon the last time").then_some(())
    });
    let doctor = case.recall(&["doctor"]);
    assert!(doctor.code == Some(1) && doctor.stdout.contains("it crashed the daemon the last time"), "{doctor:?}");
    // On request there is another attempt.
    case.recall(&["models", "runtime", "retry"]);
    survives(2);
}

#[cfg(feature = "onnx-tests")]
#[test]
fn a_damaged_runtime_is_refused_by_its_checksum() {
    let case = Case::with_runtime(&[]);
    install(&case);
    case.succeeds(&["daemon", "restart"]);
    wait_until("the model", || (case.search("store").0.as_deref() == Some("tiny")).then_some(()));
    case.succeeds(&["daemon", "stop"]);
    let folders = fs::read_dir(case.sandbox.dirs().runtimes()).expect("there").flatten();
    let library =
        folders.map(|folder| folder.path().join("libonnxruntime.so")).find(|file| file.is_file()).expect("there");
    let mut bytes = fs::read(&library).expect("there");
    let middle = bytes.len() / 2;
    bytes[4096..middle].fill(0xCC);
    fs::write(&library, &bytes).expect("writable");
    for _ in 0..2 {
        assert_eq!(case.search("store").0.as_deref(), Some("static"));
        let answer = wait_until("a warning", || {
            let answer = case.search("store").1;
            warning(&answer, "EMBEDDINGS_UNUSABLE").is_some().then_some(answer)
        });
        assert!(
            warning(&answer, "EMBEDDINGS_UNUSABLE").expect("there").to_string().contains("is damaged: its checksum is")
        );
        case.succeeds(&["daemon", "restart"]);
    }
    let wheel = super::case::wheel();
    case.succeeds(&["models", "runtime", "install", "--from", path(&wheel)]);
    wait_until("the model", || (case.search("store").0.as_deref() == Some("tiny")).then_some(()));
}

#[test]
fn a_damaged_model_in_use_is_reported_by_responses_status_and_doctor() {
    let case = Case::new();
    let folder = install(&case);
    let (roles, manifest) = (folder.with_file_name("roles.json"), folder.join("recall-model.json"));
    let whole = [&roles, &manifest].map(|file| (file.clone(), fs::read(file).expect("there")));
    let damages: [(&Path, &[u8]); 5] = [
        (&roles, b"{\"embed\":\"ti"),
        (&roles, b"\xff\xfe\x00"),
        (&roles, b"{\"embed\":\"another\"}"),
        (&manifest, b""),
        (&manifest, b"{\"version\":1}"),
    ];
    for (file, bytes) in damages {
        for (file, bytes) in &whole {
            fs::write(file, bytes).expect("writable");
        }
        fs::write(file, bytes).expect("writable");
        case.succeeds(&["daemon", "restart"]);
        let (model, answer) = case.search("store");
        assert_eq!(model.as_deref(), Some("static"));
        let reported = warning(&answer, "MODEL_UNUSABLE").unwrap_or_else(|| panic!("{bytes:?}: {answer}"));
        assert!(!reported["hint"].as_str().unwrap_or_default().is_empty(), "{reported}");
        assert!(warning(&case.json(&["status"]), "MODEL_UNUSABLE").is_some(), "{bytes:?}");
        let doctor = case.recall(&["doctor"]);
        assert!(doctor.code == Some(1) && doctor.stdout.contains("models"), "{doctor:?}");
    }
}
