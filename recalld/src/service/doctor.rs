//! `Doctor`: checks the stores and the models, and repairs the stores on request.

use std::sync::Arc;

use recall_api::convert::scope;
use recall_api::v1::{self, DoctorRequest, DoctorResponse, Severity};
use recall_core::Scope;
use recall_engine::{Check, DoctorReport, DoctorRequest as Asked, Finding, Fix, Gravity, Problem, SecretScan};
use tonic::Status;

use super::warning::ROTATE;
use super::{Service, context, ids};
use crate::blocking;
use crate::models::ModelProblem;

/// The name of the check of the models, which belong to no store.
const MODELS: &str = "models";

/// The name of the check of the parse workers, which belong to no store.
const PARSERS: &str = "parsers";

pub(super) async fn handle(service: &Service, request: DoctorRequest) -> Result<DoctorResponse, Status> {
    let DoctorRequest { context, scope: wanted, fix, secrets } = request;
    let asked = Asked {
        scope: scope::from_proto(wanted, Scope::All)?,
        fix: if fix { Fix::Everything } else { Fix::Nothing },
        secrets: if secrets { SecretScan::On } else { SecretScan::Off },
    };
    let origin = context::origin(context)?;
    let report = service.call(move |daemon| daemon.engine.doctor(&origin, &asked)).await?;
    let daemon = Arc::clone(&service.daemon);
    let models = blocking::run(move || daemon.models.problems_now()).await?;
    let DoctorReport { findings, checked } = report;
    let checked = checked.into_iter().map(Check::as_str).chain([MODELS, PARSERS]);
    let parsers = service.daemon.parsers.problem();
    let parsers = parsers.as_deref().map(parser_finding);
    Ok(DoctorResponse {
        findings: models
            .into_iter()
            .map(model_finding)
            .chain(parsers)
            .chain(findings.into_iter().map(finding))
            .collect(),
        checked: checked.map(str::to_owned).collect(),
    })
}

/// Converts the problem of a selected model to a finding.
fn model_finding(problem: ModelProblem) -> v1::Finding {
    let ModelProblem { message, hint, path } = problem;
    v1::Finding {
        check: MODELS.to_owned(),
        severity: Severity::Error.into(),
        message,
        hint,
        path: path.to_string_lossy().into_owned(),
        fixed: false,
        store_id: String::new(),
    }
}

/// Converts the problem of the parse workers to a finding.
fn parser_finding(reason: &str) -> v1::Finding {
    v1::Finding {
        check: PARSERS.to_owned(),
        severity: Severity::Warning.into(),
        message: format!("source code is parsed in the daemon's process, which a faulty grammar can end: {reason}"),
        hint: "check that the daemon may run its own program".to_owned(),
        path: String::new(),
        fixed: false,
        store_id: String::new(),
    }
}

fn finding(found: Finding) -> v1::Finding {
    let Finding { root, problem, is_fixed } = found;
    let severity = match problem.gravity() {
        Gravity::Error => Severity::Error,
        Gravity::Warning => Severity::Warning,
        Gravity::Notice => Severity::Notice,
    };
    let check = problem.check().as_str().to_owned();
    let Description { message, hint, path } = describe(problem);
    v1::Finding {
        check,
        severity: severity.into(),
        message,
        hint: hint.to_owned(),
        path: path.map(|path| root.join(path).to_string_lossy().into_owned()).unwrap_or_default(),
        fixed: is_fixed,
        store_id: ids::store_id(&root),
    }
}

/// The text of a problem.
struct Description {
    message: String,
    hint: &'static str,
    /// The path concerned: absolute, or relative to the store's root.
    path: Option<std::path::PathBuf>,
}

/// The hint for problems of derived data.
const FIX: &str = "`recall doctor --fix` repairs it";

