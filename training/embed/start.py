"""Where does the training start? Each word's vector from the teacher, fewer dimensions, weighed by how rare the word is.

usage: start.py CORPUS VOCABULARY.json DIMENSIONS OUT.npy"""

import itertools
import json
import pathlib
import sys

import numpy as np

from teacher import Teacher
from words import HASHED, Vocabulary

SEED = 7
# One text of so many is counted: enough to tell how frequent a word is.
SAMPLE = 10
# Smooth inverse frequency (Arora, Liang, Ma, ICLR 2017): a word of this frequency counts half.
HALF_FREQUENCY = 1e-3


def main() -> None:
    corpus, vocabulary_at, dimensions, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    vocabulary = Vocabulary(**json.loads(vocabulary_at.read_text()))
    taught = Teacher().embed(vocabulary.words + vocabulary.pieces, lambda at: print(at, flush=True) if at % 64 == 0 else None)
    centred = taught - taught[: len(vocabulary.words)].mean(0)
    _, _, directions = np.linalg.svd(centred[: len(vocabulary.words)], full_matrices=False)
    reduced = centred @ directions[:dimensions].T
    rng = np.random.default_rng(SEED)
    letters = rng.normal(size=(HASHED, dimensions)) * np.linalg.norm(reduced, axis=1).mean() / np.sqrt(dimensions)
    table = np.concatenate([reduced, letters]).astype(np.float32)
    counts = np.ones(len(vocabulary))
    for line in itertools.islice((corpus / "texts.jsonl").open(), 0, None, SAMPLE):
        np.add.at(counts, vocabulary.rows(json.loads(line)["text"]), 1)
    weights = HALF_FREQUENCY / (HALF_FREQUENCY + counts / counts.sum())
    np.save(out, table * weights[:, None].astype(np.float32))


if __name__ == "__main__":
    main()
