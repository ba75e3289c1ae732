//! Why a shared store did not answer.

/// A shared store did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// No connection, or it was lost.
    #[error("the server cannot be reached")]
    Unreachable {
        /// The error of the connection.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// No answer in time.
    #[error("the server did not answer within {} ms", waited.as_millis())]
    Late {
        /// How long was waited.
        waited: std::time::Duration,
    },
    /// The server has too much to do.
    #[error("the server asks to wait for {} s", after.as_secs())]
    Overloaded {
        /// How long the server asks to wait.
        after: std::time::Duration,
        /// What the server reports.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The server is not asked, because it did not answer before.
    #[error("the server did not answer before; it is asked again in the background")]
    Resting,
    /// The server rejected the request.
    #[error("the server rejected the request")]
    Refused {
        /// What the server reports.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// Nothing was published to the server.
    #[error("nothing was published to the server for this tenant")]
    Empty,
    /// Another publication of the branch is running, or was committed meanwhile.
    #[error("another publication of this branch is running")]
    Busy,
    /// Part of a publication is not on the server any more.
    #[error("the server lost {lost} of {sent} documents of the publication")]
    Lost {
        /// How many are missing.
        lost: u64,
        /// How many were sent.
        sent: u64,
    },
    /// The settings of the store are wrong.
    #[error("its settings are wrong: {reason}")]
    Unusable {
        /// Which setting is wrong, and why.
        reason: String,
    },
    /// The answer is not understood.
    #[error("the server's answer is invalid: {what}")]
    Invalid {
        /// What is wrong with it, in words.
        what: String,
    },
}

impl StoreError {
    /// Whether the same request may succeed when it is sent again.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Late { .. } | Self::Overloaded { .. })
    }

    pub(crate) fn unreachable(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Unreachable { source: source.into() }
    }

    pub(crate) fn refusal(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Refused { source: source.into() }
    }
}
