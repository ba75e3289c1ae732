//! The execution providers that run the parts of a network, as reported by the runtime.
//!
//! The `ort` crate has no safe function for this, so the C functions are called directly.
#![expect(unsafe_code, reason = "the runtime's C interface uses pointers")]

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char};
use std::{ptr, slice};

use ort::session::Session;
use ort::{AsPointer as _, ortsys};

use super::ProviderUse;

/// The session option that makes the runtime keep the information for [`assignment`].
pub(super) const RECORD: (&str, &str) = ("session.record_ep_graph_assignment_info", "1");

/// Returns how many operations each provider runs in a session that was created with [`RECORD`].
pub(super) fn assignment(session: &Session) -> Result<ProviderUse, ort::Error> {
    let mut parts = ptr::null();
    let mut count = 0;
    ortsys![unsafe Session_GetEpGraphAssignmentInfo(session.ptr(), &raw mut parts, &raw mut count)?];
    let mut operations = BTreeMap::new();
    if count == 0 {
        return Ok(ProviderUse { operations });
    }
    // SAFETY: the call succeeded, so `parts` points to `count` pointers that live as long as the session.
    let parts = unsafe { slice::from_raw_parts(parts, count) };
    for part in parts {
        let mut name: *const c_char = ptr::null();
        ortsys![unsafe EpAssignedSubgraph_GetEpName(*part, &raw mut name)?];
        // SAFETY: the call succeeded, so `name` is a NUL-terminated string that lives as long as the session.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
        let mut nodes = ptr::null();
        let mut count = 0;
        ortsys![unsafe EpAssignedSubgraph_GetNodes(*part, &raw mut nodes, &raw mut count)?];
        *operations.entry(name).or_insert(0) += count;
    }
    Ok(ProviderUse { operations })
}
