"""Which files are learnt from? Lays the sources' trees out of bare git directories.

usage: lay.py MIRRORS OUT      MIRRORS/<owner>+<name>/repo is a bare git directory of each source

Each tree lands in OUT/<owner>+<name>, at the commit that sources.txt gives. Objects that a mirror lacks (files of several
megabytes) and files over 1 MB are left out, and so is what is no regular file."""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
MOST_FILE_BYTES = 1024 * 1024


def sources() -> list[tuple[str, str]]:
    """The sources as (owner/name, commit), in the order of sources.txt; never one that judges."""
    judging = read_list(HERE.parent / "rank" / "judging.txt")
    rows = [tuple(line.split()[:2]) for line in read_list(HERE / "sources.txt")]
    wrong = {name for name, _ in rows} & set(judging)
    if wrong:
        sys.exit(f"sources that judge must not be learnt from: {', '.join(sorted(wrong))}")
    return rows


def read_list(path: pathlib.Path) -> list[str]:
    lines = (line.strip() for line in path.read_text().splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def lay(git_dir: pathlib.Path, commit: str, out: pathlib.Path) -> int:
    git = ["git", "-c", "safe.directory=*", f"--git-dir={git_dir}"]
    listing = subprocess.run([*git, "ls-tree", "-r", "-z", commit], capture_output=True, check=True).stdout
    entries = []
    for entry in listing.split(b"\0"):
        if entry.startswith(b"100"):
            meta, path = entry.split(b"\t", 1)
            entries.append((meta.split()[2], path.decode("utf-8", "replace")))
    batch = subprocess.Popen([*git, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    laid = 0
    for object_id, path in entries:
        batch.stdin.write(object_id + b"\n")
        batch.stdin.flush()
        header = batch.stdout.readline().split()
        if header[-1] == b"missing":
            continue
        content = batch.stdout.read(int(header[2]) + 1)[:-1]
        if len(content) > MOST_FILE_BYTES or b"\0" in content[:8000]:
            continue
        target = out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        laid += 1
    batch.stdin.close()
    batch.wait()
    return laid


def main() -> int:
    mirrors, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    missing = 0
    for name, commit in sources():
        folder = name.replace("/", "+")
        git_dir = mirrors / folder / "repo"
        if not git_dir.is_dir():
            print(f"{name}: no mirror", flush=True)
            missing += 1
        elif not (out / folder).exists():
            print(f"{name}: {lay(git_dir, commit, out / folder)} files", flush=True)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
