//! One request of each RPC for data of another project.

use std::fmt::Write as _;

use oorandom::Rand32;
use recall_client::Client;
use recall_proto::v1::{self, RequestContext, Scope};
use tonic::{Status, Streaming};

use crate::fill::{Filled, WORDS};

/// The subject of a request: everything about the other project that a client could know or guess, without its mark.
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    /// Words that it holds.
    words: String,
    /// An id of it: of a memory, a document or a chunk.
    id: String,
    /// The id of a memory of it.
    memory: String,
    /// The id of a memory of one's own.
    own_memory: String,
    /// A path of it: below its root, absolute, or from one's own root.
    path: String,
    /// A session of it; empty where none is kept.
    session: String,
    scope: Scope,
    /// Whether what can be asked for beside is asked for.
    more: bool,
}

impl Probe {
    pub(crate) fn of(there: &Filled, here: &Filled, round: usize, random: &mut Rand32) -> Self {
        let mut at = |count: usize| random.rand_range(0..count as u32) as usize;
        let word = |at: usize| WORDS[at];
        let path = &there.paths[at(there.paths.len())];
        let folder = there.root.file_name().expect("named").to_string_lossy();
        let all_ids: Vec<&String> = there.ids.iter().chain(&there.memories).collect();
        Self {
            words: format!("{} {}", word(at(WORDS.len())), word(at(WORDS.len()))),
            id: all_ids[at(all_ids.len())].clone(),
            memory: there.memories[at(there.memories.len())].clone(),
            own_memory: here.memories[at(here.memories.len())].clone(),
            path: match at(3) {
                0 => path.clone(),
                1 => there.root.join(path).to_string_lossy().into_owned(),
                _ => format!("../{folder}/{path}"),
            },
            session: there.sessions.first().cloned().unwrap_or_default(),
            scope: [Scope::Project, Scope::Global, Scope::All, Scope::Domain][round % 4],
            more: at(2) == 0,
        }
    }

    /// The one of several names that this round tries.
    fn name(&self) -> String {
        if self.more { self.id.clone() } else { self.path.clone() }
    }
}

/// The RPCs that have a case in [`ask`].
pub(crate) const CASES: [&str; 28] = [
    "Search",
    "Candidates",
    "Query",
    "Context",
    "Get",
    "List",
    "Related",
    "Graph",
    "Remove",
    "Add",
    "Update",
    "Feedback",
    "Verify",
    "Promote",
    "LogEvent",
    "StartSession",
    "EndSession",
    "ListSessions",
    "ListEvents",
    "Briefing",
    "Index",
    "Rebuild",
    "Status",
    "Doctor",
    "Compact",
    "Export",
    "Import",
    "Config",
];

fn told<T: std::fmt::Debug>(answer: Result<T, Status>) -> String {
    match answer {
        Ok(answer) => format!("{answer:?}"),
        Err(status) => format!("{status:?}"),
    }
}

/// All messages of a stream.
async fn all<T: std::fmt::Debug>(stream: Result<Streaming<T>, Status>) -> String {
    let mut stream = match stream {
        Ok(stream) => stream,
        Err(status) => return format!("{status:?}"),
    };
    let mut told = String::new();
    loop {
        match stream.message().await {
            Ok(Some(message)) => writeln!(told, "{message:?}").expect("a string takes everything"),
            Ok(None) => return told,
            Err(status) => return told + &format!("{status:?}"),
        }
    }
}

/// Calls an RPC from a project for data of another, and returns the whole response; `None` if the RPC has no case.
pub(crate) async fn ask(rpc: &str, client: &Client, asker: RequestContext, probe: &Probe) -> Option<String> {
    let context = Some(asker.clone());
    let scope: i32 = probe.scope.into();
    Some(match rpc {
        "Search" => {
            let query = probe.words.clone();
            let request = v1::SearchRequest {
                context,
                query,
                scope,
                limit: Some(50),
                explain: probe.more,
                facets: true,
                include_parent: probe.more,
                ..v1::SearchRequest::default()
            };
            told(client.search(request).await)
        }
        "Candidates" => {
            let query = probe.words.clone();
            let request = v1::CandidatesRequest { context, query, scope, ..v1::CandidatesRequest::default() };
            told(client.candidates(request).await)
        }
        "Query" => {
            let rql = "SELECT * FROM chunk LIMIT 50".to_owned();
            told(client.query(v1::QueryRequest { context, rql, scope, explain: probe.more }).await)
        }
        "Context" => {
            let request = v1::ContextRequest {
                context,
                task: probe.words.clone(),
                file_paths: vec![probe.path.clone()],
                scope,
                ..v1::ContextRequest::default()
            };
            told(client.context(request).await)
        }
        "Get" => {
            let id = probe.name();
            let request =
                v1::GetRequest { context, id, scope, include_parent: probe.more, ..v1::GetRequest::default() };
            told(client.get(request).await)
        }
        "List" => {
            let path = if probe.more { "**".to_owned() } else { String::new() };
            let request = v1::ListRequest { context, scope, limit: Some(100), path, ..v1::ListRequest::default() };
            told(client.list(request).await)
        }
        "Related" => {
            let request = v1::RelatedRequest { context, id: probe.name(), scope, ..v1::RelatedRequest::default() };
            told(client.related(request).await)
        }
        "Graph" => {
            let node = if probe.more { probe.name() } else { probe.words.split(' ').next().unwrap_or_default().into() };
            let request = v1::GraphRequest {
                context,
                node,
                scope,
                depth: Some(3),
                limit: Some(100),
                ..v1::GraphRequest::default()
            };
            told(client.graph(request).await)
        }
        _ => return ask_of_memories(rpc, client, asker, probe).await,
    })
}

