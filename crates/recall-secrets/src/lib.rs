//! Here is a text; which parts of it are secrets, and what does it look like without them?
//!
//! A [`Masker`] finds private keys, tokens of known formats, passwords in URLs and headers, and what is assigned to names
//! such as `password` or `api_key` ([`Masker::find`]), and puts a mask in the place of each ([`Masker::mask`]).
//!
//! A text is looked through once for the **keywords** of all rules, by their rarest three letters; that is all that happens
//! to most text. Where a keyword stands, and only there, its rules look at what is around it, within bounds. A rule's
//! pattern is compiled when its keyword is first met.
//!
//! The rules are facts about formats: how a token begins, its alphabet, its length, where its maker tells so. What has no
//! format, a password, is told by the name that it is assigned to and by what it is not: a placeholder, a variable, a call,
//! a path, words.
//!
//! It deliberately verifies nothing: a key that was revoked looks like one that was not. It reads no file, knows no path,
//! and does not promise to find what has neither a format nor a telling name.

mod base64;
mod finding;
mod keywords;
mod mask;
mod masker;
mod pattern;
mod rule;
mod rules;
mod settings;
mod shape;
mod value;

pub use finding::Finding;
pub use masker::Masker;
pub use rule::Rule;
pub use settings::{Settings, SettingsError};
