//! `recall man`

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use crate::Exit;
use crate::args::groups::{GROUPS, members};
use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::output::Format;
use crate::output::human::quantity::count_noun;

/// The name of the program, whose page lists its commands.
const PROGRAM: &str = "recall";

/// Arguments of `recall man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The folder for the pages, as in `recall man ~/.local/share/man/man1`.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// The pages that were written.
#[derive(Debug, Serialize)]
struct Pages {
    written: Vec<PathBuf>,
}

/// Writes a page for the program that `definition` describes and for each of its commands.
pub(super) fn run(args: &ManArgs, definition: clap::Command, context: &CommandContext) -> Result<Exit, CommandError> {
    let folder = context.absolute(&args.folder);
    let written = write(&folder, definition)?;
    match context.output.format {
        Format::Json => context.output.answer(&Pages { written })?,
        Format::Human => {
            let pages = count_noun(written.len() as u64, "page", "pages");
            context.output.text(&format!("{pages} written to {}\n", folder.display()))?;
        }
    }
    Ok(Exit::Done)
}

fn write(folder: &Path, definition: clap::Command) -> Result<Vec<PathBuf>, CommandError> {
    let refused = |source| CliError::refusal(format!("cannot write into `{}`", folder.display()), &source);
    fs::create_dir_all(folder).map_err(refused)?;
    // The pages are named by the whole command: `recall-session-list.1`.
    let mut definition = definition.disable_help_subcommand(true);
    definition.build();
    let mut written = Vec::new();
    write_command(folder, &definition, &mut written).map_err(refused)?;
    written.sort();
    Ok(written)
}

fn write_command(folder: &Path, command: &clap::Command, written: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for child in command.get_subcommands().filter(|child| !child.is_hide_set()) {
        write_command(folder, child, written)?;
    }
    let page = clap_mangen::Man::new(command.clone());
    let path = folder.join(page.get_filename());
    let mut text = Vec::new();
    if command.get_name() == PROGRAM {
        render_groups(&page, command, &mut text)?;
    } else {
        page.render(&mut text)?;
    }
    fs::write(&path, text)?;
    written.push(path);
    Ok(())
}

/// Renders the page of the program, whose commands are listed by group.
fn render_groups(page: &clap_mangen::Man, command: &clap::Command, text: &mut Vec<u8>) -> std::io::Result<()> {
    page.render_title(text)?;
    page.render_name_section(text)?;
    page.render_synopsis_section(text)?;
    page.render_description_section(text)?;
    for group in GROUPS {
        writeln!(text, ".SH {}", group.title.to_uppercase())?;
        for (name, about) in members(group, command) {
            writeln!(text, ".TP\n{PROGRAM}\\-{name}(1)\n{}", about.replace('-', "\\-"))?;
        }
    }
    page.render_options_section(text)?;
    page.render_extra_section(text)?;
    page.render_version_section(text)
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Mirror {
        ok: bool,
        schema_version: String,
        written: Vec<PathBuf>,
    }

    #[test]
    fn every_command_has_a_page() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let written = write(folder.path(), crate::definition()).expect("written");
        let json = serde_json::to_string(&recall_api::json::answer(Pages { written })).expect("paths are text");
        let Mirror { ok, schema_version, written } = serde_json::from_str(&json).expect("the schema");
        assert_eq!((ok, schema_version.as_str()), (true, "1"));
        let names: Vec<_> = written.iter().filter_map(|path| path.file_name()?.to_str()).collect();
        for expected in ["recall.1", "recall-search.1", "recall-session-list.1", "recall-models-runtime-install.1"] {
            assert!(names.contains(&expected), "{expected} in {names:?}");
        }
        let page = fs::read_to_string(folder.path().join("recall-search.1")).expect("text");
        assert!(page.contains(".TH recall-search 1") && page.contains("\\-\\-lang"), "{page}");
        assert!(page.contains("recall search SessionStore::open"), "the examples: {page}");
        let page = fs::read_to_string(folder.path().join("recall.1")).expect("text");
        assert!(page.contains(".SH FIND\n.TP\nrecall\\-search(1)\nSearch code"), "{page}");
        assert!(page.contains(".SH OPERATE") && page.contains(".SH OPTIONS"), "{page}");
        assert!(!names.contains(&"recall-hook.1") && !page.contains("recall\\-hook"), "hidden: {page}");
    }
}
