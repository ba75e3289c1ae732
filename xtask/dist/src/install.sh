#!/bin/sh
# Installs recall @VERSION@ into ~/.local/bin, or into the folder RECALL_INSTALL_DIR. The archive must have the checksum that is written here.
# With cosign on PATH its signature must be that of the release's workflow; RECALL_INSTALL_VERIFY=1 refuses to install without cosign.
set -eu

base=${RECALL_INSTALL_BASE:-'@BASE@'}
identity='@HOMEPAGE@/.github/workflows/release.yml@refs/tags/v@VERSION@'
sums='@SUMS@'

fail() {
    echo "error: $1" >&2
    exit 1
}

fetch() {
    if command -v curl >/dev/null; then
        curl --fail --silent --show-error --location --output "$2" "$1"
    elif command -v wget >/dev/null; then
        wget --quiet --output-document="$2" "$1"
    else
        fail "neither curl nor wget is here"
    fi
}

checksum() {
    if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

case "$(uname -s) $(uname -m)" in
    # By the loader that the programs name: a system without that of glibc has musl.
    "Linux x86_64") if [ -e /lib64/ld-linux-x86-64.so.2 ]; then target=x86_64-unknown-linux-gnu; else target=x86_64-unknown-linux-musl; fi ;;
    "Linux aarch64") if [ -e /lib/ld-linux-aarch64.so.1 ]; then target=aarch64-unknown-linux-gnu; else target=aarch64-unknown-linux-musl; fi ;;
    "Darwin arm64") target=aarch64-apple-darwin ;;
    *) fail "there is no archive for $(uname -s) on $(uname -m)" ;;
esac
name="recall-@VERSION@-$target"
expected=$(printf '%s\n' "$sums" | sed -n "s/^\([0-9a-f]*\)  $name\.tar\.gz\$/\1/p")
[ -n "$expected" ] || fail "this release has no archive for $target"

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
archive="$place/$name.tar.gz"
fetch "$base/$name.tar.gz" "$archive"
found=$(checksum "$archive")
[ "$found" = "$expected" ] || fail "the archive has the checksum $found, not $expected; nothing was installed"

if command -v cosign >/dev/null; then
    fetch "$base/$name.tar.gz.sigstore.json" "$archive.sigstore.json"
    cosign verify-blob --bundle "$archive.sigstore.json" --certificate-identity "$identity" \
        --certificate-oidc-issuer https://token.actions.githubusercontent.com "$archive" ||
        fail "the signature of the archive is not that of this release; nothing was installed"
elif [ -n "${RECALL_INSTALL_VERIFY:-}" ]; then
    fail "cosign is not here, and RECALL_INSTALL_VERIFY wants the signature checked; nothing was installed"
fi

folder=${RECALL_INSTALL_DIR:-"$HOME/.local/bin"}
tar -xzf "$archive" -C "$place"
mkdir -p "$folder"
programs="@PROGRAMS@"
for program in $programs; do
    # Under another name first: a program that runs cannot be overwritten, but replaced.
    cp "$place/$name/$program" "$folder/.$program.new"
    chmod 755 "$folder/.$program.new"
    mv -f "$folder/.$program.new" "$folder/$program"
done
echo "installed recall @VERSION@ in $folder"
case ":$PATH:" in
    *":$folder:"*) ;;
    *) echo "$folder is not on PATH" ;;
esac
