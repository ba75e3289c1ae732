//! The package for Debian, Ubuntu and their kin.
//!
//! Format: [deb(5)](https://manpages.debian.org/deb.5).

use std::collections::BTreeSet;

use crate::contents::Item;
use crate::elf::Needs;
use crate::release::{LICENCE, Release, SUMMARY, VERSION};
use crate::tarball::{Folders, archive};
use crate::{Package, failure_of};

/// How the names of glibc's libraries begin.
const OF_LIBC: [&str; 7] = ["libc.", "libm.", "libdl.", "libpthread.", "librt.", "libutil.", "ld-linux-"];

/// Makes the package. Programs are in `/usr/bin`, the units of the user's service where systemd finds them.
pub(crate) fn package(release: &Release) -> Result<Package, String> {
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
