//! The groups of the commands in the help, in the manual page and in `docs/cli.md`.
//!
//! clap lists all commands of a program in one list; here are the headings and the order. The descriptions are those of the
//! commands themselves.

use std::fmt::Write as _;

use clap::Command;
use clap::builder::styling::Styles;

/// Commands that serve one purpose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    /// The heading.
    pub(crate) title: &'static str,
    /// The names of the commands, those that matter most first.
    pub(crate) commands: &'static [&'static str],
}

/// The groups: every command that is not hidden is in one of them.
pub(crate) const GROUPS: &[Group] = &[
    Group {
        title: "Find",
        commands: &["search", "find", "get", "context", "graph", "open", "list", "related", "history", "why", "query"],
    },
    Group {
        title: "Remember",
        commands: &[
            "remember", "review", "verify", "update", "settle", "feedback", "rollback", "promote", "rm", "audit",
        ],
    },
    Group { title: "Sessions", commands: &["briefing", "session", "changes"] },
    Group { title: "Agents", commands: &["mcp", "launch", "loop", "uninstall"] },
    Group {
        title: "Operate",
        commands: &[
            "status",
            "ui",
            "init",
            "include",
            "config",
            "doctor",
            "stats",
            "models",
            "daemon",
            "service",
            "rebuild",
            "compact",
            "publish",
            "backup",
            "restore",
            "export",
            "import",
            "bench",
            "eval",
            "completions",
        ],
    },
];

/// Returns the commands of a group with their descriptions, in the order of the group.
pub(crate) fn members(group: &Group, definition: &Command) -> Vec<(&'static str, String)> {
    let about = |name: &str| definition.find_subcommand(name)?.get_about().map(ToString::to_string);
    group.commands.iter().filter_map(|name| Some((*name, about(name)?))).collect()
}

/// Lets the help of a program list its commands by group.
pub(crate) fn with_groups(definition: Command) -> Command {
    let styles = Styles::default();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let widest = GROUPS.iter().flat_map(|group| group.commands).map(|name| name.len()).max().unwrap_or(0);
    let mut lists = String::new();
    for group in GROUPS {
        let _ = writeln!(lists, "{header}{}:{header:#}", group.title);
        for (name, about) in members(group, &definition) {
            let _ = writeln!(lists, "  {literal}{name}{literal:#}{}  {about}", " ".repeat(widest - name.len()));
        }
        lists.push('\n');
    }
    definition.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{lists}{header}Options:{header:#}\n{{options}}{{after-help}}"
    ))
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr as _;

    use super::*;

    #[test]
    fn every_command_is_in_one_group_and_hidden_ones_are_in_none() {
        let definition = crate::definition();
        let mut shown: Vec<_> =
            definition.get_subcommands().filter(|command| !command.is_hide_set()).map(Command::get_name).collect();
        let mut grouped: Vec<_> = GROUPS.iter().flat_map(|group| group.commands).copied().collect();
        shown.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, shown);
    }

    #[test]
    fn the_help_lists_the_commands_by_group_and_fits_80_columns() {
        let help = crate::definition().render_help().to_string();
        let place = |text: &str| help.find(text).unwrap_or_else(|| panic!("{text} in {help}"));
        assert!(place("\nFind:\n  search ") < place("\nRemember:\n  remember "), "{help}");
        assert!(place("\nAgents:\n  mcp ") < place("\nOperate:\n  status "), "{help}");
        assert!(place("\nOperate:") < place("\nOptions:"), "{help}");
        assert!(!help.contains("\n  hook "), "agents run it, not people: {help}");
        let lists = &help[place("\nFind:")..place("\nOptions:")];
        let wide: Vec<_> = lists.lines().filter(|line| line.width() > 80).collect();
        assert!(wide.is_empty(), "{wide:#?}");
    }
}
