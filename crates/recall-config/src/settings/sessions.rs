//! The settings of sessions.

use recall_core::SessionShare;

use crate::ConfigError;
use crate::kind::{Kind, Shape};
use crate::read::Reader;
use crate::table::Reach;

/// What happens to the records of sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionSettings {
    /// Which sessions' summaries become files of the project.
    pub share: SessionShare,
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
