//! Which part of the machine computes?

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use ort::ep::{self, ExecutionProvider, ExecutionProviderDispatch};

/// What can compute a network, by the runtime's name an execution provider.
///
/// Which ones there are is decided by the runtime's library and by the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Provider {
    /// NVIDIA's GPUs, with networks compiled for the GPU at hand. Loading takes minutes at the first time.
    TensorRt,
    /// NVIDIA's GPUs.
    Cuda,
    /// Apple's GPUs and neural engines.
    CoreMl,
    /// GPUs under Windows.
    DirectMl,
    /// The processor.
    Cpu,
}

impl Provider {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::TensorRt, Self::Cuda, Self::CoreMl, Self::DirectMl, Self::Cpu];

    /// Its name in settings and status.
    pub fn name(self) -> &'static str {
        match self {
            Self::TensorRt => "tensorrt",
            Self::Cuda => "cuda",
            Self::CoreMl => "coreml",
            Self::DirectMl => "directml",
            Self::Cpu => "cpu",
        }
    }

    /// Its name in the runtime.
    fn runtime_name(self) -> &'static str {
        match self {
            Self::TensorRt => ep::TensorRT::NAME,
            Self::Cuda => ep::CUDA::NAME,
            Self::CoreMl => ep::CoreML::NAME,
            Self::DirectMl => ep::DirectML::NAME,
            Self::Cpu => ep::CPU::NAME,
        }
    }

    /// What registers it, and fails where the library or the machine lacks it: by default that would be silent.
    pub(super) fn registration(self) -> ExecutionProviderDispatch {
        let registration = match self {
            Self::TensorRt => ep::TensorRT::default().build(),
            Self::Cuda => ep::CUDA::default().build(),
            Self::CoreMl => ep::CoreML::default().build(),
            Self::DirectMl => ep::DirectML::default().build(),
            // The arena never gives memory back: with it a process kept two to three times as much.
            Self::Cpu => ep::CPU::default().with_arena_allocator(false).build(),
        };
        registration.error_on_failure()
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Provider {
    type Err = UnknownProvider;

    fn from_str(name: &str) -> Result<Self, UnknownProvider> {
        let found = Self::ALL.into_iter().find(|provider| provider.name().eq_ignore_ascii_case(name));
        found.ok_or_else(|| UnknownProvider { name: name.to_owned() })
    }
}

/// There is no such provider.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no execution provider `{name}`; there are tensorrt, cuda, coreml, directml and cpu")]
pub struct UnknownProvider {
    /// What was asked for.
    pub name: String,
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
            let known = Provider::ALL.into_iter().find(|provider| provider.runtime_name() == name);
            known.map_or(name.as_str(), |provider| provider.name())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_are_read_by_their_names() {
        for provider in Provider::ALL {
            assert_eq!(provider.name().to_uppercase().parse(), Ok(provider));
        }
        assert!("gpu".parse::<Provider>().is_err());
    }

    #[test]
    fn the_main_provider_computes_most() {
        let operations = [("CPUExecutionProvider", 3), ("CUDAExecutionProvider", 90)];
        let operations = operations.map(|(name, count)| (name.to_owned(), count)).into();
        assert_eq!(ProviderUse { operations }.main(), "cuda");
        assert_eq!(ProviderUse::default().main(), "");
    }
}
