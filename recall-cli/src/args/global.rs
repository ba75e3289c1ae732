//! The options of every command.

use std::path::PathBuf;

use clap::Args;

use crate::output::{Color, Format};

/// The help heading of the global options.
const GLOBAL: &str = "Global options";

/// The options that every command accepts.
#[derive(Clone, Debug, Default, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct Global {
    /// The project's root [default: the nearest parent of the working directory with `.recall/` or `.git`]. `recall search` takes several.
    #[arg(long = "project", global = true, help_heading = GLOBAL, value_name = "PATH")]
    pub(crate) projects: Vec<PathBuf>,
    /// Write JSON, one object per line if there are several.
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub(crate) json: bool,
    /// Do not leave a daemon running: use the running one, or a private one that ends with the command.
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub(crate) no_daemon: bool,
    /// Accept `/` or the home folder as a project's root.
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub(crate) allow_broad_root: bool,
    /// The domain that the scope `domain` refers to.
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "NAME")]
    pub(crate) domain: Option<String>,
    /// Read the project as it was: a date, an age (`3d`), `last week`, a commit or a tag. For search, get, list, context, query and briefing.
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "TIME")]
    pub(crate) as_of: Option<String>,
    /// When to colour the output.
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
    /// Do not show long output page by page on a terminal.
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub(crate) no_pager: bool,
}

impl Global {
    pub(crate) fn format(&self) -> Format {
        if self.json { Format::Json } else { Format::Human }
    }
}
