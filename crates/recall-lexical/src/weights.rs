//! Weights of the index's fields.

/// The factor on the BM25 score of each field of a chunk. A field of weight 0 is not searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldWeights {
    /// The chunk's text.
    pub body: f32,
    /// The names defined in the chunk, the names that enclose them, and the document's title.
    pub symbol: f32,
    /// The words of the document's path.
    pub path: f32,
    /// The doc comment of the definition in the chunk.
    pub comment: f32,
    /// The words of the document's tags.
    pub tag: f32,
}

impl Default for FieldWeights {
    /// The text has the largest weight, because it contains every word at least once. A word that is also a name, a
    /// part of the path or a tag tells the subject of the chunk and raises its score. Names and paths are short fields
    /// whose scores saturate at one match; a weight below 1 keeps a chance match in a name from outranking a text that
    /// contains the whole query. Doc comments repeat the names in prose and are part of the text already.
    fn default() -> Self {
        Self { body: 1.0, symbol: 0.8, path: 0.6, comment: 0.3, tag: 0.5 }
    }
}
