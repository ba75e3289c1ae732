"""Which vectors do the rows have? Starts from the teacher's and fits them to pairs that belong together, and to the teacher.

usage: train.py PREPARED.pickle OUT.npy [--steps N] [--dimensions N]

Each step takes pairs of a few sources, so that telling the texts of one source apart is what is learnt. Two losses are added. Of all
answers of the batch a question's own is to be nearest, and vice versa (InfoNCE). And the batch is to look as the teacher sees it:
what it finds near to a question, to another question, or to another answer (Kullback-Leibler divergence of the softmax of the
cosines; Hinton, Vinyals, Dean 2015). Afterwards the direction that all texts share is taken out of every row: it tells nothing apart
(Mu, Viswanath, ICLR 2018)."""

import argparse
import functools
import pathlib
import pickle
import queue
import threading
import time

import jax
import jax.numpy as jnp
import numpy as np

from corpus import DICTIONARY
from prepare import Rows  # noqa: F401 (the prepared file contains them)
from words import HASHED

SEED = 7
BATCH = 2048
TEMPERATURE = 0.05
RATE = 0.001
WARM_UP = 50
# How much the teacher's view counts beside the pairs.
TAUGHT = 2.0
# At most this share of an answer's words is hidden in each step: the others must suffice.
HIDDEN = 0.25
# How strongly a row is drawn back to where it started, in units of its mean component.
PULL = 0.02
# How much each kind of pair counts. Commits are noisy.
KINDS = {
    "doc": 1.0, "heading": 1.0, "sentence": 0.5, "name": 0.5, "comment": 0.7, "commit": 0.3, "gloss": 1.0, "synonym": 0.6, "example": 1.0,
}
# A larger source is drawn more often, but not as much as it is larger; the dictionary twice as often, as it stands for all that is not about programs.
SIZE_POWER = 0.6
DICTIONARY_FACTOR = 2
# The parts of a chunk of code, as `static_model.rs` weighs them.
PATH_WEIGHT, SYMBOL_WEIGHT = 0.7, 0.4
# Smooth inverse frequency (Arora, Liang, Ma, ICLR 2017): a word of this frequency counts half.
HALF_FREQUENCY = 1e-3
# Numbers of rows are padded to multiples of these, so that few shapes are compiled.
PAD_SHORT, PAD_LONG = 16_384, 65_536
COMMON_SAMPLE = 20_000


def start(prepared: dict, dimensions: int) -> np.ndarray:
    """The teacher's vectors of single words, fewer dimensions by principal components, weighed by how rare the word is."""
    taught, words = prepared["entries_taught"].astype(np.float32), prepared["words"]
    centred = taught - taught[:words].mean(0)
    _, _, directions = np.linalg.svd(centred[:words], full_matrices=False)
    reduced = centred @ directions[:dimensions].T
    rng = np.random.default_rng(SEED)
    letters = rng.normal(size=(HASHED, dimensions)) * np.linalg.norm(reduced, axis=1).mean() / np.sqrt(dimensions)
    table = np.concatenate([reduced, letters]).astype(np.float32)
    counts = np.ones(len(table))
    for rows in (prepared["rows"][0], prepared["rows"][3]):
        np.add.at(counts, rows.rows, 1)
    weights = HALF_FREQUENCY / (HALF_FREQUENCY + counts / counts.sum())
    return table * weights[:, None].astype(np.float32)


