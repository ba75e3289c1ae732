//! The RPCs about what was proposed, and about what is to be taken back.

use recall_api::convert::{memory, review as convert, scope, time};
use recall_api::v1::{self, ReviewRequest, ReviewResponse, RollBackRequest, RollBackResponse};
use recall_api::{Failure, InvalidRequest};
use recall_engine::{Dependent, ReviewReport, RollBackReport, TakenBack};
use tonic::Status;

use super::memory::warnings;
use super::{Service, context};

/// The hint if a text is not the id of a proposal.
const NAMED: &str = "`recall review` shows what waits; the first 4 digits of an id are enough, as in `D-0123`";

/// `Review`: accepts, rejects or merges a proposal.
pub(super) async fn review(service: &Service, request: ReviewRequest) -> Result<ReviewResponse, Status> {
    let (from, asked) = convert::review(request).map_err(no_review)?;
    let origin = context::origin(Some(from))?;
    let report = service.call(move |daemon| daemon.engine.review_memory(&origin, &asked)).await?;
    let ReviewReport { memory: kept, notes } = report;
    let memory = kept.map(|view| memory::to_proto(&view, view.memory.scope));
    Ok(ReviewResponse { memory, warnings: warnings(notes) })
}

/// Returns the failure of a request that is not a review.
fn no_review(invalid: InvalidRequest) -> Failure {
    let names_proposal = invalid.field == "id";
    let failure = Failure::from(invalid);
    if names_proposal { failure.with_hint(NAMED) } else { failure }
}

/// `RollBack`: takes back what was written.
pub(super) async fn roll_back(service: &Service, request: RollBackRequest) -> Result<RollBackResponse, Status> {
    let (from, asked) = convert::roll_back(request)?;
    let origin = context::origin(Some(from))?;
    let report = service.call(move |daemon| daemon.engine.roll_back(&origin, &asked)).await?;
    let RollBackReport { taken_back, dependents, undo } = report;
    Ok(RollBackResponse {
        taken_back: taken_back.into_iter().map(change).collect(),
        dependents: dependents.into_iter().map(dependent).collect(),
        undo: undo.unwrap_or_default(),
    })
}

fn change(taken_back: TakenBack) -> v1::TakenBack {
    let TakenBack { item, title, how, at, scope: store } = taken_back;
    v1::TakenBack {
        id: item.to_string(),
        title,
        how: how.to_owned(),
        time: Some(time::to_proto(at)),
        scope: scope::store_to_proto(store).into(),
    }
}

fn dependent(dependent: Dependent) -> v1::Dependent {
    let Dependent { on, id, title, how } = dependent;
    v1::Dependent { on: on.to_string(), id: id.to_string(), title, how: how.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_no_id_has_a_hint_to_the_proposals() {
        let request = |id: &str| {
            let context = Some(v1::RequestContext { working_directory: "/p".to_owned(), ..Default::default() });
            ReviewRequest { context, id: id.to_owned(), action: v1::ReviewAction::Accept.into(), ..Default::default() }
        };
        let hint = |request| convert::review(request).map_err(no_review).expect_err("invalid").hint;
        assert_eq!(hint(request("L-12")).as_deref(), Some(NAMED));
        assert_eq!(hint(ReviewRequest { action: 0, ..request("L-12345678") }), None);
    }
}
