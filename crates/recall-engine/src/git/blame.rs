//! Who wrote the lines of a file, and what is noted at commits: `git blame` and `git notes`.
//!
//! Moved and copied lines are followed to the commit that wrote them. The meaning of a note is left to the caller.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::{Duration, Instant};

use recall_core::Timestamp;
use recall_text::DocPath;

use super::history::{PATCH_ARGUMENTS, new_lines};
use super::{Git, TIMEOUT, WorkTree, answer};

/// The shortest hash that names a commit.
pub(crate) const HASH_CHARS: usize = 7;

const NANOS_PER_SECOND: i64 = 1_000_000_000;

/// Notes at commits, as other implementations of Agent Trace have them. The specification leaves the place open.
const TRACES: &str = "refs/notes/agent-trace";

/// The name under which notes are written. A machine may have no configured identity, and the note is not the user's words.
const NOTE_AUTHOR: [(&str, &str); 4] = [
    ("GIT_AUTHOR_NAME", "recall"),
    ("GIT_AUTHOR_EMAIL", "recall@localhost"),
    ("GIT_COMMITTER_NAME", "recall"),
    ("GIT_COMMITTER_EMAIL", "recall@localhost"),
];

/// What git says about the lines of a file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum LineBlame {
    /// The lines, in order.
    Lines(Vec<BlamedLine>),
    /// No commit of the branch has the file.
    NewFile,
    /// The folder has no repository of its own.
    NoRepository,
    /// Git failed, or did not answer in time.
    NoAnswer,
}

/// A line and the commit that wrote it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BlamedLine {
    pub(crate) number: u32,
    /// `None` if it is not committed.
    pub(crate) commit: Option<Arc<LineCommit>>,
    /// The path of the file in that commit, from the top of the repository, and the number of the line in it.
    pub(crate) path_there: Arc<str>,
    pub(crate) number_there: u32,
}

/// A commit that wrote lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineCommit {
    /// The whole hash.
    pub hash: String,
    /// The name of its author.
    pub author: String,
    /// When it was written. A rebase keeps it.
    pub authored: Timestamp,
    /// When it became this commit.
    pub committed: Timestamp,
    /// The first line of its message.
    pub subject: String,
    /// Whether the history of this clone begins with it, so that the lines may be older.
    pub is_cut: bool,
}

/// The commit that wrote a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineWriter {
    /// The whole hash; empty if the history that was looked at begins after the line.
    pub(crate) commit: String,
    /// The whole hash of the commit before it; `None` if it added the file.
    pub(crate) before: Option<String>,
}

/// What is noted at a commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NotedCommit {
    /// The whole message.
    pub(crate) message: String,
    /// The hashes of the commits before it.
    pub(crate) parents: Vec<String>,
    /// The note about who wrote its lines; empty for none.
    pub(crate) note: String,
}

