//! The output of a report, for a person or as JSON, and the exit code, which reports a missed floor.

use recall_api::Reason;
use recall_cli::{CliError, Exit, Format, Output};

use crate::error::BenchError;
use crate::report::{Floor, FloorCheck, Report};
use crate::{human, json};

impl Report {
    /// Prints the report. The exit code reports a missed floor.
    pub(crate) fn show(&self, output: &Output) -> Result<Exit, BenchError> {
        match output.format {
            Format::Json => {
                output.json(&json::report(self))?;
                Ok(if self.floors.iter().all(FloorCheck::holds) { Exit::Done } else { Exit::Refused })
            }
            Format::Human => {
                output.text(&human::report(self, output.width))?;
                match self.floors.iter().find(|check| !check.holds()) {
                    Some(check) => Err(below(check).into()),
                    None => Ok(Exit::Done),
                }
            }
        }
    }
}

fn below(check: &FloorCheck) -> CliError {
    let FloorCheck { floor: Floor { metric, least }, mean } = check;
    CliError::new(Exit::Refused, Reason::SearchFailed, format!("{metric} is {mean:.4}; the floor is {least:.4}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missed_floor_is_named_with_its_value() {
        let floor: Floor = "mrr@5=0.5".parse().expect("a floor");
        assert_eq!(below(&FloorCheck { floor, mean: 0.25 }).message, "mrr@5 is 0.2500; the floor is 0.5000");
    }
}
