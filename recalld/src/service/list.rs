//! `List`: lists the documents and memories of the stores.

use recall_api::convert::{document, indexed_type, limits, remember, scope, time};
use recall_api::v1::{self, ListEntry, ListRequest, ListResponse};
use recall_api::{InvalidRequest, Problem};
use recall_core::{Anchor, AnchorState, PathFilter, Scope};
use recall_engine::{Coverage, ListRequest as Asked, ListSort, Listed, Listing, RecordStatus, Said, StaleReason};
use recall_text::quantity::count_noun;
use recall_text::{Language, fold_case, normalize_text};
use tonic::Status;

use super::{CallLength, Service, context, ids, memory, warning};

/// The most broken anchors that are named.
const MOST_ANCHORS: usize = 3;

pub(super) async fn handle(service: &Service, request: ListRequest) -> Result<ListResponse, Status> {
    let ListRequest {
        context,
        r#type,
        scope: wanted,
        limit,
        sort,
        cursor,
        path,
        tags,
        language,
        flagged,
        stale,
        since,
        before,
        contradicted,
        proposed,
    } = request;
    let session = context::session(context.as_ref());
    let origin = service.origin(context).await?;
    let wanted = scope::from_proto(wanted, Scope::All)?;
    let asked = Asked {
        scope: wanted,
        types: indexed_type("type", &r#type)?.into_iter().collect(),
        languages: Some(language)
            .filter(|name| !name.is_empty())
            .map(|name| Language::from(fold_case(&name).into_owned()))
            .into_iter()
            .collect(),
        tags: tags.iter().map(|tag| normalize_text(tag).into_owned()).collect(),
        path: Some(path).filter(|path| !path.is_empty()).map(|path| PathFilter::new(&path)),
        since: remember::when("since", since)?,
        before: remember::when("before", before)?,
        said: filter_said([flagged, stale, contradicted, proposed])?,
        sort: order(sort)?,
        offset: limits::offset(&cursor)?,
        limit: limits::list_entries(limit, &service.daemon.settings.limits)?,
    };
    let listing = service
        .call_indexed(
            CallLength::Long,
            |listing: &Listing| &listing.warnings,
            move |daemon| daemon.engine.list(&origin, &asked),
        )
        .await?;
    let mut response = response(listing);
    service.daemon.complete(&session, &mut response.warnings);
    Ok(response)
}

fn response(listing: Listing) -> ListResponse {
    let Listing { documents, total, coverage, next_offset, warnings } = listing;
    ListResponse {
        entries: documents.iter().map(|listed| entry(listed, &coverage)).collect(),
        next_cursor: next_offset.map(|offset| offset.to_string()).unwrap_or_default(),
        total,
        generation: ids::generation(&coverage),
        warnings: warning::to_proto(warnings),
    }
}

fn entry(listed: &Listed, coverage: &[Coverage]) -> ListEntry {
    let Listed { scope, store: place, document: found, created, chunks, memory: recalled, record, stale, also_at } =
        listed;
    let recalled = recalled.as_deref();
    let store_id = ids::store_id_at(*place, coverage);
    let doc =
        v1::Document { created_at: Some(time::to_proto(*created)), ..document::to_proto(found, *scope, &store_id) };
    ListEntry {
        doc: Some(doc),
        chunks: *chunks,
        staleness: memory::staleness(recalled),
        memory: memory::to_proto(recalled, *scope),
        record: record.as_ref().map(|RecordStatus { text, link }| v1::RecordStatus {
            text: text.clone(),
            link: link.as_ref().map(ToString::to_string).unwrap_or_default(),
        }),
        stale_reasons: stale.iter().map(reason).collect(),
        also_at: also_at.clone(),
    }
}

/// Says why an item is stale.
fn reason(reason: &StaleReason) -> String {
    match reason {
        StaleReason::Age { days, limit } => {
            let days = count_noun(*days, "day", "days");
            format!("neither changed nor confirmed for {days}; the limit of its type is {limit}")
        }
        StaleReason::Expired { days: 0 } => "expired today".to_owned(),
        StaleReason::Expired { days } => format!("expired {} ago", count_noun(*days, "day", "days")),
        StaleReason::Outdated => "rated outdated".to_owned(),
        StaleReason::Anchors(broken) => {
            let mut said: Vec<String> = broken.iter().take(MOST_ANCHORS).map(broken_anchor).collect();
            if broken.len() > MOST_ANCHORS {
                said.push(format!("{} more", broken.len() - MOST_ANCHORS));
            }
            said.join(", ")
        }
    }
}

fn broken_anchor((anchor, state): &(Anchor, AnchorState)) -> String {
    let what = if *state == AnchorState::Gone { "gone" } else { "changed" };
    match &anchor.symbol {
        Some(symbol) => format!("{what}: {symbol} in {}", anchor.path),
        None => format!("{what}: {}", anchor.path),
    }
}

/// Returns the one condition that the request states, in the order `flagged`, `stale`, `contradicted`, `proposed`.
fn filter_said(stated: [bool; 4]) -> Result<Said, InvalidRequest> {
    let conditions = [
        ("flagged", Said::Flagged),
        ("stale", Said::Stale),
        ("contradicted", Said::Contradicted),
        ("proposed", Said::Proposed),
    ];
    let mut stated = conditions.into_iter().zip(stated).filter(|(_, is_stated)| *is_stated).map(|(said, _)| said);
    match (stated.next(), stated.next()) {
        (None, _) => Ok(Said::Anything),
        (Some((_, said)), None) => Ok(said),
        (Some((other, _)), Some((field, _))) => Err(InvalidRequest::new(field, Problem::Contradiction { other })),
    }
}

fn order(sort: i32) -> Result<ListSort, InvalidRequest> {
    match v1::ListSort::try_from(sort) {
        Ok(v1::ListSort::Unspecified | v1::ListSort::UpdatedAt) => Ok(ListSort::UpdatedAt),
        Ok(v1::ListSort::CreatedAt) => Ok(ListSort::CreatedAt),
        Ok(v1::ListSort::Title) => Ok(ListSort::Title),
        Ok(v1::ListSort::Path) => Ok(ListSort::Path),
        Err(_) => {
            let problem = Problem::Unknown { value: sort.to_string(), known: "updated_at, created_at, title, path" };
            Err(InvalidRequest::new("sort", problem))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_order_is_refused() {
        assert_eq!(order(0), Ok(ListSort::UpdatedAt));
        assert_eq!(order(99).map_err(|error| error.field), Err("sort"));
    }
}
