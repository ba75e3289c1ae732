//! The figures of one process.

/// A process's memory, in bytes; figures that the platform does not report are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "the unit is a part of each name")]
pub(crate) struct MemoryUse {
    /// The resident memory.
    pub(crate) resident_bytes: u64,
    /// The resident memory without mapped files.
    pub(crate) anonymous_bytes: u64,
    /// The peak of the resident memory.
    pub(crate) peak_bytes: u64,
    /// The mapped address space.
    pub(crate) mapped_bytes: u64,
}