/// The same for RPCs that change data.
async fn ask_of_memories(rpc: &str, client: &Client, asker: RequestContext, probe: &Probe) -> Option<String> {
    let context = Some(asker.clone());
    let scope: i32 = probe.scope.into();
    Some(match rpc {
        "Remove" => {
            let items = vec![if probe.more { probe.memory.clone() } else { probe.path.clone() }];
            told(client.remove(v1::RemoveRequest { context, items, scope, purge: probe.more }).await)
        }
        "Add" => {
            let request = v1::AddRequest {
                context,
                r#type: "note".to_owned(),
                title: format!("Of the {}", probe.words),
                content: format!("Keep the {}.", probe.words),
                related_files: vec![probe.path.clone()].into_iter().filter(|_| probe.more).collect(),
                supersedes: if probe.more { String::new() } else { probe.memory.clone() },
                scope: Scope::Project.into(),
                ..v1::AddRequest::default()
            };
            told(client.add(request).await)
        }
        "Update" => {
            let title = Some("Another".to_owned());
            let request =
                v1::UpdateRequest { context, id: probe.memory.clone(), title, ..v1::UpdateRequest::default() };
            told(client.update(request).await)
        }
        "Feedback" => {
            let feedback = if probe.more { v1::FeedbackKind::Useful } else { v1::FeedbackKind::Duplicate };
            let (item_id, duplicate_of) = if probe.more {
                (probe.memory.clone(), String::new())
            } else {
                (probe.own_memory.clone(), probe.memory.clone())
            };
            let feedback = feedback.into();
            told(
                client
                    .feedback(v1::FeedbackRequest { context, item_id, feedback, duplicate_of, note: String::new() })
                    .await,
            )
        }
        "Verify" => {
            let (ids, mode) = if probe.more {
                (vec![probe.memory.clone()], v1::VerifyMode::Confirm)
            } else {
                (Vec::new(), v1::VerifyMode::Check)
            };
            told(client.verify(v1::VerifyRequest { context, ids, scope, mode: mode.into() }).await)
        }
        "Promote" => {
            let to = if probe.more { Scope::Global } else { Scope::Domain }.into();
            let request = v1::PromoteRequest { context, id: probe.memory.clone(), to, domain: "team".to_owned() };
            told(client.promote(request).await)
        }
        _ => return ask_of_sessions_and_stores(rpc, client, asker, probe).await,
    })
}

/// The same for RPCs that report on sessions, on the daemon and on whole stores.
async fn ask_of_sessions_and_stores(
    rpc: &str,
    client: &Client,
    asker: RequestContext,
    probe: &Probe,
) -> Option<String> {
    let context = Some(asker.clone());
    let of_session = Some(RequestContext { session_id: probe.session.clone(), ..asker.clone() });
    let scope: i32 = probe.scope.into();
    Some(match rpc {
        "LogEvent" => {
            let request = v1::LogEventRequest {
                context: of_session,
                r#type: "observation".to_owned(),
                content: "x".to_owned(),
                ..v1::LogEventRequest::default()
            };
            told(client.log_event(request).await)
        }
        "StartSession" => {
            let goal = probe.words.clone();
            let request = v1::StartSessionRequest { context, goal, briefing: true };
            told(client.start_session(request).await)
        }
        "EndSession" => {
            let request = v1::EndSessionRequest {
                context: of_session,
                summary: "over".to_owned(),
                ..v1::EndSessionRequest::default()
            };
            told(client.end_session(request).await)
        }
        "ListSessions" => {
            let context = if probe.more { of_session } else { context };
            told(client.list_sessions(v1::ListSessionsRequest { context, ..v1::ListSessionsRequest::default() }).await)
        }
        "ListEvents" => {
            let session_id = probe.session.clone();
            let request = v1::ListEventsRequest { context, session_id, ..v1::ListEventsRequest::default() };
            told(client.list_events(request).await)
        }
        "Briefing" => {
            let goal = probe.words.clone();
            told(client.briefing(v1::BriefingRequest { context, goal, ..v1::BriefingRequest::default() }).await)
        }
        "Index" => {
            let paths = vec![probe.path.clone()];
            all(client.index(v1::IndexRequest { context, paths, scope, ..v1::IndexRequest::default() }).await).await
        }
        "Rebuild" => {
            all(client.rebuild(v1::RebuildRequest { context, scope, ..v1::RebuildRequest::default() }).await).await
        }
        "Status" => {
            // `every_store` tells of all that is open, by name: that is what it asks for, and no agent's tool does.
            let request = v1::StatusRequest {
                context,
                scope,
                failures: true,
                metrics: probe.more,
                ..v1::StatusRequest::default()
            };
            told(client.status(request).await)
        }
        "Doctor" => told(client.doctor(v1::DoctorRequest { context, scope, fix: probe.more, secrets: true }).await),
        "Compact" => told(client.compact(v1::CompactRequest { context, scope }).await),
        "Export" => {
            let request =
                v1::ExportRequest { context, scope, include_derived: probe.more, ..v1::ExportRequest::default() };
            all(client.export(request).await).await
        }
        "Import" => {
            let begin = v1::ImportBegin { context, scope, ..v1::ImportBegin::default() };
            let first = v1::ImportRequest { part: Some(v1::import_request::Part::Begin(begin)) };
            told(client.import(tokio_stream::once(first)).await)
        }
        "Config" => told(client.config(v1::ConfigRequest { context, ..v1::ConfigRequest::default() }).await),
        _ => return None,
    })
}
