use clap::Parser;
use std::path::PathBuf;

/// Load a carrier file into Postgres.
#[derive(Parser, Debug)]
pub struct Args {
    pub file: PathBuf,
    #[arg(long, env = "DATABASE_URL")]
    pub database_url: String,
    #[arg(long, default_value_t = 500)]
    pub batch: usize,
    #[arg(long)]
    pub dry_run: bool,
}
