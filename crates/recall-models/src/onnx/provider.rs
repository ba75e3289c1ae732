//! Which part of the machine computes?

use std::collections::BTreeMap;

use ort::ep::{self, ExecutionProvider, ExecutionProviderDispatch};
use recall_core::Provider;

/// Its name in the runtime.
fn runtime_name(provider: Provider) -> &'static str {
    match provider {
        Provider::TensorRt => ep::TensorRT::NAME,
        Provider::Cuda => ep::CUDA::NAME,
        Provider::CoreMl => ep::CoreML::NAME,
        Provider::DirectMl => ep::DirectML::NAME,
        Provider::Cpu => ep::CPU::NAME,
    }
}

/// What registers it, and fails where the library or the machine lacks it: by default that would be silent.
pub(super) fn registration(provider: Provider) -> ExecutionProviderDispatch {
    let registration = match provider {
        Provider::TensorRt => ep::TensorRT::default().build(),
        Provider::Cuda => ep::CUDA::default().build(),
        Provider::CoreMl => ep::CoreML::default().build(),
        Provider::DirectMl => ep::DirectML::default().build(),
        // Its arena spares each run from asking the system for its memory again; `OnnxNetwork::rest` gives that back.
        Provider::Cpu => ep::CPU::default().with_arena_allocator(true).build(),
    };
    registration.error_on_failure()
}

/// Who computes a network that is loaded, as the runtime tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProviderUse {
    /// How many of the network's operations each provider computes, by the runtime's names.
    pub operations: BTreeMap<String, usize>,
}

impl ProviderUse {
    /// The provider that computes most of the network: `cpu`, `cuda`. One that recall does not know has the runtime's name.
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
    fn the_main_provider_computes_most() {
        let operations = [("CPUExecutionProvider", 3), ("CUDAExecutionProvider", 90)];
        let operations = operations.map(|(name, count)| (name.to_owned(), count)).into();
        assert_eq!(ProviderUse { operations }.main(), "cuda");
        assert_eq!(ProviderUse::default().main(), "");
    }
}
