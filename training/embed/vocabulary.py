"""Which words have a row of their own? Counts the words of the training text and writes the vocabulary.

usage: vocabulary.py CORPUS ROWS OUT.json      CORPUS is what corpus.py wrote

Words are taken by how often they stand in code and prose of several sources and in the dictionary, with whole words of the
teacher's vocabulary before rarer ones; pieces, of at most three letters, by how often they stand in words that have no row."""

import collections
import json
import math
import pathlib
import sys

from corpus import DICTIONARY
from teacher import WEIGHTS
from words import HASHED, parts

PIECES = 1500
LONGEST_WORD = 24
LONGEST_NUMBER = 4


def main() -> None:
    corpus, rows, out = pathlib.Path(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3])
    counts: collections.Counter[str] = collections.Counter()
    groups: dict[str, set[str]] = collections.defaultdict(set)
    english: collections.Counter[str] = collections.Counter()

    def count(group: str, text: str) -> None:
        for word in set(parts(text)):
            counts[word] += 1
            if len(groups[word]) < 4:
                groups[word].add(group)

    for line in (corpus / "texts.jsonl").open():
        entry = json.loads(line)
        count(entry["group"], entry["text"])
    for line in (corpus / "pairs.jsonl").open():
        entry = json.loads(line)
        count(entry["group"], entry["a"])
        if entry["group"] == DICTIONARY:
            english.update(set(parts(entry["a"] + " " + entry["b"])))
    known = {word for word in (WEIGHTS / "vocab.txt").read_text().splitlines() if is_word(word) and len(word) > 1}

    def worth(word: str) -> float:
        several = len(groups[word])
        in_code = counts[word] if several >= 3 else counts[word] / 8 if several == 2 else counts[word] / 40
        return math.log1p(in_code) + 0.7 * math.log1p(english[word]) + (1.5 if word in known else 0.0)

    candidates = sorted((w for w in set(counts) | known if is_word(w)), key=lambda w: (-worth(w), w))
    words = sorted(candidates[: rows - HASHED - PIECES])
    chosen = set(words)
    singles = [chr(c) for c in range(ord("a"), ord("z") + 1)] + [str(d) for d in range(10)]
    gains: collections.Counter[str] = collections.Counter()
    for word, often in counts.items():
        if word not in chosen and word.isascii():
            for length in (2, 3):
                for at in range(len(word) - length + 1):
                    gains[word[at : at + length]] += (length - 1) * min(often, 50)
    frequent = [piece for piece, _ in sorted(gains.items(), key=lambda e: (-e[1], e[0]))]
    pieces = singles + sorted(frequent[: PIECES - len(singles)])
    out.write_text(json.dumps({"words": words, "pieces": pieces}))
    print(len(words), "words", len(pieces), "pieces; last words:", candidates[len(words) - 20 : len(words)])


def is_word(word: str) -> bool:
    """Whether a part may have a row of its own: ASCII, not too long, and of numbers only the short ones."""
    if not word.isascii() or not word.isalnum() or word != word.lower():
        return False
    return len(word) <= (LONGEST_NUMBER if word.isdigit() else LONGEST_WORD)


if __name__ == "__main__":
    main()
