//! A standby that is promoted in the middle of a publication.

use std::cell::Cell;
use std::convert::Infallible;

use recall_shared::{ChunkRecord, DocumentRecord, Manifest, SharedStore as _, Source, publish, verify};
use recall_testkit::PostgresServer;

use super::store_at;
use crate::suite::corpus::{Corpus, branch, model};

/// Documents that are read in several requests; before one of them something happens to the server.
struct Interrupted<'a> {
    corpus: &'a Corpus,
    reads: Cell<u32>,
    at: u32,
    happens: &'a dyn Fn(),
}

impl Source for Interrupted<'_> {
    type Error = Infallible;

    fn manifest(&self) -> &Manifest {
        self.corpus.manifest()
    }

    fn read(&self, paths: &[String]) -> Result<Vec<(DocumentRecord, Vec<ChunkRecord>)>, Infallible> {
        if self.reads.replace(self.reads.get() + 1) == self.at {
            (self.happens)();
        }
        self.corpus.read(paths)
    }

    fn embed(&self, chunks: &mut [ChunkRecord]) -> Result<(), Infallible> {
        self.corpus.embed(chunks)
    }

    fn report(&self, _: u64, _: u64) -> bool {
        true
    }
}

#[test]
fn a_publication_goes_on_at_the_promoted_standby() {
    let primary = PostgresServer::start();
    let main = branch("team/a", "main");
    let first = Corpus::random(1, 200);
    let alone = store_at(primary.address(), "team");
    publish(&alone, &main, Some(&model()), &first).expect("it answers");
    let standby = primary.standby();
    primary.wait_for_standby();
    let both = format!("postgres://recall@{},{}/team", primary.host(), standby.host());
    let store = store_at(both, "team");
    let second = Corpus::random(2, 400);
    let happens = || {
        primary.kill();
        standby.promote();
    };
    let source = Interrupted { corpus: &second, reads: Cell::new(0), at: 3, happens: &happens };
    let outcome = publish(&store, &main, Some(&model()), &source).expect("the standby is promoted");
    assert_eq!((outcome.generation, outcome.documents), (2, 400));
    assert!(source.reads.get() > 3, "the publication had several parts");
    let (difference, _) = verify(&store, &main, Some(&model()), &second).expect("it answers");
    assert!(difference.is_empty(), "{difference:?}");
    let twice = "select count(*) from (select path from recall_1.document where is_live group by branch, path having count(*) > 1) d";
    assert_eq!(standby.sql("team", twice), ["0"]);
    let chunks: Vec<String> = standby.sql("team", "select count(*) from recall_1.chunk");
    let total = standby.sql("team", "select chunks from recall_1.total");
    assert_eq!(chunks, total, "the statistics agree with the rows");
}

#[test]
fn a_standby_answers_searches_while_the_primary_is_down() {
    let primary = PostgresServer::start();
    let alone = store_at(primary.address(), "team");
    publish(&alone, &branch("team/a", "main"), Some(&model()), &Corpus::random(1, 50)).expect("it answers");
    let standby = primary.standby();
    let store = store_at(format!("postgres://recall@{},{}/team", primary.host(), standby.host()), "team");
    primary.kill();
    assert!(store.statistics(&[]).expect("the standby answers").documents == 50);
}

#[test]
fn a_publication_survives_restarts_of_the_server() {
    let server = PostgresServer::start();
    let store = store_at(server.address(), "team");
    let main = branch("team/a", "main");
    let corpus = Corpus::random(3, 400);
    let happens = || {
        server.kill();
        server.resume();
    };
    let source = Interrupted { corpus: &corpus, reads: Cell::new(0), at: 2, happens: &happens };
    let outcome = publish(&store, &main, Some(&model()), &source).expect("it comes back");
    assert_eq!(outcome.documents, 400);
    let (difference, _) = verify(&store, &main, Some(&model()), &corpus).expect("it answers");
    assert!(difference.is_empty(), "{difference:?}");
}
