//! Learns a ranker from mined queries.

use std::error::Error;

use crate::arguments::TrainArguments;

type Failure = Box<dyn Error + Send + Sync>;

pub(crate) fn run(_arguments: &TrainArguments) -> Result<(), Failure> {
    Err("not yet".into())
}
