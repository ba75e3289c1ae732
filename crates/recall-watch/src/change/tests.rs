use super::*;

#[test]
fn a_time_is_racy_within_one_tick_of_the_observation() {
    const MILLI: i64 = 1_000_000;
    const NOW: i64 = 1_800_000_000_123_456_789;
    const WHOLE: i64 = 1_800_000_000_000_000_000;
    for (modified, observed_at, expected) in [
        (NOW, NOW, true),
        (NOW - 9 * MILLI, NOW, true),
        (NOW - 21 * MILLI, NOW, false),
        (NOW + 9 * MILLI, NOW, true),
        // Written and read late in a long run.
        (NOW + 3_600_000 * MILLI, NOW, true),
        (NOW + 48 * 3_600_000 * MILLI, NOW, false),
        (i64::MIN, NOW, false),
        (i64::MAX, NOW, false),
        (WHOLE, WHOLE + 1_900 * MILLI, true),
        (WHOLE, WHOLE + 2_100 * MILLI, false),
        (0, NOW, false),
    ] {
        assert_eq!(is_racy(Timestamp(modified), Timestamp(observed_at)), expected, "{modified} seen at {observed_at}");
    }
}
