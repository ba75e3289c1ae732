//! The hashes of the memories and profiles that this user confirmed.

use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use recall_core::{ContentHash, Memory};
use recall_journal::{LineLog, Stat};

/// The file's name, in the folder of the logs.
const FILE: &str = "confirmed.jsonl";

/// The shortest time between two reads of the files for entries of other processes, which list a folder for each root.
pub(crate) const FOLLOW_EVERY: Duration = Duration::from_millis(200);

/// The confirmations of this user: a file with one hash per line. A confirmation is of content, not of an id, so that a later
/// foreign change is not confirmed.
pub(crate) struct Confirmed {
    file: LineLog,
    known: Mutex<ConfirmedHashes>,
}

#[derive(Default)]
struct ConfirmedHashes {
    hashes: HashSet<ContentHash>,
    stat: Option<Stat>,
    followed: Option<Instant>,
}

/// A line of the file.
#[derive(serde::Serialize, serde::Deserialize)]
struct ConfirmedLine {
    says: String,
}

impl Confirmed {
    pub(crate) fn new(folder: &Path) -> Self {
        Self { file: LineLog::new(folder, FILE), known: Mutex::default() }
    }

    pub(crate) fn holds(&self, content: ContentHash) -> bool {
        let mut known = self.known.lock();
        if known.hashes.contains(&content) {
            return true;
        }
        if known.followed.is_some_and(|followed| followed.elapsed() < FOLLOW_EVERY) {
            return false;
        }
        if let Err(error) = self.follow(&mut known) {
            tracing::warn!(file = %self.file.path().display(), %error, "the confirmations were not read");
        }
        known.hashes.contains(&content)
    }

    /// Adds hashes. They are synced before this returns.
    pub(crate) fn add(&self, contents: impl IntoIterator<Item = ContentHash>) -> io::Result<()> {
        let mut contents: Vec<ContentHash> = contents.into_iter().collect();
        {
            let known = self.known.lock();
            contents.retain(|content| !known.hashes.contains(content));
        }
        if contents.is_empty() {
            return Ok(());
        }
        self.file.append(|_| {
            let line = |content: &ContentHash| {
                let line = ConfirmedLine { says: content.to_string() };
                serde_json::to_string(&line).expect("a line serialises") + "\n"
            };
            contents.iter().map(line).collect::<String>().into_bytes()
        })?;
        self.known.lock().hashes.extend(contents);
        Ok(())
    }

    fn follow(&self, known: &mut ConfirmedHashes) -> io::Result<()> {
        known.followed = Some(Instant::now());
        let stat = self.file.stat()?;
        if stat == known.stat {
            return Ok(());
        }
        let text = self.file.read()?;
        let lines =
            text.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<ConfirmedLine>(line).ok());
        let hashes = lines.filter_map(|line| blake3::Hash::from_hex(line.says).ok());
        known.hashes.extend(hashes.map(|hash| ContentHash(*hash.as_bytes())));
        known.stat = stat;
        Ok(())
    }
}

/// Returns a hash of a memory's content and of the time of its last change.
///
/// The anchors are part of it: with other anchors, the memory would seem to be confirmed for another state of the files.
pub(crate) fn content_hash(memory: &Memory) -> ContentHash {
    let Memory {
        id,
        title,
        content,
        tags,
        related_files,
        cues,
        scope,
        source,
        origin,
        supersedes,
        anchors,
        lineage,
        valid,
        updated,
        // Who added it and when is an unverified claim that nothing depends on.
        provenance: _,
        created: _,
        // Only this user's own count.
        verified: _,
        feedback: _,
        // Whether it is in force, not its content.
        deleted: _,
        promoted: _,
        proposed: _,
    } = memory;
    let mut hasher = blake3::Hasher::new_derive_key("recall confirmed memory");
    let mut part = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    let mut text = |text: &str| part(text.as_bytes());
    text(&id.to_string());
    text(title);
    text(content);
    text(&scope.to_string());
    text(&format!("{source:?} {lineage:?}"));
    text(origin.as_str());
    text(&supersedes.map(|older| older.to_string()).unwrap_or_default());
    text(&updated.0.to_string());
    text(&tags.len().to_string());
    for tag in tags {
        text(tag);
    }
    // Without stated cues, the hash is that of versions that knew none.
    for cue in cues.iter().flatten() {
        text(&cue.to_string());
    }
    // Nor without a stated time.
    for point in [&valid.from, &valid.until].into_iter().flatten() {
        text(&format!("{} {:?}", point.at.0, point.commit));
    }
    text(&related_files.len().to_string());
    for path in related_files {
        text(path.as_str());
    }
    for anchor in anchors {
        text(anchor.path.as_str());
        text(&format!("{:?} {:?}", anchor.symbol, anchor.commit));
        text(&anchor.hash.to_string());
    }
    ContentHash(*hasher.finalize().as_bytes())
}

pub(crate) fn profile(text: &[u8]) -> ContentHash {
    let mut hasher = blake3::Hasher::new_derive_key("recall confirmed profile");
    hasher.update(text);
    ContentHash(*hasher.finalize().as_bytes())
}
