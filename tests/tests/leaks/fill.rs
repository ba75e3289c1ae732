//! Random projects whose own words are marked.

use std::path::{Path, PathBuf};

use oorandom::Rand32;
use recall_api::v1;
use recall_client::Client;

/// Words that occur in every project, used as queries.
pub(crate) const WORDS: [&str; 8] = ["wombat", "burrow", "retry", "budget", "ledger", "lock", "session", "cache"];

/// A project, with what a client could guess about it.
#[derive(Debug)]
pub(crate) struct Filled {
    pub(crate) root: PathBuf,
    /// The mark, contained in all of its data: texts, titles, names, tags and paths.
    pub(crate) mark: String,
    /// The ids of its memories.
    pub(crate) memories: Vec<String>,
    /// The ids of its documents and chunks.
    pub(crate) ids: Vec<String>,
    /// Paths without the mark.
    pub(crate) paths: Vec<String>,
    /// The ids of its sessions, if the daemon keeps any.
    pub(crate) sessions: Vec<String>,
}

fn pick<'a>(words: &[&'a str], random: &mut Rand32) -> &'a str {
    words[random.rand_range(0..words.len() as u32) as usize]
}

fn context(root: &Path) -> v1::RequestContext {
    v1::RequestContext { working_directory: root.to_string_lossy().into_owned(), ..v1::RequestContext::default() }
}

/// Makes a project of code, prose and memories, with a session, and indexes it.
pub(crate) async fn fill(client: &Client, root: &Path, random: &mut Rand32) -> Filled {
    let mark = format!("zq{:08x}{:08x}", random.rand_u32(), random.rand_u32());
    let mut paths = Vec::new();
    for n in 0..3 + random.rand_range(0..4) {
        let (one, two) = (pick(&WORDS, random), pick(&WORDS, random));
        let code = format!(
            "/// Finds the {one} {mark}.\npub fn {one}_{n}_{mark}() {{\n    {two}();\n}}\n\npub fn {two}() {{ /* {mark} */ }}\n"
        );
        let prose = format!(
            "---\ntags: [{one}, {mark}]\n---\n# The {two} {mark}\n\nWhy the {one} waits: {mark}. See [code](../src/{one}_{n}.rs).\n"
        );
        for (path, text) in [
            (format!("src/{one}_{n}.rs"), &code),
            (format!("docs/{two}_{n}.md"), &prose),
            (format!("docs/adr/{n:04}-{mark}.md"), &prose),
        ] {
            write(&root.join(&path), text);
            if !path.contains(&mark) {
                paths.push(path);
            }
        }
    }
    let (mut memories, mut sessions) = (Vec::new(), Vec::new());
    for n in 0..2 + random.rand_range(0..3) {
        let word = pick(&WORDS, random);
        let request = v1::AddRequest {
            context: Some(context(root)),
            r#type: pick(&["decision", "lesson", "note"], random).to_owned(),
            title: format!("The {word} {n} of {mark}"),
            content: format!("Keep the {word} number {n}: {mark}. `{word}` is about it."),
            tags: vec![mark.clone(), word.to_owned()],
            related_files: vec![paths[0].clone()],
            source: mark.clone(),
            force: true,
            ..v1::AddRequest::default()
        };
        memories.push(client.add(request).await.expect("kept").id);
    }
    let start = v1::StartSessionRequest {
        context: Some(context(root)),
        goal: format!("wombats {mark}"),
        ..v1::StartSessionRequest::default()
    };
    if let Ok(started) = client.start_session(start).await {
        let inside = v1::RequestContext { session_id: started.session_id.clone(), ..context(root) };
        let event = v1::LogEventRequest {
            context: Some(inside.clone()),
            r#type: "observation".to_owned(),
            content: format!("The wombat {mark} digs."),
            ..v1::LogEventRequest::default()
        };
        client.log_event(event).await.expect("logged");
        sessions.push(started.session_id);
    }
    let list = v1::ListRequest { context: Some(context(root)), limit: Some(100), ..v1::ListRequest::default() };
    let entries = client.list(list).await.expect("a listing").entries;
    let documents: Vec<String> = entries.into_iter().filter_map(|entry| Some(entry.doc?.id)).collect();
    let chunks = documents.iter().filter(|id| !id.contains('-')).map(|id| format!("{id}-0"));
    let ids = documents.iter().cloned().chain(chunks).collect();
    Filled { root: root.to_owned(), mark, memories, ids, paths, sessions }
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("below the root")).expect("made");
    std::fs::write(path, text).expect("written");
}
