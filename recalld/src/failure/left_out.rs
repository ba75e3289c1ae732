//! What a person can do about a file that is not indexed.

/// The hints for what is not excluded by a rule, by the beginning of the reason as `recall_watch` words it.
const HINTS: [(&str, &str); 17] = [
    ("cannot be read", "`ls -l` shows whose file it is; make it readable for your user"),
    ("the name is not UTF-8", "rename it"),
    ("not a regular file", "pipes, sockets and devices are not read"),
    ("symlink to nothing", "`ls -l` shows where the link leads; correct it, or remove it"),
    ("symlink that leads back", "`ls -l` shows where the link leads; correct it, or remove it"),
    (
        "symlink that leaves",
        "links out of the project are not followed; name the file in the project that it belongs to",
    ),
    ("symlink to something inside", "`ls -l` shows where the link leads; name that file"),
    ("secret by name", "files for keys and passwords are never indexed"),
    ("mostly a private key", "private keys are never indexed"),
    ("binary", "it has no text; open it with the program that it is for"),
    ("too large", "raise the setting, if its text is worth finding"),
    ("a pointer of Git LFS", "`git lfs pull` fetches its content"),
    ("unknown encoding", "save it as UTF-8"),
    ("being written to", "try again when it is written"),
    ("excluded by the setting", "change the setting, or name the file: `recall include PATH`"),
    ("not among the files of the setting", "change the setting, or name the file: `recall include PATH`"),
    ("in a linked work tree", "run the command in that work tree"),
];

/// The hint for what a rule excludes.
const BY_RULE: &str = "`recall include PATH` indexes it; `recall status --failures` lists all that is left out";

/// Returns the hint for the reason why a file is not indexed.
pub(super) fn hint(reason: &str) -> &'static str {
    // The reason may be that of a directory above the file.
    let own = reason.strip_prefix("in `").and_then(|rest| rest.split_once("`, ")).map_or(reason, |(_, own)| own);
    HINTS.iter().find(|(beginning, _)| own.starts_with(beginning)).map_or(BY_RULE, |(_, hint)| hint)
}

#[cfg(test)]
mod tests {
    use recall_api::Reason;
    use recall_engine::GetError;

    use super::super::IntoFailure;

    #[test]
    fn a_file_that_is_not_shown_has_a_hint_that_helps() {
        let check = |reason: &str, expected: &str| {
            let failure = GetError::LeftOut { path: "a.rs".to_owned(), reason: reason.to_owned() }.into_failure();
            assert_eq!(
                (failure.reason, failure.message),
                (Reason::NotFound, format!("`a.rs` is not indexed: {reason}"))
            );
            let hint = failure.hint.expect("a hint");
            assert!(hint.contains(expected), "{reason}: {hint}");
        };
        check("cannot be read: Permission denied (os error 13)", "make it readable");
        check("symlink to nothing", "where the link leads");
        check("binary", "no text");
        check("unknown encoding", "UTF-8");
        check("too large: 28.6 MiB, the limit is 16.0 MiB (setting `limits.file_bytes`)", "raise the setting");
        check("in `keys`, cannot be read: Permission denied (os error 13)", "make it readable");
        check("ignored: `*.log` in `.gitignore`", "recall include PATH");
        check(
            "in `build`, in the built-in list of directories: only what git tracks in it is indexed",
            "recall include PATH",
        );
        check("lock file (git does not track it)", "recall include PATH");
    }

    #[test]
    fn a_folder_and_a_file_of_another_project_are_no_files_of_this_one() {
        let outside = GetError::Outside { path: "/etc/hostname".to_owned(), root: "/p".into() }.into_failure();
        assert_eq!(outside.message, "not found: `/etc/hostname`, which is outside the project `/p`");
        assert!(outside.hint.expect("a hint").contains("the project that they belong to"));
        let folder = GetError::Folder { path: "src".to_owned() }.into_failure();
        let hint = recall_api::hint::for_failure(&folder, recall_api::hint::Audience::Command);
        assert_eq!(hint.as_deref(), Some("`recall list --path src` shows what is in it"));
    }
}
