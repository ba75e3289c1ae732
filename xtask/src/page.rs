//! The page in a real browser.

use std::process::{Command, ExitCode};

use crate::{programs, say, workspace};

/// The folder of the pictures that the documentation shows.
const PICTURES: &str = "docs/images";

/// Builds the programs, and has Chromium go through every page of a small project.
///
/// Needs Node and Chromium. The script fetches what drives the browser, and the rules of accessibility, from the npm registry.
///
/// With a folder, it measures the page over that folder instead.
pub(crate) fn run(measured: Option<&str>) -> ExitCode {
    match page(measured) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            say(&format!("error: {why}\n"));
            ExitCode::FAILURE
        }
    }
}

fn page(measured: Option<&str>) -> Result<(), String> {
    let node = |arguments: &[&str]| {
        let mut command = Command::new("node");
        command.current_dir(workspace()).args(arguments);
        command
    };
    // Looked for first: the build takes minutes.
    node(&["--version"]).output().map_err(|error| format!("cannot start Node, which this task needs: {error}"))?;
    let programs = programs::build("release")?;
    let (script, last) = match measured {
        Some(folder) => ("tests/browser/speed.mjs", folder),
        None => ("tests/browser/page.mjs", PICTURES),
    };
    let status = node(&[script])
        .arg(programs)
        .arg(programs::target_folder())
        .arg(last)
        .status()
        .map_err(|error| format!("cannot start Node: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("the page has findings ({status})")) }
}