impl Git<'_> {
    /// Returns who wrote lines of a file of the work tree. Lines that the file does not have must not be asked for.
    pub(crate) fn blame(self, path: &DocPath, lines: &RangeInclusive<u32>, timeout: Duration) -> LineBlame {
        let Some(repository) = self.repository() else { return LineBlame::NoRepository };
        if !self.has_its_own_work_tree() {
            return LineBlame::NoRepository;
        }
        // Without a commit this fails, and there is nothing to list.
        let committed = self.run(&["ls-tree", "--name-only", "HEAD", "--", path.as_str()], &[]).unwrap_or_default();
        if committed.is_empty() {
            return LineBlame::NewFile;
        }
        // Git compares the file with its committed form, for which it would run the repository's filters.
        let Some(filters) = self.filter_settings() else { return LineBlame::NoAnswer };
        let filters: Vec<&str> = filters.iter().map(String::as_str).collect();
        let range = format!("{},{}", lines.start(), lines.end());
        let asked = ["blame", "--line-porcelain", "-w", "-M", "-C", "--no-textconv", "-L", &range, "--", path.as_str()];
        let git = self.prepare(&asked, &filters, WorkTree::Own);
        let Some(text) = git.and_then(|git| answer(git, Vec::new(), timeout)) else { return LineBlame::NoAnswer };
        let is_shallow = repository.common_dir.join("shallow").exists();
        LineBlame::Lines(parse_blame(&String::from_utf8_lossy(&text), is_shallow))
    }

    /// Returns who wrote the committed ones of some lines of a file of the work tree, once for each line; nothing if git does not know it in
    /// time, or has none. Lines that the file does not have must not be asked for.
    ///
    /// An agent waits for this answer. So moves and copies are not followed, which takes most of the time of [`Git::blame`], and `since`
    /// bounds how far back is looked: a file with 20,000 commits takes seconds.
    pub(crate) fn line_writers(
        self,
        path: &DocPath,
        ranges: &[RangeInclusive<u32>],
        since: Option<Timestamp>,
        timeout: Duration,
    ) -> Vec<LineWriter> {
        let begun = Instant::now();
        if ranges.is_empty() || timeout.is_zero() || !self.has_its_own_work_tree() {
            return Vec::new();
        }
        let Some(filters) = self.filter_settings() else { return Vec::new() };
        let filters: Vec<&str> = filters.iter().map(String::as_str).collect();
        let ranges: Vec<String> = ranges.iter().map(|lines| format!("-L{},{}", lines.start(), lines.end())).collect();
        let ranges: Vec<&str> = ranges.iter().map(String::as_str).collect();
        let since = since.map(|since| format!("--since=@{}", since.0.div_euclid(NANOS_PER_SECOND)));
        let since: Vec<&str> = since.iter().map(String::as_str).collect();
        let shown = ["blame", "--line-porcelain", "-w", "--no-textconv"];
        let asked = [&shown[..], &since, &ranges, &["--", path.as_str()]].concat();
        let git = self.prepare(&asked, &filters, WorkTree::Own);
        let left = timeout.saturating_sub(begun.elapsed());
        let text = git.and_then(|git| answer(git, Vec::new(), left)).unwrap_or_default();
        parse_writers(&String::from_utf8_lossy(&text))
    }

    /// Returns the message, the parents and the note of commits, by their hashes. What git does not answer about is left out.
    pub(crate) fn commit_notes(self, hashes: &[&str]) -> BTreeMap<String, NotedCommit> {
        if hashes.is_empty() {
            return BTreeMap::new();
        }
        let notes = format!("--notes={TRACES}");
        let shown = ["log", "--no-walk=unsorted", "-z", "--no-show-signature", "--no-color", &notes];
        let format = ["--format=%H%x01%P%x01%B%x01%N"];
        let answer = self.run(&[&shown[..], &format, hashes, &["--"]].concat(), &[]).unwrap_or_default();
        String::from_utf8_lossy(&answer).split('\0').filter_map(parse_noted).collect()
    }

    /// Returns when a file, by its path from the top of the repository, was last changed before a commit, or at all; `None` if it
    /// never was.
    pub(crate) fn last_change(self, path: &str, before: Option<&str>) -> Option<Timestamp> {
        let revision = before.map_or_else(|| "HEAD".to_owned(), |hash| format!("{hash}^"));
        let shown = ["log", "-1", "--no-show-signature", "--no-color", "--format=%ct", &revision, "--"];
        let seconds = self.line(&[&shown[..], &[&format!(":(top,literal){path}")]].concat())?;
        seconds.parse::<i64>().ok()?.checked_mul(NANOS_PER_SECOND).map(Timestamp)
    }

    /// Returns the lines that a commit added to files below the folder, by their paths. A merge added none.
    pub(crate) fn added_lines(self, hash: &str) -> Option<BTreeMap<DocPath, Vec<RangeInclusive<u32>>>> {
        let asked = [&["diff-tree", "--root", "--no-commit-id", "-r"][..], PATCH_ARGUMENTS, &[hash]].concat();
        let patch = self.run(&asked, &[])?;
        let mut added = BTreeMap::<_, Vec<_>>::new();
        for (path, (start, count)) in new_lines(&String::from_utf8_lossy(&patch)) {
            if count > 0 {
                added.entry(path).or_default().push(start..=start + count - 1);
            }
        }
        Some(added)
    }

    /// Replaces the note about who wrote the lines of a commit. Returns whether git did so. No hook runs.
    pub(crate) fn write_note(self, hash: &str, note: &str) -> bool {
        let asked = ["notes", "--ref", TRACES, "add", "-f", "-F", "-", hash];
        let Some(mut git) = self.prepare(&asked, &[], WorkTree::Own) else { return false };
        git.envs(NOTE_AUTHOR);
        answer(git, note.as_bytes().to_vec(), TIMEOUT).is_some()
    }
}

