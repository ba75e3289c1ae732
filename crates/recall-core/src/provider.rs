//! Which part of the machine computes?

use std::fmt;

/// What can compute a network, by the ONNX runtime's name an execution provider.
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
    pub fn as_str(self) -> &'static str {
        match self {
            Self::TensorRt => "tensorrt",
            Self::Cuda => "cuda",
            Self::CoreMl => "coreml",
            Self::DirectMl => "directml",
            Self::Cpu => "cpu",
        }
    }

    /// The provider of that name.
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
    fn providers_are_read_by_their_names() {
        for provider in Provider::ALL {
            assert_eq!(Provider::from_name(provider.as_str()), Some(provider));
        }
        assert_eq!(Provider::from_name("gpu"), None);
    }
}
