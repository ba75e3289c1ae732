//! Publication of the packages in a folder: what is sent where, and by which commands.
//!
//! Without `--send` the commands are printed, and none is run. Signing in is left to the tools. In a workflow they use its identity (OIDC), so
//! only Homebrew, AUR and winget need a stored key.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::{programs, say};

/// Whether the commands are run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sending {
    Print,
    Run,
}

/// A place where packages are published: its name, and the commands that do it.
type Channel = (&'static str, fn(&Release) -> Result<Vec<Vec<String>>, String>);

/// The channels, in the order of a release: a signature is uploaded with its file.
const CHANNELS: &[Channel] = &[
    ("sign", sign),
    ("github", create_release),
    ("pypi", upload_wheels),
    ("npm", publish_npm),
    ("mcp", register_server),
    ("homebrew", push_formula),
    ("aur", push_pkgbuild),
    ("winget", submit_manifests),
];

/// The ending of a signature, which is next to the file that it belongs to.
const SIGNATURE: &str = ".sigstore.json";

/// The packages of a version.
struct Release {
    folder: PathBuf,
    /// The names of the files, in order.
    files: Vec<String>,
    /// `OWNER/NAME` on GitHub.
    repository: String,
    version: &'static str,
}

/// Publishes on one channel, or on each if it is `all`.
pub(crate) fn run(channel: &str, folder: &str, repository: &str, sending: Sending) -> ExitCode {
    match publish(channel, Path::new(folder), repository, sending) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            say(&format!("error: {why}\n"));
            ExitCode::FAILURE
        }
    }
}

fn publish(channel: &str, folder: &Path, repository: &str, sending: Sending) -> Result<(), String> {
    let release = Release::read(folder, repository)?;
    let chosen: Vec<&Channel> = CHANNELS.iter().filter(|(name, _)| channel == "all" || channel == *name).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = CHANNELS.iter().map(|(name, _)| *name).collect();
        return Err(format!("there is no channel `{channel}`; the channels are: all, {}", names.join(", ")));
    }
    for (name, commands) in chosen {
        for words in commands(&release)? {
            say(&release.describe(name, &words));
            if sending == Sending::Run {
                programs::run_command(Command::new(&words[0]).args(&words[1..]).current_dir(&release.folder))?;
            }
        }
    }
    if sending == Sending::Print {
        say("nothing was sent; `--send` runs these commands in the folder of the packages\n");
    }
    Ok(())
}

impl Release {
    fn read(folder: &Path, repository: &str) -> Result<Self, String> {
        if repository.split('/').count() != 2 || !repository.split('/').all(is_plain_name) {
            return Err(format!("`{repository}` is not the OWNER/NAME of a repository"));
        }
        let entries = fs::read_dir(folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_file());
        let mut files: Vec<String> = paths.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect();
        files.sort();
        let version = env!("CARGO_PKG_VERSION");
        Ok(Self { folder: folder.to_owned(), files, repository: repository.to_owned(), version })
    }

    /// Returns the files whose names end so.
    ///
    /// # Errors
    /// There is none.
    fn find(&self, ending: &str) -> Result<Vec<String>, String> {
        let found: Vec<String> = self.files.iter().filter(|name| name.ends_with(ending)).cloned().collect();
        if found.is_empty() { Err(format!("there is no `*{ending}` in {}", self.folder.display())) } else { Ok(found) }
    }

    /// Returns a command as a shell would read it, with the sizes of the files in it.
    fn describe(&self, channel: &str, words: &[String]) -> String {
        let quoted: Vec<String> = words
            .iter()
            .map(|word| if word.contains([' ', '*', '$']) { format!("'{word}'") } else { word.clone() })
            .collect();
        let sizes = words.iter().filter(|word| self.files.contains(word)).map(|name| {
            let bytes = fs::metadata(self.folder.join(name)).map_or(0, |metadata| metadata.len());
            format!("{bytes:>14} bytes  {name}\n")
        });
        format!("{channel}: {}\n{}", quoted.join(" "), sizes.collect::<String>())
    }

    fn owner(&self) -> &str {
        self.repository.split('/').next().unwrap_or_default()
    }

    /// Returns the commands that replace files in a git repository.
    fn push(&self, remote: &str, clone: &str, files: &[(&str, &str)]) -> Result<Vec<Vec<String>>, String> {
        let mut commands = vec![words(&["git", "clone", "--depth", "1", remote, clone])];
        for (name, place) in files {
            self.find(name)?;
            commands.push(words(&["cp", name, &format!("{clone}/{place}")]));
        }
        let message = format!("recall {}", self.version);
        let rest: [&[&str]; 3] = [&["add", "--all"], &["commit", "--message", &message], &["push"]];
        commands.extend(rest.map(|arguments| words(&[&["git", "-C", clone], arguments].concat())));
        Ok(commands)
    }
}

/// Whether a part of a repository's name can stand in an address and a command.
fn is_plain_name(part: &str) -> bool {
    !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
}

fn words(parts: &[&str]) -> Vec<String> {
    parts.iter().map(|part| (*part).to_owned()).collect()
}

