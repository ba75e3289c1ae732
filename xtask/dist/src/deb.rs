//! The package for Debian, Ubuntu and their kin.
//!
//! Format: [deb(5)](https://manpages.debian.org/deb.5).

use crate::contents::Item;
use crate::release::{LICENCE, Release, SUMMARY, VERSION};
use crate::tarball::{Folders, archive};
use crate::{Package, failed};

/// Makes the package. Programs are in `/usr/bin`, the units of the user's service where systemd finds them.
pub(crate) fn package(release: &Release) -> Result<Package, String> {
    let architecture = release.system.deb.ok_or("Debian does not have this architecture")?;
    let items = items(release);
    let data = archive(&items, release.time, Folders::Listed).map_err(failed("Debian package"))?;
    let control = Item::text("control", control(release, architecture, &items));
    let control = archive(&[control], release.time, Folders::Listed).map_err(failed("Debian package"))?;
    let mut package = ar::Builder::new(Vec::new());
    for (name, bytes) in [("debian-binary", &b"2.0\n"[..]), ("control.tar.gz", &control), ("data.tar.gz", &data)] {
        let mut header = ar::Header::new(name.into(), bytes.len() as u64);
        header.set_mode(0o100_644);
        header.set_mtime(release.time);
        package.append(&header, bytes).map_err(failed("Debian package"))?;
    }
    let bytes = package.into_inner().map_err(failed("Debian package"))?;
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
fn control(release: &Release, architecture: &str, items: &[Item]) -> String {
    let installed = items.iter().map(|item| item.bytes.len().div_ceil(1024)).sum::<usize>();
    let glibc = release.glibc;
    [
        "Package: recall".to_owned(),
        format!("Version: {VERSION}"),
        format!("Architecture: {architecture}"),
        format!("Maintainer: {}", env!("CARGO_PKG_AUTHORS")),
        format!("Installed-Size: {installed}"),
        format!("Depends: libc6 (>= {}.{}), libgcc-s1, libstdc++6", glibc.major, glibc.minor),
        "Recommends: git".to_owned(),
        "Section: devel".to_owned(),
        "Priority: optional".to_owned(),
        format!("Description: {SUMMARY}"),
        " A daemon indexes code, documents and memories of your projects, and answers".to_owned(),
        " agents over MCP and people on the command line. It works offline.".to_owned(),
        String::new(),
    ]
    .join("\n")
}
