//! The rules of a fake provider, and the changes of its answers that a test can order.

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

/// A change of a right answer to embeddings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// The last vector is missing.
    Short,
    /// There is one vector more.
    Long,
    /// The vectors are in another order. In formats with indexes, these are right.
    Reversed,
    /// Two vectors have the same index.
    SameIndex,
    /// The first vector is all zero.
    Zero,
    /// A component is `NaN`.
    NotANumber,
    /// A component is `null`.
    Null,
    /// A component is greater than a number of 32 bits can be.
    Huge,
    /// Vectors have a component less.
    FewerDimensions,
    /// Vectors have a component more.
    MoreDimensions,
    /// Vectors have no component.
    NoDimensions,
}

impl Mutation {
    /// All changes.
    pub const ALL: [Self; 11] = [
        Self::Short,
        Self::Long,
        Self::Reversed,
        Self::SameIndex,
        Self::Zero,
        Self::NotANumber,
        Self::Null,
        Self::Huge,
        Self::FewerDimensions,
        Self::MoreDimensions,
        Self::NoDimensions,
    ];
}
