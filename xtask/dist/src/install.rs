//! What installs the published archives without a package manager: scripts for shells, and the package of npm that starts the programs of
//! the package for a system.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::Package;
use crate::archives::{self, Folders};
use crate::channels::Archive;
use crate::contents::Item;
use crate::release::{LICENCE, MCP_NAME, PROGRAMS, REGISTRY_NAME, SUMMARY, VERSION};

/// Returns `install.sh` and `install.ps1`. They hold the checksum of each archive, so a server that has other archives cannot pass them off.
pub(crate) fn scripts(archives: &[Archive], homepage: &str) -> [Package; 2] {
    let sums: Vec<String> =
        archives.iter().map(|Archive { url, sha256, .. }| format!("{sha256}  {}", file_name(url))).collect();
    let base = archives.first().map_or("", |archive| archive.url.rsplit_once('/').map_or("", |(base, _)| base));
    [("install.sh", include_str!("install.sh")), ("install.ps1", include_str!("install.ps1"))].map(|(name, text)| {
        let text = text
            .replace("@VERSION@", VERSION)
            .replace("@BASE@", base)
            .replace("@HOMEPAGE@", homepage)
            .replace("@SUMS@", &sums.join("\n"))
            .replace("@PROGRAMS@", &PROGRAMS.join(" "));
        Package { name: name.to_owned(), bytes: text.into_bytes() }
    })
}

fn file_name(url: &str) -> &str {
    Path::new(url).file_name().and_then(|name| name.to_str()).unwrap_or(url)
}

