"""Answers requests about the points of one collection from Qdrant's segments: a line of JSON for each request, and one for each answer.

Its argument is an empty folder.
"""

import json
import sys

import qdrant_edge as edge

# After so many changes segments are merged and graphs are built, as a server does in the background.
CHANGES_BETWEEN_MERGES = 40

INDEXES = {
    "tenant": edge.KeywordIndexParams(is_tenant=True),
    "text": edge.KeywordIndexParams(),
    "identity": edge.UuidIndexParams(),
    "number": edge.IntegerIndexParams(lookup=True, range=True),
}

MODES = {
    "upsert": edge.UpdateMode.Upsert,
    "insert": edge.UpdateMode.InsertOnly,
    "update": edge.UpdateMode.UpdateOnly,
}


def condition(test):
    (kind, wanted), = test.items()
    if kind == "ids":
        return edge.HasIdCondition(set(wanted))
    if kind == "any":
        key, values = wanted
        one = len(values) == 1
        return edge.FieldCondition(key, match=edge.MatchValue(values[0]) if one else edge.MatchAny(values))
    if kind == "range":
        key, bounds = wanted
        return edge.FieldCondition(key, range=edge.RangeFloat(**bounds))
    return filter_of(wanted)


def filter_of(wanted):
    parts = {part: [condition(test) for test in tests] or None for part, tests in wanted.items()}
    return edge.Filter(**parts) if any(parts.values()) else None


def vector(wanted):
    return edge.SparseVector(*wanted) if isinstance(wanted[0], list) else wanted


class Points:
    def __init__(self, folder, dense, sparse, graph):
        half = edge.VectorStorageDatatype.Float16
        # A server has collections without vectors; segments alone have not.
        sparse = sparse or ([] if dense else ["none"])
        config = edge.EdgeConfig(
            vectors={
                name: edge.EdgeVectorParams(size=size, distance=edge.Distance.Cosine, datatype=half)
                for name, size in dense.items()
            },
            sparse_vectors={name: edge.EdgeSparseVectorParams(datatype=half) for name in sparse},
            hnsw_config=edge.HnswIndexConfig(**graph) if graph else None,
            optimizers=edge.EdgeOptimizersConfig(indexing_threshold=1),
            # Nothing outlives the process.
            wal_enabled=False,
        )
        self.shard = edge.EdgeShard.create(folder, config)
        self.changes = 0

    def change(self, operation):
        self.shard.update(operation)
        self.changes += 1
        if self.changes % CHANGES_BETWEEN_MERGES == 0:
            self.shard.optimize()

    def index(self, field, kind):
        self.shard.update(edge.UpdateOperation.create_field_index(field, INDEXES[kind]))

    def write(self, points, mode, filter):
        points = [
            edge.Point(id, {name: vector(one) for name, one in vectors.items()}, fields)
            for id, fields, vectors in points
        ]
        condition = filter_of(filter) if filter else None
        self.change(edge.UpdateOperation.upsert_points(points, condition=condition, update_mode=MODES[mode]))

    def set(self, fields, filter):
        self.change(edge.UpdateOperation.set_payload_by_filter(filter_of(filter), fields))

    def delete(self, filter):
        self.change(edge.UpdateOperation.delete_points_by_filter(filter_of(filter)))

    def page(self, filter, start, most):
        request = edge.ScrollRequest(offset=start, limit=most, filter=filter_of(filter), with_payload=True)
        points, _ = self.shard.scroll(request)
        return [[str(point.id), point.payload] for point in points]

    def count(self, filter):
        return self.shard.count(edge.CountRequest(exact=True, filter=filter_of(filter)))

    def best(self, name, wanted, most, breadth, filter):
        query = edge.Query.Nearest(vector(wanted), using=name)
        params = edge.SearchParams(hnsw_ef=breadth) if breadth else None
        request = edge.QueryRequest(limit=most, query=query, filter=filter_of(filter), params=params)
        return [[str(point.id), point.score] for point in self.shard.query(request)]


def main():
    points = None
    for line in sys.stdin:
        method, arguments = json.loads(line)
        try:
            if method == "create":
                points, answer = Points(sys.argv[1], **arguments), None
            else:
                answer = getattr(points, method)(**arguments)
            print(json.dumps({"done": answer}), flush=True)
        except Exception as error:
            print(json.dumps({"failed": f"{type(error).__name__}: {error}"}), flush=True)


main()
