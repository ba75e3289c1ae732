use anyhow::Result;
use clap::Parser;

mod cli;
mod parser;
mod sink;

fn main() -> Result<()> {
    let args = cli::Args::parse();
    let mut sink = sink::BatchSink::new(&args.database_url, args.batch)?;
    for row in parser::CarrierFileReader::open(&args.file)? {
        sink.push(row?)?;
    }
    sink.flush()?;
    Ok(())
}
