//! The conditions of a search on documents, as far as the server checks them.

use qdrant_client::qdrant::Condition;

use super::super::client::Client;
use super::super::field;
use super::super::publication::YES;
use super::super::tenant::{Scoped, any, is, is_any};
use super::super::visible::State;
use crate::paths::Paths;
use crate::{Filters, PathCondition};

pub(super) struct Conditions {
    must: Vec<Condition>,
    must_not: Vec<Condition>,
    /// What is checked here.
    pub(super) paths: Paths,
}

impl Conditions {
    pub(super) fn new(filters: &Filters, without: &[String]) -> Self {
        let Filters { kinds, languages, paths, tags } = filters;
        let mut must = vec![is(field::DEFAULT, YES)];
        for (name, texts) in [(field::KIND, kinds), (field::LANGUAGE, languages)] {
            if !texts.is_empty() {
                must.push(is_any(name, texts.clone()));
            }
        }
        must.extend(tags.iter().map(|tag| is(field::TAGS, tag)));
        must.extend(below(paths));
        let mut must_not = vec![is(field::STATE, State::Ended.as_str())];
        if !without.is_empty() {
            must_not.push(is_any(field::REPOSITORY, without.to_vec()));
        }
        Self { must, must_not, paths: Paths::new(paths) }
    }

    /// The filter for documents that satisfy these conditions and more.
    pub(super) fn with(&self, client: &Client, more: Vec<Condition>) -> Scoped {
        client.tenant.filter(self.must.iter().cloned().chain(more).collect(), self.must_not.clone())
    }
}

/// The condition on paths; `None` if there is none or if one of the alternatives is a glob, which the server does not know.
fn below(paths: &[PathCondition]) -> Option<Condition> {
    let mut directories = Vec::new();
    for path in paths {
        match path {
            PathCondition::Below(directory) if !directory.is_empty() => {
                directories.push(is(field::BELOW, directory));
            }
            PathCondition::Below(_) | PathCondition::Glob(_) => return None,
        }
    }
    (!directories.is_empty()).then(|| any(directories))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_checks_paths_without_globs() {
        let check = |paths: &[PathCondition], expected: bool| {
            assert_eq!(below(paths).is_some(), expected, "{paths:?}");
        };
        let below = |directory: &str| PathCondition::Below(directory.to_owned());
        check(&[], false);
        check(&[below("src")], true);
        check(&[below("src"), below("docs")], true);
        check(&[below("src"), below("")], false);
        check(&[below("src"), PathCondition::Glob("*.rs".to_owned())], false);
    }
}
