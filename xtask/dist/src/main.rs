//! Makes packages of built programs.
//!
//! `recall-dist PROGRAMS OUT` makes those of this machine's kind of system. `recall-dist PROGRAMS OUT TARGET RUNNABLE [GLIBC]` makes those of
//! another one; RUNNABLE is the folder of the programs that run here and print completions and manual pages, and the programs may not need a
//! newer glibc than GLIBC. `recall-dist --channels FOLDER URL HOMEPAGE`
//! makes the files of package managers for the archives in a folder, which are published below an address.
//!
//! Packages of the same programs are the same, byte for byte: files have the time of the last commit, or `SOURCE_DATE_EPOCH`.

mod archives;
mod channels;
mod contents;
mod debian;
mod dependencies;
mod install;
mod release;

use debian::Glibc;
use release::{Release, System};
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// A package: its file name and its bytes.
struct Package {
    name: String,
    bytes: Vec<u8>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let made = match arguments[..] {
        ["--channels", folder, url, homepage] => channels(Path::new(folder), url, homepage),
        [programs, out] => System::host().and_then(|system| packages(system, programs, programs, None, Path::new(out))),
        [programs, out, target, runnable] => {
            System::find(target).and_then(|system| packages(system, programs, runnable, None, Path::new(out)))
        }
        [programs, out, target, runnable, glibc] => System::find(target)
            .and_then(|system| packages(system, programs, runnable, Some(glibc.parse()?), Path::new(out))),
        _ => {
            say(
                "usage: recall-dist PROGRAMS OUT [TARGET RUNNABLE [GLIBC]] | recall-dist --channels FOLDER URL HOMEPAGE",
            );
            return ExitCode::from(2);
        }
    };
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            say(&format!("error: {why}"));
            ExitCode::FAILURE
        }
    }
}

fn packages(system: System, programs: &str, runnable: &str, glibc: Option<Glibc>, out: &Path) -> Result<(), String> {
    let release = Release::gather(system, Path::new(programs), Path::new(runnable), glibc)?;
    let mut packages = all(&release)?;
    packages.push(contents::sums_file(&format!("{}.sha256", system.archive_name()), &packages));
    write(&packages, out)
}

fn channels(folder: &Path, url: &str, homepage: &str) -> Result<(), String> {
    let archives = channels::archives(folder, url)?;
    let mut files = channels::all(&archives, homepage);
    files.extend(install::scripts(&archives, homepage));
    files.push(install::npm_launcher(&archives, release::time()?)?);
    write(&files, folder)
}

fn write(packages: &[Package], out: &Path) -> Result<(), String> {
    fs::create_dir_all(out).map_err(|error| format!("cannot create {}: {error}", out.display()))?;
    for Package { name, bytes } in packages {
        let path = out.join(name);
        fs::write(&path, bytes).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        say(&format!("{:>10} bytes  {}", bytes.len(), path.display()));
    }
    Ok(())
}

/// Makes every package of a release.
fn all(release: &Release) -> Result<Vec<Package>, String> {
    let mut packages =
        vec![archives::tarball_package(release)?, archives::wheel(release)?, archives::npm_package(release)?];
    if release.system.deb.is_some() {
        packages.push(debian::debian_package(release)?);
    }
    packages.push(archives::desktop_bundle(release)?);
    packages.push(archives::mcp_registry_entry(release));
    packages.push(dependencies::bill_of_materials(release));
    Ok(packages)
}

/// Writes to the terminal.
#[expect(clippy::print_stderr, reason = "a task talks to the person at the terminal")]
fn say(text: &str) {
    eprintln!("{text}");
}

