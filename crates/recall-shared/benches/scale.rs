//! How a store on PostgreSQL grows: the rate of a publication, the size on disk, and the time of a search.
//!
//! `RECALL_TEST_WHEELS=… cargo bench -p recall-shared --features server-tests --bench scale -- [tenants] [chunks…]`
//!
//! The documents are made up: a vocabulary with the frequencies of words in source code, ten chunks a document, and vectors of 256
//! components around 1,000 centres.

use std::cell::Cell;
use std::convert::Infallible;
use std::time::{Duration, Instant};

use oorandom::Rand64;
use recall_shared::{
    Ask, Branch, ChunkRecord, Depths, DocumentRecord, Filters, Key, Manifest, Model, Postgres, PostgresSettings,
    Replica, SharedStore as _, Source, Weighted, publish,
};
use recall_testkit::PostgresServer;

const CHUNKS_A_DOCUMENT: u64 = 10;
const WORDS_A_CHUNK: usize = 60;
const VOCABULARY: f64 = 200_000.0;
const DIMENSIONS: usize = 256;
const CENTRES: u64 = 1_000;
const QUERIES: u64 = 300;

struct Made {
    tenant: u64,
    manifest: Manifest,
    /// How long the embedding, which is not the store's, took.
    own: Cell<Duration>,
}

fn key(parts: &[u64]) -> Key {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&part.to_le_bytes());
    }
    let mut key = Key::default();
    key.0.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    key
}

/// A word, frequent ones first (Zipf).
fn word(random: &mut Rand64) -> u32 {
    let rank = VOCABULARY.powf(random.rand_float()) as u32;
    rank.wrapping_mul(0x9e37_79b9)
}

fn vector(random: &mut Rand64) -> Vec<f32> {
    let mut centre = Rand64::new(u128::from(random.rand_range(0..CENTRES)));
    let mut vector: Vec<f32> =
        (0..DIMENSIONS).map(|_| (centre.rand_float() - 0.5 + (random.rand_float() - 0.5) * 0.8) as f32).collect();
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    for x in &mut vector {
        *x /= length;
    }
    vector
}

fn path(document: u64) -> String {
    format!("module{:03}/part{:03}/file{document}.rs", document % 100, document / 100 % 1000)
}

impl Made {
    fn new(tenant: u64, chunks: u64) -> Self {
        let documents = (0..chunks / CHUNKS_A_DOCUMENT).map(|number| (path(number), key(&[tenant, number])));
        Self { tenant, manifest: documents.collect(), own: Cell::default() }
    }
}

impl Source for Made {
    type Error = Infallible;

    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn read(&self, paths: &[String]) -> Result<Vec<(DocumentRecord, Vec<ChunkRecord>)>, Infallible> {
        let began = Instant::now();
        let one = |path: &String| {
            let digits = path.rsplit("file").next().expect("a number").trim_end_matches(".rs");
            let number: u64 = digits.parse().expect("a number");
            let chunks: Vec<ChunkRecord> = (0..CHUNKS_A_DOCUMENT)
                .map(|ordinal| {
                    let seed = u128::from(self.tenant) << 64 | u128::from(number * CHUNKS_A_DOCUMENT + ordinal);
                    let mut random = Rand64::new(seed);
                    let mut keys: Vec<u32> = (0..WORDS_A_CHUNK).map(|_| word(&mut random)).collect();
                    keys.sort_unstable();
                    keys.dedup();
                    let text = keys.iter().map(|key| format!("{key:x}")).collect::<Vec<_>>().join(" ");
                    let lengths = [WORDS_A_CHUNK as u64, 2, 5, 0, 0, 0];
                    ChunkRecord { key: key(&[self.tenant, number, ordinal]), text, keys, lengths, vector: None }
                })
                .collect();
            let mut keys = vec![number as u32, (number % 100) as u32, (number / 100 % 1000) as u32 + 1_000];
            keys.sort_unstable();
            keys.dedup();
            let record = DocumentRecord {
                path: path.clone(),
                key: self.manifest[path],
                // Like real ones: 1.5 kB of structure, and the terms of the chunks.
                record: [
                    vec![b'x'; 1_500],
                    chunks.iter().flat_map(|chunk| chunk.keys.iter().flat_map(|key| key.to_le_bytes())).collect(),
                ]
                .concat(),
                chunks: chunks.iter().map(|chunk| chunk.key).collect(),
                keys,
                lengths: [0, 0, 0, 4, 1, 1],
                kind: if number.is_multiple_of(20) { "documentation" } else { "code" }.to_owned(),
                language: ["rust", "go", "python", "java", "c"][(number % 5) as usize].to_owned(),
                tags: Vec::new(),
                text: chunks.iter().map(|chunk| chunk.text.as_str()).collect::<Vec<_>>().join("\n"),
            };
            (record, chunks)
        };
        let read = paths.iter().map(one).collect();
        self.own.set(self.own.get() + began.elapsed());
        Ok(read)
    }

