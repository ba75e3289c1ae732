//! Three hundred faults of a server of embeddings: no wrong answer, no wrong vector, no lost chunk.

use std::num::NonZero;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use oorandom::Rand32;
use recall_core::Scope;
use recall_engine::{Answer, EmbeddingModel, Encoders, Engine, EngineSettings, Warning};
use recall_models::BuiltIn;
use recall_models::providers::{Link, LinkSettings, Network, Provider, RemoteEncoder, RemoteName, Usage, Wire, probe};
use recall_testkit::{FAKE_MODEL, FakeProvider, FakeRules, Fault, Mutation};

use crate::support::{Sandbox, SystemClock};

/// The number of faults in requests for chunks, and in those for queries.
const CHUNK_FAULTS: usize = 220;
const QUERY_FAULTS: usize = 80;

/// The number of pages: with two texts a request, there are more faults than requests without one.
const PAGES: usize = 120;

/// How often the engine is asked to embed what is missing.
const MOST_ROUNDS: usize = 200;

/// How often a query is asked until the server answers within the time limit: a busy machine may exceed it by itself.
const MOST_ATTEMPTS: usize = 40;

/// A time limit that a provoked delay exceeds.
const TIMEOUT: Duration = Duration::from_millis(250);

fn settings() -> LinkSettings {
    LinkSettings {
        query_wait: TIMEOUT,
        request_timeout: TIMEOUT,
        retries: 2,
        retry_after: Duration::from_millis(1),
        batch_texts: NonZero::new(2).expect("2 is not zero"),
        batch_tokens: 1_000,
        failures: 3,
        pause: Duration::from_millis(2),
        longest_pause: Duration::from_millis(5),
    }
}

/// A project with pages, an engine, and a server with its model.
struct World {
    sandbox: Sandbox,
    engine: Engine,
    fake: FakeProvider,
    model: EmbeddingModel,
}

impl World {
    fn new(wire: Wire) -> Self {
        let sandbox = Sandbox::new();
        for number in 0..PAGES {
            sandbox.write(&format!("docs/{number}.md"), &page(number));
        }
        let fake = FakeProvider::start(FakeRules::default());
        let address = if wire == Wire::Ollama { fake.address().to_owned() } else { fake.v1() };
        let provider = Provider { name: "lab".to_owned(), wire, address, key: None };
        let usage = Arc::new(Usage::new(sandbox.home(), None, Arc::new(SystemClock)));
        let link = Arc::new(Link::new(provider, &Network::default(), settings(), usage).expect("a link"));
        let name = RemoteName::parse(&format!("lab:{FAKE_MODEL}")).expect("a name");
        let remote = probe(&link, &name).expect("a healthy server");
        // Equal fingerprints are not needed: each world has stores of its own.
        let embedder = Arc::new(RemoteEncoder::new(remote, link).expect("a name"));
        let model = EmbeddingModel { name: "remote".to_owned(), embedder };
        let built_in = EmbeddingModel { name: "static".to_owned(), embedder: Arc::new(BuiltIn) };
        let engine = sandbox.engine_by(EngineSettings { model: Some(built_in), ..EngineSettings::default() });
        Self { sandbox, engine, fake, model }
    }

    fn select(&self) {
        self.engine.use_encoders(Encoders { selected: Some(self.model.clone()), ..Encoders::default() });
    }

    fn settle(&self) {
        self.engine.settle(&self.sandbox.origin(), Scope::Project).expect("settled");
    }

    /// Returns the answer of the server's model. The server has no faults.
    fn remote_answer(&self, query: &str) -> Answer {
        for attempt in 0..MOST_ATTEMPTS {
            // Each time another query, as embeddings of queries are kept, with the same words.
            let answer = self.sandbox.search(&self.engine, &format!("{query}{}", " ".repeat(attempt)));
            if answer.model.as_deref() == Some("remote") {
                return answer;
            }
            thread::sleep(settings().longest_pause);
        }
        panic!("the server answers no query: {query}");
    }

    /// The chunks of the store, and those that the model has embedded.
    fn embedded(&self) -> (u64, u64) {
        let store = self.engine.status(&self.sandbox.origin(), Scope::Project, 0).expect("a status").stores.remove(0);
        let by_model = store.embedded.iter().find(|(name, _)| name == "remote").map_or(0, |(_, chunks)| *chunks);
        (store.chunks, by_model)
    }
}

/// A page of a few words. Pages share some of them, so that the order of hits depends on every vector.
fn page(number: usize) -> String {
    const WORDS: [&str; 12] = [
        "harbour", "mechanic", "ledger", "garden", "lantern", "bridge", "copper", "winter", "letter", "orchard",
        "market", "violin",
    ];
    let word = |step: usize| WORDS[(number * step + step) % WORDS.len()];
    format!(
        "# Entry {number}\n\nThe {} and the {} of {} number {number} by the {}.\n",
        word(1),
        word(5),
        word(7),
        word(11)
    )
}

fn query(number: usize) -> String {
    format!("{} near number {number}", page(number * 3).replace(['#', '\n'], " "))
}

/// What an answer says, without times.
fn told(answer: &Answer) -> Vec<(String, String)> {
    answer.hits.iter().map(|hit| (hit.citation(), format!("{:.5}", hit.score))).collect()
}

