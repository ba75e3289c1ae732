//! The arguments of the program, and its messages to the terminal.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Mines queries for the shipped rankers, and trains them.
#[derive(Debug, Parser)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) step: TrainingStep,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TrainingStep {
    /// Mine queries from repositories, and record the features of the ranker for each
    Mine(MineArguments),
    /// Ask whole repositories with memories all kinds of questions, and record the features of the relevance
    Pool(PoolArguments),
    /// Train a ranker from mined queries
    Train(TrainArguments),
    /// Measure which memories hooks show at the moments that the histories of repositories tell of
    Situations(SituationsArguments),
}

#[derive(Debug, Args)]
pub(crate) struct MineArguments {
    /// The list of repositories
    #[arg(long, default_value = "training/rank/sources.toml")]
    pub(crate) sources: PathBuf,
    /// The folder of bare clones, `OWNER+NAME/repo`; missing ones are cloned
    #[arg(long)]
    pub(crate) mirrors: PathBuf,
    /// The output folder: two files of judged queries per repository, below `words` and below `meaning`; existing files
    /// are kept
    #[arg(long)]
    pub(crate) out: PathBuf,
    /// The kinds of queries: `commit`, `comment`, `heading`
    #[arg(long, value_delimiter = ',', default_values_t = ["commit".to_owned(), "comment".to_owned(), "heading".to_owned()])]
    pub(crate) kinds: Vec<String>,
    /// The folder of an installed encoder, to be used together with the built-in model
    #[arg(long, value_name = "FOLDER", requires = "runtime")]
    pub(crate) encoder: Option<PathBuf>,
    /// The library of the ONNX runtime for the encoder
    #[arg(long, value_name = "FILE", requires = "encoder")]
    pub(crate) runtime: Option<PathBuf>,
    /// The maximum number of sections per repository
    #[arg(long, default_value_t = 3_000)]
    pub(crate) sections: usize,
    /// The number of headings asked per repository
    #[arg(long, default_value_t = 40)]
    pub(crate) headings: usize,
    /// The number of repositories processed in parallel
    #[arg(long, default_value_t = 2)]
    pub(crate) jobs: usize,
}

#[derive(Debug, Args)]
pub(crate) struct PoolArguments {
    /// The list of repositories
    #[arg(long, default_value = "training/rank/sources.toml")]
    pub(crate) sources: PathBuf,
    /// The folder of bare clones, `OWNER+NAME/repo`; missing ones are cloned
    #[arg(long)]
    pub(crate) mirrors: PathBuf,
    /// The output folder: two files of judged questions per repository, below `words` and below `meaning`; existing
    /// files are kept
    #[arg(long)]
    pub(crate) out: PathBuf,
    /// The number of repositories, from the start of the list
    #[arg(long, default_value_t = usize::MAX)]
    pub(crate) repositories: usize,
    /// The number of repositories processed in parallel
    #[arg(long, default_value_t = 2)]
    pub(crate) jobs: usize,
}

#[derive(Debug, Args)]
pub(crate) struct SituationsArguments {
    /// The repositories: work trees or git directories
    #[arg(required = true)]
    pub(crate) repositories: Vec<PathBuf>,
    /// The number of newest commits in which situations are looked for
    #[arg(long, default_value_t = 3_000)]
    pub(crate) commits: usize,
    /// The number of commits before these that become memories too
    #[arg(long, default_value_t = 3_000)]
    pub(crate) past: usize,
    /// The number of commits with a known memory that are sampled from a repository; as many without one are
    #[arg(long, default_value_t = 40)]
    pub(crate) moments: usize,
    /// The number of memories of a repository
    #[arg(long, default_value_t = 200)]
    pub(crate) memories: usize,
    /// The random seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Leave out the goals of the sessions
    #[arg(long)]
    pub(crate) without_goals: bool,
    /// The number of memories that were shown wrongly or missed to print, of each repository
    #[arg(long, default_value_t = 0)]
    pub(crate) show: usize,
}

/// The features that a ranker uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Knows {
    /// Words, names, paths and the graph
    Words,
    /// Those, and the similarity by embeddings
    Meaning,
}

impl Knows {
    pub(crate) const ALL: [Self; 2] = [Self::Words, Self::Meaning];
}

#[derive(Debug, Args)]
pub(crate) struct TrainArguments {
    /// The folder of mined queries: `words` or `meaning` in the output folder of `mine`
    #[arg(long)]
    pub(crate) from: PathBuf,
    /// The output file
    #[arg(long, required_unless_present_any = ["dry_run", "table"])]
    pub(crate) out: Option<PathBuf>,
    /// The kinds of queries to train on, with their weights: `commit=1`, `comment=0.3`
    #[arg(long, value_delimiter = ',', required = true)]
    pub(crate) kinds: Vec<String>,
    /// The features that the ranker uses; must match the mined queries
    #[arg(long, value_enum, default_value_t = Knows::Meaning)]
    pub(crate) knows: Knows,
    /// Train the probability that a document of any kind is relevant, from the output of `pool`, instead of the order
    /// of one kind
    #[arg(long)]
    pub(crate) relevance: bool,
    /// A ranker to continue from, with the same features or the first of them; its trees are kept and new ones are
    /// added
    #[arg(long, value_name = "FILE")]
    pub(crate) start: Option<PathBuf>,
    /// The number of trees
    #[arg(long, default_value_t = 250)]
    pub(crate) trees: usize,
    /// The random seed
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Features to ignore: names, or `path*` for a prefix
    #[arg(long, value_delimiter = ',', value_name = "NAME|PREFIX*")]
    pub(crate) without: Vec<String>,
    /// Only cross-validate, and print the results
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Only cross-validate, with all features and without each group of features, and print a table
    #[arg(long, conflicts_with = "out")]
    pub(crate) table: bool,
}

/// Writes to the terminal.
#[expect(clippy::print_stderr, reason = "this is a program for its terminal")]
pub(crate) fn report(message: &str) {
    eprintln!("{message}");
}
