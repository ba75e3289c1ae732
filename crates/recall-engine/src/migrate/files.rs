//! Foreign files as files in the folder of recall.

use std::path::Path;

use recall_agents::foreign::{ForeignFile, LeftOut, LeftOutReason};
use recall_core::StoreScope;
use recall_os::{Folder, write_git_files};
use recall_text::PROJECT_FOLDER;

use super::MigrateError;
use super::import::Import;
use crate::backup::RestoreMode;
use crate::mask::Masking;
use crate::memory::profile::PROFILE;

/// The most bytes that are compared of a file that is there.
const COMPARED_BYTES: u64 = 2 * 1024 * 1024;

impl Import<'_> {
    /// Copies a file with its secrets masked, unless one of its name is there. An agent of the user has no place in the global
    /// store.
    pub(super) fn take_file(&mut self, file: ForeignFile) -> Result<(), MigrateError> {
        let ForeignFile { below, content, from: _ } = file;
        let is_profile = below == PROFILE;
        if self.store.scope != StoreScope::Project && !is_profile {
            let instead = "an agent belongs to a project: copy it into its folder `.recall/agents`";
            self.report.leave_out(LeftOut::one(below, LeftOutReason::NoPlace { instead }));
            return Ok(());
        }
        let mut masking = Masking::default();
        let content = masking.mask(&content);
        self.report.files.found += 1;
        // The profile of the user is in the global store's root.
        let folder = if self.store.scope == StoreScope::Project { Path::new(PROJECT_FOLDER) } else { Path::new("") };
        let path = folder.join(&below);
        let root = Folder::open(&self.store.root).map_err(MigrateError::File)?;
        if root.metadata(&path).is_ok_and(|there| there.is_some()) {
            if root.read(&path, COMPARED_BYTES).is_ok_and(|there| there == content.as_bytes()) {
                self.report.files.known += 1;
            } else {
                self.report.leave_out(LeftOut::one(path.to_string_lossy(), LeftOutReason::FileExists));
            }
            return Ok(());
        }
        self.report.files.added += 1;
        if !masking.rules.is_empty() {
            self.report.masked += 1;
        }
        if self.mode == RestoreMode::DryRun {
            return Ok(());
        }
        if self.store.scope == StoreScope::Project {
            write_git_files(&self.store.root).map_err(MigrateError::File)?;
        }
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let folder = match parent {
            Some(parent) => root.make_folder(parent).map_err(MigrateError::File)?,
            None => root,
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        folder.create(&name, content.as_bytes()).map_err(MigrateError::File)
    }
}
