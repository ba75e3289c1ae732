//! Detection and masking of secrets in text.
//!
//! A [`Masker`] finds private keys, tokens of known formats, passwords in URLs and headers, and values assigned to
//! names such as `password` or `api_key` ([`Masker::find`]). It replaces each with a mask ([`Masker::mask`]).
//!
//! A text is first scanned for the **keywords** of all rules, by their rarest three bytes; for most text that is all
//! the work. Only at a keyword do its rules examine the surrounding text, within bounds. A rule's pattern is compiled
//! when its keyword first occurs.
//!
//! The rules are facts about formats: prefix, alphabet and length of a token, with a link to the issuer's
//! documentation. A value without a format, such as a password, is recognized by the name that it is assigned to, and
//! by not being a placeholder, a variable, a call, a path or words.
//!
//! This crate does not verify secrets: a revoked key looks like a valid one. It reads no files and knows no paths. It
//! does not promise to find secrets that have neither a format nor a telling name.
//!
//! Rule sets by others serve scanners: a person checks each finding. A mask removes what a search would have found, so a rule here
//! needs a format that ordinary text does not have (ADR 10). Entropy alone finds hashes and minified code. Masking twice changes
//! nothing: it is repeated until nothing is found.
//!
//! Begin with `keywords`, `masker`, `rules` and `value`.

mod finding;
mod keywords;
mod masker;
mod rule;
mod rules;
mod shape;
mod value;

pub use finding::Finding;
pub use masker::{Masker, Settings, SettingsError};
pub use rule::Rule;
