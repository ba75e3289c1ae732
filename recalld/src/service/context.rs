//! The origin of a request: its directory, project and session.

use std::path::PathBuf;

use recall_api::v1::RequestContext;
use recall_api::{InvalidRequest, Problem};
use recall_engine::{Origin, RootCheck};

/// Reads the origin of a request about the present.
///
/// # Errors
/// The context has neither a working directory nor a project root, or it names a project by id, or a time.
pub(super) fn origin(context: Option<RequestContext>) -> Result<Origin, InvalidRequest> {
    let RequestContext { working_directory, project_root, project_id, allow_broad_root, domain, as_of, .. } =
        context.unwrap_or_default();
    if !project_id.is_empty() {
        let problem = Problem::Unknown { value: project_id, known: "none; name the project by its root" };
        return Err(InvalidRequest::new("context.project_id", problem));
    }
    if !as_of.is_empty() {
        let problem = Problem::Unknown { value: as_of, known: "none; this request is about the present" };
        return Err(InvalidRequest::new("context.as_of", problem));
    }
    let project = Some(project_root).filter(|root| !root.is_empty()).map(PathBuf::from);
    let directory = match (working_directory.is_empty(), &project) {
        (false, _) => PathBuf::from(working_directory),
        (true, Some(root)) => root.clone(),
        (true, None) => return Err(InvalidRequest::new("context.working_directory", Problem::Empty)),
    };
    let root_check = if allow_broad_root { RootCheck::Force } else { RootCheck::Refuse };
    let domain = Some(domain).filter(|name| !name.is_empty());
    Ok(Origin { directory, project, root_check, domain })
}

/// Returns the session of a request; empty if it has none.
pub(super) fn session(context: Option<&RequestContext>) -> String {
    context.map(|context| context.session_id.clone()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(working_directory: &str, project_root: &str) -> RequestContext {
        let (working_directory, project_root) = (working_directory.to_owned(), project_root.to_owned());
        RequestContext { working_directory, project_root, ..RequestContext::default() }
    }

    #[test]
    fn the_origin_is_read_from_the_context() {
        let at = |directory: &str, project: Option<&str>| {
            let (directory, project) = (directory.into(), project.map(PathBuf::from));
            Ok(Origin { directory, project, root_check: RootCheck::Refuse, domain: None })
        };
        assert_eq!(origin(Some(context("/w", ""))), at("/w", None));
        assert_eq!(origin(Some(context("/w/src", "/w"))), at("/w/src", Some("/w")));
        assert_eq!(origin(Some(context("", "/w"))), at("/w", Some("/w")));
        assert_eq!(origin(None).map_err(|error| error.field), Err("context.working_directory"));
    }
}
