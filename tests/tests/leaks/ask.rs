//! One request of each RPC for data of another project.

use oorandom::Rand32;
use recall_api::v1::{self, RequestContext, Scope};
use recall_client::Client;
use tonic::{Status, Streaming};

use super::fill::{Filled, WORDS};
use super::report::{all, reported};

/// The subject of a request: everything about the other project that a client could know or guess, without its mark.
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    /// Words of its texts.
    words: String,
    /// The id of one of its memories, documents or chunks.
    id: String,
    /// The id of one of its memories.
    memory: String,
    /// The id of a memory of the requesting project.
    own_memory: String,
    /// One of its paths: relative to its root, absolute, or relative to the requesting project's root.
    path: String,
    /// One of its sessions; empty if none is kept.
    session: String,
    scope: Scope,
    /// Whether the optional parts of a response are requested.
    more: bool,
}

impl Probe {
    /// Asks for every word that a project can have.
    pub(crate) fn with_all_words(self) -> Self {
        Self { words: WORDS.join(" "), ..self }
    }

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

    /// A prompt, a file or a failed command, depending on the round.
    fn occasion(&self) -> v1::remind_request::Occasion {
        use v1::remind_request::Occasion;
        if self.more {
            let output = format!("  File \"{}\", line 1, in f\nError: {}\n", self.path, self.words);
            Occasion::Failure(v1::FailedCommand { command: "make".to_owned(), output })
        } else if self.scope == Scope::Project {
            Occasion::File(self.path.clone())
        } else {
            Occasion::Prompt(self.words.clone())
        }
    }

    /// The id or the path, depending on the round.
    fn name(&self) -> String {
        if self.more { self.id.clone() } else { self.path.clone() }
    }
}

/// The RPCs that have a case in [`ask`].
pub(crate) const CASES: [&str; 49] = [
    "Stats",
    "OpenPage",
    "Search",
    "Candidates",
    "Query",
    "Exact",
    "Context",
    "Remind",
    "Get",
    "List",
    "Related",
    "History",
    "Why",
    "Names",
    "Graph",
    "Layout",
    "Remove",
    "Add",
    "Update",
    "Feedback",
    "Verify",
    "Review",
    "RollBack",
    "Promote",
    "Publish",
    "LogEvent",
    "StartSession",
    "EndSession",
    "KeepSession",
    "ListSessions",
    "ListEvents",
    "ListDrafts",
    "SearchTranscripts",
    "FindFix",
    "HandOff",
    "Briefing",
    "Changes",
    "Index",
    "Rebuild",
    "Status",
    "Doctor",
    "Compact",
    "Backup",
    "Restore",
    "Export",
    "Import",
    "Migrate",
    "Audit",
    "Config",
];

