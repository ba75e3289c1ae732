//! The search time is linear in the length of the text.
#![cfg(unix)]

use std::time::Duration;

use oorandom::Rand32;
use recall_secrets::{Masker, Settings};
use rustix::time::{ClockId, clock_gettime};

use crate::forms::TOKENS;
use crate::samples::filled;

#[test]
fn the_time_is_linear_for_any_text() {
    let masker = Masker::new(Settings::default()).unwrap();
    let mut random = Rand32::new(1);
    let mut parts = vec![
        "-----BEGIN PRIVATE KEY-----".to_owned(),
        "PuTTY-User-Key-File-".to_owned(),
        "-eyJhbGciOiJIUzI1NiJ9xxxxxxx".to_owned(),
        "password=".to_owned(),
        "password = \"".to_owned(),
        "://a:".to_owned(),
        "Bearer ".to_owned(),
        "token".to_owned(),
        "\\".to_owned(),
        "=".to_owned(),
        "ü".to_owned(),
        ":aa".to_owned(),
        "azdo".to_owned(),
    ];
    parts.extend(TOKENS.iter().step_by(15).map(|(_, form)| filled(form, &mut random).text));
    for part in &parts {
        // For linear time the ratio is about 4; it would be 16 if each position scanned the rest of the text.
        let (short, long) = (cost(&masker, part, 60_000), cost(&masker, part, 240_000));
        assert!(long < short * 10 + Duration::from_millis(20), "{part}: {short:?}, {long:?}");
    }
}

/// Returns the least processor time, of several runs, to search a repeated part.
fn cost(masker: &Masker, part: &str, bytes: usize) -> Duration {
    let text = part.repeat(bytes / part.len());
    let costs = (0..3).map(|_| {
        let start = of_this_thread();
        masker.find(&text);
        of_this_thread().saturating_sub(start)
    });
    costs.min().expect("several")
}

fn of_this_thread() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
