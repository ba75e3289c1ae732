//! How much is a match worth in each field?

/// The factor on the BM25 score of each field of a chunk. A field of weight 0 is not searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldWeights {
    /// The chunk's text.
    pub body: f32,
    /// The names that the chunk defines, what encloses them, and the document's title.
    pub symbol: f32,
    /// The words of the document's path.
    pub path: f32,
    /// The doc comment of the definition that the chunk holds.
    pub comment: f32,
    /// The words of the document's tags.
    pub tag: f32,
}

impl Default for FieldWeights {
    /// The text decides, since it holds every word at least once; a word that is also a name, a part of the path or a tag
    /// says what the chunk is about and lifts it. Names and paths are short fields, whose scores saturate at one match, so
    /// that a weight below 1 keeps a chance match in a name from outranking a text that holds the whole question. Doc
    /// comments repeat in prose what the names say and are part of the text already.
    fn default() -> Self {
        Self { body: 1.0, symbol: 0.8, path: 0.6, comment: 0.3, tag: 0.5 }
    }
}
