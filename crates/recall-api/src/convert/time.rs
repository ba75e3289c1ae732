//! Timestamps.

use recall_core::{TimePoint, Timestamp};

use crate::v1;

const NANOS_PER_SECOND: i64 = 1_000_000_000;

/// Writes a timestamp. One before 1970 has negative seconds and positive nanoseconds.
pub fn to_proto(time: Timestamp) -> prost_types::Timestamp {
    let Timestamp(nanos) = time;
    prost_types::Timestamp {
        seconds: nanos.div_euclid(NANOS_PER_SECOND),
        // Between 0 and 999,999,999, because the remainder is Euclidean.
        nanos: nanos.rem_euclid(NANOS_PER_SECOND) as i32,
    }
}

/// Reads a timestamp. One outside of the years 1677 to 2262 is clamped.
pub fn from_proto(message: &prost_types::Timestamp) -> Timestamp {
    let prost_types::Timestamp { seconds, nanos } = *message;
    Timestamp(seconds.saturating_mul(NANOS_PER_SECOND).saturating_add(i64::from(nanos)))
}

/// Writes a point in time.
pub fn point_to_proto(point: &TimePoint) -> v1::TimePoint {
    v1::TimePoint { at: Some(to_proto(point.at)), commit: point.commit.clone().unwrap_or_default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn moments_cross_unchanged(nanos in (i64::MIN + NANOS_PER_SECOND)..) {
            let message = to_proto(Timestamp(nanos));
            proptest::prop_assert!((0..1_000_000_000).contains(&message.nanos));
            proptest::prop_assert_eq!(from_proto(&message), Timestamp(nanos));
        }
    }
}