/// The text of an export, and how it ended.
async fn exported(stream: Result<Streaming<v1::ExportResponse>, Status>) -> (String, String) {
    let mut stream = match stream {
        Ok(stream) => stream,
        Err(status) => return (String::new(), format!("{status:?}")),
    };
    let mut bytes = Vec::new();
    loop {
        match stream.message().await {
            Ok(Some(piece)) => bytes.extend(piece.data),
            ended => return (String::from_utf8_lossy(&bytes).into_owned(), format!("{ended:?}")),
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
            reported(client.search(request).await)
        }
        "Query" => {
            let rql = "SELECT * FROM chunk LIMIT 50".to_owned();
            reported(client.query(v1::QueryRequest { context, rql, scope, explain: probe.more }).await)
        }
        "Exact" => {
            let (literal, regex) =
                if probe.more { (String::new(), ".+".to_owned()) } else { (probe.words.clone(), String::new()) };
            let limit = Some(1_000);
            let request = v1::ExactRequest { context, literal, regex, scope, limit, ..v1::ExactRequest::default() };
            reported(client.exact(request).await)
        }
        "Context" => {
            let request = v1::ContextRequest {
                context,
                task: probe.words.clone(),
                // An unknown file ends the request, so every other one is about the task alone.
                file_paths: if probe.more { vec![probe.path.clone()] } else { Vec::new() },
                context_types: (1..=8).collect(),
                budget_tokens: Some(20_000),
                work_tree_changes: probe.more,
                scope,
                ..v1::ContextRequest::default()
            };
            reported(client.context(request).await)
        }
        "Remind" => {
            let request = v1::RemindRequest {
                context,
                occasion: Some(probe.occasion()),
                budget_tokens: Some(20_000),
                ..v1::RemindRequest::default()
            };
            reported(client.remind(request).await)
        }
        "Get" => {
            let id = probe.name();
            let (include_parent, with_uses) = (probe.more, probe.more);
            let request = v1::GetRequest { context, id, scope, include_parent, with_uses, ..v1::GetRequest::default() };
            reported(client.get(request).await)
        }
        "List" => {
            let path = if probe.more { "**".to_owned() } else { String::new() };
            let request = v1::ListRequest { context, scope, limit: Some(100), path, ..v1::ListRequest::default() };
            reported(client.list(request).await)
        }
        "Related" => {
            let request = v1::RelatedRequest { context, id: probe.name(), scope, ..v1::RelatedRequest::default() };
            reported(client.related(request).await)
        }
        "History" => {
            let request = v1::HistoryRequest { context, id: probe.name(), scope, ..v1::HistoryRequest::default() };
            reported(client.history(request).await)
        }
        "Why" => {
            let (file, start_line) = (probe.name(), probe.more.then_some(1));
            reported(client.why(v1::WhyRequest { context, file, start_line, end_line: None }).await)
        }
        "Names" => {
            let prefix = probe.words.split(' ').next().unwrap_or_default().into();
            let request = v1::NamesRequest { context, prefix, scope, limit: Some(200) };
            reported(client.names(request).await)
        }
        "Layout" => reported(client.layout(v1::LayoutRequest { context, ..v1::LayoutRequest::default() }).await),
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
            reported(client.graph(request).await)
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
            reported(client.remove(v1::RemoveRequest { context, items, scope, purge: probe.more }).await)
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
            reported(client.add(request).await)
        }
        "Update" => {
            let title = Some("Another".to_owned());
            let request =
                v1::UpdateRequest { context, id: probe.memory.clone(), title, ..v1::UpdateRequest::default() };
            reported(client.update(request).await)
        }
        "Feedback" => {
            let feedback = if probe.more { v1::FeedbackKind::Useful } else { v1::FeedbackKind::Duplicate };
            let (item_id, duplicate_of) = if probe.more {
                (probe.memory.clone(), String::new())
            } else {
                (probe.own_memory.clone(), probe.memory.clone())
            };
            let feedback = feedback.into();
            reported(
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
            let with_changes = !probe.more;
            reported(client.verify(v1::VerifyRequest { context, ids, scope, mode: mode.into(), with_changes }).await)
        }
        "Review" => {
            let (id, into, action) = (probe.memory.clone(), probe.own_memory.clone(), v1::ReviewAction::Merge.into());
            reported(client.review(v1::ReviewRequest { context, id, action, into, ..Default::default() }).await)
        }
        "RollBack" => {
            let request = v1::RollBackRequest { context, since: "2020".to_owned(), scope, ..Default::default() };
            reported(client.roll_back(v1::RollBackRequest { dry_run: true, ..request }).await)
        }
        "Promote" => {
            let to = if probe.more { Scope::Global } else { Scope::Domain }.into();
            let request = v1::PromoteRequest { context, id: probe.memory.clone(), to, domain: "team".to_owned() };
            reported(client.promote(request).await)
        }
        _ => return ask_of_sessions(rpc, client, asker, probe).await,
    })
}

/// The same for RPCs that report on sessions and index.
async fn ask_of_sessions(rpc: &str, client: &Client, asker: RequestContext, probe: &Probe) -> Option<String> {
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
            reported(client.log_event(request).await)
        }
        "StartSession" => {
            let goal = probe.words.clone();
            let request = v1::StartSessionRequest { context, goal, briefing: true };
            reported(client.start_session(request).await)
        }
        "EndSession" => {
            let request = v1::EndSessionRequest {
                context: of_session,
                summary: "over".to_owned(),
                ..v1::EndSessionRequest::default()
            };
            reported(client.end_session(request).await)
        }
        "KeepSession" => {
            let session_id = probe.session.clone();
            reported(client.keep_session(v1::KeepSessionRequest { context, session_id }).await)
        }
        "ListSessions" => {
            let context = if probe.more { of_session } else { context };
            let session_id = if probe.more { probe.session.clone() } else { String::new() };
            let request =
                v1::ListSessionsRequest { context, session_id, with_parts: true, ..v1::ListSessionsRequest::default() };
            reported(client.list_sessions(request).await)
        }
        "ListEvents" => {
            let session_id = probe.session.clone();
            let request = v1::ListEventsRequest { context, session_id, ..v1::ListEventsRequest::default() };
            reported(client.list_events(request).await)
        }
        "ListDrafts" => {
            let session_id = probe.session.clone();
            reported(client.list_drafts(v1::ListDraftsRequest { context, session_id }).await)
        }
        "SearchTranscripts" => {
            let query = probe.words.clone();
            reported(client.search_transcripts(v1::SearchTranscriptsRequest { context, query, limit: None }).await)
        }
        "FindFix" => {
            let error = probe.words.clone();
            reported(client.find_fix(v1::FindFixRequest { context, error, limit: None }).await)
        }
        "HandOff" => {
            let session_id = probe.session.clone();
            reported(client.hand_off(v1::HandOffRequest { context, session_id, budget_tokens: None }).await)
        }
        "Briefing" => {
            let goal = probe.words.clone();
            reported(client.briefing(v1::BriefingRequest { context, goal, ..v1::BriefingRequest::default() }).await)
        }
        "Changes" => {
            let since = "1y".to_owned();
            reported(client.changes(v1::ChangesRequest { context, since, ..v1::ChangesRequest::default() }).await)
        }
        "Index" => {
            let paths = vec![probe.path.clone()];
            all(client.index(v1::IndexRequest { context, paths, scope, ..v1::IndexRequest::default() }).await).await
        }
        "Rebuild" => {
            all(client.rebuild(v1::RebuildRequest { context, scope, ..v1::RebuildRequest::default() }).await).await
        }
        "Status" => {
            // `every_store` requests the names of all open stores. No agent's tool sets it.
            let request = v1::StatusRequest {
                context,
                scope,
                failures: true,
                metrics: probe.more,
                ..v1::StatusRequest::default()
            };
            reported(client.status(request).await)
        }
        _ => return ask_of_stores(rpc, client, asker, probe).await,
    })
}

