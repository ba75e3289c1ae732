//! The pages of the proof: one a set, with its raw lines and its plot, and a list of all that begins with what recall loses.

use std::fs;
use std::path::{Path, PathBuf};

use super::peers::{self, BASIC_MEMORY, SEMBLE, SERVER_MEMORY};
use super::report::Report;
use super::{Bench, Kind, Set, plot, tree};
use crate::workspace;

/// How the list finds what it takes over from a page.
const SUMMARY: &str = "In one line: ";
const NOT_RUN: &str = "Not run: ";
const LOSSES: &str = "## Where recall loses";
const FIGURES: &str = "## Figures";

/// The folder of the pages.
pub(crate) struct Pages<'a> {
    pub(crate) folder: PathBuf,
    pub(crate) bench: &'a Bench,
}

impl Pages<'_> {
    /// Writes the page of a set, its raw lines and its plot.
    pub(crate) fn write(&self, set: &Set, report: &Report) -> Result<(), String> {
        let loaded = if set.kind == Kind::Costs {
            format!(", at a load of {} on {} cores", load(), cores())
        } else {
            String::new()
        };
        let mut page = vec![format!("# {}\n\n{SUMMARY}{}{loaded}.\n\n{LOSSES}\n\n", set.title, report.summary)];
        match report.losses[..] {
            [] => page.push("Nowhere in what this set measures.\n".to_owned()),
            ref losses => losses.iter().for_each(|loss| page.push(format!("- {loss}\n"))),
        }
        page.push(format!("\n{FIGURES}\n\n"));
        for table in &report.tables {
            page.push(format!("{}\n", table.markdown()));
        }
        if let Some((title, bars)) = &report.plot {
            self.put(&format!("{}.svg", set.name), &plot::draw(title, bars))?;
            page.push(format!("![{title}]({}.svg)\n\n", set.name));
        }
        for not_run in &report.not_run {
            page.push(format!("Not run here: {not_run}.\n\n"));
        }
        page.push("## How\n\n".to_owned());
        for remark in &report.remarks {
            page.push(format!("{remark}\n\n"));
        }
        page.push(format!("```console\n$ {}\n```\n\n{}\n", self.command(set), self.circumstances(set)));
        self.put(&format!("{}.tsv", set.name), &report.raw.lines())?;
        page.push(format!("Raw lines: [{name}.tsv]({name}.tsv).\n", name = set.name));
        self.put(&format!("{}.md", set.name), &page.concat())
    }

    /// Writes the page of a set that was not run, unless an earlier run wrote figures.
    pub(crate) fn write_not_run(&self, set: &Set, why: &str) -> Result<(), String> {
        let name = format!("{}.md", set.name);
        if fs::read_to_string(self.folder.join(&name)).is_ok_and(|page| page.contains(SUMMARY)) {
            return Ok(());
        }
        let command = self.command(set);
        self.put(&name, &format!("# {}\n\n{NOT_RUN}{why}.\n\n```console\n$ {command}\n```\n", set.title))
    }

    /// Writes the list of all sets that have a page.
    pub(crate) fn write_list(&self, sets: &[Set]) -> Result<(), String> {
        let pages: Vec<(&Set, String)> = sets
            .iter()
            .map(|set| (set, fs::read_to_string(self.folder.join(format!("{}.md", set.name))).unwrap_or_default()))
            .collect();
        let mut list = vec![INTRODUCTION.to_owned()];
        for (set, page) in &pages {
            let losses = losses(page);
            if !losses.is_empty() {
                list.push(format!("**[{}]({}.md)**\n\n{}\n\n", set.title, set.name, losses.join("\n")));
            }
        }
        list.push("## All sets\n\n| set | in one line | repeat it |\n|---|---|---|\n".to_owned());
        for (set, page) in &pages {
            let line = line_after(page, SUMMARY).map_or_else(
                || format!("not run: {}", line_after(page, NOT_RUN).unwrap_or("no run yet")),
                str::to_owned,
            );
            let line = line.trim_end_matches('.').replace('|', "\\|");
            list.push(format!(
                "| [{}]({}.md) | {line} | `cargo xtask proof --set {}` |\n",
                set.title, set.name, set.name
            ));
        }
        list.push(format!(
            "\nMachine: {}. Each page has the build, the seed, the versions and its whole command.\n\n{NOT_SHOWN}",
            machine()
        ));
        self.put("README.md", &list.concat())
    }

    /// Returns the command that repeats a set, with folders by what they have.
    fn command(&self, set: &Set) -> String {
        let Bench { data, limit, seed, .. } = self.bench;
        let data = if data.is_some() { " --data FOLDER" } else { "" };
        let repository = if self.bench.repository == workspace() { "" } else { " --repository FOLDER" };
        format!("cargo xtask proof --set {} --limit {limit} --seed {seed} --install{data}{repository}", set.name)
    }

    /// Says on what and with what it was measured.
    fn circumstances(&self, set: &Set) -> String {
        let build = self.bench.programs.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let build = ["debug", "release", "tour"]
            .into_iter()
            .find(|name| *name == build)
            .unwrap_or("of the folder that was given");
        let caution = match (set.kind, build) {
            (Kind::Costs, "release") => {
                " Times are those of a machine with other work on it, if its load is above its cores."
            }
            (Kind::Costs, _) => " Not an optimised build: its times and sizes say nothing about a release.",
            (Kind::Answers, _) => "",
        };
        let program = self.bench.programs.join(format!("recall{}", std::env::consts::EXE_SUFFIX));
        let version = |program: &str| peers::version(program).unwrap_or_else(|_| format!("no {program}"));
        let commit = tree::read_git(workspace(), &["rev-parse", "--short=12", "HEAD"]).unwrap_or_default();
        format!(
            "Machine: {}; load {}. Build: {build}, {}; sources at commit {}. {}; {}; {SEMBLE}; {BASIC_MEMORY}; {SERVER_MEMORY}. Seed {}.{caution}\n",
            machine(),
            load(),
            version(&program.display().to_string()),
            commit.trim(),
            version("rg"),
            version("git"),
            self.bench.seed
        )
    }

    fn put(&self, name: &str, text: &str) -> Result<(), String> {
        let path = self.folder.join(name);
        fs::create_dir_all(&self.folder)
            .and_then(|()| fs::write(&path, text))
            .map_err(|error| format!("cannot write {}: {error}", path.display()))
    }
}

