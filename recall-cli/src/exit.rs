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
    /// A bug in recall.
    Internal,
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
            Self::Internal => 70,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_codes_are_those_that_scripts_rely_on() {
        let codes = [Exit::Done, Exit::NothingFound, Exit::Usage, Exit::Unreachable, Exit::Refused, Exit::Internal];
        assert_eq!(codes.map(Exit::code), [0, 1, 2, 3, 4, 70]);
    }
}