/// The same for RPCs on the daemon and on whole stores.
async fn ask_of_stores(rpc: &str, client: &Client, asker: RequestContext, probe: &Probe) -> Option<String> {
    let context = Some(asker.clone());
    let scope: i32 = probe.scope.into();
    Some(match rpc {
        "OpenPage" => {
            reported(client.open_page(v1::OpenPageRequest { context, ..v1::OpenPageRequest::default() }).await)
        }
        "Stats" => reported(
            client
                .stats(v1::StatsRequest { context, scope, savings: probe.more, activity: probe.more, html: probe.more })
                .await,
        ),
        "Doctor" => reported(client.doctor(v1::DoctorRequest { context, scope, fix: probe.more, secrets: true }).await),
        "Compact" => reported(client.compact(v1::CompactRequest { context, scope }).await),
        "Backup" => reported(client.backup(backup(context, scope, &asker)).await),
        // Of a backup of the asker's own stores: it must not bring anything of another project either.
        "Restore" => {
            let request = backup(context.clone(), scope, &asker);
            let path = request.path.clone();
            let made = reported(client.backup(request).await);
            let restore = v1::RestoreRequest { context, scope, path, dry_run: false, trust: probe.more };
            made + &reported(client.restore(restore).await) + &unpacked(&asker)
        }
        "Export" => {
            let request =
                v1::ExportRequest { context, scope, with_embeddings: probe.more, ..v1::ExportRequest::default() };
            let (text, status) = exported(client.export(request).await).await;
            text + &status
        }
        // Of an export of the asker's own store: it must not bring anything of another project either.
        "Import" => {
            let request = v1::ExportRequest { context: context.clone(), scope, ..v1::ExportRequest::default() };
            let (text, _) = exported(client.export(request).await).await;
            let begin = v1::ImportBegin { context, scope, dry_run: false, trust: probe.more };
            let begin = v1::import_request::Part::Begin(begin);
            let data = text.as_bytes().chunks(60_000).map(|data| v1::import_request::Part::Data(data.to_vec()));
            let pieces: Vec<_> =
                std::iter::once(begin).chain(data).map(|part| v1::ImportRequest { part: Some(part) }).collect();
            reported(client.import(tokio_stream::iter(pieces)).await)
        }
        // A named path is the caller's own; without one, the usual places are those of the caller's project.
        "Migrate" => {
            let source = v1::ForeignSource { every_project: probe.more, ..v1::ForeignSource::default() };
            let (kind, source) = ("serena".to_owned(), Some(source));
            let request = v1::MigrateRequest { context, kind, scope, source, ..v1::MigrateRequest::default() };
            reported(client.migrate(request).await)
        }
        "Audit" => {
            let source = v1::ForeignSource { projects: vec![probe.words.clone()], ..v1::ForeignSource::default() };
            let request =
                v1::AuditRequest { context, scope, source: Some(source), limit: 9, ..v1::AuditRequest::default() };
            reported(client.audit(request).await)
        }
        // No shared store is configured: what is refused must not name another project either.
        "Publish" => reported(client.publish(v1::PublishRequest { context, ..v1::PublishRequest::default() }).await),
        "Config" => reported(client.config(v1::ConfigRequest { context, ..v1::ConfigRequest::default() }).await),
        _ => return None,
    })
}

/// The path of the backups of a project, next to the project.
fn backup_path(asker: &RequestContext) -> String {
    format!("{}.tar.gz", asker.working_directory)
}

fn backup(context: Option<RequestContext>, scope: i32, asker: &RequestContext) -> v1::BackupRequest {
    v1::BackupRequest { context, scope, path: backup_path(asker), replace: true }
}

/// The content of a project's backup as text.
fn unpacked(asker: &RequestContext) -> String {
    let tar = std::process::Command::new("tar").arg("-xzOf").arg(backup_path(asker)).output();
    String::from_utf8_lossy(&tar.expect("tar runs").stdout).into_owned()
}
