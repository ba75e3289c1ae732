//! What is to be done, by the command line?

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Mines the queries of the shipped rankers, and trains them.
#[derive(Debug, Parser)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Asks the engine mined queries, and writes down what the ranker would see.
    Mine(MineArguments),
    /// Asks the engine everything that people look for in whole repositories with memories, and writes down what the relevance
    /// would see.
    Pool(PoolArguments),
    /// Learns a ranker from mined queries.
    Train(TrainArguments),
}

#[derive(Debug, Args)]
pub(crate) struct MineArguments {
    /// The list of repositories.
    #[arg(long, default_value = "training/rank/sources.toml")]
    pub(crate) sources: PathBuf,
    /// The folder of bare clones, `OWNER+NAME/repo`; what is missing is cloned into it.
    #[arg(long)]
    pub(crate) mirrors: PathBuf,
    /// The folder that gets two files of judged queries a repository, one below `words` and one below `meaning`; those that
    /// are there are not made again.
    #[arg(long)]
    pub(crate) out: PathBuf,
    /// The kinds of queries that are asked: `commit`, `comment`, `heading`.
    #[arg(long, value_delimiter = ',', default_values_t = ["commit".to_owned(), "comment".to_owned(), "heading".to_owned()])]
    pub(crate) kinds: Vec<String>,
    /// An encoder that tells the meaning together with the built-in model: its folder, as `recall models add` leaves it.
    #[arg(long, value_name = "FOLDER", requires = "runtime")]
    pub(crate) encoder: Option<PathBuf>,
    /// The library that runs the encoder.
    #[arg(long, value_name = "FILE", requires = "encoder")]
    pub(crate) runtime: Option<PathBuf>,
    /// The most sections of a repository among which one is looked for.
    #[arg(long, default_value_t = 3_000)]
    pub(crate) sections: usize,
    /// How many headings of a repository are asked.
    #[arg(long, default_value_t = 40)]
    pub(crate) headings: usize,
    /// How many repositories are worked on at once.
    #[arg(long, default_value_t = 2)]
    pub(crate) jobs: usize,
}

#[derive(Debug, Args)]
pub(crate) struct PoolArguments {
    /// The list of repositories.
    #[arg(long, default_value = "training/rank/sources.toml")]
    pub(crate) sources: PathBuf,
    /// The folder of bare clones, `OWNER+NAME/repo`; what is missing is cloned into it.
    #[arg(long)]
    pub(crate) mirrors: PathBuf,
    /// The folder that gets two files of judged questions a repository, one below `words` and one below `meaning`; those that
    /// are there are not made again.
    #[arg(long)]
    pub(crate) out: PathBuf,
    /// How many repositories of the list are asked.
    #[arg(long, default_value_t = usize::MAX)]
    pub(crate) repositories: usize,
    /// How many repositories are worked on at once.
    #[arg(long, default_value_t = 2)]
    pub(crate) jobs: usize,
}

/// What a ranker knows of candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Knows {
    /// Words, names, paths and the graph.
    Words,
    /// That, and how near they are in meaning by the built-in model.
    Meaning,
}

impl Knows {
    pub(crate) const ALL: [Self; 2] = [Self::Words, Self::Meaning];
}

#[derive(Debug, Args)]
pub(crate) struct TrainArguments {
    /// The folder that `mine` filled, `words` or `meaning` below it.
    #[arg(long)]
    pub(crate) from: PathBuf,
    /// Where the ranker goes.
    #[arg(long, required_unless_present_any = ["dry_run", "table"])]
    pub(crate) out: Option<PathBuf>,
    /// The kinds of queries to learn from, with their weights: `commit=1`, `comment=0.3`.
    #[arg(long, value_delimiter = ',', required = true)]
    pub(crate) kinds: Vec<String>,
    /// Whether the ranker will know the meaning beside the words, as the queries were mined.
    #[arg(long, value_enum, default_value_t = Knows::Meaning)]
    pub(crate) knows: Knows,
    /// Learns how likely a document of any kind is relevant, from what `pool` wrote, instead of the order of one kind.
    #[arg(long)]
    pub(crate) relevance: bool,
    /// A ranker to begin with, of the same features or the first of them: its trees are kept, and what is learnt is added.
    #[arg(long, value_name = "FILE")]
    pub(crate) start: Option<PathBuf>,
    /// How many trees are learnt.
    #[arg(long, default_value_t = 250)]
    pub(crate) trees: usize,
    /// Where chance begins.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Features that nothing is learnt from: names, or `path*` for all that begin so.
    #[arg(long, value_delimiter = ',', value_name = "NAME|PREFIX*")]
    pub(crate) without: Vec<String>,
    /// Only cross-validate, and print the figures.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Only cross-validate, once with everything and once without each group of features, and print the table.
    #[arg(long, conflicts_with = "out")]
    pub(crate) table: bool,
}
