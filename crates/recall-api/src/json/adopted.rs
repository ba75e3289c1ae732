//! The instructions and memories that agents and people keep in files.

use crate::v1;
use serde::Serialize;

use crate::json::memory::trust_name;
use crate::json::non_empty;

#[derive(Debug, Serialize)]
pub(crate) struct AdoptedCheck<'a> {
    files: u64,
    claims: u64,
    doubts: Vec<Doubt<'a>>,
    too_early: bool,
}

impl<'a> From<&'a v1::AdoptedCheck> for AdoptedCheck<'a> {
    fn from(message: &'a v1::AdoptedCheck) -> Self {
        let v1::AdoptedCheck { files, claims, doubts, too_early } = message;
        let doubts = doubts.iter().map(Doubt::from).collect();
        Self { files: *files, claims: *claims, doubts, too_early: *too_early }
    }
}

#[derive(Debug, Serialize)]
struct Doubt<'a> {
    path: &'a str,
    line: u32,
    sentence: &'a str,
    name: &'a str,
    kind: &'a str,
    reason: &'a str,
}

impl<'a> From<&'a v1::Doubt> for Doubt<'a> {
    fn from(message: &'a v1::Doubt) -> Self {
        let v1::Doubt { path, line, sentence, name, kind, reason } = message;
        Self { path, line: *line, sentence, name, kind, reason }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Adopted<'a> {
    owner: &'a str,
    trust: Option<&'static str>,
    file: Option<&'a str>,
    doubts: Vec<Doubt<'a>>,
}

impl<'a> From<&'a v1::Adopted> for Adopted<'a> {
    fn from(message: &'a v1::Adopted) -> Self {
        let v1::Adopted { owner, trust, file, doubts } = message;
        Self {
            owner,
            trust: trust_name(*trust),
            file: non_empty(file),
            doubts: doubts.iter().map(Doubt::from).collect(),
        }
    }
}