/// Makes the package of npm that `npx` runs. npm installs the one package of its `optionalDependencies` that is for the system.
///
/// # Errors
/// The archive cannot be written.
pub(crate) fn npm_launcher(archives: &[Archive], time: u64) -> Result<Package, String> {
    let names = archives.iter().map(|archive| (archive.system.npm_name(), json!(VERSION)));
    let bin = PROGRAMS.map(|name| (name.to_owned(), json!(format!("bin/{name}.js"))));
    let manifest = json!({
        "name": REGISTRY_NAME,
        "version": VERSION,
        "description": SUMMARY,
        "license": LICENCE,
        "mcpName": MCP_NAME,
        "bin": bin.into_iter().collect::<Map<String, Value>>(),
        "optionalDependencies": names.collect::<Map<String, Value>>(),
    });
    let mut items = vec![Item::text("package/package.json", format!("{manifest:#}\n"))];
    for name in PROGRAMS {
        let text = include_str!("launcher.js").replace("@PROGRAM@", name).replace("@REGISTRY@", REGISTRY_NAME);
        items.push(Item { is_executable: true, ..Item::text(&format!("package/bin/{name}.js"), text) });
    }
    let bytes = archives::archive(&items, time, Folders::Implied).map_err(crate::failure_of("npm package"))?;
    Ok(Package { name: format!("{REGISTRY_NAME}-{VERSION}.tgz"), bytes })
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::net::TcpListener;
    use std::path::PathBuf;
    use std::process::{Command, Output};
    use std::thread;

    use super::*;
    use crate::release::System;
    use crate::{channels, contents};

    /// A folder that is served over HTTP, and the script that installs from it.
    struct Server {
        place: tempfile::TempDir,
        address: String,
    }

    impl Server {
        fn start() -> Self {
            let place = tempfile::tempdir().expect("a folder");
            let system = System::host().expect("known");
            let items = PROGRAMS.map(|name| {
                let text = format!("#!/bin/sh\necho this is {name}\n");
                Item { is_executable: true, ..Item::text(&format!("{}/{name}", system.archive_name()), text) }
            });
            let archive = archives::archive(&items, 1_700_000_000, Folders::Implied).expect("made");
            let name = format!("{}.tar.gz", system.archive_name());
            fs::write(place.path().join(&name), archive).expect("written");
            fs::write(place.path().join(format!("{name}.sigstore.json")), "{}").expect("written");
            let archives = channels::archives(place.path(), "https://example.org/v1").expect("found");
            for script in scripts(&archives, "https://example.org") {
                fs::write(place.path().join(script.name), script.bytes).expect("written");
            }
            let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
            let address = format!("http://{}", listener.local_addr().expect("bound"));
            let folder = place.path().to_owned();
            thread::spawn(move || {
                for stream in listener.incoming().flatten() {
                    let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
                    let path =
                        lines.next().and_then(|line| Some(line.split(' ').nth(1)?.to_owned())).unwrap_or_default();
                    lines.find(String::is_empty);
                    let (status, body) = match fs::read(folder.join(path.trim_start_matches('/'))) {
                        Ok(body) => ("200 OK", body),
                        Err(_) => ("404 Not Found", Vec::new()),
                    };
                    let head =
                        format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
                    drop((&stream).write_all(&[head.as_bytes(), &body].concat()));
                }
            });
            Self { place, address }
        }

        fn path(&self, name: &str) -> PathBuf {
            self.place.path().join(name)
        }

        /// Puts a program before the others on `PATH`.
        fn add_tool(&self, name: &str, script: &str) {
            use std::os::unix::fs::PermissionsExt as _;
            fs::create_dir_all(self.path("tools")).expect("made");
            let path = self.path("tools").join(name);
            fs::write(&path, script).expect("written");
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("ours");
        }

        fn install(&self, variables: &[(&str, &str)]) -> Output {
            Command::new("sh")
                .arg(self.path("install.sh"))
                .env_clear()
                .env("HOME", self.path("home"))
                .env("PATH", format!("{}:/usr/bin:/bin", self.path("tools").display()))
                .env("RECALL_INSTALL_BASE", &self.address)
                .envs(variables.iter().copied())
                .output()
                .expect("there is a shell")
        }

        #[track_caller]
        fn check_refused(&self, output: &Output, why: &str) {
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success() && said.contains(why), "{output:?}");
            assert!(!self.path("home/.local/bin/recall").exists(), "installed in spite of it");
        }
    }

    #[test]
    fn the_programs_of_an_archive_with_its_checksum_are_installed() {
        let server = Server::start();
        let output = server.install(&[]);
        assert!(output.status.success(), "{output:?}");
        assert!(server.install(&[]).status.success(), "over itself");
        for name in PROGRAMS {
            let said = Command::new(server.path("home/.local/bin").join(name)).output().expect("it can be run");
            assert_eq!(String::from_utf8_lossy(&said.stdout), format!("this is {name}\n"));
        }
    }

    #[test]
    fn another_archive_is_refused() {
        let server = Server::start();
        let name = format!("{}.tar.gz", System::host().expect("known").archive_name());
        fs::write(server.path(&name), "another one").expect("written");
        server.check_refused(&server.install(&[]), "the archive has the checksum ");
        fs::remove_file(server.path(&name)).expect("there");
        server.check_refused(&server.install(&[]), "404");
    }

    #[test]
    fn a_signature_is_checked_where_cosign_is_and_can_be_demanded() {
        let server = Server::start();
        server.check_refused(&server.install(&[("RECALL_INSTALL_VERIFY", "1")]), "cosign is not here");
        server.add_tool("cosign", "#!/bin/sh\nexit 1\n");
        server.check_refused(&server.install(&[]), "the signature of the archive is not that of this release");
        server.add_tool("cosign", "#!/bin/sh\necho \"$@\" > \"${0%/*}/said\"\n");
        assert!(server.install(&[("RECALL_INSTALL_VERIFY", "1")]).status.success());
        let said = fs::read_to_string(server.path("tools/said")).expect("cosign ran");
        let identity =
            format!("--certificate-identity https://example.org/.github/workflows/release.yml@refs/tags/v{VERSION} ");
        assert!(said.starts_with("verify-blob --bundle ") && said.contains(&identity), "{said}");
    }

    #[test]
    fn the_scripts_have_no_blank_left() {
        let sum = contents::hex(&contents::sha256(b"x"));
        let system = System::find("x86_64-pc-windows-gnu").expect("known");
        let archive = Archive { system, url: "https://example.org/v1/recall.zip".to_owned(), sha256: sum.clone() };
        for script in scripts(&[archive], "https://example.org") {
            let text = String::from_utf8(script.bytes).expect("UTF-8");
            assert!(!text.contains("@VERSION@") && !text.contains("@SUMS@") && !text.contains("@BASE@"), "{text}");
            assert!(text.contains(&format!("'{sum}  recall.zip'")), "{text}");
        }
    }
}