def batches(prepared: dict, steps: int):
    rng = np.random.default_rng(SEED)
    groups = list(prepared["groups"].values())
    chances = np.array([len(members) ** SIZE_POWER for members in groups])
    chances *= [DICTIONARY_FACTOR if name == DICTIONARY else 1 for name in prepared["groups"]]
    chances /= chances.sum()
    weights = np.array([KINDS[kind] for kind in prepared["kinds"]], np.float32)

    def padded(found, multiple: int):
        rows, row_weights, owners = found
        size = -(-max(1, len(rows)) // multiple) * multiple
        out = np.zeros(size, np.int32), np.zeros(size, np.float32), np.full(size, BATCH - 1, np.int32)
        for whole, filled in zip(out, (rows, row_weights, owners)):
            whole[: len(filled)] = filled
        return out

    for _ in range(steps):
        chosen: list[np.ndarray] = []
        while (missing := BATCH - sum(map(len, chosen))) > 0:
            members = groups[rng.choice(len(groups), p=chances)]
            chosen.append(rng.choice(members, min(missing, len(members)), replace=False))
        pairs = np.concatenate(chosen)
        ask, path, symbol, text = (rows.take(pairs) for rows in prepared["rows"])
        text = (text[0], text[1] * (rng.random(len(text[1])) > HIDDEN * rng.random()), text[2])
        parts = (padded(ask, PAD_SHORT), padded(path, PAD_SHORT), padded(symbol, PAD_SHORT), padded(text, PAD_LONG))
        taught = prepared["asks_taught"][pairs], prepared["answers_taught"][pairs]
        yield parts, taught, (prepared["same_ask"][pairs], prepared["same_answer"][pairs]), weights[pairs]


def ahead(iterator, most: int = 6):
    """The items of an iterator, which another thread makes in advance."""
    items: queue.Queue = queue.Queue(most)

    def make() -> None:
        for item in iterator:
            items.put(item)
        items.put(None)

    threading.Thread(target=make, daemon=True).start()
    while (item := items.get()) is not None:
        yield item


def unit(vectors):
    return vectors / jnp.sqrt((vectors * vectors).sum(1, keepdims=True) + 1e-12)


def sums(table, part):
    rows, weights, owners = part
    return jax.ops.segment_sum(table[rows] * weights[:, None], owners, num_segments=BATCH, indices_are_sorted=True)


def vectors(table, parts):
    ask, path, symbol, text = (unit(sums(table, part)) for part in parts)
    return ask, unit(PATH_WEIGHT * path + SYMBOL_WEIGHT * symbol + text)


def divergence(taught, learnt):
    wanted = jax.nn.softmax(taught / TEMPERATURE, 1)
    return (wanted * (jnp.log(wanted + 1e-9) - jax.nn.log_softmax(learnt / TEMPERATURE, 1))).sum(1).mean()


def loss(table, batch):
    parts, (taught_asks, taught_answers), (same_ask, same_answer), weights = batch
    asks, answers = vectors(table, parts)
    own = jnp.eye(BATCH, dtype=bool)
    same = ((same_ask[:, None] == same_ask[None]) | (same_answer[:, None] == same_answer[None])) & ~own
    cosines = asks @ answers.T
    scores = jnp.where(same, -1e4, cosines / TEMPERATURE)
    hits = jnp.diag(jax.nn.log_softmax(scores, 1)) + jnp.diag(jax.nn.log_softmax(scores.T, 1))
    of_pairs = -(weights * hits).mean() / 2
    taught_asks, taught_answers = taught_asks.astype(jnp.float32), taught_answers.astype(jnp.float32)
    taught = taught_asks @ taught_answers.T
    among = lambda x: jnp.where(same | own, -1e4, x @ x.T)  # noqa: E731
    of_teacher = (
        divergence(taught, cosines)
        + divergence(taught.T, cosines.T)
        + divergence(among(taught_asks), among(asks))
        + 0.5 * divergence(among(taught_answers), among(answers))
    )
    return of_pairs + TAUGHT * of_teacher / 2


def train(prepared: dict, begun: np.ndarray, steps: int) -> np.ndarray:
    origin = jnp.asarray(begun)
    component = float(jnp.abs(origin).mean())

    @functools.partial(jax.jit, donate_argnums=(0, 1, 2))
    def step(table, mean, square, at, batch):
        value, gradient = jax.value_and_grad(loss)(table, batch)
        mean, square = 0.9 * mean + 0.1 * gradient, 0.98 * square + 0.02 * gradient**2
        rate = RATE * jnp.minimum(1, (at + 1) / WARM_UP) * (1 - at / steps)
        move = (mean / (1 - 0.9 ** (at + 1))) / (jnp.sqrt(square / (1 - 0.98 ** (at + 1))) + 1e-8)
        occurs = jnp.abs(gradient).sum(1, keepdims=True) > 0
        table = table - rate * move
        return table - rate * PULL / component * (table - origin) * occurs, mean, square, value

    table, mean, square = origin + 0, jnp.zeros_like(origin), jnp.zeros_like(origin)
    values, began = [], time.time()
    for at, batch in enumerate(ahead(batches(prepared, steps))):
        table, mean, square, value = step(table, mean, square, jnp.float32(at), batch)
        values.append(value)
        if at % 500 == 499:
            print(f"step {at + 1} loss {np.mean([float(one) for one in values[-500:]]):.4f} {time.time() - began:.0f} s", flush=True)
    return np.asarray(table)


def without_common_direction(prepared: dict, table: np.ndarray) -> np.ndarray:
    """Takes the mean direction of questions and answers out of each row."""
    rng = np.random.default_rng(SEED)
    pairs = rng.choice(len(prepared["kinds"]), min(COMMON_SAMPLE, len(prepared["kinds"])), replace=False)
    common = np.zeros(table.shape[1])
    for batch in np.split(pairs, range(BATCH, len(pairs), BATCH)):
        asks, answers = vectors(jnp.asarray(table), [rows.take(batch) for rows in prepared["rows"]])
        common += np.asarray(asks)[: len(batch)].sum(0) + np.asarray(answers)[: len(batch)].sum(0)
    common /= np.linalg.norm(common)
    return (table - np.outer(table @ common, common)).astype(np.float32)


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("prepared", type=pathlib.Path)
    arguments.add_argument("out", type=pathlib.Path)
    arguments.add_argument("--steps", type=int, default=4000)
    arguments.add_argument("--dimensions", type=int, default=256)
    given = arguments.parse_args()
    with given.prepared.open("rb") as file:
        prepared = pickle.load(file)
    table = train(prepared, start(prepared, given.dimensions), given.steps)
    np.save(given.out, without_common_direction(prepared, table))


if __name__ == "__main__":
    main()
