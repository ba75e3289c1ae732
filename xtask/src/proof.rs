//! The proof: sets of questions and of promises, run for recall and for other programs, with every figure and its raw lines in
//! `docs/proof`.
//!
//! It runs the programs as a user does and links nothing of them. The sets are rows of [`SETS`]. A set that cannot be run here
//! says why, and so does a program that it is compared with.

mod agent;
mod costs;
mod daemon;
mod data;
mod explorers;
mod fetch;
mod languages;
mod literals;
mod mcp;
mod memories;
mod page;
mod peers;
mod plot;
mod ranking;
mod recall;
mod report;
mod ripgrep;
mod statistics;
mod tree;
mod words;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::programs::{self, Install};
use crate::{say, workspace};
use recall::{CommandLine, Corpus};
use report::Report;

/// What a run is asked for.
#[derive(Debug, PartialEq)]
struct Options {
    /// The names of sets; empty for all.
    sets: Vec<String>,
    /// The names of programs to compare with; empty for all.
    peers: Vec<String>,
    data: Option<PathBuf>,
    /// The folder that public benchmarks are got into; it is then the folder of `data`.
    fetch: Option<PathBuf>,
    programs: Option<PathBuf>,
    repository: Option<PathBuf>,
    out: Option<PathBuf>,
    /// The most questions of a set, or its rounds.
    limit: usize,
    seed: u64,
    install: Install,
}

impl Options {
    fn parse(words: &[&str]) -> Result<Self, String> {
        let mut options = Self {
            sets: Vec::new(),
            peers: Vec::new(),
            data: None,
            fetch: None,
            programs: None,
            repository: None,
            out: None,
            limit: 60,
            seed: 1,
            install: Install::Ask,
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if *word == "--install" {
                options.install = Install::Run;
                continue;
            }
            let value = words.next().ok_or_else(|| format!("`{word}` needs a value"))?;
            let is_number = || format!("`{word}` needs a number above 0");
            match *word {
                "--set" => options.sets.push((*value).to_owned()),
                "--peer" => options.peers.push((*value).to_owned()),
                "--data" => options.data = Some(folder(value)?),
                "--fetch" => options.fetch = Some(PathBuf::from(value)),
                "--programs" => options.programs = Some(folder(value)?),
                "--repository" => options.repository = Some(folder(value)?),
                "--out" => options.out = Some(PathBuf::from(value)),
                "--limit" => options.limit = value.parse().ok().filter(|limit| *limit > 0).ok_or_else(is_number)?,
                "--seed" => options.seed = value.parse().map_err(|_| is_number())?,
                _ => return Err(format!("`{word}` is not an option of proof")),
            }
        }
        if options.fetch.is_some() && options.data.is_some() {
            return Err("`--fetch` and `--data` both name the folder of benchmarks; give one".to_owned());
        }
        match options.sets.iter().find(|name| !SETS.iter().any(|set| set.name == **name)) {
            Some(name) => Err(format!("there is no set `{name}`; there are {}", SETS.map(|set| set.name).join(", "))),
            None => Ok(options),
        }
    }
}

fn folder(path: &str) -> Result<PathBuf, String> {
    Path::new(path).canonicalize().map_err(|error| format!("cannot open {path}: {error}"))
}

/// What every set is given.
pub(crate) struct Bench {
    programs: PathBuf,
    /// The folder of homes, clones and installed peers.
    place: PathBuf,
    data: Option<PathBuf>,
    /// The repository whose history and files are taken where no other is named.
    repository: PathBuf,
    peers: Vec<String>,
    limit: usize,
    seed: u64,
    install: Install,
}

impl Bench {
    /// Returns the command line with an empty home of its own.
    fn recall(&self, name: &str, settings: &[(&'static str, &'static str)]) -> Result<CommandLine, String> {
        CommandLine::new(&self.programs, self.place.join("homes").join(name), settings)
    }

    fn data(&self) -> Result<&Path, String> {
        self.data
            .as_deref()
            .ok_or_else(|| "it needs `--fetch FOLDER` or `--data FOLDER`; see docs/evaluation.md".to_owned())
    }

    /// Returns those of a list of programs that are asked for: always the first, which is recall.
    fn select(&self, all: &'static [&'static str]) -> Vec<&'static str> {
        let is_chosen = |name: &str| self.peers.is_empty() || self.peers.iter().any(|peer| peer == name);
        all.iter().copied().enumerate().filter(|(at, name)| *at == 0 || is_chosen(name)).map(|(_, name)| name).collect()
    }
}

/// A set.
struct Set {
    name: &'static str,
    title: &'static str,
    kind: Kind,
    run: fn(&Bench) -> Result<Report, String>,
}

/// Whether figures are comparable between machines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// They are the same on every machine.
    Answers,
    /// They are times or sizes of this machine.
    Costs,
}

