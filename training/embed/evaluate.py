"""How good is a table alone? nDCG@10 on collections of judged queries.

usage: evaluate.py VOCABULARY.json TABLE.npy COLLECTION...

A collection is a folder with corpus.jsonl {"_id", "text", "group"?}, queries.jsonl {"_id", "text", "group"?} and qrels.tsv
(query, document, grade; a head line). A query is asked among the documents of its group. The table is rounded as it is shipped."""

import json
import pathlib
import sys

import numpy as np
import scipy.sparse as sparse

import prepare
from export import rounded

DEPTH = 10


def embed(table: np.ndarray, texts: list[str]) -> np.ndarray:
    """The vectors of texts, of length 1."""
    found = prepare.Rows([prepare.weighted(text) for text in texts])
    ends = np.concatenate([[0], found.ends])
    sums = sparse.csr_matrix((found.weights.astype(np.float32), found.rows, ends), (len(texts), len(table))) @ table
    return sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-6)


def read_lines(path: pathlib.Path) -> list[dict]:
    return [json.loads(line) for line in path.open()]


def ndcg(ranked: list[str], grades: dict[str, float]) -> float:
    discounts = 1 / np.log2(np.arange(2, DEPTH + 2))
    gains = [grades.get(document, 0.0) for document in ranked[:DEPTH]]
    ideal = sorted(grades.values(), reverse=True)[:DEPTH]
    return float(np.dot(gains, discounts[: len(gains)]) / np.dot(ideal, discounts[: len(ideal)]))


def measure(table: np.ndarray, folder: pathlib.Path) -> float:
    documents, queries = read_lines(folder / "corpus.jsonl"), read_lines(folder / "queries.jsonl")
    grades: dict[str, dict[str, float]] = {}
    for line in (folder / "qrels.tsv").read_text().splitlines()[1:]:
        query, document, grade = line.split("\t")
        if float(grade) > 0:
            grades.setdefault(query, {})[document] = float(grade)
    queries = [query for query in queries if query["_id"] in grades]

    of_documents, of_queries = (embed(table, [entry["text"] for entry in entries]) for entries in (documents, queries))
    groups = np.array([document.get("group", "") for document in documents])
    scores = []
    for query, vector in zip(queries, of_queries):
        among = np.flatnonzero(groups == query.get("group", ""))
        best = among[np.argsort(-(of_documents[among] @ vector), kind="stable")[:DEPTH]]
        scores.append(ndcg([documents[at]["_id"] for at in best], grades[query["_id"]]))
    return float(np.mean(scores))


def main() -> None:
    prepare.begin(sys.argv[1])
    components, scales = rounded(np.load(sys.argv[2]))
    table = components.astype(np.float32) * scales[:, None]
    for folder in map(pathlib.Path, sys.argv[3:]):
        print(f"{folder.name} {measure(table, folder):.4f}")


if __name__ == "__main__":
    main()