/// A fault of any kind. Refusals that name no reason to send less are among them.
fn any_fault(random: &mut Rand32) -> Fault {
    const STATUSES: [u16; 23] = [
        300, 301, 307, 400, 401, 402, 403, 404, 405, 408, 409, 413, 418, 422, 425, 429, 451, 500, 501, 502, 503, 504,
        529,
    ];
    let below = |random: &mut Rand32, end: usize| random.rand_range(0..end as u32) as usize;
    match random.rand_range(0..20) {
        0..=6 => Fault::status(STATUSES[below(random, STATUSES.len())]),
        7 => Fault::retry_after(429, "0.005"),
        8 => Fault::retry_after(503, "30"),
        9..=12 => Fault::Mutate(Mutation::ALL[below(random, Mutation::ALL.len())]),
        13 => Fault::Truncate(below(random, 4_000)),
        14 => Fault::Close,
        15 => Fault::Reset,
        16 => Fault::ResetWithin,
        17 => Fault::Body(
            ["<html>busy</html>", "{}", "[]", "", r#"{"error":"model is loading"}"#][below(random, 5)].to_owned(),
        ),
        18 => Fault::NotHttp,
        _ if random.rand_range(0..4) == 0 => Fault::Delay(TIMEOUT + TIMEOUT / 2),
        _ => Fault::Delay(Duration::from_millis(20)),
    }
}

fn check(wire: Wire, seed: u64) {
    let (healthy, faulty) = (World::new(wire), World::new(wire));
    for world in [&healthy, &faulty] {
        world.sandbox.index(&world.engine);
        world.settle();
    }
    let by_built_in: Vec<_> =
        (0..QUERY_FAULTS).map(|number| told(&healthy.sandbox.search(&healthy.engine, &query(number)))).collect();
    healthy.select();
    healthy.settle();

    let mut random = Rand32::new(seed);
    let mut script = Vec::new();
    while script.iter().flatten().count() < CHUNK_FAULTS {
        let is_fault = random.rand_range(0..4) > 0;
        // A server that calls the same text too long twice is believed, so this never happens twice in a row.
        let fault = Some(any_fault(&mut random)).filter(|_| is_fault);
        let is_413 = |fault: &Option<Fault>| matches!(fault, Some(Fault::Status { status: 413, .. }));
        if !(is_413(&fault) && script.last().is_some_and(is_413)) {
            script.push(fault);
        }
    }
    faulty.fake.script(script);
    faulty.select();
    let mut rounds = 0;
    while faulty.embedded().1 < faulty.embedded().0 || faulty.engine.chunks_to_embed() > 0 {
        rounds += 1;
        assert!(rounds < MOST_ROUNDS, "{:?} chunks are embedded", faulty.embedded());
        thread::sleep(settings().longest_pause);
        faulty.settle();
    }
    let met = |world: &World| world.fake.received_requests().iter().filter(|request| request.fault.is_some()).count();
    // Embedding ends before the script if few requests were needed; the rest meets queries.
    let chunk_faults = met(&faulty);
    assert!(chunk_faults > CHUNK_FAULTS / 2, "{chunk_faults}");
    let rest = CHUNK_FAULTS + QUERY_FAULTS - chunk_faults;

    let (mut by_remote, mut passed_over, mut number) = (0, 0, 0);
    while met(&faulty) < CHUNK_FAULTS + QUERY_FAULTS {
        assert!(number < 4 * rest, "{} of the faults happened", met(&faulty));
        if faulty.fake.scripted_answers() == 0 {
            let count = random.rand_range(1..5);
            faulty.fake.script((0..count).map(|_| Some(any_fault(&mut random))).collect::<Vec<_>>());
        }
        let query = query(number % QUERY_FAULTS);
        // Each time another query, as embeddings of queries are kept, with the same words.
        let asked = format!("{query}{}", " ".repeat(number / QUERY_FAULTS));
        let answer = faulty.sandbox.search(&faulty.engine, &asked);
        let is_warned = answer.warnings.iter().any(|warning| matches!(warning, Warning::EmbeddingsUnusable { .. }));
        match answer.model.as_deref() {
            Some("remote") => {
                assert_eq!(told(&answer), told(&healthy.remote_answer(&query)), "{query}");
                by_remote += 1;
            }
            Some("static") => {
                assert_eq!(told(&answer), by_built_in[number % QUERY_FAULTS], "{query}");
                assert!(is_warned, "{query}");
                passed_over += 1;
            }
            other => panic!("{other:?} answered"),
        }
        number += 1;
        thread::sleep(settings().longest_pause);
    }
    assert!(by_remote > 10 && passed_over > 0, "{by_remote} {passed_over}");

    // When the server is well again, every answer is that of a server that always was.
    faulty.fake.clear_script();
    for number in 0..40 {
        let query = format!("{} again", query(number));
        assert_eq!(told(&faulty.remote_answer(&query)), told(&healthy.remote_answer(&query)), "{query}");
    }
}

#[test]
fn three_hundred_faults_of_a_server_with_openais_format_cost_nothing() {
    check(Wire::OpenAi, 7);
}

#[test]
fn three_hundred_faults_of_ollama_cost_nothing() {
    check(Wire::Ollama, 11);
}
