//! What a program needs of the system.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use object::elf::FileHeader64;
use object::read::elf::{Dyn as _, FileHeader as _};
use object::{Endianness, elf};

/// A version of glibc; the default is one that every system has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Glibc {
    pub(crate) major: u32,
    pub(crate) minor: u32,
}

impl Display for Glibc {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl FromStr for Glibc {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        parse(text).ok_or_else(|| format!("`{text}` is not a version of glibc, like 2.17"))
    }
}

/// What programs need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    /// The newest version of glibc that they name, which is the oldest that they run with.
    pub(crate) glibc: Glibc,
    /// The file names of the libraries that the system loads.
    pub(crate) libraries: BTreeSet<String>,
}

impl Needs {
    /// Reads them from a program.
    pub(crate) fn read(program: &[u8]) -> Result<Self, String> {
        let unreadable = |error: object::Error| format!("not a program for 64-bit Linux: {error}");
        let header = FileHeader64::<Endianness>::parse(program).map_err(unreadable)?;
        let endian = header.endian().map_err(unreadable)?;
        let sections = header.sections(endian, program).map_err(unreadable)?;
        let mut needs = Self::default();
        if let Some((mut files, link)) = sections.gnu_verneed(endian, program).map_err(unreadable)? {
            let strings = sections.strings(endian, program, link).map_err(unreadable)?;
            while let Some((_, mut versions)) = files.next().map_err(unreadable)? {
                while let Some(version) = versions.next().map_err(unreadable)? {
                    let name = version.name(endian, strings).map_err(unreadable)?;
                    let version = std::str::from_utf8(name).ok().and_then(glibc);
                    needs.glibc = needs.glibc.max(version.unwrap_or_default());
                }
            }
        }
        if let Some((entries, link)) = sections.dynamic(endian, program).map_err(unreadable)? {
            let strings = sections.strings(endian, program, link).map_err(unreadable)?;
            for entry in entries.iter().filter(|entry| entry.d_tag(endian) == u64::from(elf::DT_NEEDED)) {
                let name = entry.string(endian, strings).map_err(unreadable)?;
                needs.libraries.insert(String::from_utf8_lossy(name).into_owned());
            }
        }
        Ok(needs)
    }

    /// Returns what is needed to run both.
    #[must_use]
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.glibc = self.glibc.max(other.glibc);
        self.libraries.extend(other.libraries);
        self
    }
}

/// Parses a name like `GLIBC_2.34` or `GLIBC_2.2.5`.
fn glibc(name: &str) -> Option<Glibc> {
    parse(name.strip_prefix("GLIBC_")?)
}

fn parse(version: &str) -> Option<Glibc> {
    let mut numbers = version.split('.');
    let mut number = || numbers.next()?.parse().ok();
    Some(Glibc { major: number()?, minor: number()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        assert_eq!(glibc("GLIBC_2.34"), Some(Glibc { major: 2, minor: 34 }));
        assert!(glibc("GLIBC_2.34") > glibc("GLIBC_2.4"));
        assert_eq!(glibc("GLIBC_2.2.5"), Some(Glibc { major: 2, minor: 2 }));
        assert_eq!(glibc("GLIBCXX_3.4"), None);
        assert_eq!(glibc("GLIBC_PRIVATE"), None);
    }

    #[test]
    fn this_program_needs_a_glibc() {
        let own = std::fs::read(std::env::current_exe().expect("running")).expect("readable");
        let needs = Needs::read(&own).expect("a program");
        assert!(needs.glibc >= Glibc { major: 2, minor: 2 });
        assert!(needs.libraries.contains("libc.so.6"), "{needs:?}");
        assert!(Needs::read(b"#!/bin/sh\n").is_err());
    }
}
