//! The package for Debian, Ubuntu and their kin, and what a program needs of the system.
//!
//! Format: [deb(5)](https://manpages.debian.org/deb.5).

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use object::elf::FileHeader64;
use object::read::elf::{Dyn as _, FileHeader as _};
use object::{Endianness, elf};

use crate::archives::{Folders, archive};
use crate::contents::Item;
use crate::release::{LICENCE, Release, SUMMARY, VERSION};
use crate::{Package, failure_of};

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

/// How the names of glibc's libraries begin.
const OF_LIBC: [&str; 7] = ["libc.", "libm.", "libdl.", "libpthread.", "librt.", "libutil.", "ld-linux-"];

/// Makes the package. Programs are in `/usr/bin`, the units of the user's service where systemd finds them.
pub(crate) fn debian_package(release: &Release) -> Result<Package, String> {
    let architecture = release.system.deb.ok_or("Debian does not have this architecture")?;
    let items = items(release);
    let data = archive(&items, release.time, Folders::Listed).map_err(failure_of("Debian package"))?;
    let control = Item::text("control", control(release, architecture, &items)?);
    let control = archive(&[control], release.time, Folders::Listed).map_err(failure_of("Debian package"))?;
    let mut package = ar::Builder::new(Vec::new());
    for (name, bytes) in [("debian-binary", &b"2.0\n"[..]), ("control.tar.gz", &control), ("data.tar.gz", &data)] {
        let mut header = ar::Header::new(name.into(), bytes.len() as u64);
        header.set_mode(0o100_644);
        header.set_mtime(release.time);
        package.append(&header, bytes).map_err(failure_of("Debian package"))?;
    }
    let bytes = package.into_inner().map_err(failure_of("Debian package"))?;
    Ok(Package { name: format!("recall_{VERSION}_{architecture}.deb"), bytes })
}

fn items(release: &Release) -> Vec<Item> {
    let below = |items: &[Item], folder: &str| items.iter().map(|item| item.below(folder)).collect::<Vec<_>>();
    let mut items = below(&release.programs, "usr/bin");
    for unit in &release.units {
        let text = String::from_utf8_lossy(&unit.bytes).replace("%h/.cargo/bin/", "/usr/bin/");
        items.push(Item::text(&format!("usr/lib/systemd/user/{}", unit.path), text));
    }
    for completion in &release.completions {
        let place = match completion.path.as_str() {
            "bash/recall" => "bash-completion/completions/recall",
            "zsh/_recall" => "zsh/vendor-completions/_recall",
            _ => "fish/vendor_completions.d/recall.fish",
        };
        items.push(Item { path: format!("usr/share/{place}"), ..completion.clone() });
    }
    items.extend(below(&release.pages, "usr/share/man/man1"));
    items.extend(below(&release.documents, "usr/share/doc/recall"));
    let copyright = format!("recall is licensed under {LICENCE}: see LICENSE-MIT and LICENSE-APACHE in this folder.\n");
    items.push(Item::text("usr/share/doc/recall/copyright", copyright));
    items
}

/// Returns the description that dpkg reads.
fn control(release: &Release, architecture: &str, items: &[Item]) -> Result<String, String> {
    let installed = items.iter().map(|item| item.bytes.len().div_ceil(1024)).sum::<usize>();
    let lines = [
        "Package: recall".to_owned(),
        format!("Version: {VERSION}"),
        format!("Architecture: {architecture}"),
        format!("Maintainer: {}", env!("CARGO_PKG_AUTHORS")),
        format!("Installed-Size: {installed}"),
        format!("Depends: {}", depends(&release.needs)?),
        "Recommends: git".to_owned(),
        "Section: devel".to_owned(),
        "Priority: optional".to_owned(),
        format!("Description: {SUMMARY}"),
        " A daemon indexes code, documents and memories of your projects, and answers".to_owned(),
        " agents over MCP and people on the command line. It works offline.".to_owned(),
        String::new(),
    ];
    Ok(lines.join("\n"))
}

/// Returns Debian's packages of the libraries that the programs load.
fn depends(needs: &Needs) -> Result<String, String> {
    let mut packages = BTreeSet::from([format!("libc6 (>= {})", needs.glibc)]);
    for library in &needs.libraries {
        match library.as_str() {
            "libgcc_s.so.1" => packages.insert("libgcc-s1".to_owned()),
            "libstdc++.so.6" => packages.insert("libstdc++6".to_owned()),
            of_libc if OF_LIBC.iter().any(|name| of_libc.starts_with(name)) => false,
            _ => return Err(format!("the programs load {library}, whose package in Debian is not known here")),
        };
    }
    Ok(packages.into_iter().collect::<Vec<_>>().join(", "))
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
