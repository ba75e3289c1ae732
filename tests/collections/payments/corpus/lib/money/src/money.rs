use std::fmt;

use thiserror::Error;

use crate::Currency;

/// A whole number of minor units of one currency: 12.50 EUR is 1250.
///
/// Negative amounts are what somebody owes. There is no conversion from or to a float.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Money {
    minor: i64,
    currency: Currency,
}

/// An operation on amounts that has no result.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum MoneyError {
    /// Amounts of two currencies are not added up; convert one of them first.
    #[error("{left} and {right} cannot be added")]
    CurrencyMismatch { left: Currency, right: Currency },
    /// The sum is beyond 64 bits.
    #[error("the amount is too large")]
    Overflow,
    /// The text is no decimal number of the currency's places.
    #[error("{text:?} is no amount in {currency}")]
    Malformed { text: String, currency: Currency },
}

impl Money {
    /// An amount of minor units.
    #[must_use]
    pub fn from_minor(minor: i64, currency: Currency) -> Self {
        Self { minor, currency }
    }

    /// Reads a decimal number such as `12.50`. More places than the currency has are an error, never rounded away.
    pub fn parse(text: &str, currency: Currency) -> Result<Self, MoneyError> {
        let malformed = || MoneyError::Malformed { text: text.to_owned(), currency };
        let (whole, places) = text.split_once('.').unwrap_or((text, ""));
        let exponent = currency.exponent() as usize;
        if places.len() > exponent || !places.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(malformed());
        }
        format!("{whole}{places:0<exponent$}").parse().map(|minor| Self { minor, currency }).map_err(|_| malformed())
    }

    /// The whole minor units.
    #[must_use]
    pub fn minor(self) -> i64 {
        self.minor
    }

    /// The currency.
    #[must_use]
    pub fn currency(self) -> Currency {
        self.currency
    }

    /// Adds an amount of the same currency.
    pub fn add(self, other: Self) -> Result<Self, MoneyError> {
        if self.currency != other.currency {
            return Err(MoneyError::CurrencyMismatch { left: self.currency, right: other.currency });
        }
        let minor = self.minor.checked_add(other.minor).ok_or(MoneyError::Overflow)?;
        Ok(Self { minor, ..self })
    }
}

impl fmt::Display for Money {
    /// The decimal number and the code, such as `-0.05 EUR` or `1200 JPY`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exponent = self.currency.exponent() as usize;
        let sign = if self.minor < 0 { "-" } else { "" };
        let digits = format!("{:0>width$}", self.minor.unsigned_abs(), width = exponent + 1);
        let (whole, places) = digits.split_at(digits.len() - exponent);
        let dot = if exponent == 0 { "" } else { "." };
        write!(f, "{sign}{whole}{dot}{places} {}", self.currency)
    }
}
