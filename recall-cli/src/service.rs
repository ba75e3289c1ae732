//! The daemon as a service of the user's service manager: the files, and the commands that enable and disable it.

pub(crate) mod launchd;
pub(crate) mod sealed_file;
pub(crate) mod service_plan;
pub(crate) mod systemd;
pub(crate) mod task_scheduler;
