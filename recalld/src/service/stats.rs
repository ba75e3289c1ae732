//! `Stats`: what the stores hold, and an estimate of what answers saved.

use std::collections::HashMap;

use recall_api::convert::{scope, time};
use recall_api::v1::{self, StatsRequest, StatsResponse};
use recall_core::Scope;
use recall_engine::{Counts, Estimate, Savings, Stats, StoreStats};
use tonic::Status;

use super::{Service, context};

pub(super) async fn handle(service: &Service, request: StatsRequest) -> Result<StatsResponse, Status> {
    let StatsRequest { context, scope: wanted, savings } = request;
    let wanted = scope::from_proto(wanted, Scope::All)?;
    let origin = context::origin(context)?;
    let estimate = if savings { Estimate::Savings } else { Estimate::Nothing };
    let Stats { stores, savings } = service.call(move |daemon| daemon.engine.stats(&origin, wanted, estimate)).await?;
    Ok(StatsResponse { stores: stores.into_iter().map(store).collect(), savings: savings.map(savings_message) })
}

fn store(store: StoreStats) -> v1::StoreStats {
    let StoreStats { scope: of, root, counts, memories, sessions } = store;
    let Counts { documents, chunks, symbols, edges, text_bytes, unparsed: _, by_type, by_language } = counts;
    let types: HashMap<String, u64> =
        by_type.into_iter().map(|(kind, number)| (kind.as_str().to_owned(), number)).collect();
    let languages: HashMap<String, u64> =
        by_language.into_iter().map(|(language, number)| (language.to_string(), number)).collect();
    v1::StoreStats {
        scope: scope::store_to_proto(of).into(),
        root: root.to_string_lossy().into_owned(),
        documents,
        chunks,
        symbols,
        edges,
        text_bytes,
        types: types.into_iter().collect(),
        languages: languages.into_iter().collect(),
        memories,
        sessions,
    }
}

fn savings_message(savings: Savings) -> v1::Savings {
    let Savings { since, sessions, answers, hits, unknown_hits, files, answer_tokens, file_tokens } = savings;
    v1::Savings {
        since: since.map(time::to_proto),
        sessions,
        answers,
        hits,
        unknown_hits,
        files,
        answer_tokens,
        file_tokens,
    }
}