    fn embed(&self, chunks: &mut [ChunkRecord]) -> Result<(), Infallible> {
        let began = Instant::now();
        for chunk in chunks {
            let seed = u128::from_le_bytes(chunk.key.0);
            chunk.vector = Some(vector(&mut Rand64::new(seed)));
        }
        self.own.set(self.own.get() + began.elapsed());
        Ok(())
    }

    fn report(&self, _: u64, _: u64) -> bool {
        true
    }
}

fn model() -> Model {
    Model { fingerprint: "scale".to_owned(), dimensions: DIMENSIONS }
}

fn main() {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let (tenants, sizes) = numbers.split_first().map_or((1, &[10_000, 100_000][..]), |(first, rest)| (*first, rest));
    for &chunks in sizes {
        measure(tenants, chunks);
    }
}

#[expect(clippy::print_stdout, reason = "the result of a benchmark")]
fn measure(tenants: u64, chunks: u64) {
    let server = PostgresServer::start();
    server.sql("postgres", "alter system set maintenance_work_mem = '2GB'");
    server.sql("postgres", "alter system set max_wal_size = '4GB'");
    server.sql("postgres", "alter system set shared_buffers = '2GB'");
    server.kill();
    server.resume();
    let store = |tenant: u64| {
        Postgres::new(&PostgresSettings {
            address: server.address(),
            password: String::new(),
            authentication: recall_shared::Authentication::Scram,
            tenant: format!("tenant{tenant}"),
            deadline: Duration::from_mins(1),
            read: Replica::Any,
            publish_deadline: Duration::from_hours(2),
        })
        .expect("a valid address")
    };
    let branch = Branch { repository: "made".to_owned(), name: "main".to_owned() };
    let (began, mut own) = (Instant::now(), Duration::ZERO);
    for tenant in 0..tenants {
        let made = Made::new(tenant, chunks / tenants);
        publish(&store(tenant), &branch, Some(&model()), &made).expect("it answers");
        own += made.own.get();
    }
    let took = began.elapsed().saturating_sub(own);
    let unchanged = Instant::now();
    let outcome = publish(&store(0), &branch, Some(&model()), &Made::new(0, chunks / tenants)).expect("it answers");
    assert_eq!(outcome.sent_chunks, 0);
    let unchanged = unchanged.elapsed();
    let size = server.sql("team", "select pg_database_size('team') / 1e6");
    let parts = server.sql(
        "team",
        "select split_part(c.relname, '_', 1) || ' ' || case when c.relkind = 'i' then am.amname else 'rows' end, \
         round(sum(pg_total_relation_size(c.oid) - case when c.relkind = 'r' then pg_indexes_size(c.oid) else 0 end) / 1e6) \
         from pg_class c \
         join pg_namespace n on n.oid = c.relnamespace left join pg_am am on am.oid = c.relam \
         where n.nspname = 'recall_1' and c.relkind in ('r', 'i') group by 1 having sum(pg_total_relation_size(c.oid)) > 2e6 order by 2 desc",
    );
    println!(
        "\n{chunks} chunks, {tenants} tenants: published in {:.1} s ({:.0} chunks/s), unchanged {:.2} s, disk {} MB",
        took.as_secs_f64(),
        chunks as f64 / took.as_secs_f64(),
        unchanged.as_secs_f64(),
        size[0]
    );
    println!("  {}", parts.join(", "));
    let reader = store(0);
    let narrow = |kinds: &[&str], languages: &[&str]| Filters {
        kinds: kinds.iter().map(|&kind| kind.to_owned()).collect(),
        languages: languages.iter().map(|&language| language.to_owned()).collect(),
        ..Filters::default()
    };
    for (name, filters, parts) in [
        ("everything", Filters::default(), [true, true]),
        ("words only", Filters::default(), [true, false]),
        ("vectors only", Filters::default(), [false, true]),
        ("1 of 5 (language)", narrow(&[], &["go"]), [true, true]),
        ("1 of 20 (type)", narrow(&["documentation"], &[]), [true, true]),
        ("1 of 100 (both)", narrow(&["documentation"], &["rust"]), [true, true]),
    ] {
        search(&server, &reader, name, &filters, parts);
    }
    for scan in ["off", "strict_order", "relaxed_order"] {
        iterative_scan(&server, scan);
    }
}