/// Returns whether a text has a hash, shortened or whole.
pub(crate) fn cites(text: &str, hash: &str) -> bool {
    let Some(short) = hash.get(..HASH_CHARS) else { return false };
    text.match_indices(short).any(|(at, _)| {
        let rest = &text[at..];
        let end = rest.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(rest.len());
        hash.starts_with(&rest[..end]) && !text[..at].ends_with(|c: char| c.is_alphanumeric())
    })
}

/// Parses the output of `git blame --line-porcelain`.
fn parse_blame(text: &str, is_shallow: bool) -> Vec<BlamedLine> {
    let mut lines = Vec::new();
    let mut commits: BTreeMap<String, Arc<LineCommit>> = BTreeMap::new();
    let (mut commit, mut numbers, mut path) = (LineCommit::default(), (0, 0), "");
    for line in text.lines() {
        // A line of the file begins with a tab, so it cannot imitate a header.
        if line.starts_with('\t') {
            let is_committed = commit.hash.bytes().any(|byte| byte != b'0');
            let commit = std::mem::take(&mut commit);
            let known = is_committed.then(|| commits.entry(commit.hash.clone()).or_insert_with(|| Arc::new(commit)));
            let (number_there, number) = numbers;
            lines.push(BlamedLine { number, commit: known.cloned(), path_there: path.into(), number_there });
            continue;
        }
        let (name, value) = line.split_once(' ').unwrap_or((line, ""));
        match name {
            "author" => value.clone_into(&mut commit.author),
            "author-time" => commit.authored = timestamp(value),
            "committer-time" => commit.committed = timestamp(value),
            "summary" => value.clone_into(&mut commit.subject),
            "filename" => path = value,
            // Git marks the first commit in this way too.
            "boundary" => commit.is_cut = is_shallow,
            hash if is_whole_hash(hash) => {
                hash.clone_into(&mut commit.hash);
                let mut fields = value.split(' ').map(|field| field.parse().unwrap_or_default());
                numbers = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
            }
            _ => {}
        }
    }
    lines
}

/// Parses the output of `git blame --line-porcelain` for the commits alone. Lines that are not committed are left out.
fn parse_writers(text: &str) -> Vec<LineWriter> {
    let mut writers = Vec::new();
    let mut writer: Option<LineWriter> = None;
    for line in text.lines() {
        if line.starts_with('\t') {
            writers.extend(writer.take().filter(|writer| !is_nothing(&writer.commit)));
            continue;
        }
        let (name, value) = line.split_once(' ').unwrap_or((line, ""));
        if is_whole_hash(name) {
            writer = Some(LineWriter { commit: name.to_owned(), before: None });
        } else if let (Some(writer), "previous") = (&mut writer, name) {
            writer.before = value.split(' ').next().map(str::to_owned);
        } else if let (Some(writer), "boundary") = (&mut writer, name) {
            writer.commit.clear();
        }
    }
    writers
}

/// Whether a hash is that of lines that are not committed.
fn is_nothing(hash: &str) -> bool {
    !hash.is_empty() && hash.bytes().all(|byte| byte == b'0')
}