#[expect(clippy::too_many_lines, reason = "one arm for each problem")]
fn describe(problem: Problem) -> Description {
    match problem {
        Problem::JournalsUnread { reason } => Description {
            message: format!("the journals cannot be read: {reason}"),
            hint: "check who may read them",
            path: None,
        },
        Problem::JournalLine { path, line, reason, is_loss: true } => Description {
            message: format!("line {line} cannot be read and is ignored: {reason}"),
            hint: "repair the line by hand, or restore it from git; recall never changes it",
            path: Some(path),
        },
        Problem::JournalLine { path, line, reason, is_loss: false } => Description {
            message: format!("line {line}: {reason}; the events around it count"),
            hint: "delete the line by hand",
            path: Some(path),
        },
        Problem::SelectionLine { path, line, reason } => Description {
            message: format!("line {line} cannot be read and is ignored: {reason}"),
            hint: "correct or delete the line; recall never changes it",
            path: Some(path),
        },
        Problem::Orphan { id } => Description {
            message: format!("the memory {id} has amendments only: the line that added it is missing"),
            hint: "`git log -p -- .recall` shows where it went",
            path: None,
        },
        Problem::Rivals { id } => Description {
            message: format!("two memories share the id {id}; the older one is used"),
            hint: "store the other one again with `recall remember`",
            path: None,
        },
        Problem::GitLine { path, line } => {
            Description { message: format!("the line `{line}` is missing"), hint: FIX, path: Some(path) }
        }
        Problem::LeadsOut { path } => Description {
            message: "git is not run here: its references or objects are those of another repository".to_owned(),
            hint: "`git repack -a -d`, then delete `objects/info/alternates` and replace links by what they lead to",
            path: Some(path),
        },
        Problem::Vanished { events, reason } => {
            let why =
                reason.map(|reason| format!("; they are not put back by themselves: {reason}")).unwrap_or_default();
            Description {
                message: format!("{events} events that recall wrote here are in no journal and nowhere in git{why}"),
                hint: "`recall doctor --fix` appends them to the journals again",
                path: None,
            }
        }
        Problem::PutBack { events, last, gone_again } => {
            let again = match gone_again {
                0 => String::new(),
                gone => format!("; {gone} of them are gone again, and stay so"),
            };
            Description {
                message: format!(
                    "{events} events had vanished from the journals and were put back, the last at {last}{again}"
                ),
                hint: "git had dropped lines that no commit has, or git and a person changed a journal; `recall rm ID` deletes a memory for good",
                path: None,
            }
        }
        Problem::TakenOut { events } => Description {
            message: format!("{events} events were taken out of the journals by hand; they stay out"),
            hint: "if that was not intended, restore the journal from git or from the editor's backup",
            path: None,
        },
        Problem::Pending { memories } => Description {
            message: format!(
                "memories that are in no journal yet, because they were saved in a linked work tree: {memories}"
            ),
            hint: "`recall doctor --fix` writes them to the journal of this work tree, so that you can commit them",
            path: None,
        },
        Problem::OwnUnread { reason } => Description {
            message: format!("the log of what recall wrote here cannot be read: {reason}"),
            hint: "check who may read the folder `written` in the data home",
            path: None,
        },
        Problem::Unconfirmed { memories } => Description {
            message: format!("memories from the repository that you have not confirmed: {memories}"),
            hint: "read them with `recall list`, then confirm them with `recall verify --confirm --all`",
            path: None,
        },
        Problem::MemoriesBehind { memories } => {
            let message = format!("the index differs from the journals by {memories} memories");
            Description { message, hint: FIX, path: None }
        }
        Problem::CatalogDamaged { reason } => {
            Description { message: format!("the catalog is damaged: {reason}"), hint: FIX, path: None }
        }
        Problem::LexicalBehind { catalog, lexical } => {
            let message = format!("the lexical index is of generation {lexical}, the catalog of {catalog}");
            Description { message, hint: FIX, path: None }
        }
        Problem::Vectors { reason } => Description {
            message: format!("embeddings are ignored: {reason}"),
            hint: "they are rebuilt in the background; `recall status` shows the progress",
            path: None,
        },
        Problem::Repaired { what } => {
            Description { message: format!("it was damaged and has been rebuilt: {what}"), hint: "", path: None }
        }
        Problem::IndexInProject { path } => Description {
            message: "an index inside a project is ignored: someone else may have made it".to_owned(),
            hint: "delete it; recall keeps the index in its data home",
            path: Some(path),
        },
        Problem::Secrets { path, count, rules } => Description {
            message: format!(
                "it contains {count} secret{} ({}), masked in answers",
                if count == 1 { "" } else { "s" },
                rules.join(", ")
            ),
            hint: ROTATE,
            path: Some(path.as_str().into()),
        },
    }
}