/// Counts how many of 50 neighbours pgvector returns if one document in 20 passes the filter.
#[expect(clippy::print_stdout, reason = "the result of a benchmark")]
fn iterative_scan(server: &PostgresServer, scan: &str) {
    let vectors =
        server.sql("team", "select c.relname from pg_class c where c.relname ~ '^vector_scale_256_[0-9a-f]{16}$'");
    let (mut times, mut found) = (Vec::new(), 0);
    let mut random = Rand64::new(7);
    for _ in 0..50 {
        let components: Vec<String> = vector(&mut random).iter().map(ToString::to_string).collect();
        let find = format!(
            "set hnsw.ef_search = 100; set hnsw.iterative_scan = {scan}; set enable_seqscan = off; \
             select count(*) from (select v.chunk from recall_1.{} v cross join lateral (select o.document from recall_1.occurrence o \
             where o.tenant = v.tenant and o.chunk = v.chunk offset 0) o cross join lateral (select d.id from recall_1.document d \
             where d.tenant = v.tenant and d.id = o.document and d.kind = 'documentation' offset 0) d \
             order by v.embedding <=> '[{}]'::halfvec limit 50) near",
            vectors[0],
            components.join(",")
        );
        let began = Instant::now();
        let count = server.sql("team", &find);
        times.push(began.elapsed());
        found += count.last().and_then(|count| count.parse::<u64>().ok()).expect("a number");
    }
    times.sort_unstable();
    println!(
        "  iterative_scan {scan:14} {:4.1} of 50 neighbours with 1 of 20 documents, p50 {:.1} ms with the start of a client",
        found as f64 / 50.0,
        times[25].as_secs_f64() * 1e3
    );
}

#[expect(clippy::print_stdout, reason = "the result of a benchmark")]
fn search(server: &PostgresServer, reader: &Postgres, name: &str, filters: &Filters, [words, vectors]: [bool; 2]) {
    let mut random = Rand64::new(99);
    let (mut times, mut found, mut near) = (Vec::new(), 0, 0);
    let before = server.processor_ticks();
    for _ in 0..QUERIES {
        let keys: Vec<u32> = (0..6).map(|_| word(&mut random)).collect();
        let vector = vector(&mut random);
        let began = Instant::now();
        let statistics = reader.statistics(&keys).expect("it answers");
        let weighted = keys.iter().filter_map(|key| {
            let count = *statistics.counts.get(key)?;
            let weight = (1.0 + statistics.chunks as f32 / count as f32).ln();
            Some(Weighted { key: *key, weight, count })
        });
        let ask = Ask {
            words: weighted.collect(),
            definitions: Vec::new(),
            files: Vec::new(),
            vector: vectors.then(|| (model(), vector)),
            filters: filters.clone(),
            without: Vec::new(),
            depths: Depths { words: if words { 100 } else { 0 }, definitions: 100, files: 0, nearest: 50 },
        };
        let answer = reader.find(&ask).expect("it answers");
        let shown: Vec<Key> = answer.documents.iter().take(10).map(|document| document.chunks[0].key).collect();
        reader.texts(&shown).expect("it answers");
        times.push(began.elapsed());
        found += answer.documents.len();
        near += answer.documents.iter().flat_map(|one| &one.chunks).filter(|chunk| chunk.is_near).count();
    }
    let ticks = server.processor_ticks().saturating_sub(before);
    times.sort_unstable();
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize].as_secs_f64() * 1e3;
    println!(
        "  {name:20} p50 {:6.1} ms  p99 {:6.1} ms  processor {:5.1} ms  {:4.0} documents, {:3.0} near",
        at(0.5),
        at(0.99),
        ticks as f64 * 10.0 / QUERIES as f64,
        found as f64 / QUERIES as f64,
        near as f64 / QUERIES as f64
    );
}
