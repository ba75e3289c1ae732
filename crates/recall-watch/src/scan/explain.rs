//! Why a single file is not indexed.

use std::path::Path;

use recall_text::DocPath;

use super::lister::{Directory, Exclusion, Lister, ignore_files_above};
use super::walk::check;
use super::{ScanError, SkippedFile};
use crate::ignore_files::Kind;
use crate::rules::{Plan, Plans};
use crate::{LeftOut, Rules, SkipReason};

/// What the rules say about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Explanation {
    /// Nothing excludes it, judging by its path and metadata.
    Included,
    /// A rule leaves out the file, or a directory above it.
    LeftOut(LeftOut),
    /// The file, or a directory above it, is not indexed for another reason.
    Skipped {
        /// The path of the file or directory.
        path: String,
        /// Why the file or directory is not indexed.
        reason: SkipReason,
    },
    /// No file is at the path.
    NoFile,
}

/// Explains whether a scan under these rules finds a file. Costs a listing of each directory above it.
///
/// # Errors
/// The root cannot be listed, or a glob of the rules is invalid.
pub fn explain(root: &Path, rules: &Rules, path: &DocPath) -> Result<Explanation, ScanError> {
    let root = check(root)?;
    let plans = Plans::compile(rules)?;
    let mut first = None;
    for plan in &plans.all {
        let said = Lister::new(&root, &plans).explain(plan, rules, path);
        if said == Some(Explanation::Included) {
            return Ok(Explanation::Included);
        }
        // The first plan is that of the whole root, and an addition says why what it covers is left out after all.
        let said = said.filter(|said| *said != Explanation::NoFile);
        first = if plan.start.is_some() { said.or(first) } else { first.or(said) };
    }
    Ok(first.unwrap_or(Explanation::NoFile))
}

impl<'a> Lister<'a> {
    /// Explains what one plan says about a file; `None` if the file is not below its start.
    fn explain(mut self, plan: &'a Plan, rules: &Rules, path: &DocPath) -> Option<Explanation> {
        let below = match &plan.start {
            Some(start) if path == start => "",
            Some(start) => path.as_str().strip_prefix(start.as_str())?.strip_prefix('/')?,
            None => path.as_str(),
        };
        let above = ignore_files_above(self.root, rules, self.plans);
        let Some(mut directory) = self.start(plan, above) else { return Some(self.explain_recorded()) };
        let mut parts = below.split('/').filter(|part| !part.is_empty()).peekable();
        while let Some(part) = parts.next() {
            let Some((entered, entries)) = self.enter(directory) else { return Some(self.explain_recorded()) };
            let Some(entry) = entries.iter().find(|entry| entry.name == part) else {
                return Some(Explanation::NoFile);
            };
            let place = if entered.path.is_empty() { part.to_owned() } else { format!("{}/{part}", entered.path) };
            let kind = if entry.file_type.is_dir() { Kind::Directory } else { Kind::File };
            match self.inclusion_of(&entered, &place, part, kind, &entries) {
                Err(Exclusion::Rule(cause)) => {
                    let rule = self.rule(&entered, &place, kind, cause);
                    return Some(Explanation::LeftOut(LeftOut {
                        path: place,
                        is_directory: kind == Kind::Directory,
                        rule,
                    }));
                }
                Err(Exclusion::Above) => return Some(self.explain_above()),
                Ok((inclusion, content)) => {
                    if content != entered.content {
                        self.leave_out(&entered, place.clone(), kind, Self::exception(&entered, &place, kind));
                    }
                    if parts.peek().is_none() {
                        if kind == Kind::Directory {
                            return Some(Explanation::NoFile);
                        }
                        self.file(&place, part, entry.file_type, || entry.handle.metadata());
                        return Some(self.explain_recorded());
                    }
                    let Directory { plan, ignore_files, .. } = entered;
                    directory = Directory { plan, path: place, inclusion, ignore_files, content };
                }
            }
        }
        Some(Explanation::NoFile)
    }

    /// Explains by the last rule above the file that leaves it out: it was recorded on the way.
    fn explain_above(self) -> Explanation {
        self.into_found().left_out.pop().map_or(Explanation::NoFile, Explanation::LeftOut)
    }

    /// Explains by what the last step recorded.
    fn explain_recorded(self) -> Explanation {
        let mut found = self.into_found();
        if let Some(SkippedFile { path, reason, .. }) = found.skipped.pop() {
            return Explanation::Skipped { path, reason };
        }
        if !found.files.is_empty() {
            return Explanation::Included;
        }
        found.left_out.pop().map_or(Explanation::NoFile, Explanation::LeftOut)
    }
}
