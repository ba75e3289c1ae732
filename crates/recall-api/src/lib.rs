//! The protocol: the messages of `recall.v1`, their conversion to domain types, errors with their reasons, and answers as
//! [`json`].
//!
//! Requests are validated once, in [`convert`]; what passes is a type of `recall-core` that is valid by construction.
//! Nothing here connects, listens or answers requests.
//!
//! The contract is `proto/recall/v1`, with its comments. A message has no invariants: its generated type can hold anything. A type
//! with one, such as an id, a path or a span, belongs to the core, and [`convert`] is where a message becomes one or is rejected. The
//! JSON mirrors the messages field by field.
//!
//! Begin with `convert`, `reason` (why a call fails) and `hint` (what to do about it).

mod answer;
pub mod convert;
pub mod hint;
mod invalid;
pub mod json;
mod protocol;
mod reason;
pub mod v1;

pub use answer::{
    INDEX, NOT_INDEXED_YET, Neighbours, is_index_at_work, is_not_indexed_yet, may_be_outdated, narrowing, neighbours,
    nothing_found, nothing_matches, searched_files,
};
pub use invalid::{InvalidRequest, Problem};
pub use protocol::{PROTOCOLS, Rpc, newest_common, rpcs};
pub use reason::{CLOSING, Failure, Reason};
