//! Networks for these tests: embedding tables of a few words.

use std::path::Path;

use super::onnx_file::{Attribute, Element, Graph};

/// The vocabulary of a tiny network; each word has a row in its table.
pub(crate) const VOCABULARY: [&str; 5] = ["[UNK]", "open", "the", "store", "garden"];

/// The number of columns of the matrix that makes a network slow.
const SLOW_COLUMNS: usize = 1024;
/// The number of products with that matrix of a slow network.
const SLOW_PRODUCTS: usize = 2;
/// The number of products of a late network: it takes tenths of a second for three short texts.
const LATE_PRODUCTS: usize = 200;

/// The behaviour of a network of these tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behaviour {
    /// It works.
    Plain,
    /// It takes a tenth of a second for a thousand tokens.
    Slow,
    /// It takes a hundred times as long as a slow one.
    Late,
    /// Its outputs are NaN.
    NotANumber,
    /// Its output for a text with `garden` is NaN.
    Poisoned,
}

/// A network that looks each token up in a table with `columns` columns.
pub(crate) fn network(columns: usize, behaviour: Behaviour) -> Vec<u8> {
    let mut graph = Graph::new();
    graph.input("input_ids", Element::Int64, &[-1, -1]);
    graph.input("attention_mask", Element::Int64, &[-1, -1]);
    let row = |word: usize| (0..columns).map(move |column| if column % VOCABULARY.len() == word { 1.0 } else { 0.01 });
    let table: Vec<f32> = (0..VOCABULARY.len()).flat_map(row).collect();
    let table = graph.floats(&[VOCABULARY.len(), columns], &table);
    let mut states = graph.node("Gather", &[&table, "input_ids"], &[]);
    match behaviour {
        Behaviour::Plain | Behaviour::Poisoned => {}
        Behaviour::Slow => states = slowed(&mut graph, &states, columns, SLOW_PRODUCTS),
        Behaviour::Late => states = slowed(&mut graph, &states, columns, LATE_PRODUCTS),
        Behaviour::NotANumber => {
            let zero = graph.floats(&[], &[0.0]);
            let nothing = graph.node("Mul", &[&states, &zero], &[]);
            states = graph.node("Div", &[&nothing, &nothing], &[]);
        }
    }
    graph.node_named("Identity", &[&states], &[], "last_hidden_state");
    graph.output("last_hidden_state", &[-1, -1, columns as i64]);
    graph.into_bytes()
}

/// The table by which a pair of texts is scored, with `columns` columns. Only the row of `garden` is not 0.
fn score_table(columns: usize, behaviour: Behaviour) -> Vec<f32> {
    let of_garden = if behaviour == Behaviour::Poisoned { f32::NAN } else { 1.0 };
    let mut table = vec![0.0; (VOCABULARY.len() - 1) * columns];
    table.extend(vec![of_garden; columns]);
    table
}

/// A network that reads two texts and returns `scores` scores; each is the number of occurrences of `garden`.
pub(crate) fn scoring_network(scores: usize, behaviour: Behaviour) -> Vec<u8> {
    let mut graph = Graph::new();
    graph.input("input_ids", Element::Int64, &[-1, -1]);
    graph.input("attention_mask", Element::Int64, &[-1, -1]);
    let table = graph.floats(&[VOCABULARY.len(), scores], &score_table(scores, behaviour));
    let mut states = graph.node("Gather", &[&table, "input_ids"], &[]);
    match behaviour {
        Behaviour::Slow => states = slowed(&mut graph, &states, scores, SLOW_PRODUCTS),
        Behaviour::Late => states = slowed(&mut graph, &states, scores, LATE_PRODUCTS),
        Behaviour::Plain | Behaviour::NotANumber | Behaviour::Poisoned => {}
    }
    let mask = graph.node("Cast", &["attention_mask"], &[Attribute::Int("to", 1)]);
    let last = graph.ints(&[2]);
    let mask = graph.node("Unsqueeze", &[&mask, &last], &[]);
    let states = graph.node("Mul", &[&states, &mask], &[]);
    let tokens = graph.ints(&[1]);
    graph.node_named("ReduceSum", &[&states, &tokens], &[Attribute::Int("keepdims", 0)], "logits");
    graph.output("logits", &[-1, scores as i64]);
    graph.into_bytes()
}

/// Adds 0 to the states after `products` slow products with a large matrix.
fn slowed(graph: &mut Graph, states: &str, columns: usize, products: usize) -> String {
    let width = SLOW_COLUMNS;
    let widened = graph.floats(&[columns, width], &vec![0.001; columns * width]);
    let square = graph.floats(&[width, width], &vec![0.001; width * width]);
    let mut wide = graph.node("MatMul", &[states, &widened], &[]);
    for _ in 0..products {
        wide = graph.node("MatMul", &[&wide, &square], &[]);
    }
    let mean = graph.node("ReduceMean", &[&wide], &[Attribute::Ints("axes", &[-1]), Attribute::Int("keepdims", 1)]);
    let zero = graph.floats(&[], &[0.0]);
    let nothing = graph.node("Mul", &[&mean, &zero], &[]);
    graph.node("Add", &[states, &nothing], &[])
}

/// A tokenizer of whole words.
pub(crate) fn tokenizer() -> String {
    let numbered = VOCABULARY.iter().enumerate();
    let vocabulary: serde_json::Map<String, serde_json::Value> =
        numbered.map(|(id, word)| ((*word).to_owned(), id.into())).collect();
    let model = serde_json::json!({ "type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]" });
    let tokenizer = serde_json::json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": { "type": "Whitespace" }, "post_processor": null, "decoder": null, "model": model,
    });
    tokenizer.to_string()
}

/// Writes the folder of a model that can be added.
pub(crate) fn write_model(folder: &Path, network: &[u8], manifest: &str) {
    std::fs::create_dir_all(folder).expect("a new folder");
    std::fs::write(folder.join("model.onnx"), network).expect("writable");
    std::fs::write(folder.join("tokenizer.json"), tokenizer()).expect("writable");
    std::fs::write(folder.join("recall-model.json"), manifest).expect("writable");
}
