//! The sections of a context window.

/// A kind of content in a context window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContextSection {
    /// Code that answers the task.
    Code,
    /// Documentation that answers it.
    Documentation,
    /// Architecture decision records.
    Adrs,
    /// Decisions, lessons and other memories about the task or its files.
    Decisions,
    /// Signatures of the definitions that the code uses.
    Signatures,
    /// Tests that cover the code.
    Tests,
    /// Recent commits of the files.
    Changes,
    /// Who owns the files.
    Owners,
}

impl ContextSection {
    /// The sections of a window for which none are named, in order of priority. Owners are named only on request.
    pub const DEFAULT: [Self; 7] =
        [Self::Code, Self::Documentation, Self::Adrs, Self::Decisions, Self::Signatures, Self::Tests, Self::Changes];

    /// Returns the heading of the section.
    pub(crate) fn heading(self) -> &'static str {
        match self {
            Self::Code => "## Code\n",
            Self::Documentation => "## Documentation\n",
            Self::Adrs => "## Decision records\n",
            Self::Decisions => "## Decisions and lessons\n",
            Self::Signatures => "## Used definitions\n",
            Self::Tests => "## Tests\n",
            Self::Changes => "## Recent commits\n",
            Self::Owners => "## Owners\n",
        }
    }
}
