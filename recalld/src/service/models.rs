//! The RPCs about models.

pub(super) mod add;
pub(super) mod list;
pub(super) mod pull;
pub(super) mod remove;
pub(super) mod runtime;
mod transfer;
pub(super) mod use_model;

use recall_models::Role;
use recall_proto::{InvalidRequest, Problem};

/// Reads a role; `None` if it is empty.
fn role(field: &'static str, name: &str) -> Result<Option<Role>, InvalidRequest> {
    if name.is_empty() {
        return Ok(None);
    }
    let found = Role::ALL.into_iter().find(|role| role.as_str() == name);
    let unknown = || InvalidRequest::new(field, Problem::Unknown { value: name.to_owned(), known: "embed, rerank" });
    found.map(Some).ok_or_else(unknown)
}