fn is_whole_hash(word: &str) -> bool {
    matches!(word.len(), 40 | 64) && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn timestamp(seconds: &str) -> Timestamp {
    Timestamp(seconds.parse::<i64>().ok().and_then(|seconds| seconds.checked_mul(NANOS_PER_SECOND)).unwrap_or_default())
}

/// Parses one record of [`Git::commit_notes`].
fn parse_noted(record: &str) -> Option<(String, NotedCommit)> {
    let mut fields = record.trim_start().splitn(4, '\u{1}');
    let (hash, parents, message, note) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let parents = parents.split(' ').filter(|hash| !hash.is_empty()).map(str::to_owned).collect();
    Some((hash.to_owned(), NotedCommit { message: message.to_owned(), parents, note: note.trim().to_owned() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "0123456789abcdef0123456789abcdef01234567";

    #[test]
    fn lines_are_read_with_their_commits_and_where_they_were() {
        let nothing = "0".repeat(40);
        let text = format!(
            "{HASH} 7 3 2\nauthor Ada L.\nauthor-mail <a@b>\nauthor-time 60\ncommitter-time 120\nsummary Dig a pool\n\
             boundary\nfilename src/old name.rs\n\tfn dig() {{\n{HASH} 8 4\nauthor Ada L.\nauthor-time 60\n\
             committer-time 120\nsummary Dig a pool\nboundary\nfilename src/old name.rs\n\tauthor Mallory\n\
             {nothing} 5 5 1\nauthor Not Committed Yet\nauthor-time 500\nsummary Version of a.rs\nfilename a.rs\n\t}}\n"
        );
        let [first, second, third] = &parse_blame(&text, true)[..] else { panic!("three lines") };
        let commit = first.commit.as_ref().expect("committed");
        assert_eq!(
            (commit.hash.as_str(), commit.author.as_str(), commit.subject.as_str()),
            (HASH, "Ada L.", "Dig a pool")
        );
        assert_eq!((commit.authored.0, commit.committed.0, commit.is_cut), (60_000_000_000, 120_000_000_000, true));
        assert_eq!((first.number, first.number_there, &*first.path_there), (3, 7, "src/old name.rs"));
        assert_eq!((second.number, second.number_there, second.commit.as_ref()), (4, 8, Some(commit)));
        assert_eq!((third.number, third.commit.as_ref()), (5, None));
        assert!(!parse_blame(&text, false)[0].commit.as_ref().expect("committed").is_cut);
        for hostile in ["", "\t", "x\n\t\n", "author x\n", "0123 a b c\n\ty"] {
            let _ = parse_blame(hostile, false);
        }
    }

    #[test]
    fn writers_are_the_commits_of_committed_lines() {
        let (before, nothing) = ("f".repeat(40), "0".repeat(40));
        let text = format!(
            "{HASH} 7 3 2\nauthor Ada\nprevious {before} a.rs\nfilename a.rs\n\t{before} 1 1\n{HASH} 8 4\nfilename a.rs\n\tx\n\
             {nothing} 5 5 1\nprevious {HASH} a.rs\n\t}}\n{before} 9 9 1\nboundary\nfilename a.rs\n\told\n"
        );
        let commit = HASH.to_owned();
        let first = LineWriter { commit: commit.clone(), before: Some(before) };
        let old = LineWriter { commit: String::new(), before: None };
        let expected = [first, LineWriter { commit, before: None }, old];
        assert_eq!(parse_writers(&text), expected);
        assert_eq!(parse_writers("previous x y\n\t"), []);
    }

    #[test]
    fn a_note_may_have_any_text() {
        let record = format!("{HASH}\u{1}a b\u{1}Subject\n\nBody\n\u{1}{{\"a\":\n\"\u{1}\"}}\n");
        let (hash, noted) = parse_noted(&record).expect("a record");
        assert_eq!((hash.as_str(), noted.parents.len()), (HASH, 2));
        assert_eq!((noted.message.as_str(), noted.note.as_str()), ("Subject\n\nBody\n", "{\"a\":\n\"\u{1}\"}"));
        assert_eq!(parse_noted("x"), None);
    }
}
