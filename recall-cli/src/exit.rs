//! Exit codes of the program.

/// The result of the program. The codes are stable for scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done, or something was found.
    Done,
    /// Nothing was found.
    NothingFound,
    /// The arguments or the configuration are wrong.
    Usage,
    /// The daemon cannot be reached.
    Unreachable,
    /// The daemon refused, with a reason.
    Refused,
    /// A loop waits for a person's decision.
    Escalated,
    /// A loop ended with open tasks.
    Unfinished,
    /// A bug in recall.
    Internal,
    /// The user interrupted the program.
    Interrupted,
}

impl Exit {
    /// The exit code.
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::NothingFound => 1,
            Self::Usage => 2,
            Self::Unreachable => 3,
            Self::Refused => 4,
            Self::Escalated => 5,
            Self::Unfinished => 6,
            Self::Internal => 70,
            Self::Interrupted => 130,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_are_those_that_scripts_rely_on() {
        let codes = [
            Exit::Done,
            Exit::NothingFound,
            Exit::Usage,
            Exit::Unreachable,
            Exit::Refused,
            Exit::Escalated,
            Exit::Unfinished,
            Exit::Internal,
            Exit::Interrupted,
        ];
        assert_eq!(codes.map(Exit::code), [0, 1, 2, 3, 4, 5, 6, 70, 130]);
    }
}
