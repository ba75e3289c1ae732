//! Loading of the settings of sessions, of briefings, and of what hooks record.

use recall_core::SessionShare;

use super::{BriefingSettings, CaptureSettings, SessionSettings};
use crate::ConfigError;
use crate::kind::{Kind, Shape};
use crate::read::Reader;
use crate::table::Reach;
use crate::value::yes_or_no;

/// Reads the section of briefings.
pub(crate) fn briefing(from: &mut Reader, default: BriefingSettings) -> Result<BriefingSettings, ConfigError> {
    let BriefingSettings { profile, history, tasks } = default;
    let mut switch = |key, default| from.key(key, Reach::Search, default, &yes_or_no());
    Ok(BriefingSettings {
        profile: switch("briefing.profile", profile)?,
        history: switch("briefing.history", history)?,
        tasks: switch("briefing.tasks", tasks)?,
    })
}

/// Reads the section of what hooks record.
pub(crate) fn capture(from: &mut Reader, default: CaptureSettings) -> Result<CaptureSettings, ConfigError> {
    let CaptureSettings { goal, edits, failures, commits, messages, tasks } = default;
    let mut switch = |key, default| from.key(key, Reach::Client, default, &yes_or_no());
    Ok(CaptureSettings {
        goal: switch("capture.goal", goal)?,
        edits: switch("capture.edits", edits)?,
        failures: switch("capture.failures", failures)?,
        commits: switch("capture.commits", commits)?,
        messages: switch("capture.messages", messages)?,
        tasks: switch("capture.tasks", tasks)?,
    })
}

/// Reads the section. A repository must not decide that what a user did becomes one of its files.
pub(crate) fn sessions(from: &mut Reader, default: SessionSettings) -> Result<SessionSettings, ConfigError> {
    let SessionSettings { share } = default;
    Ok(SessionSettings { share: from.key("sessions.share", Reach::Search, share, &choice())? })
}

/// Parses the choice of the summaries that are shared.
fn choice() -> Kind<SessionShare> {
    let names = || SessionShare::ALL.map(SessionShare::as_str).to_vec();
    Kind::new(Shape::OneOf(names()), move |value| {
        let choice = value.as_str().and_then(SessionShare::from_name);
        choice.ok_or_else(|| format!("one of {}", names().join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use toml::Value;

    use super::*;

    #[test]
    fn the_choice_is_one_of_three_words() {
        assert_eq!(choice().parse(&Value::String("decisions".to_owned())), Ok(SessionShare::Decisions));
        for other in [Value::String("always".to_owned()), Value::Boolean(true)] {
            assert_eq!(choice().parse(&other), Err("one of never, decisions, all".to_owned()));
        }
    }
}
