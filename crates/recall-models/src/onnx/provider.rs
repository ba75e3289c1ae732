//! Execution providers: what part of the machine runs a network.

use std::collections::BTreeMap;

use ort::ep::{self, ExecutionProvider, ExecutionProviderDispatch};
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
