//! The files with which package managers install the published archives: Homebrew, the Arch User Repository, Nix and winget.
//!
//! They name the address and the checksum of each archive, so they are made when the archives of all systems are there.

use std::fs;
use std::path::Path;

use crate::Package;
use crate::contents::{hex, read, sha256};
use crate::release::{PROGRAMS, SUMMARY, SYSTEMS, System, VERSION};

/// An archive that is published.
pub(crate) struct Archive {
    pub(crate) system: System,
    pub(crate) url: String,
    pub(crate) sha256: String,
}

/// Finds the archives in a folder; they are published below an address.
pub(crate) fn archives(folder: &Path, base: &str) -> Result<Vec<Archive>, String> {
    let base = base.trim_end_matches('/');
    let is_address = base.starts_with("https://") || base.starts_with("file://");
    if !is_address || base.contains(|letter: char| letter.is_whitespace() || "\"'$`\\#{}".contains(letter)) {
        return Err(format!("`{base}` is not an address that begins with https:// and has no special characters"));
    }
    let mut archives = Vec::new();
    for system in SYSTEMS {
        let name = format!("{}{}", system.archive_name(), system.archive_ending());
        let path = folder.join(&name);
        if fs::exists(&path).map_err(|error| format!("cannot look for {}: {error}", path.display()))? {
            archives.push(Archive { system, url: format!("{base}/{name}"), sha256: hex(&sha256(&read(&path)?)) });
        }
    }
    if archives.is_empty() {
        let wanted = SYSTEMS.map(|system| format!("{}{}", system.archive_name(), system.archive_ending())).join(", ");
        return Err(format!("there is none of these in {}: {wanted}", folder.display()));
    }
    Ok(archives)
}

/// Makes the file of each package manager that has an archive to install.
pub(crate) fn all(archives: &[Archive], homepage: &str) -> Vec<Package> {
    let text = |name: &str, text: String| Package { name: name.to_owned(), bytes: text.into_bytes() };
    let mut files = Vec::new();
    if archives.iter().any(|archive| archive.system.npm.0 != "win32") {
        files.push(text("recall.rb", formula(archives, homepage)));
    }
    if archives.iter().any(|archive| archive.system.has_glibc()) {
        files.push(text("PKGBUILD", pkgbuild(archives, homepage)));
        files.push(text("recall-bin.SRCINFO", srcinfo(archives, homepage)));
        files.push(text("flake.nix", flake(archives, homepage)));
    }
    if let Some(archive) = archives.iter().find(|archive| archive.system.npm.0 == "win32") {
        files.extend(winget(archive, homepage).map(|(name, content)| text(name, content)));
    }
    files
}

/// Returns the name of a processor as Homebrew has it.
fn brew_processor(system: &System) -> &'static str {
    if system.npm.1 == "arm64" { "arm" } else { "intel" }
}

fn formula(archives: &[Archive], homepage: &str) -> String {
    let block = |os: &str, name: &str| {
        // Homebrew brings a glibc of its own where there is none.
        let of_os: Vec<_> =
            archives.iter().filter(|Archive { system, .. }| system.npm.0 == os && !system.has_musl()).collect();
        if of_os.is_empty() {
            return String::new();
        }
        let each = of_os.iter().map(|Archive { system, url, sha256 }| {
            let processor = brew_processor(system);
            format!("    on_{processor} do\n      url \"{url}\"\n      sha256 \"{sha256}\"\n    end\n")
        });
        format!("\n  on_{name} do\n{}  end\n", each.collect::<String>())
    };
    let programs = PROGRAMS.map(|name| format!("\"{name}\"")).join(", ");
    format!(
        r##"class Recall < Formula
  desc "{SUMMARY}"
  homepage "{homepage}"
  version "{VERSION}"
  license any_of: ["MIT", "Apache-2.0"]
{macos}{linux}
  def install
    bin.install {programs}
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/bash/recall"
    zsh_completion.install "completions/zsh/_recall"
    fish_completion.install "completions/fish/recall.fish"
    doc.install "THIRD-PARTY-LICENSES"
  end

  test do
    (testpath/"hello.rs").write "pub fn hello_from_homebrew() {{}}\n"
    ENV["RECALL_HOME"] = testpath/"home"
    assert_match "hello.rs", shell_output("#{{bin}}/recall search hello_from_homebrew")
    system bin/"recall", "daemon", "stop"
  end
end
"##,
        macos = block("darwin", "macos"),
        linux = block("linux", "linux"),
    )
}

fn pkgbuild(archives: &[Archive], homepage: &str) -> String {
    let linux: Vec<&Archive> = archives.iter().filter(|archive| archive.system.has_glibc()).collect();
    let names = linux.iter().map(|archive| format!("'{}'", archive.system.wheel)).collect::<Vec<_>>().join(" ");
    let sources = linux.iter().map(|Archive { system, url, sha256 }| {
        let name = system.wheel;
        format!("source_{name}=('{url}')\nsha256sums_{name}=('{sha256}')\n")
    });
    format!(
        r#"# Maintainer: {authors}
pkgname=recall-bin
pkgver={VERSION}
pkgrel=1
pkgdesc='{SUMMARY}'
arch=({names})
url='{homepage}'
license=('MIT' 'Apache-2.0')
depends=('glibc' 'gcc-libs')
optdepends=('git: memories know their commit')
provides=('recall')
conflicts=('recall')
options=('!strip')
{sources}
package() {{
    cd "recall-$pkgver-$CARCH-unknown-linux-gnu"
    install -Dm755 -t "$pkgdir/usr/bin" {programs}
    install -Dm644 -t "$pkgdir/usr/share/man/man1" man/*.1
    install -Dm644 completions/bash/recall "$pkgdir/usr/share/bash-completion/completions/recall"
    install -Dm644 completions/zsh/_recall "$pkgdir/usr/share/zsh/site-functions/_recall"
    install -Dm644 completions/fish/recall.fish "$pkgdir/usr/share/fish/vendor_completions.d/recall.fish"
    for unit in systemd/*; do
        sed 's|%h/.cargo/bin/|/usr/bin/|' "$unit" | install -Dm644 /dev/stdin "$pkgdir/usr/lib/systemd/user/${{unit##*/}}"
    done
    install -Dm644 -t "$pkgdir/usr/share/licenses/$pkgname" LICENSE-MIT LICENSE-APACHE THIRD-PARTY-LICENSES
}}
"#,
        authors = env!("CARGO_PKG_AUTHORS"),
        programs = PROGRAMS.join(" "),
        sources = sources.collect::<String>(),
    )
}

