//! What goes over the socket: the messages of `recall.v1`, what they mean in the words of the domain, and how an error
//! crosses with its reason and its hint.
//!
//! This is the border. A request is checked here once ([`convert`]), and what passes is a type of `recall-core` that
//! cannot be wrong any more. Nothing here connects, listens or decides what to answer.

pub mod convert;
mod failure;
mod freshness;
mod invalid;
mod protocol;
mod reason;
mod rpcs;
mod standing;
mod status;
pub mod v1;

pub use failure::Failure;
pub use freshness::is_behind;
pub use invalid::{InvalidRequest, Problem};
pub use protocol::{PROTOCOLS, newest_common};
pub use reason::Reason;
pub use rpcs::{Rpc, rpcs};
pub use standing::standing;
