//! Timestamps.

/// Formats a timestamp to the minute, in UTC: `2026-11-20 10:42 UTC`.
pub(crate) fn moment(message: Option<&prost_types::Timestamp>) -> Option<String> {
    let prost_types::Timestamp { seconds, nanos } = *message?;
    let moment = jiff::Timestamp::new(seconds, nanos).ok()?;
    Some(moment.strftime("%Y-%m-%d %H:%M UTC").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_shown_to_the_minute() {
        let second = prost_types::Timestamp { seconds: 1_700_000_000, nanos: 0 };
        assert_eq!(moment(Some(&second)).as_deref(), Some("2023-11-14 22:13 UTC"));
        assert_eq!(moment(None), None);
    }
}