/// Each file gets a signature of the workflow's identity next to it, which `install.sh` and `install.ps1` check.
fn sign(release: &Release) -> Result<Vec<Vec<String>>, String> {
    let unsigned = release.find("")?.into_iter().filter(|name| !name.ends_with(SIGNATURE));
    Ok(unsigned
        .map(|name| words(&["cosign", "sign-blob", "--yes", "--bundle", &format!("{name}{SIGNATURE}"), &name]))
        .collect())
}

fn create_release(release: &Release) -> Result<Vec<Vec<String>>, String> {
    let tag = format!("v{}", release.version);
    let mut command =
        words(&["gh", "release", "create", &tag, "--repo", &release.repository, "--verify-tag", "--generate-notes"]);
    command.extend(release.find("")?);
    Ok(vec![command])
}

fn upload_wheels(release: &Release) -> Result<Vec<Vec<String>>, String> {
    let mut command = words(&["uv", "publish", "--trusted-publishing", "always"]);
    command.extend(release.find(".whl")?);
    Ok(vec![command])
}

/// The packages of the systems first: the one that people install depends on them.
fn publish_npm(release: &Release) -> Result<Vec<Vec<String>>, String> {
    let mut files = release.find(".tgz")?;
    files.sort_by_key(|name| !name.contains("-npm-"));
    Ok(files.iter().map(|name| words(&["npm", "publish", name, "--provenance", "--access", "public"])).collect())
}

fn register_server(release: &Release) -> Result<Vec<Vec<String>>, String> {
    release.find("server.json")?;
    Ok(vec![words(&["mcp-publisher", "login", "github-oidc"]), words(&["mcp-publisher", "publish", "server.json"])])
}

fn push_formula(release: &Release) -> Result<Vec<Vec<String>>, String> {
    let remote = format!("https://github.com/{}/homebrew-tap.git", release.owner());
    release.push(&remote, "tap", &[("recall.rb", "Formula/recall.rb")])
}

fn push_pkgbuild(release: &Release) -> Result<Vec<Vec<String>>, String> {
    let remote = "ssh://aur@aur.archlinux.org/recall-bin.git";
    release.push(remote, "aur", &[("PKGBUILD", "PKGBUILD"), ("recall-bin.SRCINFO", ".SRCINFO")])
}

/// winget takes a folder with the three manifests of a version, in a pull request.
fn submit_manifests(release: &Release) -> Result<Vec<Vec<String>>, String> {
    let manifests = release.find(".yaml")?;
    let make = words(&["mkdir", "winget"]);
    let copy = words(&[&["cp"], &manifests.iter().map(String::as_str).collect::<Vec<_>>()[..], &["winget"]].concat());
    Ok(vec![make, copy, words(&["wingetcreate", "submit", "winget"])])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(files: &[&str]) -> Release {
        let files = files.iter().map(|name| (*name).to_owned()).collect();
        Release { folder: PathBuf::from("packages"), files, repository: "ada/recall".to_owned(), version: "1.0.0" }
    }

    #[test]
    fn each_channel_sends_its_files() {
        let names = [
            "PKGBUILD",
            "recall-1.tar.gz",
            "recall-1.tar.gz.sigstore.json",
            "recall-bin.SRCINFO",
            "recall.rb",
            "recall.recall.yaml",
            "recall_shim-1.whl",
            "server.json",
            "shim-1.tgz",
            "shim-npm-linux.tgz",
        ];
        let lines: Vec<String> = CHANNELS
            .iter()
            .flat_map(|(name, commands)| {
                commands(&release(&names)).expect("there are files").into_iter().map(move |words| (name, words))
            })
            .map(|(name, words)| format!("{name}: {}", words.join(" ")))
            .collect();
        let expected = [
            "sign: cosign sign-blob --yes --bundle recall-1.tar.gz.sigstore.json recall-1.tar.gz",
            "pypi: uv publish --trusted-publishing always recall_shim-1.whl",
            "npm: npm publish shim-npm-linux.tgz --provenance --access public",
            "mcp: mcp-publisher publish server.json",
            "homebrew: git clone --depth 1 https://github.com/ada/homebrew-tap.git tap",
            "homebrew: cp recall.rb tap/Formula/recall.rb",
            "aur: git -C aur commit --message recall 1.0.0",
            "winget: cp recall.recall.yaml winget",
        ];
        for line in expected {
            assert!(lines.iter().any(|known| known == line), "{line} is not in {lines:#?}");
        }
        let created = lines.iter().find(|line| line.starts_with("github: ")).expect("a release");
        assert!(created.starts_with("github: gh release create v1.0.0 --repo ada/recall --verify-tag"), "{created}");
        assert!(names.iter().all(|name| created.contains(name)), "{created}");
        let npm: Vec<_> = lines.iter().filter(|line| line.starts_with("npm: ")).collect();
        assert!(
            npm[0].contains("-npm-"),
            "the packages of the systems are published before the one that names them: {npm:?}"
        );
        assert!(!lines.iter().any(|line| line.ends_with(".sigstore.json.sigstore.json")), "{lines:#?}");
    }

    #[test]
    fn a_channel_without_its_files_is_refused() {
        for (name, commands) in CHANNELS {
            assert!(commands(&release(&[])).is_err(), "{name}");
        }
        assert!(Release::read(Path::new("."), "ada/../x").is_err());
        assert!(publish("pipy", Path::new("."), "ada/recall", Sending::Print).is_err());
    }
}
