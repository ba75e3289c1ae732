//! A circuit breaker: pauses requests to a server that fails. The time is an argument, and the owner guards it with a lock.

use std::time::{Duration, Instant};

/// When requests are paused, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct BreakerSettings {
    /// The number of consecutive failures that lead to a pause.
    pub failures: u32,
    /// The first pause. Each further failure doubles it.
    pub pause: Duration,
    /// The pause at which doubling ends.
    pub longest: Duration,
}

/// How a request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It may succeed the next time.
    Transient,
    /// No request will succeed until a person does something.
    Permanent,
    /// The server said when to ask again.
    AskedToWait(Duration),
}

/// The rest of a pause, with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pause {
    /// How long it lasts from now on.
    pub left: Duration,
    /// How the last request failed.
    pub reason: String,
}

/// Pauses requests to a server after consecutive failures.
///
/// After a pause, a single request is let through; the others are refused until it has ended. If it fails, the next pause is twice
/// as long.
#[derive(Debug)]
pub struct Breaker {
    settings: BreakerSettings,
    failures: u32,
    /// The pauses since the last success.
    pauses: u32,
    until: Option<Instant>,
    reason: String,
    /// The end of the time in which the single request after a pause has to end.
    trial: Option<Instant>,
}

impl Breaker {
    /// Creates a breaker that lets requests through.
    pub const fn new(settings: BreakerSettings) -> Self {
        Self { settings, failures: 0, pauses: 0, until: None, reason: String::new(), trial: None }
    }

    /// Lets a request through, or returns the pause. `patience` is how long the request takes at most.
    ///
    /// # Errors
    /// Requests are paused.
    pub fn admit(&mut self, now: Instant, patience: Duration) -> Result<(), Pause> {
        let Some(until) = self.until else { return Ok(()) };
        let over = self.trial.map_or(until, |trial| trial.max(until));
        if now < over {
            return Err(Pause { left: over - now, reason: self.reason.clone() });
        }
        self.trial = Some(now + patience);
        Ok(())
    }

    /// Returns the pause in force, if any.
    pub fn pause(&self, now: Instant) -> Option<Pause> {
        let left = self.until?.checked_duration_since(now)?;
        Some(Pause { left, reason: self.reason.clone() })
    }

    /// Returns how the last request failed, since which none has succeeded; `None` if requests were not paused.
    pub fn problem(&self) -> Option<&str> {
        self.until.map(|_| self.reason.as_str())
    }

    /// Records a success, which ends a pause.
    pub fn note_success(&mut self) {
        *self = Self::new(self.settings);
    }

    /// Records a failure, which may begin a pause.
    pub fn note_failure(&mut self, now: Instant, failure: Failure, reason: &str) {
        let BreakerSettings { failures, pause, longest } = self.settings;
        self.failures += 1;
        reason.clone_into(&mut self.reason);
        let was_trial = self.trial.take().is_some();
        let wait = match failure {
            Failure::AskedToWait(wait) => Some(wait.min(longest)),
            Failure::Permanent => Some(longest),
            Failure::Transient if was_trial || self.failures >= failures => {
                let doubled = pause.saturating_mul(1 << self.pauses.min(16));
                self.pauses += 1;
                Some(doubled.min(longest))
            }
            Failure::Transient => None,
        };
        if let Some(wait) = wait {
            self.until = self.until.max(Some(now + wait));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn breaker() -> Breaker {
        Breaker::new(BreakerSettings { failures: 2, pause: 4 * SECOND, longest: 10 * SECOND })
    }

    #[test]
    fn requests_are_paused_after_consecutive_failures_only() {
        let (mut breaker, now) = (breaker(), Instant::now());
        breaker.note_failure(now, Failure::Transient, "down");
        breaker.note_success();
        breaker.note_failure(now, Failure::Transient, "down");
        assert!(breaker.admit(now, SECOND).is_ok());
        breaker.note_failure(now, Failure::Transient, "down again");
        let pause = breaker.admit(now, SECOND).expect_err("paused");
        assert_eq!((pause.left, pause.reason.as_str()), (4 * SECOND, "down again"));
    }

    #[test]
    fn one_request_is_let_through_after_a_pause_and_the_next_pause_is_longer() {
        let (mut breaker, start) = (breaker(), Instant::now());
        for _ in 0..2 {
            breaker.note_failure(start, Failure::Transient, "down");
        }
        let mut now = start + 4 * SECOND;
        assert!(breaker.admit(now, SECOND).is_ok());
        assert!(breaker.admit(now, SECOND).is_err(), "another request waits for the first");
        breaker.note_failure(now, Failure::Transient, "down");
        assert_eq!(breaker.admit(now, SECOND).expect_err("paused").left, 8 * SECOND);
        now += 8 * SECOND;
        assert!(breaker.admit(now, SECOND).is_ok());
        breaker.note_failure(now, Failure::Transient, "down");
        assert_eq!(breaker.pause(now).expect("paused").left, 10 * SECOND, "the longest pause");
        now += 10 * SECOND;
        assert!(breaker.admit(now, SECOND).is_ok());
        // The caller of the single request may have given up without a word.
        assert!(breaker.admit(now + SECOND, SECOND).is_ok());
        breaker.note_success();
        assert!(breaker.admit(now, SECOND).is_ok() && breaker.admit(now, SECOND).is_ok());
        assert_eq!(breaker.pause(now), None);
    }

    #[test]
    fn a_server_decides_about_its_pause_up_to_the_longest() {
        let (mut breaker, now) = (breaker(), Instant::now());
        breaker.note_failure(now, Failure::AskedToWait(7 * SECOND), "too many requests");
        assert_eq!(breaker.admit(now, SECOND).expect_err("paused").left, 7 * SECOND);
        breaker.note_failure(now, Failure::AskedToWait(3600 * SECOND), "too many requests");
        assert_eq!(breaker.admit(now, SECOND).expect_err("paused").left, 10 * SECOND);
        breaker.note_success();
        breaker.note_failure(now, Failure::Permanent, "wrong key");
        assert_eq!(breaker.admit(now, SECOND).expect_err("paused").left, 10 * SECOND);
    }
}
