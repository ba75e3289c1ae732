//! `Index`: adds files to the index.

use std::path::PathBuf;

use recall_api::convert::{document_type, scope};
use recall_api::v1::{IndexEvent, IndexRequest};
use recall_api::{InvalidRequest, Problem};
use recall_core::Scope;
use recall_engine::IndexRequest as Asked;
use tonic::Status;

use super::{Pieces, Service, context, run};

pub(super) fn handle(service: &Service, request: IndexRequest) -> Result<Pieces<IndexEvent>, Status> {
    let IndexRequest {
        context,
        paths,
        globs,
        tags,
        source,
        type_hint,
        recursive,
        // Size and modification time are always compared.
        mtime_only: _,
        ignore,
        force,
        scope: wanted,
    } = request;
    let origin = context::origin(context)?;
    let wanted = scope::from_proto(wanted, Scope::Project)?;
    let asked = Asked {
        paths: checked_paths(paths)?,
        scope: wanted,
        recursive: recursive.unwrap_or(true),
        globs,
        ignore,
        tags,
        source: Some(source).filter(|source| !source.is_empty()),
        document_type: document_type("type_hint", &type_hint)?,
        force,
    };
    Ok(run::stream(service, origin, wanted, move |engine, origin, progress, cancel| {
        engine.index(origin, &asked, progress, cancel)
    }))
}

fn checked_paths(paths: Vec<String>) -> Result<Vec<PathBuf>, InvalidRequest> {
    for path in &paths {
        if path.is_empty() {
            return Err(InvalidRequest::new("paths", Problem::Empty));
        }
        if path.contains('\0') {
            let problem = Problem::Malformed { value: path.replace('\0', "\u{fffd}"), expected: "a path without NUL" };
            return Err(InvalidRequest::new("paths", problem));
        }
    }
    Ok(paths.into_iter().map(PathBuf::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_path_is_rejected() {
        for path in ["", "a\0b"] {
            assert_eq!(checked_paths(vec![path.to_owned()]).map_err(|error| error.field), Err("paths"), "{path:?}");
        }
        assert_eq!(checked_paths(vec!["src".to_owned()]), Ok(vec![PathBuf::from("src")]));
    }
}
