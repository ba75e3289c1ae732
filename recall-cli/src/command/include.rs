//! `recall include`

use std::path::PathBuf;

use clap::Args;
use recall_api::convert::scope;
use recall_api::v1;
use recall_core::{DocumentType, Scope};

use crate::command_context::CommandContext;
use crate::error::{CliError, CommandError};
use crate::{Exit, args, progress};

/// Arguments of `recall include`.
#[derive(Debug, Args)]
pub(crate) struct IncludeArgs {
    /// The files and directories to index, inside the project or a configured root.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Only files whose path below the project's root matches one of these globs.
    #[arg(long = "glob", value_name = "GLOB")]
    globs: Vec<String>,
    /// Tags for the documents.
    #[arg(long = "tag", value_delimiter = ',', value_name = "TAG")]
    tags: Vec<String>,
    /// Where the files come from, as free text.
    #[arg(long, default_value = "", hide_default_value = true, value_name = "TEXT")]
    source: String,
    /// The type of the documents [default: derived from their paths].
    #[arg(long = "type", value_parser = args::document_type, value_name = "TYPE")]
    document_type: Option<DocumentType>,
    /// Treat a file with the same size and modification time as unchanged, even if it is named explicitly.
    #[arg(long)]
    mtime_only: bool,
    /// Skip files that match these `.gitignore` patterns.
    #[arg(long = "ignore", value_name = "PATTERN")]
    ignore: Vec<String>,
    /// Do not descend into subdirectories.
    #[arg(long)]
    no_recursive: bool,
    /// The store to add them to: project or global.
    #[arg(long, default_value = "project", value_parser = args::scope)]
    scope: Scope,
}

pub(super) async fn run(args: IncludeArgs, context: &CommandContext) -> Result<Exit, CommandError> {
    let request = request(args, context.request_context())?;
    let client = context.connect().await?;
    let events = client.index(request).await?;
    progress::follow_index(events, &client, context).await
}

fn request(args: IncludeArgs, context: v1::RequestContext) -> Result<v1::IndexRequest, CommandError> {
    let IncludeArgs { paths, globs, tags, source, document_type, mtime_only, ignore, no_recursive, scope } = args;
    Ok(v1::IndexRequest {
        context: Some(context),
        paths: paths.into_iter().map(text).collect::<Result<_, _>>()?,
        globs,
        tags,
        source,
        type_hint: document_type.map(|kind| kind.as_str().to_owned()).unwrap_or_default(),
        recursive: Some(!no_recursive),
        mtime_only,
        ignore,
        force: false,
        scope: scope::to_proto(scope).into(),
    })
}

/// Converts a path for the protocol. Rejects a path that is not UTF-8: its lossy form could name another file.
fn text(path: PathBuf) -> Result<String, CommandError> {
    path.into_os_string().into_string().map_err(|path| {
        let message = format!("the name `{}` is not UTF-8", path.display());
        CliError::usage(message).with_hint("rename the file; recall knows files by names in UTF-8").into()
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: IncludeArgs,
    }

    #[test]
    fn every_flag_reaches_the_request() {
        let line = "include docs a.md --glob *.md --tag x,y --source wiki --type runbook --mtime-only --ignore old/ \
                    --no-recursive --scope global";
        let line = Line::try_parse_from(line.split(' ')).expect("well-formed");
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let expected = v1::IndexRequest {
            context: Some(v1::RequestContext::default()),
            paths: texts(&["docs", "a.md"]),
            globs: texts(&["*.md"]),
            tags: texts(&["x", "y"]),
            source: "wiki".to_owned(),
            type_hint: "playbook".to_owned(),
            recursive: Some(false),
            mtime_only: true,
            ignore: texts(&["old/"]),
            force: false,
            scope: v1::Scope::Global.into(),
        };
        assert_eq!(request(line.args, v1::RequestContext::default()).expect("all are text"), expected);
    }
}
