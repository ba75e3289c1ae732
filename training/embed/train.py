"""Which vectors do the rows have? Starts from the teacher's and fits them to pairs that belong together.

usage: train.py CORPUS VOCABULARY.json START.npy OUT.npy [--steps N]

Each step takes pairs of one source, so that telling its texts apart is what is learnt, and moves the rows that occur so that of
all texts of the batch its own answer is nearest (InfoNCE, in both directions; Adam on the rows that occur)."""

import argparse
import json
import pathlib
import time

import numpy as np
import scipy.sparse as sparse

from words import Vocabulary

SEED = 7
BATCH = 1024
TEMPERATURE = 0.05
RATE = 0.002
# How many of an answer's words are hidden in each step: the others must suffice.
HIDDEN = 0.25
# How strongly a row is drawn back to where it started.
PULL = 0.02
# How large a component of the start is, about: distances to it are told in this unit.
COMPONENT = 0.06
# How much each kind of pair counts. Commits are noisy; the dictionary stands for all that is not about programs.
KINDS = {"doc": 1.0, "heading": 1.0, "sentence": 0.5, "name": 0.5, "commit": 0.3, "gloss": 1.0, "synonym": 0.6, "example": 1.0}


def sparse_rows(vocabulary: Vocabulary, texts: list[str]) -> sparse.csr_matrix:
    """How often each row occurs in each text."""
    indices, ends = [], [0]
    for text in texts:
        indices.extend(vocabulary.rows(text))
        ends.append(len(indices))
    shape = (len(texts), len(vocabulary))
    matrix = sparse.csr_matrix((np.ones(len(indices), np.float32), np.array(indices, np.int32), np.array(ends)), shape)
    matrix.sum_duplicates()
    return matrix


def damped(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    """A word that is repeated counts more, but less than as often."""
    out = matrix.copy()
    out.data = np.sqrt(out.data)
    return out


class Adam:
    def __init__(self, table: np.ndarray, start: np.ndarray):
        self.table, self.start = table, start
        self.mean, self.square = np.zeros_like(table), np.zeros_like(table)
        self.times = np.zeros(len(table), np.int64)

    def step(self, rows: np.ndarray, gradient: np.ndarray, rate: float) -> None:
        self.times[rows] += 1
        times = self.times[rows][:, None]
        mean = self.mean[rows] * 0.9 + gradient * 0.1
        square = self.square[rows] * 0.98 + gradient**2 * 0.02
        self.mean[rows], self.square[rows] = mean, square
        move = (mean / (1 - 0.9**times)) / (np.sqrt(square / (1 - 0.98**times)) + 1e-8)
        self.table[rows] -= rate * (move + PULL * (self.table[rows] - self.start[rows]) / COMPONENT)


def unit(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
    return vectors / lengths, lengths


def contrast(a: np.ndarray, b: np.ndarray, same: np.ndarray, weight: np.ndarray):
    """The loss of a batch and its gradients by both sides' vectors (not of length 1)."""
    ua, la = unit(a)
    ub, lb = unit(b)
    scores = ua @ ub.T / TEMPERATURE
    scores[same] = -1e4
    loss, by_scores = 0.0, np.zeros_like(scores)
    for axis in (1, 0):
        shifted = np.exp(scores - scores.max(axis=axis, keepdims=True))
        chance = shifted / shifted.sum(axis=axis, keepdims=True)
        own = np.diag(chance)
        loss -= float((weight * np.log(np.maximum(own, 1e-12))).mean()) / 2
        by = chance - np.eye(len(a), dtype=np.float32)
        by_scores += by * (weight[:, None] if axis == 1 else weight[None])
    by_scores /= 2 * len(a) * TEMPERATURE
    ga, gb = by_scores @ ub, by_scores.T @ ua
    ga = (ga - ua * (ga * ua).sum(1, keepdims=True)) / la
    gb = (gb - ub * (gb * ub).sum(1, keepdims=True)) / lb
    return loss, ga, gb


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("corpus", type=pathlib.Path)
    arguments.add_argument("vocabulary", type=pathlib.Path)
    arguments.add_argument("start", type=pathlib.Path)
    arguments.add_argument("out", type=pathlib.Path)
    arguments.add_argument("--steps", type=int, default=900)
    given = arguments.parse_args()
    vocabulary = Vocabulary(**json.loads(given.vocabulary.read_text()))
    pairs = Pairs(given.corpus, vocabulary)
    start = np.load(given.start)
    table = train(pairs, start, given.steps)
    np.save(given.out, table)


class Pairs:
    def __init__(self, corpus: pathlib.Path, vocabulary: Vocabulary):
        entries = [json.loads(line) for line in (corpus / "pairs.jsonl").open()]
        self.weight = np.array([KINDS[entry["kind"]] for entry in entries], np.float32)
        self.a_ids = numbered(entry["a"] for entry in entries)
        self.b_ids = numbered(entry["b"].split("\n", 1)[-1] for entry in entries)
        groups: dict[str, list[int]] = {}
        for at, entry in enumerate(entries):
            groups.setdefault(entry["group"], []).append(at)
        self.groups = [np.array(members) for members in groups.values()]
        self.a = sparse_rows(vocabulary, [entry["a"] for entry in entries])
        self.b = sparse_rows(vocabulary, [entry["b"] for entry in entries])

    def batch(self, rng: np.random.Generator, chances: np.ndarray) -> np.ndarray:
        chosen: list[np.ndarray] = []
        while sum(map(len, chosen)) < BATCH:
            members = self.groups[rng.choice(len(self.groups), p=chances)]
            wanted = min(BATCH - sum(map(len, chosen)), len(members))
            chosen.append(rng.choice(members, wanted, replace=False))
        return np.unique(np.concatenate(chosen))


def numbered(texts) -> np.ndarray:
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(text, len(numbers)) for text in texts])


def train(pairs: Pairs, start: np.ndarray, steps: int, watch=None, rate: float = RATE) -> np.ndarray:
    rng = np.random.default_rng(SEED)
    table = start.copy()
    adam = Adam(table, start)
    chances = np.array([len(members) ** 0.6 for members in pairs.groups])
    chances /= chances.sum()
    began, losses = time.time(), []
    for step in range(steps):
        chosen = pairs.batch(rng, chances)
        a, b = damped(pairs.a[chosen]), pairs.b[chosen]
        b.data = np.sqrt(b.data) * (rng.random(len(b.data)) > HIDDEN * rng.random())
        both = sparse.vstack([a, b], format="csr")
        rows, places = np.unique(both.indices, return_inverse=True)
        both = sparse.csr_matrix((both.data, places, both.indptr), (both.shape[0], len(rows)))
        vectors = both @ table[rows]
        same = (pairs.a_ids[chosen][:, None] == pairs.a_ids[chosen][None]) | (
            pairs.b_ids[chosen][:, None] == pairs.b_ids[chosen][None]
        )
        np.fill_diagonal(same, False)
        loss, ga, gb = contrast(vectors[: len(chosen)], vectors[len(chosen) :], same, pairs.weight[chosen])
        gradient = both.T @ np.concatenate([ga, gb])
        progress = step / steps
        adam.step(rows, gradient.astype(np.float32), rate * min(1.0, step / 50) * (1 - progress))
        losses.append(loss)
        if step % 100 == 99:
            print(f"step {step + 1} loss {np.mean(losses[-100:]):.4f} {time.time() - began:.0f} s", flush=True)
            if watch and step % 500 == 499:
                watch(table)
    return table


if __name__ == "__main__":
    main()
