"""Which packages are learnt from? Downloads the packages of packages.txt and lays out their sources.

usage: packages.py OUT      writes OUT/<registry>+<name>

A package is source code with its documentation, under the licence that packages.txt gives. Tests, generated and minified files, translations and
lists of changes are left out, and so is what is beyond MOST_BYTES of a package: none may outweigh the others."""

import concurrent.futures
import io
import json
import pathlib
import re
import sys
import tarfile
import urllib.request
import zipfile

from lay import read_list

HERE = pathlib.Path(__file__).parent
WORKERS = 12
TIMEOUT_S = 60
MOST_BYTES = 1_500_000
MOST_FILE_BYTES = 300_000
# Longer lines on average are generated or minified.
MOST_LINE_BYTES = 120
SUFFIXES = {
    "pypi": (".py", ".pyi", ".md", ".rst"),
    "crates": (".rs", ".md"),
    "npm": (".js", ".jsx", ".mjs", ".ts", ".tsx", ".md"),
}
LEFT_OUT = re.compile(
    r"(^|/)(tests?|testing|__tests__|_?vendor|third_party|node_modules|min|umd|locales?|i18n|migrations|fixtures|benchmarks?)(/|$)"
    r"|\.min\.|\.d\.ts$|_pb2|\.bundle\.|changelog|changes",
    re.I,
)


def download(address: str) -> bytes:
    request = urllib.request.Request(address, headers={"User-Agent": "recall-training"})
    return urllib.request.urlopen(request, timeout=TIMEOUT_S).read()


def archive(registry: str, name: str, version: str) -> bytes:
    if registry == "crates":
        return download(f"https://static.crates.io/crates/{name}/{name}-{version}.crate")
    if registry == "npm":
        about = json.loads(download(f"https://registry.npmjs.org/{name.replace('/', '%2f')}/{version}"))
        return download(about["dist"]["tarball"])
    files = json.loads(download(f"https://pypi.org/pypi/{name}/{version}/json"))["urls"]
    best = min(files, key=lambda file: (file["packagetype"] != "sdist", not file["filename"].endswith("-none-any.whl")))
    return download(best["url"])


def files_of(data: bytes, suffixes: tuple[str, ...]):
    """The path without the folder of the version, and the bytes, of each source file."""
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as opened:
            for entry in opened.infolist():
                if entry.filename.endswith(suffixes) and entry.file_size <= MOST_FILE_BYTES:
                    yield entry.filename, opened.read(entry)
        return
    with tarfile.open(fileobj=io.BytesIO(data)) as opened:
        for entry in opened:
            if entry.isreg() and entry.name.endswith(suffixes) and entry.size <= MOST_FILE_BYTES:
                yield entry.name.split("/", 1)[-1], opened.extractfile(entry).read()


def lay(registry: str, name: str, version: str, out: pathlib.Path) -> int:
    """Returns the number of bytes that were written."""
    written = 0
    for path, text in sorted(files_of(archive(registry, name, version), SUFFIXES[registry])):
        wordy = len(text) <= MOST_LINE_BYTES * (text.count(b"\n") + 1)
        if LEFT_OUT.search(path) or ".." in path or b"\0" in text or not wordy:
            continue
        target = out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)
        written += len(text)
        if written > MOST_BYTES:
            break
    return written


def main() -> int:
    out = pathlib.Path(sys.argv[1])
    rows = [line.split()[:3] for line in read_list(HERE / "packages.txt")]

    def one(row: list[str]) -> str | None:
        registry, name, version = row
        folder = out / f"{registry}+{name.replace('/', '_')}"
        try:
            if not folder.exists():
                lay(registry, name, version, folder)
        except (OSError, KeyError, ValueError, tarfile.TarError, zipfile.BadZipFile) as error:
            return f"{registry} {name} {version}: {error}"
        return None

    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        failed = [message for message in pool.map(one, rows) if message]
    print(*failed, f"{len(rows) - len(failed)} of {len(rows)} packages", sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
