//! The settings of `recall hook`.

use std::time::Duration;

/// What `recall hook` tells an agent, and what it records.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the configuration")]
pub struct HookSettings {
    /// How long a hook may take, from its start to its exit. It answers nothing if it is late.
    pub wait: Duration,
    /// How long the start of a session may take, and a prompt that has a briefing to bring.
    pub start_wait: Duration,
    /// Whether a session and a subagent begin with a briefing.
    pub briefing: bool,
    /// The token budget of a session's briefing.
    pub briefing_budget_tokens: u32,
    /// The token budget of a subagent's briefing.
    pub subagent_budget_tokens: u32,
    /// Whether a prompt is answered with memories and places in the project.
    pub prompt: bool,
    /// The token budget of that answer.
    pub prompt_budget_tokens: u32,
    /// The confidence, from 0 to 1, below which a place is not shown.
    pub place_confidence: f64,
    /// The confidence, from 0 to 1, below which a memory is not shown.
    pub memory_confidence: f64,
    /// Whether memories about a file are shown before it is read or edited.
    pub files: bool,
    /// The token budget of these memories.
    pub file_budget_tokens: u32,
    /// Whether a command that failed is answered with the lines that its output names and the memories about its error.
    pub failures: bool,
    /// The token budget of that answer.
    pub failure_budget_tokens: u32,
    /// Whether edits, failed commands and commits become events of the session, and its end writes a summary.
    pub events: bool,
}

impl Default for HookSettings {
    fn default() -> Self {
        Self {
            wait: Duration::from_millis(300),
            start_wait: Duration::from_secs(2),
            briefing: true,
            briefing_budget_tokens: 2_000,
            subagent_budget_tokens: 400,
            prompt: true,
            prompt_budget_tokens: 600,
            // Chosen by `recall bench --loop` on mined commits: .75 of the places and .77 of the memories are relevant.
            place_confidence: 0.2,
            memory_confidence: 0.1,
            files: true,
            file_budget_tokens: 400,
            failures: true,
            // Three places with the lines around them and a short memory.
            failure_budget_tokens: 400,
            events: true,
        }
    }
}
