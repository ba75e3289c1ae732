//! Hashes of directories and file names, to find related documents.
//!
//! Both hashes have twenty bits and are packed next to a document's traits. Among a few hundred candidates, two
//! unrelated documents collide once in a few thousand queries, and then one feature is slightly too high.

use recall_core::DocPath;

use crate::format::checksum;

/// The hashes of a document's directory and file name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kinship {
    /// Equal for documents of one directory.
    pub(crate) folder: u32,
    /// Equal for files with the same bare name: `store.c`, `store.h`, `test_store.c`, `StoreTests.cs`.
    pub(crate) stem: u32,
}

/// The lowest bit of the packed hashes.
pub(crate) const SHIFT: u32 = 24;
const BITS: u32 = 20;
const MASK: u64 = (1 << BITS) - 1;

impl Kinship {
    pub(crate) fn of(path: &DocPath) -> Self {
        let folder = path.as_str().rsplit_once('/').map_or("", |(folder, _)| folder);
        let hash = |text: &str| {
            let sum = checksum(text);
            ((sum ^ sum >> 32) & MASK) as u32
        };
        Self { folder: hash(folder), stem: hash(&bare_stem(path.stem())) }
    }
}

/// A file name in lower case, without separators and without the affixes of tests.
fn bare_stem(stem: &str) -> String {
    let mut bare: String = stem.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    for ending in ["tests", "test", "spec"] {
        if bare.len() > ending.len() && bare.ends_with(ending) {
            bare.truncate(bare.len() - ending.len());
            break;
        }
    }
    match bare.strip_prefix("test") {
        Some(rest) if !rest.is_empty() => rest.to_owned(),
        _ => bare,
    }
}

/// Packs the hashes. The bits below [`SHIFT`] are zero.
pub(crate) fn pack(kinship: Kinship) -> u64 {
    (u64::from(kinship.folder) | u64::from(kinship.stem) << BITS) << SHIFT
}

/// Unpacks the result of [`pack`].
pub(crate) fn unpack(packed: u64) -> Kinship {
    let packed = packed >> SHIFT;
    Kinship { folder: (packed & MASK) as u32, stem: (packed >> BITS & MASK) as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinship(path: &str) -> Kinship {
        Kinship::of(&DocPath::new(path).expect("plain"))
    }

    #[test]
    fn a_file_and_its_test_have_the_same_bare_name() {
        for (one, other) in [
            ("src/store.c", "tests/test_store.c"),
            ("src/Store.cs", "src/StoreTests.cs"),
            ("store.h", "store.c"),
            ("lib/user_store.rb", "spec/user_store_spec.rb"),
        ] {
            assert_eq!(kinship(one).stem, kinship(other).stem, "{one} {other}");
        }
        assert_ne!(kinship("a/store.c").stem, kinship("a/restore.c").stem);
    }

    #[test]
    fn a_directory_differs_from_its_parent() {
        assert_eq!(kinship("src/a.c").folder, kinship("src/b.c").folder);
        assert_ne!(kinship("src/a.c").folder, kinship("src/x/a.c").folder);
    }
}
