//! The rules of a fake provider.

/// The name of a model that the server has, with any provider.
pub const FAKE_MODEL: &str = "fake-model";

/// The rules of a fake provider.
#[derive(Clone, Debug)]
pub struct FakeRules {
    /// The key that a request must have; `None` for any.
    pub key: Option<String>,
    /// The dimensions of the vectors, unless a request asks for others.
    pub dimensions: usize,
    /// The most texts of a request; more are refused with status 413.
    pub most_texts: usize,
    /// The most bytes of a text; a longer one is refused with status 400.
    pub longest_text: usize,
}

impl Default for FakeRules {
    fn default() -> Self {
        Self { key: None, dimensions: 64, most_texts: 2048, longest_text: 100_000 }
    }
}
