//! `Doctor`: is everything in the stores as it must be?

use std::sync::Arc;

use recall_core::Scope;
use recall_engine::{Check, DoctorReport, DoctorRequest as Asked, Finding, Gravity, Mend, Problem, SecretScan};
use recall_proto::convert::scope;
use recall_proto::v1::{self, DoctorRequest, DoctorResponse, Severity};
use tonic::Status;

use super::{Service, context, store};
use crate::blocking;
use crate::models::ModelProblem;

/// The check of what does not belong to a store.
const MODELS: &str = "models";

pub(super) async fn handle(service: &Service, request: DoctorRequest) -> Result<DoctorResponse, Status> {
    let DoctorRequest { context, scope: wanted, fix, secrets } = request;
    let asked = Asked {
        scope: scope::from_proto(wanted, Scope::All)?,
        mend: if fix { Mend::Everything } else { Mend::Nothing },
        secrets: if secrets { SecretScan::On } else { SecretScan::Off },
    };
    let origin = context::origin(context)?;
    let report = service.call(move |daemon| daemon.engine.doctor(&origin, &asked)).await?;
    let daemon = Arc::clone(&service.daemon);
    let models = blocking::run(move || daemon.models.problems_now()).await?;
    let DoctorReport { findings, checked } = report;
    let checked = checked.into_iter().map(Check::as_str).chain([MODELS]);
    Ok(DoctorResponse {
        findings: models.into_iter().map(of_models).chain(findings.into_iter().map(finding)).collect(),
        checked: checked.map(str::to_owned).collect(),
    })
}

/// A model that is used cannot be asked.
fn of_models(problem: ModelProblem) -> v1::Finding {
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

fn finding(found: Finding) -> v1::Finding {
    let Finding { root, problem, is_mended } = found;
    let severity = match problem.gravity() {
        Gravity::Error => Severity::Error,
        Gravity::Warning => Severity::Warning,
        Gravity::Notice => Severity::Notice,
    };
    let check = problem.check().as_str().to_owned();
    let Told { message, hint, path } = told(problem);
    v1::Finding {
        check,
        severity: severity.into(),
        message,
        hint: hint.to_owned(),
        path: path.map(|path| root.join(path).to_string_lossy().into_owned()).unwrap_or_default(),
        fixed: is_mended,
        store_id: store::id(&root),
    }
}

/// A problem in words.
struct Told {
    message: String,
    hint: &'static str,
    /// What it is about; absolute, or below the store's root.
    path: Option<std::path::PathBuf>,
}

/// What mends what is derived.
const FIX: &str = "`recall doctor --fix` mends it";

fn told(problem: Problem) -> Told {
    match problem {
        Problem::JournalsUnread { reason } => Told {
            message: format!("the journals cannot be read: {reason}"),
            hint: "check who may read them",
            path: None,
        },
        Problem::JournalLine { path, line, reason, is_loss: true } => Told {
            message: format!("line {line} cannot be read and is passed over: {reason}"),
            hint: "mend the line by hand, or take it from git; recall never changes it",
            path: Some(path),
        },
        Problem::JournalLine { path, line, reason, is_loss: false } => Told {
            message: format!("line {line}: {reason}; the events around it count"),
            hint: "take the line out by hand",
            path: Some(path),
        },
        Problem::SelectionLine { path, line, reason } => Told {
            message: format!("line {line} cannot be read and decides nothing: {reason}"),
            hint: "correct or delete the line; recall never changes it",
            path: Some(path),
        },
        Problem::Orphan { id } => Told {
            message: format!("of the memory {id} only amendments are known: the line that added it is missing"),
            hint: "`git log -p -- .recall` shows where it went",
            path: None,
        },
        Problem::Rivals { id } => Told {
            message: format!("two texts were added as {id}; the earlier one is told"),
            hint: "keep the other one anew with `recall remember`",
            path: None,
        },
        Problem::GitLine { path, line } => {
            Told { message: format!("git is not told `{line}`"), hint: FIX, path: Some(path) }
        }
        Problem::Vanished { events, reason } => {
            let why =
                reason.map(|reason| format!("; they are not put back by themselves: {reason}")).unwrap_or_default();
            Told {
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
            Told {
                message: format!(
                    "{events} events had vanished from the journals and were put back, the last at {last}{again}"
                ),
                hint: "git or an editor had replaced a journal while recall wrote to it",
                path: None,
            }
        }
        Problem::OwnUnread { reason } => Told {
            message: format!("the log of what recall wrote here cannot be read: {reason}"),
            hint: "check who may read the folder `written` in the data home",
            path: None,
        },
        Problem::Unconfirmed { memories } => Told {
            message: format!("memories from the repository that you have not confirmed: {memories}"),
            hint: "read them with `recall list`, then confirm them with `recall verify --confirm --all`",
            path: None,
        },
        Problem::MemoriesBehind { memories } => {
            let message = format!("the index differs from the journals by {memories} memories");
            Told { message, hint: FIX, path: None }
        }
        Problem::CatalogDamaged { reason } => {
            Told { message: format!("the catalog is damaged: {reason}"), hint: FIX, path: None }
        }
        Problem::LexicalBehind { catalog, lexical } => {
            let message = format!("the lexical index is of generation {lexical}, the catalog of {catalog}");
            Told { message, hint: FIX, path: None }
        }
        Problem::Vectors { reason } => Told {
            message: format!("embeddings are passed over: {reason}"),
            hint: "they are made again in the background; `recall status` shows how far that is",
            path: None,
        },
        Problem::Repaired { what } => {
            Told { message: format!("it was found damaged and made anew: {what}"), hint: "", path: None }
        }
        Problem::IndexInProject { path } => Told {
            message: "an index in a project is ignored, as it may be of another author".to_owned(),
            hint: "delete it; recall keeps the index in its data home",
            path: Some(path),
        },
        Problem::Secrets { path, count, rules } => Told {
            message: format!("it holds {count} secrets ({}), which are masked where it is told", rules.join(", ")),
            hint: "take them out of the file, and change them",
            path: Some(path.as_str().into()),
        },
    }
}
