//! The conformance suite: what every kind of store must answer.

#![allow(dead_code, unreachable_pub, reason = "each test program uses a part")]

pub mod check;
pub mod corpus;
