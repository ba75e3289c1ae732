//! The network of all-MiniLM-L6-v2 as an ONNX file.
//!
//! The package has the weights as safetensors. The network is written with the operations that exporters use.

use serde_json::Value;

use super::onnx_file::{Attribute, Element, Graph};

const LAYERS: usize = 6;
const HEADS: i64 = 12;
const WIDTH: usize = 384;
const EPSILON: f32 = 1e-12;
/// The number added to the scores of padding, so that it gets no attention.
const NOTHING: f32 = -1e9;

/// The tensors of a safetensors file.
pub(crate) struct Weights<'a> {
    header: Value,
    body: &'a [u8],
}

impl<'a> Weights<'a> {
    pub(crate) fn read(file: &'a [u8]) -> Self {
        let length = u64::from_le_bytes(file[..8].try_into().expect("eight bytes")) as usize;
        let header = serde_json::from_slice(&file[8..8 + length]).expect("a header in JSON");
        Self { header, body: &file[8 + length..] }
    }

    fn tensor(&self, name: &str) -> (Vec<usize>, Vec<f32>) {
        let entry = &self.header[name];
        let numbers = |key: &str| -> Vec<usize> {
            let list = entry[key].as_array().unwrap_or_else(|| panic!("{name} has {key}"));
            list.iter().map(|number| number.as_u64().expect("a number") as usize).collect()
        };
        let range = numbers("data_offsets");
        let bytes = self.body[range[0]..range[1]].chunks_exact(4);
        (numbers("shape"), bytes.map(|bytes| f32::from_le_bytes(bytes.try_into().expect("four bytes"))).collect())
    }

    fn constant(&self, graph: &mut Graph, name: &str) -> String {
        let (shape, numbers) = self.tensor(name);
        graph.floats(&shape, &numbers)
    }

    /// `x · weightᵀ + bias`.
    fn linear(&self, graph: &mut Graph, x: &str, name: &str) -> String {
        let (shape, numbers) = self.tensor(&format!("{name}.weight"));
        let (rows, columns) = (shape[0], shape[1]);
        let turned: Vec<f32> = (0..columns)
            .flat_map(|column| (0..rows).map(move |row| row * columns + column))
            .map(|at| numbers[at])
            .collect();
        let weight = graph.floats(&[columns, rows], &turned);
        let bias = self.constant(graph, &format!("{name}.bias"));
        let product = graph.node("MatMul", &[x, &weight], &[]);
        graph.node("Add", &[&product, &bias], &[])
    }

    fn norm(&self, graph: &mut Graph, x: &str, name: &str) -> String {
        let weight = self.constant(graph, &format!("{name}.weight"));
        let bias = self.constant(graph, &format!("{name}.bias"));
        let attributes = [Attribute::Int("axis", -1), Attribute::Float("epsilon", EPSILON)];
        graph.node("LayerNormalization", &[x, &weight, &bias], &attributes)
    }
}

/// Returns the network from `input_ids`, `attention_mask` and `token_type_ids` to `last_hidden_state`.
pub(crate) fn network(weights: &Weights<'_>) -> Vec<u8> {
    let mut graph = Graph::new();
    for input in ["input_ids", "attention_mask", "token_type_ids"] {
        graph.input(input, Element::Int64, &[-1, -1]);
    }
    let mut x = embeddings(&mut graph, weights);
    let mask = mask(&mut graph);
    for layer in 0..LAYERS {
        x = self::layer(&mut graph, weights, &x, &mask, layer);
    }
    graph.node_named("Identity", &[&x], &[], "last_hidden_state");
    graph.output("last_hidden_state", &[-1, -1, WIDTH as i64]);
    graph.into_bytes()
}

