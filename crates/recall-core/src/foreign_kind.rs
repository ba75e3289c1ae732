//! The kinds of foreign memories that can be imported.

use std::fmt;
use std::str::FromStr;

/// A tool whose memories, notes or sessions can be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ForeignKind {
    /// The full-text database of RECALL v0.
    RecallV0,
    /// The database of EDI's Codex, a knowledge engine. It has nothing to do with `OpenAI`'s agent.
    EdiCodex,
    /// The memories of `OpenAI` Codex.
    OpenAiCodex,
    /// The folder `.edi`: agents, profile and history.
    Edi,
    /// The database of claude-mem.
    ClaudeMem,
    /// The history of mem0, the database of its app, or an export of either.
    Mem0,
    /// The notes or the database of Basic Memory.
    BasicMemory,
    /// The knowledge graph of the MCP reference server `memory`.
    MemoryServer,
    /// The memories of Serena.
    Serena,
    /// The transcripts of Claude Code, Codex CLI and Gemini CLI.
    Transcripts,
}

impl ForeignKind {
    /// All kinds, in a fixed order.
    pub const ALL: [Self; 10] = [
        Self::RecallV0,
        Self::EdiCodex,
        Self::OpenAiCodex,
        Self::Edi,
        Self::ClaudeMem,
        Self::Mem0,
        Self::BasicMemory,
        Self::MemoryServer,
        Self::Serena,
        Self::Transcripts,
    ];

    /// Returns the kind's name, as interfaces write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RecallV0 => "recall-v0",
            Self::EdiCodex => "edi-codex",
            Self::OpenAiCodex => "openai-codex",
            Self::Edi => "edi",
            Self::ClaudeMem => "claude-mem",
            Self::Mem0 => "mem0",
            Self::BasicMemory => "basic-memory",
            Self::MemoryServer => "memory-server",
            Self::Serena => "serena",
            Self::Transcripts => "transcripts",
        }
    }

    /// Returns the name that the sources and the keys of imported items have. It never changes, so that an import that is repeated
    /// knows its items.
    pub fn stored_name(self) -> &'static str {
        match self {
            Self::EdiCodex => EARLIER_NAME,
            kind => kind.as_str(),
        }
    }
}

/// The name that [`ForeignKind::EdiCodex`] had first, and that is accepted for it.
const EARLIER_NAME: &str = "codex";

impl fmt::Display for ForeignKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for ForeignKind {
    type Err = UnknownForeignKind;

    fn from_str(text: &str) -> Result<Self, UnknownForeignKind> {
        let known = Self::ALL.into_iter().find(|kind| kind.as_str() == text || kind.stored_name() == text);
        known.ok_or_else(|| UnknownForeignKind { text: text.to_owned() })
    }
}

/// The text does not name a kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown kind `{text}`: the kinds are recall-v0, edi-codex, openai-codex, edi, claude-mem, mem0, basic-memory, \
     memory-server, serena, transcripts"
)]
pub struct UnknownForeignKind {
    /// The rejected text.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_the_error_lists_them_all() {
        let error = "x".parse::<ForeignKind>().expect_err("unknown").to_string();
        for kind in ForeignKind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(kind));
            assert!(error.contains(kind.as_str()), "{error}");
        }
        assert_eq!("codex".parse(), Ok(ForeignKind::EdiCodex));
    }
}
