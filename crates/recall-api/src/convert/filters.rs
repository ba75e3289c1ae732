//! Filters of a search, and weights of its retrievers.

use recall_core::{DocumentType, Filters, PathFilter, Weights};
use recall_text::{Language, fold_case, normalize_text};

use super::document_type;
use super::remember::when;
use crate::{InvalidRequest, Problem, v1};

/// Reads filters. Their Unicode form does not count, nor the case of languages.
///
/// # Errors
/// A type is unknown, or an entry is blank or contains a NUL.
pub fn from_proto(message: Option<v1::Filters>) -> Result<Filters, InvalidRequest> {
    let v1::Filters { types, languages, paths, tags, since, before } = message.unwrap_or_default();
    Ok(Filters {
        types: types.iter().map(|name| filter_type(name)).collect::<Result<_, _>>()?,
        languages: entries("languages", languages)?
            .into_iter()
            .map(|name| Language::from(fold_case(&name).into_owned()))
            .collect(),
        paths: entries("paths", paths)?.iter().map(|path| PathFilter::new(path)).collect(),
        tags: entries("tags", tags)?.iter().map(|tag| normalize_text(tag).into_owned()).collect(),
        since: when("since", since)?,
        before: when("before", before)?,
        mount: None,
    })
}

/// Writes filters. The mount is not part of the protocol.
pub fn to_proto(filters: &Filters) -> v1::Filters {
    let Filters { types, languages, paths, tags, since, before, mount: _ } = filters;
    v1::Filters {
        types: types.iter().map(|document_type| document_type.as_str().to_owned()).collect(),
        languages: languages.iter().map(|language| language.as_str().to_owned()).collect(),
        paths: paths.iter().map(|PathFilter(pattern)| pattern.clone()).collect(),
        tags: tags.clone(),
        since: since.clone().unwrap_or_default(),
        before: before.clone().unwrap_or_default(),
    }
}

fn filter_type(name: &str) -> Result<DocumentType, InvalidRequest> {
    document_type("types", name)?.ok_or_else(|| InvalidRequest::new("types", Problem::Empty))
}

fn entries(field: &'static str, entries: Vec<String>) -> Result<Vec<String>, InvalidRequest> {
    for entry in &entries {
        if entry.trim().is_empty() {
            return Err(InvalidRequest::new(field, Problem::Empty));
        }
        if entry.contains('\0') {
            let problem = Problem::Malformed { value: entry.replace('\0', "\u{fffd}"), expected: "text without NUL" };
            return Err(InvalidRequest::new(field, problem));
        }
    }
    Ok(entries)
}

/// Reads weights; those that are not given default to the ones of the query's class.
///
/// # Errors
/// A weight is negative, infinite or not a number.
pub fn weights_from_proto(message: Option<v1::Weights>) -> Result<Weights, InvalidRequest> {
    let v1::Weights { vector, bm25 } = message.unwrap_or_default();
    Ok(Weights { vector: check_weight("weights.vector", vector)?, bm25: check_weight("weights.bm25", bm25)? })
}

/// Writes weights; those that are not given stay absent.
pub fn weights_to_proto(weights: &Weights) -> v1::Weights {
    let Weights { vector, bm25 } = *weights;
    v1::Weights { vector, bm25 }
}

fn check_weight(field: &'static str, weight: Option<f32>) -> Result<Option<f32>, InvalidRequest> {
    match weight {
        Some(value) if !value.is_finite() || value < 0.0 => {
            Err(InvalidRequest::new(field, Problem::NotAWeight { value: value.to_string() }))
        }
        _ => Ok(weight),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_filter_is_refused_with_its_field() {
        let check = |message, field| assert_eq!(from_proto(Some(message)).map_err(|error| error.field), Err(field));
        let list = |entry: &str| vec![entry.to_owned()];
        check(v1::Filters { types: list("novel"), ..v1::Filters::default() }, "types");
        check(v1::Filters { types: list(""), ..v1::Filters::default() }, "types");
        check(v1::Filters { languages: list(" "), ..v1::Filters::default() }, "languages");
        check(v1::Filters { paths: list("a\0b"), ..v1::Filters::default() }, "paths");
        check(v1::Filters { tags: list(""), ..v1::Filters::default() }, "tags");
    }

    #[test]
    fn aliases_of_types_and_upper_case_languages_are_read() {
        let message = v1::Filters {
            types: vec!["runbook".to_owned()],
            languages: vec!["Rust".to_owned()],
            ..v1::Filters::default()
        };
        let filters = from_proto(Some(message)).expect("known");
        assert_eq!(filters.types, [DocumentType::Playbook]);
        assert_eq!(filters.languages, [Language::from_static("rust")]);
    }

    #[test]
    fn weights_are_finite_and_not_negative() {
        for bad in [-0.1, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let message = v1::Weights { bm25: Some(bad), ..v1::Weights::default() };
            assert_eq!(weights_from_proto(Some(message)).map_err(|error| error.field), Err("weights.bm25"), "{bad}");
        }
        let message = v1::Weights { vector: Some(0.0), bm25: Some(3.5) };
        assert_eq!(weights_from_proto(Some(message)), Ok(Weights { vector: Some(0.0), bm25: Some(3.5) }));
    }
}
