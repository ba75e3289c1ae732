//! The system clock.

use recall_core::{Clock, Timestamp};

#[derive(Clone, Copy, Debug)]
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the clock of the machine")]
    fn now(&self) -> Timestamp {
        std::time::SystemTime::now().into()
    }
}
