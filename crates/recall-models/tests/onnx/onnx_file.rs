//! A writer of ONNX files.
//!
//! It supports as much of the format (protobuf, `onnx.proto3`) as the networks of these tests need.

/// A network under construction.
pub(crate) struct Graph {
    body: Vec<u8>,
    names: usize,
}

/// An attribute of an operation.
#[derive(Clone, Copy)]
pub(crate) enum Attribute<'a> {
    Int(&'a str, i64),
    Ints(&'a str, &'a [i64]),
    Float(&'a str, f32),
}

/// The type of a tensor's elements.
#[derive(Clone, Copy)]
pub(crate) enum Element {
    Float = 1,
    Int32 = 6,
    Int64 = 7,
}

/// The version of the operator set.
const OPERATIONS: u64 = 17;

impl Graph {
    pub(crate) fn new() -> Self {
        let mut body = Vec::new();
        text(&mut body, 2, "graph");
        Self { body, names: 0 }
    }

    /// Adds an input. A negative size stands for any size.
    pub(crate) fn input(&mut self, name: &str, element: Element, shape: &[i64]) {
        part(&mut self.body, 11, &value_info(name, element, shape));
    }

    /// Declares a value as an output.
    pub(crate) fn output(&mut self, name: &str, shape: &[i64]) {
        part(&mut self.body, 12, &value_info(name, Element::Float, shape));
    }

    /// Adds a constant of floats and returns its name.
    pub(crate) fn floats(&mut self, shape: &[usize], numbers: &[f32]) -> String {
        self.constant(
            Element::Float,
            shape,
            &numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>(),
        )
    }

    /// Adds a constant of integers and returns its name.
    pub(crate) fn ints(&mut self, numbers: &[i64]) -> String {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.constant(Element::Int64, &[numbers.len()], &bytes)
    }

    /// Adds an operation and returns the name of its output.
    pub(crate) fn node(&mut self, operation: &str, inputs: &[&str], attributes: &[Attribute<'_>]) -> String {
        let output = self.name();
        self.node_named(operation, inputs, attributes, &output);
        output
    }

    /// Adds an operation whose output has the given name.
    pub(crate) fn node_named(&mut self, operation: &str, inputs: &[&str], attributes: &[Attribute<'_>], output: &str) {
        let mut node = Vec::new();
        for input in inputs {
            text(&mut node, 1, input);
        }
        text(&mut node, 2, output);
        text(&mut node, 4, operation);
        for attribute in attributes {
            part(&mut node, 5, &attribute.to_bytes());
        }
        part(&mut self.body, 1, &node);
    }

    /// Returns the bytes of the file.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        let mut operations = Vec::new();
        text(&mut operations, 1, "");
        number(&mut operations, 2, OPERATIONS);
        let mut model = Vec::new();
        number(&mut model, 1, 8);
        part(&mut model, 7, &self.body);
        part(&mut model, 8, &operations);
        model
    }

    fn constant(&mut self, element: Element, shape: &[usize], bytes: &[u8]) -> String {
        let name = self.name();
        let mut tensor = Vec::with_capacity(bytes.len() + 64);
        for size in shape {
            number(&mut tensor, 1, *size as u64);
        }
        number(&mut tensor, 2, element as u64);
        text(&mut tensor, 8, &name);
        part(&mut tensor, 9, bytes);
        part(&mut self.body, 5, &tensor);
        name
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }
}

impl Attribute<'_> {
    fn to_bytes(self) -> Vec<u8> {
        let mut bytes = Vec::new();
        match self {
            Self::Int(name, value) => {
                text(&mut bytes, 1, name);
                number(&mut bytes, 3, value as u64);
                number(&mut bytes, 20, 2);
            }
            Self::Ints(name, values) => {
                text(&mut bytes, 1, name);
                for value in values {
                    number(&mut bytes, 8, *value as u64);
                }
                number(&mut bytes, 20, 7);
            }
            Self::Float(name, value) => {
                text(&mut bytes, 1, name);
                varint(&mut bytes, 2 << 3 | 5);
                bytes.extend(value.to_le_bytes());
                number(&mut bytes, 20, 1);
            }
        }
        bytes
    }
}

fn value_info(name: &str, element: Element, sizes: &[i64]) -> Vec<u8> {
    let mut shape = Vec::new();
    for (at, size) in sizes.iter().enumerate() {
        let mut dimension = Vec::new();
        match u64::try_from(*size) {
            Ok(size) => number(&mut dimension, 1, size),
            Err(_) => text(&mut dimension, 2, &format!("{name}-{at}")),
        }
        part(&mut shape, 1, &dimension);
    }
    let (mut tensor, mut kind, mut info) = (Vec::new(), Vec::new(), Vec::new());
    number(&mut tensor, 1, element as u64);
    part(&mut tensor, 2, &shape);
    part(&mut kind, 1, &tensor);
    text(&mut info, 1, name);
    part(&mut info, 2, &kind);
    info
}

fn number(to: &mut Vec<u8>, field: u64, value: u64) {
    varint(to, field << 3);
    varint(to, value);
}

fn text(to: &mut Vec<u8>, field: u64, value: &str) {
    part(to, field, value.as_bytes());
}

fn part(to: &mut Vec<u8>, field: u64, bytes: &[u8]) {
    varint(to, field << 3 | 2);
    varint(to, bytes.len() as u64);
    to.extend_from_slice(bytes);
}

fn varint(to: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        to.push(value as u8 | 0x80);
        value >>= 7;
    }
    to.push(value as u8);
}
