//! Execution providers: what part of the machine runs a network, and which of them run its parts, as reported by the
//! runtime.
//!
//! The `ort` crate has no safe function for this, so the C functions are called directly.

#![expect(unsafe_code, reason = "the runtime's C interface uses pointers")]

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char};
use std::{ptr, slice};

use ort::ep::{self, ExecutionProvider, ExecutionProviderDispatch};
use ort::session::Session;
use ort::{AsPointer as _, ortsys};
use recall_core::Provider;

/// Returns the provider's name in the runtime.
fn runtime_name(provider: Provider) -> &'static str {
    match provider {
        Provider::TensorRt => ep::TensorRT::NAME,
        Provider::Cuda => ep::CUDA::NAME,
        Provider::CoreMl => ep::CoreML::NAME,
        Provider::DirectMl => ep::DirectML::NAME,
        Provider::Cpu => ep::CPU::NAME,
    }
}

/// Returns the registration of a provider. It fails if the library or the machine lacks the provider; the default is to
/// ignore that.
pub(super) fn registration(provider: Provider) -> ExecutionProviderDispatch {
    let registration = match provider {
        Provider::TensorRt => ep::TensorRT::default().build(),
        Provider::Cuda => ep::CUDA::default().build(),
        Provider::CoreMl => ep::CoreML::default().build(),
        Provider::DirectMl => ep::DirectML::default().build(),
        // The arena saves each run from allocating its memory again; `OnnxNetwork::release_memory` releases it.
        Provider::Cpu => ep::CPU::default().with_arena_allocator(true).build(),
    };
    registration.error_on_failure()
}

/// The providers that run a loaded network, as reported by the runtime.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProviderUse {
    /// The number of the network's operations run by each provider, by the runtime's names.
    pub operations: BTreeMap<String, usize>,
}

impl ProviderUse {
    /// Returns the provider that runs most of the network, such as `cpu` or `cuda`. A provider unknown to recall has
    /// the runtime's name.
    pub fn main(&self) -> &str {
        let most = self.operations.iter().max_by_key(|(_, operations)| **operations);
        most.map_or("", |(name, _)| {
            let known = Provider::ALL.into_iter().find(|provider| runtime_name(*provider) == name);
            known.map_or(name.as_str(), |provider| provider.as_str())
        })
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_provider_runs_most_operations() {
        let operations = [("CPUExecutionProvider", 3), ("CUDAExecutionProvider", 90)];
        let operations = operations.map(|(name, count)| (name.to_owned(), count)).into();
        assert_eq!(ProviderUse { operations }.main(), "cuda");
        assert_eq!(ProviderUse::default().main(), "");
    }
}
