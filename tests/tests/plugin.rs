//! The plugin for Claude Code: its files are consistent with each other and with the command line.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use recall_tests::workspace;
use serde_json::Value;

/// The most characters of a description. Every session pays for the descriptions of skills and agents.
const DESCRIPTION: usize = 160;

/// The most characters of all descriptions that every session pays for: about 300 tokens.
const DESCRIPTIONS: usize = 1200;

/// The commands with their aliases.
const COMMANDS: &[&[&str]] = &[
    &["plan", "architect", "design"],
    &["build", "code", "implement"],
    &["review", "check"],
    &["incident", "debug", "fix"],
    &["task"],
    &["promote"],
    &["index"],
    &["end"],
    &["end-recovery"],
];

/// The width and height of the icon that the directory of plugins accepts.
const ICON: std::ops::RangeInclusive<u32> = 512..=2048;

#[test]
fn the_manifests_are_of_this_version_and_name_what_is_there() {
    let plugin = json("plugin/.claude-plugin/plugin.json");
    assert_eq!(plugin["version"], env!("CARGO_PKG_VERSION"));
    let market = json(".claude-plugin/marketplace.json");
    let listed = &market["plugins"][0];
    assert_eq!(listed["name"], plugin["name"]);
    let source = listed["source"].as_str().expect("a path");
    assert!(workspace().join(source).join(".claude-plugin/plugin.json").is_file(), "{source}");
    let servers = json("plugin/.mcp.json");
    assert_eq!(servers["mcpServers"]["recall"]["command"], "recall-shim");
    let icon = fs::read(workspace().join("plugin/.claude-plugin/icon.png")).expect("an icon");
    let side = |at: usize| u32::from_be_bytes(icon[at..at + 4].try_into().expect("four bytes"));
    assert!(ICON.contains(&side(16)) && side(16) == side(20), "{} × {}", side(16), side(20));
}

#[test]
fn every_hook_is_a_command_of_recall_and_says_that_it_is_the_plugin_s() {
    let hooks = json("plugin/hooks/hooks.json");
    let events = hooks["hooks"].as_object().expect("events");
    assert!(events.len() >= 8, "{}", events.len());
    for (event, groups) in events {
        for hook in
            groups.as_array().expect("groups").iter().flat_map(|group| group["hooks"].as_array().expect("hooks"))
        {
            assert_eq!((&hook["type"], &hook["command"]), (&"command".into(), &"recall".into()), "{event}");
            let words: Vec<&str> =
                hook["args"].as_array().expect("arguments").iter().filter_map(Value::as_str).collect();
            assert_eq!((words[0], words[2]), ("hook", recall_agents::FROM_PLUGIN), "{event}");
            let parsed = recall_cli::definition().try_get_matches_from([&["recall"], &*words].concat());
            assert!(parsed.is_ok(), "{event}: {}", parsed.expect_err("an error"));
            assert!(recall_agents::HookEvent::from_name(words[1]).is_some(), "{event}: {}", words[1]);
        }
    }
    // The same hooks as those that `recall mcp install --hooks` writes, except for the flag.
    let expected = recall_agents::agent("claude-code").and_then(|claude| claude.hook_groups("recall")).expect("hooks");
    let written = serde_json::to_string(&hooks["hooks"]).expect("JSON");
    let plain: Value = serde_json::from_str(&written.replace(",\"--from-plugin\"", "")).expect("JSON");
    assert_eq!(plain, expected);
}

#[test]
fn an_alias_says_what_its_command_says() {
    let mut expected = BTreeSet::new();
    for names in COMMANDS {
        let texts: Vec<String> = names.iter().map(|name| text(&format!("plugin/commands/{name}.md"))).collect();
        assert!(texts.iter().all(|text| *text == texts[0]), "{names:?}");
        assert!(texts[0].contains("\ndisable-model-invocation: true\n"), "{names:?} cost nothing until they are used");
        expected.extend(names.iter().map(|name| format!("{name}.md")));
    }
    let found: BTreeSet<String> = files("plugin/commands")
        .iter()
        .map(|path| path.file_name().expect("a name").to_string_lossy().into_owned())
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn a_mode_is_the_agent_of_its_name() {
    for (command, agent) in
        [("plan", "architect"), ("build", "coder"), ("review", "reviewer"), ("incident", "incident")]
    {
        let agent = text(&format!("plugin/agents/{agent}.md"));
        let (_, instructions) = agent.split_once("\n---\n").expect("front matter");
        assert!(text(&format!("plugin/commands/{command}.md")).contains(instructions.trim()), "{command}");
    }
}

#[test]
fn descriptions_are_short() {
    let mut all = 0;
    for path in [files("plugin/agents"), files("plugin/commands"), skills()].concat() {
        let text = fs::read_to_string(&path).expect("readable");
        let description = text.lines().find_map(|line| line.strip_prefix("description: "));
        let description = description.unwrap_or_else(|| panic!("{} has no description", path.display()));
        // Unquoted, a colon in it is an error in YAML, and Claude Code reads no field at all. Quoted, it is the same text in JSON, as
        // which the MCP server reads the front matter of the skills.
        assert_eq!(front_matter(&text)["description"], serde_json::from_str::<Value>(description).expect("a text"));
        let is_quoted = description.len() > 2 && description.starts_with('"') && description.ends_with('"');
        assert!(is_quoted && description.matches('"').count() == 2, "{}: {description}", path.display());
        assert!(description.len() <= DESCRIPTION, "{}: {}", path.display(), description.len());
        if !text.contains("\ndisable-model-invocation: true\n") {
            all += description.len();
        }
    }
    assert!((100..=DESCRIPTIONS).contains(&all), "{all}");
}

#[test]
fn every_command_line_in_the_plugin_is_understood() {
    let mut found = 0;
    for path in [files("plugin/agents"), files("plugin/commands"), skills()].concat() {
        let text = fs::read_to_string(&path).expect("readable");
        let quoted = text.split('`').skip(1).step_by(2).filter(|line| line.starts_with("recall "));
        for line in quoted {
            let words = shlex::split(&line.replace('\n', " ")).expect(line);
            let parsed = recall_cli::definition().try_get_matches_from(words);
            assert!(parsed.is_ok(), "{}: `{line}`: {}", path.display(), parsed.expect_err("an error"));
            found += 1;
        }
    }
    assert!(found > 8, "{found}");
}

/// The front matter of a file, read as strictly as YAML is.
fn front_matter(text: &str) -> Value {
    let head = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).expect("front matter").0;
    serde_saphyr::from_str(head).unwrap_or_else(|error| panic!("{error}: {head}"))
}

fn text(path: &str) -> String {
    fs::read_to_string(workspace().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn json(path: &str) -> Value {
    serde_json::from_str(&text(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn files(folder: &str) -> Vec<PathBuf> {
    let entries = workspace().join(folder).read_dir().unwrap_or_else(|error| panic!("{folder}: {error}"));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.sort();
    files
}

fn skills() -> Vec<PathBuf> {
    files("plugin/skills").iter().map(|skill: &PathBuf| Path::new(skill).join("SKILL.md")).collect()
}
