//! Output of a report, and the exit code if a floor is missed.

use recall_proto::Reason;

use super::{Floor, FloorCheck, Report};
use crate::Exit;
use crate::complaint::{CommandError, Complaint};
use crate::output::{Format, Output, human, json};

impl Report {
    /// Prints the report. The exit code reports a missed floor.
    pub(crate) fn show(&self, output: &Output) -> Result<Exit, CommandError> {
        match output.format {
            Format::Json => {
                output.json(&json::evaluation::report(self))?;
                Ok(if self.floors.iter().all(FloorCheck::holds) { Exit::Done } else { Exit::Refused })
            }
            Format::Human => {
                output.text(&human::evaluation::render(self, output.width))?;
                match self.floors.iter().find(|check| !check.holds()) {
                    Some(check) => Err(below(check).into()),
                    None => Ok(Exit::Done),
                }
            }
        }
    }
}

fn below(check: &FloorCheck) -> Complaint {
    let FloorCheck { floor: Floor { metric, least }, mean } = check;
    Complaint::new(Exit::Refused, Reason::SearchFailed, format!("{metric} is {mean:.4}; the floor is {least:.4}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_floor_holds_at_its_value() {
        let floor: Floor = "mrr@5=0.5".parse().expect("a floor");
        assert!(FloorCheck { floor, mean: 0.5 }.holds());
        assert!(!FloorCheck { floor, mean: 0.4999 }.holds());
        assert_eq!(below(&FloorCheck { floor, mean: 0.25 }).message, "mrr@5 is 0.2500; the floor is 0.5000");
    }
}
