//! How far one watch of the operating system reaches.

/// What one watch of the operating system covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// One directory (inotify). After a rename, its events have the old name.
    Directory,
    /// A directory and everything below it (`FSEvents`). All watches are one stream, which restarts with each further
    /// watch: what happens meanwhile is lost. An event may be reported twice.
    Tree,
}

impl Reach {
    /// The reach on this system; `None` if the events of all watches do not arrive in order. A marker proves nothing then, so
    /// nothing is watched.
    ///
    /// On Windows, each watch has a queue of its own.
    pub(super) const HERE: Option<Self> = if cfg!(target_os = "linux") {
        Some(Self::Directory)
    } else if cfg!(target_os = "macos") {
        Some(Self::Tree)
    } else {
        None
    };
}
