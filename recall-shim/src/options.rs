//! The command line of the program.

use clap::{Parser, ValueEnum};

/// recall for agents: MCP over standard input and output, in front of the recall daemon.
///
/// Agents start this program; `recall mcp install` registers it.
#[derive(Clone, Debug, PartialEq, Eq, Parser)]
#[command(name = "recall-shim", version, about)]
pub struct Options {
    /// Which tools are offered.
    #[arg(long, value_enum, default_value_t, value_name = "SET")]
    pub tools: ToolSet,

    /// List the tools without the prefix `recall_`, for agents that put the server's name before it. Both names are accepted.
    #[arg(long)]
    pub plain_names: bool,
}

/// Which tools are offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ToolSet {
    /// What an agent needs in its work.
    #[default]
    Core,
    /// Everything that there is.
    Full,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_core_set_is_the_default() {
        let options = |arguments: &[&str]| Options::try_parse_from(arguments).map(|options| options.tools).ok();
        assert_eq!(options(&["recall-shim"]), Some(ToolSet::Core));
        assert_eq!(options(&["recall-shim", "--tools", "full"]), Some(ToolSet::Full));
        assert_eq!(options(&["recall-shim", "--tools", "all"]), None);
        let names = |arguments: &[&str]| Options::parse_from(arguments).plain_names;
        assert!(names(&["recall-shim", "--plain-names"]) && !names(&["recall-shim"]));
    }
}
