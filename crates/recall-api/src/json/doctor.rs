//! Reports of `doctor`.

use crate::v1;
use serde::Serialize;

use crate::json::{answer, non_empty};

#[derive(Debug, Serialize)]
struct Report<'a> {
    findings: Vec<Finding<'a>>,
    checked: &'a [String],
}

#[derive(Debug, Serialize)]
struct Finding<'a> {
    check: &'a str,
    severity: &'static str,
    message: &'a str,
    hint: Option<&'a str>,
    path: Option<&'a str>,
    fixed: bool,
    store_id: Option<&'a str>,
}

/// The findings of a check, the most severe first.
pub fn doctor(message: &v1::DoctorResponse) -> impl Serialize {
    let v1::DoctorResponse { findings, checked } = message;
    answer(Report { findings: findings.iter().map(Finding::from).collect(), checked })
}

impl<'a> From<&'a v1::Finding> for Finding<'a> {
    fn from(message: &'a v1::Finding) -> Self {
        let v1::Finding { check, severity, message, hint, path, fixed, store_id } = message;
        Self {
            check,
            severity: crate::json::severity(*severity),
            message,
            hint: non_empty(hint),
            path: non_empty(path),
            fixed: *fixed,
            store_id: non_empty(store_id),
        }
    }
}
