//! What a program needs of the system.

use object::elf::FileHeader64;
use object::read::elf::{FileHeader as _, SectionHeader as _};
use object::{Endianness, elf};

/// A version of glibc; the default is one that every system has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Glibc {
    pub(crate) major: u32,
    pub(crate) minor: u32,
}

/// Returns the newest version of glibc that a program names, which is the oldest that it runs with.
pub(crate) fn needed_glibc(program: &[u8]) -> Result<Glibc, String> {
    let unreadable = |error: object::Error| format!("not a program for 64-bit Linux: {error}");
    let header = FileHeader64::<Endianness>::parse(program).map_err(unreadable)?;
    let endian = header.endian().map_err(unreadable)?;
    let sections = header.sections(endian, program).map_err(unreadable)?;
    let mut newest = Glibc::default();
    let Some((mut needs, link)) = sections.gnu_verneed(endian, program).map_err(unreadable)? else { return Ok(newest) };
    let strings = sections.section(link).map_err(unreadable)?;
    debug_assert_eq!(strings.sh_type(endian), elf::SHT_STRTAB);
    let strings = sections.strings(endian, program, link).map_err(unreadable)?;
    while let Some((_, mut versions)) = needs.next().map_err(unreadable)? {
        while let Some(version) = versions.next().map_err(unreadable)? {
            let name = version.name(endian, strings).map_err(unreadable)?;
            newest = newest.max(std::str::from_utf8(name).ok().and_then(glibc).unwrap_or_default());
        }
    }
    Ok(newest)
}

/// Parses a name like `GLIBC_2.34` or `GLIBC_2.2.5`.
fn glibc(name: &str) -> Option<Glibc> {
    let mut numbers = name.strip_prefix("GLIBC_")?.split('.');
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
        assert!(needed_glibc(&own).expect("a program") >= Glibc { major: 2, minor: 2 });
        assert!(needed_glibc(b"#!/bin/sh\n").is_err());
    }
}
