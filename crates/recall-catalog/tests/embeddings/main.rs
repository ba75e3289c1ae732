//! The embedding store from outside: what is told was put, and the rest is missing.

#![expect(clippy::unwrap_used, reason = "a test ends where an answer is missing")]

mod damage;
mod store;