/// Returns what `makepkg --printsrcinfo` prints of the PKGBUILD, which AUR wants next to it as `.SRCINFO`.
fn srcinfo(archives: &[Archive], homepage: &str) -> String {
    let linux: Vec<&Archive> = archives.iter().filter(|archive| archive.system.has_glibc()).collect();
    let fixed = [("pkgdesc", SUMMARY), ("pkgver", VERSION), ("pkgrel", "1"), ("url", homepage)];
    let constant = [
        ("license", "MIT"),
        ("license", "Apache-2.0"),
        ("depends", "glibc"),
        ("depends", "gcc-libs"),
        ("optdepends", "git: memories know their commit"),
        ("provides", "recall"),
        ("conflicts", "recall"),
        ("options", "!strip"),
    ];
    let processors = linux.iter().map(|archive| ("arch", archive.system.wheel));
    let fields = fixed.into_iter().chain(processors).chain(constant);
    let sources = linux.iter().map(|Archive { system, url, sha256 }| {
        let name = system.wheel;
        format!("\tsource_{name} = {url}\n\tsha256sums_{name} = {sha256}\n")
    });
    format!(
        "pkgbase = recall-bin\n{}{}\npkgname = recall-bin\n",
        fields.flat_map(|(name, value)| ["\t", name, " = ", value, "\n"]).collect::<String>(),
        sources.collect::<String>()
    )
}

fn flake(archives: &[Archive], homepage: &str) -> String {
    let linux = archives.iter().filter(|archive| archive.system.has_glibc());
    let each = linux.map(|Archive { system, url, sha256 }| {
        let name = system.wheel;
        format!("      {name}-linux = {{ url = \"{url}\"; sha256 = \"{sha256}\"; }};\n")
    });
    format!(
        r#"{{
  description = "{SUMMARY}";
  inputs.nixpkgs.url = "nixpkgs";
  outputs = {{ self, nixpkgs }}:
    let
      archives = {{
{each}      }};
      package = system:
        let pkgs = nixpkgs.legacyPackages.${{system}};
        in pkgs.stdenv.mkDerivation {{
          pname = "recall";
          version = "{VERSION}";
          src = pkgs.fetchurl archives.${{system}};
          nativeBuildInputs = [ pkgs.autoPatchelfHook pkgs.installShellFiles ];
          buildInputs = [ pkgs.stdenv.cc.cc.lib ];
          installPhase = ''
            install -Dm755 -t $out/bin {programs}
            installManPage man/*.1
            installShellCompletion --bash completions/bash/recall --zsh completions/zsh/_recall --fish completions/fish/recall.fish
          '';
          meta = {{
            description = "{SUMMARY}";
            homepage = "{homepage}";
            license = with pkgs.lib.licenses; [ mit asl20 ];
            platforms = builtins.attrNames archives;
            mainProgram = "recall";
          }};
        }};
    in {{
      packages = builtins.mapAttrs (system: _: {{ default = package system; }}) archives;
    }};
}}
"#,
        each = each.collect::<String>(),
        programs = PROGRAMS.join(" "),
    )
}

/// Returns the three files of a winget package.
///
/// Format: [manifest 1.6](https://learn.microsoft.com/windows/package-manager/package/manifest).
fn winget(archive: &Archive, homepage: &str) -> [(&'static str, String); 3] {
    let Archive { system, url, sha256 } = archive;
    let head = format!("PackageIdentifier: recall.recall\nPackageVersion: {VERSION}\n");
    let tail = |kind: &str| format!("ManifestType: {kind}\nManifestVersion: 1.6.0\n");
    let programs = PROGRAMS.map(|name| {
        let folder = system.archive_name();
        format!("      - RelativeFilePath: {folder}\\{name}.exe\n        PortableCommandAlias: {name}\n")
    });
    [
        ("recall.recall.yaml", format!("{head}DefaultLocale: en-US\n{}", tail("version"))),
        (
            "recall.recall.locale.en-US.yaml",
            format!(
                "{head}PackageLocale: en-US\nPublisher: {}\nPackageName: recall\nPackageUrl: {homepage}\nLicense: MIT OR Apache-2.0\n\
                 ShortDescription: {SUMMARY}\n{}",
                env!("CARGO_PKG_AUTHORS"),
                tail("defaultLocale")
            ),
        ),
        (
            "recall.recall.installer.yaml",
            format!(
                "{head}InstallerType: zip\nInstallers:\n  - Architecture: x64\n    InstallerUrl: {url}\n    InstallerSha256: {}\n    \
                 NestedInstallerType: portable\n    NestedInstallerFiles:\n{}{}",
                sha256.to_uppercase(),
                programs.concat(),
                tail("installer")
            ),
        ),
    ]
}
