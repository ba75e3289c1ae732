//! How much is it, exactly?
//!
//! Amounts are whole minor units of a currency (ADR 0002), rounding is half to even (ADR 0005), and splitting an amount
//! loses nothing. Deliberately not here: exchange rates, formatting for a locale, and arithmetic in floating point.

mod allocate;
mod currency;
mod money;
mod rounding;

pub use allocate::{allocate, AllocateError};
pub use currency::{Currency, UnknownCurrency};
pub use money::{Money, MoneyError};
pub use rounding::{round_ratio, Rounding};