fn embeddings(graph: &mut Graph, weights: &Weights<'_>) -> String {
    let [words, types, places] = ["word", "token_type", "position"]
        .map(|name| weights.constant(graph, &format!("embeddings.{name}_embeddings.weight")));
    let words = graph.node("Gather", &[&words, "input_ids"], &[]);
    let types = graph.node("Gather", &[&types, "token_type_ids"], &[]);
    let length = graph.node("Shape", &["input_ids"], &[Attribute::Int("start", 1), Attribute::Int("end", 2)]);
    let zero = graph.ints(&[0]);
    let places = graph.node("Slice", &[&places, &zero, &length, &zero], &[]);
    let sum = graph.node("Add", &[&words, &types], &[]);
    let sum = graph.node("Add", &[&sum, &places], &[]);
    weights.norm(graph, &sum, "embeddings.LayerNorm")
}

/// Returns the additive mask for all heads and positions: 0 for a token and a large negative number for padding.
fn mask(graph: &mut Graph) -> String {
    let [one, nothing] = [1.0, NOTHING].map(|number| graph.floats(&[], &[number]));
    let mask = graph.node("Cast", &["attention_mask"], &[Attribute::Int("to", Element::Float as i64)]);
    let mask = graph.node("Sub", &[&one, &mask], &[]);
    let mask = graph.node("Mul", &[&mask, &nothing], &[]);
    let axes = graph.ints(&[1, 2]);
    graph.node("Unsqueeze", &[&mask, &axes], &[])
}

fn layer(graph: &mut Graph, weights: &Weights<'_>, x: &str, mask: &str, layer: usize) -> String {
    let at = format!("encoder.layer.{layer}");
    let heads = graph.ints(&[0, 0, HEADS, WIDTH as i64 / HEADS]);
    let head = |graph: &mut Graph, part: &str, order: &[i64]| {
        let states = weights.linear(graph, x, &format!("{at}.attention.self.{part}"));
        let states = graph.node("Reshape", &[&states, &heads], &[]);
        graph.node("Transpose", &[&states], &[Attribute::Ints("perm", order)])
    };
    let query = head(graph, "query", &[0, 2, 1, 3]);
    let key = head(graph, "key", &[0, 2, 3, 1]);
    let value = head(graph, "value", &[0, 2, 1, 3]);
    let scale = graph.floats(&[], &[(WIDTH as f32 / HEADS as f32).sqrt()]);
    let scores = graph.node("MatMul", &[&query, &key], &[]);
    let scores = graph.node("Div", &[&scores, &scale], &[]);
    let scores = graph.node("Add", &[&scores, mask], &[]);
    let shares = graph.node("Softmax", &[&scores], &[Attribute::Int("axis", -1)]);
    let states = graph.node("MatMul", &[&shares, &value], &[]);
    let states = graph.node("Transpose", &[&states], &[Attribute::Ints("perm", &[0, 2, 1, 3])]);
    let whole = graph.ints(&[0, 0, WIDTH as i64]);
    let states = graph.node("Reshape", &[&states, &whole], &[]);
    let states = weights.linear(graph, &states, &format!("{at}.attention.output.dense"));
    let states = graph.node("Add", &[&states, x], &[]);
    let attended = weights.norm(graph, &states, &format!("{at}.attention.output.LayerNorm"));

    let states = weights.linear(graph, &attended, &format!("{at}.intermediate.dense"));
    let states = gelu(graph, &states);
    let states = weights.linear(graph, &states, &format!("{at}.output.dense"));
    let states = graph.node("Add", &[&states, &attended], &[]);
    weights.norm(graph, &states, &format!("{at}.output.LayerNorm"))
}

fn gelu(graph: &mut Graph, x: &str) -> String {
    let [root, one, half] = [2.0_f32.sqrt(), 1.0, 0.5].map(|number| graph.floats(&[], &[number]));
    let scaled = graph.node("Div", &[x, &root], &[]);
    let error = graph.node("Erf", &[&scaled], &[]);
    let raised = graph.node("Add", &[&error, &one], &[]);
    let product = graph.node("Mul", &[x, &raised], &[]);
    graph.node("Mul", &[&product, &half], &[])
}
