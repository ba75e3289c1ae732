//! Execution providers: the hardware that a network runs on.

use std::fmt;

/// An execution provider of the ONNX runtime.
///
/// Which ones are available depends on the runtime's library and on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Provider {
    /// NVIDIA's GPUs, with networks compiled for the installed GPU. The first load takes minutes.
    TensorRt,
    /// NVIDIA's GPUs, without compiling a network for them first.
    Cuda,
    /// Apple's GPUs and neural engines.
    CoreMl,
    /// GPUs of any maker under Windows.
    DirectMl,
    /// The processor, which every library supports.
    Cpu,
}

impl Provider {
    /// All providers, in order of preference.
    pub const ALL: [Self; 5] = [Self::TensorRt, Self::Cuda, Self::CoreMl, Self::DirectMl, Self::Cpu];

    /// Its name in settings and status.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TensorRt => "tensorrt",
            Self::Cuda => "cuda",
            Self::CoreMl => "coreml",
            Self::DirectMl => "directml",
            Self::Cpu => "cpu",
        }
    }

    /// The provider with that name in settings; `None` for an unknown one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|provider| provider.as_str() == name)
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_are_found_by_name() {
        for provider in Provider::ALL {
            assert_eq!(Provider::from_name(provider.as_str()), Some(provider));
        }
        assert_eq!(Provider::from_name("gpu"), None);
    }
}
