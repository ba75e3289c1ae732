//! Remote models, against a server that speaks the vendors' formats and fails on demand.

mod compare;
mod describe;
mod embed;
mod judge;
mod support;
