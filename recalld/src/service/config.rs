//! `Config`: returns the settings that hold for a project and the daemon.

use recall_api::v1::{self, ConfigRequest, ConfigResponse, Severity};
use recall_api::{Failure, Reason};
use recall_config::{BroadRoot, Layer, Origin, Place, Row, settings_root};
use recall_engine::RootCheck;
use recall_text::error_chain;
use tonic::Status;

use super::{Service, context, warning};
use crate::configuration::{Configuration, Given};

pub(super) async fn handle(service: &Service, request: ConfigRequest) -> Result<ConfigResponse, Status> {
    let ConfigRequest { context, key } = request;
    let origin = context::origin(context)?;
    let broad = match origin.root_check {
        RootCheck::Refuse => BroadRoot::Refuse,
        RootCheck::Force => BroadRoot::Accept,
    };
    service
        .call(move |daemon| {
            let configuration = &daemon.configuration;
            let home = configuration.environment.home.as_deref();
            let root = settings_root(&origin.directory, origin.project.as_deref(), home, broad);
            match configuration.given_settings(root.as_deref()) {
                Ok(Given { table, warnings }) => {
                    let warnings = warnings.iter().map(|problem| problem_of(problem.to_string())).collect();
                    let wanted = select_rows(table.rows(), &key).map(|row| setting(row, configuration)).collect();
                    find_origin(wanted, warnings, &key, || table.nearest(&key))
                }
                // Whatever the files say, the daemon runs with what they said when it started.
                Err(error) => {
                    let table = &configuration.started;
                    let wanted = select_rows(table.rows(), &key).map(|row| setting(row, configuration)).collect();
                    find_origin(wanted, vec![problem_of(error_chain(&error))], &key, || table.nearest(&key))
                }
            }
        })
        .await
}

/// Returns the rows of a setting or a section; all for an empty name.
fn select_rows<'r>(rows: impl Iterator<Item = &'r Row>, key: &str) -> impl Iterator<Item = &'r Row> {
    rows.filter(move |row| {
        key.is_empty() || row.key == key || row.key.strip_prefix(key).is_some_and(|rest| rest.starts_with('.'))
    })
}

fn find_origin(
    settings: Vec<v1::Setting>,
    warnings: Vec<v1::Warning>,
    key: &str,
    nearest: impl Fn() -> Option<&'static str>,
) -> Result<ConfigResponse, Failure> {
    if !settings.is_empty() {
        return Ok(ConfigResponse { settings, warnings });
    }
    let failure = Failure::new(Reason::InvalidArgument, format!("unknown setting `{key}`")).with_detail("field", "key");
    Err(match nearest() {
        Some(name) => failure.with_hint(format!("did you mean `{name}`?")),
        None => failure.with_hint("`recall config list` shows all settings"),
    })
}

fn problem_of(message: String) -> v1::Warning {
    warning::new("CONFIGURATION", Severity::Warning, message, "")
}

fn setting(row: &Row, configuration: &Configuration) -> v1::Setting {
    let Row { key, reach, shape: _, value, origin: Origin { layer, place }, default, doc } = row;
    let (file, line, variable) = match place {
        Some(Place::File { path, line }) => (path.to_string_lossy().into_owned(), *line as u32, String::new()),
        Some(Place::Variable { name }) => (String::new(), 0, name.clone()),
        Some(Place::Flag) | None => Default::default(),
    };
    let layer = match layer {
        Layer::Default => v1::ConfigLayer::Default,
        Layer::User => v1::ConfigLayer::User,
        Layer::Project => v1::ConfigLayer::Project,
        Layer::Environment => v1::ConfigLayer::Environment,
        Layer::Flag => v1::ConfigLayer::Flag,
    };
    v1::Setting {
        key: (*key).to_owned(),
        value: value.clone(),
        layer: layer.into(),
        file,
        line,
        doc: doc.clone(),
        variable,
        running: configuration.running(key, value).unwrap_or_default().to_owned(),
        default_value: (*default).to_owned(),
        who: reach.who().to_owned(),
        read_by: reach.read_by().to_owned(),
    }
}
