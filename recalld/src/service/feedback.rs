//! `Feedback`: records a judgement about an item.

use recall_core::Scope;
use recall_engine::{FeedbackReport, ItemRequest, Parent};
use recall_proto::convert::{memory, remember};
use recall_proto::v1::{FeedbackRequest, FeedbackResponse};
use tonic::Status;

use super::{Service, context};

pub(super) async fn handle(service: &Service, request: FeedbackRequest) -> Result<FeedbackResponse, Status> {
    let mut request = request;
    if let Some(document) = remember::rated_by_path(&request) {
        let origin = context::origin(request.context.clone())?;
        let asked = ItemRequest { id: document, parent: Parent::Leave, scope: Scope::All };
        let item = service.call(move |daemon| daemon.engine.get(&origin, &asked)).await?;
        request.item_id = item.document.id.to_string();
    }
    let (from, asked) = remember::feedback(request)?;
    let origin = context::origin(Some(from))?;
    let FeedbackReport { stats } = service.call(move |daemon| daemon.engine.rate_item(&origin, &asked)).await?;
    Ok(FeedbackResponse { acknowledged: true, item_stats: Some(memory::stats_to_proto(&stats)) })
}
