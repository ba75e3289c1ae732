"""What is trained with? Finds the rows of every text of the pairs, and what the teacher makes of it.

usage: prepare.py CORPUS VOCABULARY.json OUT.pickle"""

import json
import multiprocessing
import os
import pathlib
import pickle
import sys

import numpy as np

from corpus import MOST_CHARS
from words import Vocabulary

PART = 2000
# The parts of a pair that are embedded apart: the question, and the path, the symbol and the text of the answer.
ASK, PATH, SYMBOL, TEXT = range(4)


class Rows:
    """The rows of many texts, each row once a text, weighed by the square root of how often it occurs."""

    def __init__(self, texts: list[tuple[np.ndarray, np.ndarray]]):
        self.sizes = np.array([len(rows) for rows, _ in texts], np.int64)
        self.ends = np.cumsum(self.sizes)
        self.rows = np.concatenate([rows for rows, _ in texts]).astype(np.int32)
        self.weights = np.concatenate([weights for _, weights in texts]).astype(np.float16)

    def take(self, texts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The rows of some texts, their weights, and which of the texts each belongs to."""
        sizes = self.sizes[texts]
        before = np.cumsum(sizes) - sizes
        places = np.arange(sizes.sum()) - np.repeat(before, sizes) + np.repeat(self.ends[texts] - sizes, sizes)
        owners = np.repeat(np.arange(len(texts), dtype=np.int32), sizes)
        return self.rows[places], self.weights[places].astype(np.float32), owners


VOCABULARY: Vocabulary


def begin(vocabulary_at: str) -> None:
    global VOCABULARY
    VOCABULARY = Vocabulary(**json.loads(pathlib.Path(vocabulary_at).read_text()))


def weighted(text: str) -> tuple[np.ndarray, np.ndarray]:
    rows, times = np.unique(np.array(VOCABULARY.rows(text), np.int32), return_counts=True)
    return rows, np.sqrt(times).astype(np.float16)


def part(lines: list[str]):
    from teacher import tokenizer

    pairs = [json.loads(line) for line in lines]
    rows = [tuple(map(weighted, (pair["a"], pair.get("path", ""), pair.get("symbol", ""), pair["b"]))) for pair in pairs]
    answers = [f"{pair['path']}\n{pair['symbol']}\n{pair['b']}" if "path" in pair else pair["b"] for pair in pairs]
    tokens = [
        [np.array(encoding.ids, np.uint16) for encoding in tokenizer().encode_batch(texts)]
        for texts in ([pair["a"] for pair in pairs], [answer[: 2 * MOST_CHARS] for answer in answers])
    ]
    return rows, *tokens


def numbered(texts) -> np.ndarray:
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(text, len(numbers)) for text in texts], np.int32)


def main() -> None:
    corpus, vocabulary_at, out = sys.argv[1:4]
    lines = (pathlib.Path(corpus) / "pairs.jsonl").read_text().splitlines()
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    # A process that has begun to use JAX cannot be forked.
    with multiprocessing.get_context("spawn").Pool(os.cpu_count(), begin, (vocabulary_at,)) as pool:
        parts = pool.map(part, [lines[at : at + PART] for at in range(0, len(lines), PART)], chunksize=1)
    print(len(lines), "pairs", flush=True)

    from teacher import Teacher, tokenizer

    teacher = Teacher()
    rows = [row for found, _, _ in parts for row in found]
    pairs = [json.loads(line) for line in lines]
    groups: dict[str, list[int]] = {}
    for at, pair in enumerate(pairs):
        groups.setdefault(pair["group"], []).append(at)
    begin(vocabulary_at)
    entries = VOCABULARY.words + VOCABULARY.pieces
    prepared = {
        "rows": [Rows([row[which] for row in rows]) for which in (ASK, PATH, SYMBOL, TEXT)],
        "asks_taught": teacher.embed([ids for _, asks, _ in parts for ids in asks]),
        "answers_taught": teacher.embed([ids for _, _, answers in parts for ids in answers]),
        "entries_taught": teacher.embed([np.array(encoding.ids) for encoding in tokenizer().encode_batch(entries)]),
        "words": len(VOCABULARY.words),
        "same_ask": numbered(pair["a"] for pair in pairs),
        "same_answer": numbered(pair["b"] for pair in pairs),
        "kinds": [pair["kind"] for pair in pairs],
        "groups": {name: np.array(members) for name, members in groups.items()},
    }
    with open(out, "wb") as file:
        pickle.dump(prepared, file, protocol=5)


if __name__ == "__main__":
    main()
