//! How answers cite a turn.

use recall_agents::foreign::TranscriptClient;

/// Returns how answers cite a turn, which is counted from 1: `transcript:claude-code/0f3c#4`. A session that goes on keeps the
/// numbers of its turns.
pub(crate) fn citation(client: TranscriptClient, session: &str, turn: usize) -> String {
    format!("transcript:{client}/{session}#{turn}")
}

/// Returns the agent, the session and the number of a cited turn; `None` if the text cites none.
pub(super) fn parse_citation(cited: &str) -> Option<(TranscriptClient, &str, usize)> {
    let (client, rest) = cited.trim().strip_prefix("transcript:")?.split_once('/')?;
    let (session, number) = rest.rsplit_once('#')?;
    Some((TranscriptClient::from_name(client)?, session, number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_citation_names_its_turn() {
        let cited = citation(TranscriptClient::Codex, "0f#3c", 12);
        assert_eq!(cited, "transcript:codex/0f#3c#12");
        assert_eq!(parse_citation(&cited), Some((TranscriptClient::Codex, "0f#3c", 12)));
        for other in ["src/a.rs", "transcript:codex/x", "transcript:nobody/x#1", "transcript:codex/x#y"] {
            assert_eq!(parse_citation(other), None, "{other}");
        }
    }
}