const INTRODUCTION: &str = "# Proof\n\n\
To check what recall claims, repeat it: each figure below comes from one command, with its raw lines in this folder. `cargo xtask proof` runs all \
sets that need nothing but git and ripgrep; the others take public benchmarks from a folder ([what is in it](../evaluation.md#proof)). \
This page is written by that command.\n\n\
## Where recall loses\n\n";

const NOT_SHOWN: &str = "## What is not shown\n\n\
- **No language model takes part.** How a model uses answers, and whether it would have asked at all, is not measured. The explorers are policies; a real agent \
guesses better at times, and worse at others.\n\
- **Commits are not questions of people.** A subject may name the file that it changed, and may not say what the change needed. Files that a commit did not \
touch may answer as well.\n\
- **Few repositories and few questions.** Look at the intervals. This repository's own history was written by the people who tuned recall, and the questions of \
`code`, `swe`, `headings`, `locomo`, `cosqa` and `languages` were looked at in part while it was made. Its rankers were trained on other repositories ([training/rank](../../training/rank/README.md)).\n\
- **Peers as they are installed.** A peer without its model is weaker than with it, and its page says so. Each could be asked better by somebody who knows it. Peers that \
were not run are named on the pages with the reason.\n\
- **One machine.** Times and memory are of one small machine, Linux only. Loss of power, full disks, network file systems, and projects of more than a few thousand files are not part of \
these sets; [benchmarks.md](../benchmarks.md) and [scale.md](../scale.md) have what else was measured.\n";

/// Returns the losses of a page.
fn losses(page: &str) -> Vec<&str> {
    let lines = page.lines().skip_while(|line| *line != LOSSES).take_while(|line| *line != FIGURES);
    lines.filter(|line| line.starts_with("- ")).collect()
}

fn line_after<'a>(page: &'a str, beginning: &str) -> Option<&'a str> {
    page.lines().find_map(|line| line.strip_prefix(beginning))
}

/// Returns the cores, the memory and the system.
fn machine() -> String {
    let memory = read("/proc/meminfo")
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:")?.split_whitespace().next()?.parse::<f64>().ok())
        .map_or("unknown memory".to_owned(), |kb| format!("{:.0} GB of memory", kb / 1e6));
    let system = read("/etc/os-release");
    let system =
        line_after(&system, "PRETTY_NAME=").map_or(std::env::consts::OS, |name| name.trim_matches('"')).to_owned();
    let kernel = read("/proc/sys/kernel/osrelease");
    let kernel: Vec<&str> = kernel.trim().splitn(3, '.').take(2).collect();
    format!("{} cores, {memory}, {system}, Linux {}", cores(), kernel.join("."))
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Returns the load of the last minute.
fn load() -> String {
    read("/proc/loadavg").split_whitespace().next().unwrap_or("unknown").to_owned()
}

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(path)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_takes_over_losses_and_summaries() {
        let page = format!("# T\n\n{SUMMARY}all found.\n\n{LOSSES}\n\n- a\n- b\n\n{FIGURES}\n\n- c\n");
        assert_eq!(losses(&page), ["- a", "- b"]);
        assert_eq!(line_after(&page, SUMMARY), Some("all found."));
        assert_eq!(losses("# T\n\nNot run: x.\n"), Vec::<&str>::new());
    }
}
