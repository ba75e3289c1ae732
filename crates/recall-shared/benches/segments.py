"""Measures what chunks cost in Qdrant's segments: disk and memory by part, and the time of each kind of request.

Chunks are made up: 60 terms of 20,000, 400 bytes of text, and 256 components in half precision, with the indexes that recall creates.

    python3 -m pip install qdrant-edge-py==0.9.0
    python3 crates/recall-shared/benches/segments.py 50000
"""

import random
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

import qdrant_edge as edge

BATCH = 1_000
TERMS = 20_000
REQUESTS = 100
HALF = edge.VectorStorageDatatype.Float16
TENANT = edge.FieldCondition("tenant", match=edge.MatchValue("team"))
# What a request of a search asks.
WORDS, CANDIDATES = 8, 150

RANDOM = random.Random(1)


def term():
    """A term; the frequencies fall as in texts."""
    return int(TERMS * RANDOM.random() ** 4)


def terms(count):
    found = sorted({term() for _ in range(count)})
    return edge.SparseVector(found, [1.0] * len(found)), found


def components():
    return [RANDOM.gauss(0, 1) for _ in range(256)]


def chunk():
    vector, keys = terms(60)
    return {"terms": vector}, {"tenant": "team", "keys": keys, "touched": 1, "text": "x" * 400}


def embedding():
    return {"embedding": components()}, {"tenant": "team", "touched": 1}


KINDS = {
    "chunks": (
        edge.EdgeConfig(sparse_vectors={"terms": edge.EdgeSparseVectorParams(datatype=HALF)}, wal_enabled=False),
        {
            "tenant": edge.KeywordIndexParams(is_tenant=True),
            "keys": edge.IntegerIndexParams(lookup=True, range=False),
            "touched": edge.IntegerIndexParams(lookup=False, range=True),
        },
        chunk,
    ),
    "vectors": (
        edge.EdgeConfig(
            vectors={"embedding": edge.EdgeVectorParams(size=256, distance=edge.Distance.Cosine, datatype=HALF)},
            hnsw_config=edge.HnswIndexConfig(m=0, payload_m=16, ef_construct=100, full_scan_threshold=10_000),
            wal_enabled=False,
        ),
        {
            "tenant": edge.KeywordIndexParams(is_tenant=True),
            "touched": edge.IntegerIndexParams(lookup=False, range=True),
        },
        embedding,
    ),
}


def fill(folder, kind, count):
    config, indexes, make = KINDS[kind]
    shard = edge.EdgeShard.create(folder, config)
    for field, index in indexes.items():
        shard.update(edge.UpdateOperation.create_field_index(field, index))
    for _ in range(count // BATCH):
        made = [make() for _ in range(BATCH)]
        points = [edge.Point(str(uuid.UUID(int=RANDOM.getrandbits(128))), *one) for one in made]
        shard.update(edge.UpdateOperation.upsert_points(points))
    shard.optimize()
    shard.flush()
    shard.close()


def query(shard, kind):
    wanted = terms(WORDS)[0] if kind == "chunks" else components()
    using = "terms" if kind == "chunks" else "embedding"
    shard.query(
        edge.QueryRequest(
            limit=CANDIDATES,
            query=edge.Query.Nearest(wanted, using=using),
            filter=edge.Filter(must=[TENANT]),
            params=edge.SearchParams(hnsw_ef=CANDIDATES),
        )
    )


def count(shard):
    wanted = edge.FieldCondition("keys", match=edge.MatchValue(term()))
    shard.count(edge.CountRequest(exact=True, filter=edge.Filter(must=[TENANT, wanted])))


def milliseconds(request):
    times = []
    for _ in range(REQUESTS):
        start = time.perf_counter()
        request()
        times.append(1_000 * (time.perf_counter() - start))
    times.sort()
    return f"p50 {times[REQUESTS // 2]:.1f} ms, p99 {times[REQUESTS * 99 // 100 - 1]:.1f} ms"


def memory():
    """The process's own memory, and that with mapped files, in kB."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    values = {line.split(":")[0]: int(line.split()[1]) for line in lines[1:]}
    return values["Anonymous"], values["Rss"]


def measure(folder, kind, points):
    """Runs in a process of its own, so that nothing of the filling is counted."""
    before = memory()
    shard = edge.EdgeShard.load(folder)
    own, mapped = ((now - then) / points for now, then in zip(memory(), before))
    print(f"  loaded: {own:.2f} kB of own memory, {mapped:.2f} kB with mapped files")
    print(f"  the {CANDIDATES} best: {milliseconds(lambda: query(shard, kind))}")
    if kind == "chunks":
        print(f"  exact count of a term: {milliseconds(lambda: count(shard))}")
    sizes = {}
    for file in Path(folder).rglob("*"):
        if file.is_file():
            part = "/".join(file.relative_to(folder).parts[2:-1])
            sizes[part] = sizes.get(part, 0) + file.stat().st_blocks / 2
    for part, size in sorted(sizes.items(), key=lambda of: -of[1])[:6]:
        print(f"  disk: {size / points:.2f} kB {part}")


def main():
    if len(sys.argv) == 4:
        measure(sys.argv[2], sys.argv[1], int(sys.argv[3]))
        return
    points = int(sys.argv[1])
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as folder:
            start = time.perf_counter()
            fill(f"{folder}/points", kind, points)
            print(f"{kind}: {points} in {time.perf_counter() - start:.0f} s; each takes", flush=True)
            subprocess.run([sys.executable, __file__, kind, f"{folder}/points", str(points)], check=True)


main()
