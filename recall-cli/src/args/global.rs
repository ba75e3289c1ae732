//! The options of every command.

use std::path::PathBuf;

use clap::Args;

use crate::output::{Color, Format};

/// Under which heading every help shows what holds for every command.
const GLOBAL: &str = "Global options";

/// What holds for every command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Global {
    /// The project's root; otherwise found from the working directory: the nearest folder with `.recall/` or `.git`.
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "PATH")]
    pub(crate) project: Option<PathBuf>,
    /// Writes JSON; one object a line where there are several.
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub(crate) json: bool,
    /// Starts no daemon that outlives the command: asks the running one, or a private one that ends with it.
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub(crate) no_daemon: bool,
    /// Accepts `/` or the home folder as a project's root.
    #[arg(long, global = true, help_heading = GLOBAL)]
    pub(crate) allow_broad_root: bool,
    /// Which of the project's domains is meant by the scope `domain`.
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "NAME")]
    pub(crate) domain: Option<String>,
    /// Whether output is coloured.
    #[arg(long, global = true, help_heading = GLOBAL, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
}

impl Global {
    pub(crate) fn format(&self) -> Format {
        if self.json { Format::Json } else { Format::Human }
    }
}