/// Returns the reason of an error while a package is made.
fn failure_of(package: &'static str) -> impl Fn(std::io::Error) -> String {
    move |error| format!("cannot make the {package}: {error}")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io::{Cursor, Read as _};
    use std::path::PathBuf;

    use flate2::read::GzDecoder;
    use serde_json::Value;

    use super::{archives, contents, dependencies, *};
    use crate::contents::Item;
    use crate::debian::Needs;
    use crate::dependencies::Library;
    use crate::release::{PROGRAMS, SYSTEMS};

    fn release() -> Release {
        let text = |path: &str| Item::text(path, format!("text of {path}"));
        let program = |name: &&str| Item { is_executable: true, ..text(name) };
        Release {
            system: System::find("x86_64-unknown-linux-gnu").expect("known"),
            needs: Needs {
                glibc: Glibc { major: 2, minor: 34 },
                libraries: ["libc.so.6", "libgcc_s.so.1"].map(ToOwned::to_owned).into(),
            },
            time: 1_700_000_000,
            programs: PROGRAMS.iter().map(program).collect(),
            documents: ["README.md", "LICENSE-MIT", "THIRD-PARTY-LICENSES"].map(text).to_vec(),
            completions: ["bash/recall", "zsh/_recall", "fish/recall.fish"].map(text).to_vec(),
            pages: vec![text("recall.1")],
            units: vec![Item::text("recalld.service", "ExecStart=%h/.cargo/bin/recalld --foreground\n")],
            dependencies: vec![Library {
                name: "tantivy".to_owned(),
                version: "0.27.0+a".to_owned(),
                licence: "MIT".to_owned(),
                checksum: "ab".repeat(32),
                manifest: PathBuf::new(),
            }],
        }
    }

    /// Returns the paths of a compressed archive with their permissions and contents.
    fn unpack(bytes: &[u8]) -> BTreeMap<String, (u32, Vec<u8>)> {
        let mut archive = tar::Archive::new(GzDecoder::new(bytes));
        let entries = archive.entries().expect("an archive").map(|entry| {
            let mut entry = entry.expect("whole");
            assert_eq!((entry.header().uid().unwrap(), entry.header().mtime().unwrap()), (0, 1_700_000_000));
            let mut content = Vec::new();
            entry.read_to_end(&mut content).expect("whole");
            let path = entry.path().expect("UTF-8").to_string_lossy().into_owned();
            (path, (entry.header().mode().expect("set"), content))
        });
        entries.collect()
    }

    fn unzip(bytes: &[u8]) -> BTreeMap<String, Vec<u8>> {
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).expect("an archive");
        let names: Vec<String> = archive.file_names().map(|name| name.expect("UTF-8").into_owned()).collect();
        let read = |name: String| {
            let mut content = Vec::new();
            archive.by_name(&name).expect("listed").read_to_end(&mut content).expect("whole");
            (name, content)
        };
        names.into_iter().map(read).collect()
    }

    #[test]
    fn packages_of_the_same_programs_are_the_same() {
        let pairs = || all(&release()).expect("made").into_iter().map(|package| (package.name, package.bytes));
        assert!(pairs().eq(pairs()));
    }

    #[test]
    fn the_archive_has_programs_that_can_be_started() {
        let files = unpack(&archives::tarball_package(&release()).expect("made").bytes);
        let folder = format!("recall-{}-{}", release::VERSION, release().system.target);
        for name in PROGRAMS {
            assert_eq!(files[&format!("{folder}/{name}")], (0o755, format!("text of {name}").into_bytes()));
        }
        assert_eq!(files[&format!("{folder}/man/recall.1")].0, 0o644);
    }

    #[test]
    fn the_debian_package_starts_its_own_daemon() {
        let package = debian::debian_package(&release()).expect("made");
        let mut members = BTreeMap::new();
        let mut archive = ar::Archive::new(&*package.bytes);
        while let Some(member) = archive.next_entry() {
            let mut member = member.expect("whole");
            let mut content = Vec::new();
            member.read_to_end(&mut content).expect("whole");
            members.insert(String::from_utf8_lossy(member.header().identifier()).into_owned(), content);
        }
        assert_eq!(members["debian-binary"], b"2.0\n");
        let control = String::from_utf8(unpack(&members["control.tar.gz"])["control"].1.clone()).expect("UTF-8");
        assert!(control.contains("\nDepends: libc6 (>= 2.34), libgcc-s1\n"), "{control}");
        let files = unpack(&members["data.tar.gz"]);
        assert_eq!(files["usr/bin/recalld"].0, 0o755);
        let unit = &files["usr/lib/systemd/user/recalld.service"].1;
        assert_eq!(unit, b"ExecStart=/usr/bin/recalld --foreground\n");
    }

    #[test]
    fn a_library_that_no_package_of_debian_is_known_for_is_refused() {
        let needs = Needs { libraries: ["libfoo.so.1".to_owned()].into(), ..Needs::default() };
        let refused = debian::debian_package(&Release { needs, ..release() }).err().expect("refused");
        assert!(refused.contains("libfoo.so.1"), "{refused}");
    }

    #[test]
    fn programs_that_need_a_newer_glibc_than_the_packages_are_for_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let own = std::env::current_exe().expect("running");
        for name in PROGRAMS {
            fs::copy(&own, folder.path().join(name)).expect("copied");
        }
        let system = System::host().expect("known");
        let older = Glibc { major: 2, minor: 1 };
        let refused = Release::gather(system, folder.path(), folder.path(), Some(older)).err().expect("refused");
        assert!(refused.contains("are for glibc 2.1"), "{refused}");
    }

    #[test]
    fn the_wheel_lists_its_files_with_their_checksums() {
        let package = archives::wheel(&release()).expect("made");
        assert!(
            package.name.starts_with("recall_shim-") && package.name.contains("-manylinux_2_34_"),
            "{}",
            package.name
        );
        let files = unzip(&package.bytes);
        let record = files.iter().find(|(name, _)| name.ends_with("/RECORD")).expect("there").1;
        let record = String::from_utf8_lossy(record);
        assert_eq!(record.lines().count(), files.len());
        for line in record.lines() {
            let [name, sum, size] = line.split(',').collect::<Vec<_>>()[..] else { panic!("{line}") };
            let content = &files[name];
            assert!(name.ends_with("/RECORD") || size == content.len().to_string(), "{line}");
            // 32 bytes are 43 digits in base64.
            assert!(name.ends_with("/RECORD") || sum.len() == "sha256=".len() + 43, "{line}");
        }
    }

    #[test]
    fn the_npm_package_has_every_program_that_it_links() {
        let files = unpack(&archives::npm_package(&release()).expect("made").bytes);
        let manifest: Value = serde_json::from_slice(&files["package/package.json"].1).expect("JSON");
        let programs = manifest["bin"].as_object().expect("programs");
        assert_eq!(programs.len(), PROGRAMS.len());
        for place in programs.values() {
            assert_eq!(files[&format!("package/{}", place.as_str().expect("a path"))].0, 0o755);
        }
    }

    #[test]
    fn the_bundle_starts_the_shim_that_it_has() {
        let files = unzip(&archives::desktop_bundle(&release()).expect("made").bytes);
        let manifest: Value = serde_json::from_slice(&files["manifest.json"]).expect("JSON");
        assert!(files.contains_key(manifest["server"]["entry_point"].as_str().expect("a path")));
    }

    #[test]
    fn checksums_are_those_of_sha256sum() {
        let package = Package { name: "a".to_owned(), bytes: b"abc".to_vec() };
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a\n";
        assert_eq!(contents::sums_file("sums", &[package]).bytes, known.as_bytes());
    }

    #[test]
    fn every_linked_library_is_listed_with_its_licence() {
        let system = System::find("x86_64-unknown-linux-gnu").expect("known");
        let libraries = dependencies::list_libraries(&system).expect("listed");
        assert!(libraries.iter().all(|library| library.checksum.len() == 64), "{libraries:?}");
        let text = String::from_utf8(dependencies::licences(&libraries).expect("made").bytes).expect("UTF-8");
        let list: Vec<&str> = text.lines().take_while(|line| !line.starts_with("===")).collect();
        assert!(list.iter().any(|line| line.starts_with("tantivy ")), "{text}");
        // It is used by tests only.
        assert!(!list.iter().any(|line| line.starts_with("proptest ")));
        assert!(!text.contains("see its text below"), "a library has no licence");
    }

    #[test]
    fn each_system_has_an_archive_a_wheel_and_an_npm_package_of_its_own() {
        for system in SYSTEMS {
            let name =
                |name: &&str| Item { is_executable: true, ..Item::text(&format!("{name}{}", system.suffix), "text") };
            let release = Release { system, programs: PROGRAMS.iter().map(name).collect(), ..release() };
            let packages = all(&release).expect("made");
            let archive = format!("{}{}", system.archive_name(), system.archive_ending());
            assert!(packages.iter().any(|package| package.name == archive), "{archive}");
            let npm = unpack(&archives::npm_package(&release).expect("made").bytes);
            let manifest: Value = serde_json::from_slice(&npm["package/package.json"].1).expect("JSON");
            assert_eq!((&manifest["os"][0], &manifest["cpu"][0]), (&system.npm.0.into(), &system.npm.1.into()));
            assert_eq!(manifest.get("libc").is_some(), system.npm.0 == "linux");
            for place in manifest["bin"].as_object().expect("programs").values() {
                assert!(npm.contains_key(&format!("package/{}", place.as_str().expect("a path"))), "{place}");
            }
        }
    }

    #[test]
    fn the_bill_of_materials_names_each_library_by_its_package() {
        let bill: Value = serde_json::from_slice(&dependencies::bill_of_materials(&release()).bytes).expect("JSON");
        let library = &bill["components"][0];
        assert_eq!(
            (&library["purl"], &library["version"]),
            (&"pkg:cargo/tantivy@0.27.0%2Ba".into(), &"0.27.0+a".into())
        );
        assert_eq!(library["hashes"][0]["content"], "ab".repeat(32));
    }

    #[test]
    fn package_managers_get_the_address_and_the_checksum_of_their_archives() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(channels::archives(folder.path(), "https://example.org").is_err(), "there is none");
        for system in SYSTEMS {
            let name = format!("{}{}", system.archive_name(), system.archive_ending());
            fs::write(folder.path().join(name), system.target).expect("written");
        }
        assert!(channels::archives(folder.path(), "https://example.org/$(id)").is_err());
        let archives = channels::archives(folder.path(), "https://example.org/v1/").expect("found");
        let files = channels::all(&archives, "https://example.org");
        let file = |name: &str| {
            let file = files.iter().find(|file| file.name == name).expect("made");
            String::from_utf8(file.bytes.clone()).expect("UTF-8")
        };
        let sum = |target: &str| contents::hex(&contents::sha256(target.as_bytes()));
        let [linux, arm, mac, _, _, windows] = SYSTEMS.map(|system| sum(system.target));
        for (name, wanted) in [
            ("recall.rb", &[&linux, &arm, &mac][..]),
            ("PKGBUILD", &[&linux, &arm]),
            ("recall-bin.SRCINFO", &[&linux, &arm]),
            ("flake.nix", &[&linux, &arm]),
            ("recall.recall.installer.yaml", &[&windows.to_uppercase()]),
        ] {
            let text = file(name);
            assert!(wanted.iter().all(|sum| text.contains(*sum)), "{name}: {text}");
            assert_eq!(text.matches("https://example.org/v1/recall-").count(), wanted.len(), "{name}: {text}");
        }
    }
}