const SETS: [Set; 16] = [
    Set {
        name: "agent",
        title: "What an agent pays until it has read the lines that answer",
        kind: Kind::Answers,
        run: agent::measure,
    },
    Set {
        name: "self",
        title: "Commits of one repository: the files that they changed",
        kind: Kind::Answers,
        run: own_history,
    },
    Set {
        name: "commits",
        title: "Commits of other repositories: the files that they changed",
        kind: Kind::Answers,
        run: histories,
    },
    Set { name: "code", title: "Questions about code with judged files", kind: Kind::Answers, run: code },
    Set {
        name: "swe",
        title: "Whole bug reports: the files that their fixes changed",
        kind: Kind::Answers,
        run: reports,
    },
    Set {
        name: "memories",
        title: "Memories, asked in other words and by a word",
        kind: Kind::Answers,
        run: memories::measure,
    },
    Set { name: "locomo", title: "Turns of long dialogues as documents", kind: Kind::Answers, run: dialogues },
    Set { name: "headings", title: "Headings asked for their sections", kind: Kind::Answers, run: headings },
    Set { name: "cosqa", title: "Plain questions to Python functions", kind: Kind::Answers, run: functions },
    Set {
        name: "languages",
        title: "Questions about code in seven languages",
        kind: Kind::Answers,
        run: languages::measure,
    },
    Set {
        name: "literals",
        title: "Exact strings: every line that rg finds",
        kind: Kind::Answers,
        run: literals::measure,
    },
    Set { name: "freshness", title: "From an edit to the answer", kind: Kind::Costs, run: daemon::freshness },
    Set {
        name: "durability",
        title: "Memories after a crash of the daemon",
        kind: Kind::Answers,
        run: daemon::durability,
    },
    Set { name: "speed", title: "The time of an answer", kind: Kind::Costs, run: costs::speed },
    Set { name: "memory", title: "The memory of the processes", kind: Kind::Costs, run: costs::memory },
    Set { name: "disk", title: "The room of the index", kind: Kind::Costs, run: costs::disk },
];

/// Where the questions of `locomo` come from.
const LOCOMO: &str = "The dialogues, the questions and the turns that answer them are of [LoCoMo](https://github.com/snap-research/locomo) (Maharana et al., ACL 2024). \
Each turn is a file, and a question is asked in the turns of its dialogue.";

/// Where the questions of `cosqa` come from.
const COSQA: &str = "The questions and the functions are of [CoSQA](https://github.com/Jun-jie-Huang/CoCLR) (Huang et al., ACL 2021). Each function is a file, and one answers.";

fn own_history(bench: &Bench) -> Result<Report, String> {
    let own = [("own".to_owned(), bench.repository.clone())];
    ranking::measure(bench, "self", &ranking::draw_histories(bench, &own, Corpus::Code)?)
}

fn histories(bench: &Bench) -> Result<Report, String> {
    let repositories = data::repositories(bench)?;
    ranking::measure(bench, "commits", &ranking::draw_histories(bench, &repositories, Corpus::Code)?)
}

fn code(bench: &Bench) -> Result<Report, String> {
    ranking::measure(bench, "code", &data::code(bench)?)
}

fn reports(bench: &Bench) -> Result<Report, String> {
    ranking::measure(bench, "swe", &data::reports(bench)?)
}

fn dialogues(bench: &Bench) -> Result<Report, String> {
    let mut report = ranking::measure(bench, "locomo", &data::documents(bench, "locomo", "md")?)?;
    report.remarks.push(LOCOMO.to_owned());
    Ok(report)
}

fn headings(bench: &Bench) -> Result<Report, String> {
    ranking::measure(bench, "headings", &data::documents(bench, "mdheads", "md")?)
}

fn functions(bench: &Bench) -> Result<Report, String> {
    let mut report = ranking::measure(bench, "cosqa", &data::documents(bench, "cosqa", "py")?)?;
    report.remarks.push(COSQA.to_owned());
    Ok(report)
}

/// Runs the chosen sets and writes their pages.
pub(crate) fn run(words: &[&str]) -> ExitCode {
    match Options::parse(words).and_then(prove) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            say(&format!("error: {why}\n"));
            ExitCode::FAILURE
        }
    }
}

fn prove(options: Options) -> Result<(), String> {
    let Options { sets, peers, data, fetch, programs, repository, out, limit, seed, install } = options;
    let data = match fetch {
        Some(place) => {
            fetch::get(&place, &sets, seed)?;
            Some(folder(&place.to_string_lossy())?)
        }
        None => data,
    };
    let programs = programs.map_or_else(|| programs::build("release"), Ok)?;
    let place = programs::target_folder().join("proof");
    std::fs::create_dir_all(&place).map_err(|error| format!("cannot create {}: {error}", place.display()))?;
    let repository = repository.unwrap_or_else(|| workspace().to_owned());
    let bench = Bench { programs, place, data, repository, peers, limit, seed, install };
    let pages = page::Pages { folder: out.unwrap_or_else(|| workspace().join("docs/proof")), bench: &bench };
    for set in SETS.iter().filter(|set| sets.is_empty() || sets.iter().any(|name| name == set.name)) {
        say(&format!("\n== {}: {}\n", set.name, set.title));
        match (set.run)(&bench) {
            Ok(report) => {
                say(&format!("{}: {}\n", set.name, report.summary));
                pages.write(set, &report)?;
            }
            Err(why) => {
                say(&format!("{}: not run: {why}\n", set.name));
                pages.write_not_run(set, &why)?;
            }
        }
    }
    pages.write_list(&SETS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_and_wrong_ones_refused() {
        let options = Options::parse(&["--set", "self", "--set", "disk", "--limit", "5", "--seed", "9", "--install"]);
        let options = options.expect("they are right");
        assert_eq!((options.sets.len(), options.limit, options.seed), (2, 5, 9));
        assert!(options.install == Install::Run);
        for words in [
            &["--set", "none"][..],
            &["--set"],
            &["--limit", "0"],
            &["--data", "/does/not/exist"],
            &["x", "y"],
            &["--fetch", "a", "--data", "."],
        ] {
            assert!(Options::parse(words).is_err(), "{words:?}");
        }
    }

    #[test]
    fn recall_is_always_among_the_chosen() {
        let bench = Bench {
            programs: PathBuf::new(),
            place: PathBuf::new(),
            data: None,
            repository: PathBuf::new(),
            peers: vec!["ripgrep".to_owned()],
            limit: 1,
            seed: 1,
            install: Install::Ask,
        };
        assert_eq!(bench.select(peers::SEARCHERS), ["recall", "ripgrep"]);
    }
}
