use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A currency of ISO 4217 that we settle in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Currency {
    Eur,
    Usd,
    Gbp,
    Chf,
    Sek,
    Jpy,
    Krw,
    Kwd,
    Bhd,
}

/// The code is none of a currency that we settle in.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("unknown currency {0:?}")]
pub struct UnknownCurrency(pub String);

impl Currency {
    /// How many decimal places the minor unit has: 0 for yen and won, 3 for dinars, else 2.
    ///
    /// Nobody may assume 2: see the post-mortem of 2025-07-22.
    #[must_use]
    pub fn exponent(self) -> u32 {
        match self {
            Self::Jpy | Self::Krw => 0,
            Self::Kwd | Self::Bhd => 3,
            Self::Eur | Self::Usd | Self::Gbp | Self::Chf | Self::Sek => 2,
        }
    }

    /// The three letters of ISO 4217.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Eur => "EUR",
            Self::Usd => "USD",
            Self::Gbp => "GBP",
            Self::Chf => "CHF",
            Self::Sek => "SEK",
            Self::Jpy => "JPY",
            Self::Krw => "KRW",
            Self::Kwd => "KWD",
            Self::Bhd => "BHD",
        }
    }
}

impl FromStr for Currency {
    type Err = UnknownCurrency;

    fn from_str(code: &str) -> Result<Self, UnknownCurrency> {
        let all = [
            Self::Eur, Self::Usd, Self::Gbp, Self::Chf, Self::Sek, Self::Jpy, Self::Krw, Self::Kwd, Self::Bhd,
        ];
        all.into_iter().find(|currency| currency.code() == code).ok_or_else(|| UnknownCurrency(code.to_owned()))
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}
