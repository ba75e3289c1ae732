//! What can happen to a request.

use std::time::Duration;

/// A fault of the network or of the server.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// The server answers with a status, headers and a body.
    Status {
        /// The status.
        status: u16,
        /// Further headers.
        headers: Vec<(String, String)>,
        /// The body.
        body: String,
    },
    /// The answer begins late.
    Delay(Duration),
    /// The connection is closed after so many bytes of the body.
    Truncate(usize),
    /// The connection is closed before an answer.
    Close,
    /// The connection is reset before an answer.
    Reset,
    /// The connection is reset within the body.
    ResetWithin,
    /// The answer has status 200, and a wrong body.
    Body(String),
    /// The answer is changed.
    Mutate(Mutation),
    /// The answer is not HTTP.
    NotHttp,
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

impl Fault {
    /// Creates a status without further headers, with a message as vendors write it.
    pub fn status(status: u16) -> Self {
        let body = format!(r#"{{"error":{{"message":"provoked {status}"}}}}"#);
        Self::Status { status, headers: Vec::new(), body }
    }

    /// Creates a status that names when to ask again.
    pub fn retry_after(status: u16, seconds: &str) -> Self {
        let headers = vec![("retry-after".to_owned(), seconds.to_owned())];
        Self::Status { status, headers, body: r#"{"error":"slow down"}"#.to_owned() }
    }
}
