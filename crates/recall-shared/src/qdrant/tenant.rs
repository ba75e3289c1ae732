//! The tenant. Every filter and every point's identity is made from it.

use qdrant_client::qdrant::r#match::MatchValue;
use qdrant_client::qdrant::{Condition, Filter, Range, RepeatedIntegers, RepeatedStrings};
use uuid::Uuid;

use super::field;

/// Whose points are read and written.
#[derive(Clone, Debug)]
pub(super) struct Tenant(String);

/// A filter that has the tenant as a condition. Only [`Tenant::filter`] makes one, and every request takes one.
#[derive(Clone, Debug)]
pub(super) struct Scoped(Filter);

impl Tenant {
    pub(super) fn new(name: String) -> Self {
        Self(name)
    }

    pub(super) fn name(&self) -> &str {
        &self.0
    }

    /// Returns the filter for the tenant's points that satisfy all of some conditions and none of others.
    pub(super) fn filter(&self, must: Vec<Condition>, must_not: Vec<Condition>) -> Scoped {
        let mut all = vec![is(field::TENANT, &self.0)];
        all.extend(must);
        Scoped(Filter { must: all, must_not, ..Filter::default() })
    }

    /// Returns the filter for some of the tenant's points.
    pub(super) fn points(&self, ids: &[Uuid]) -> Scoped {
        self.filter(vec![ids_are(ids)], Vec::new())
    }

    /// Returns the identity of a point from what distinguishes it. No two tenants have a point in common.
    pub(super) fn id(&self, parts: &[&[u8]]) -> Uuid {
        let mut hasher = blake3::Hasher::new();
        for part in std::iter::once(self.0.as_bytes()).chain(parts.iter().copied()) {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        uuid::Builder::from_custom_bytes(bytes).into_uuid()
    }
}

impl Scoped {
    pub(super) fn into_filter(self) -> Filter {
        self.0
    }
}

/// The field is this text, or has it among its texts.
pub(super) fn is(field: &str, text: &str) -> Condition {
    Condition::matches(field, MatchValue::Keyword(text.to_owned()))
}

/// The field is one of these texts, or has one among its texts.
pub(super) fn is_any(field: &str, texts: Vec<String>) -> Condition {
    Condition::matches(field, MatchValue::Keywords(RepeatedStrings { strings: texts }))
}

/// The field is this number, or has it among its numbers.
pub(super) fn number_is(field: &str, number: i64) -> Condition {
    number_is_any(field, vec![number])
}

/// The field is one of these numbers, or has one among its numbers.
pub(super) fn number_is_any(field: &str, numbers: Vec<i64>) -> Condition {
    Condition::matches(field, MatchValue::Integers(RepeatedIntegers { integers: numbers }))
}

/// The field is a number less than this one.
pub(super) fn is_less(field: &str, number: i64) -> Condition {
    Condition::range(field, Range { lt: Some(number as f64), ..Range::default() })
}

/// The field is a number greater than this one.
pub(super) fn is_greater(field: &str, number: i64) -> Condition {
    Condition::range(field, Range { gt: Some(number as f64), ..Range::default() })
}

/// Any of these conditions holds.
pub(super) fn any(conditions: Vec<Condition>) -> Condition {
    Condition::from(Filter { should: conditions, ..Filter::default() })
}

/// The point is one of these.
pub(super) fn ids_are(ids: &[Uuid]) -> Condition {
    Condition::has_id(ids.iter().map(Uuid::to_string))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_tenants_have_a_point_in_common() {
        let (one, other) = (Tenant::new("a".to_owned()), Tenant::new("ab".to_owned()));
        assert_eq!(one.id(&[b"b", b"c"]), one.id(&[b"b", b"c"]));
        assert_ne!(one.id(&[b"b", b"c"]), other.id(&[b"c"]), "names are not joined");
        assert_ne!(one.id(&[b"bc"]), one.id(&[b"b", b"c"]), "parts are not joined");
    }

    #[test]
    fn every_filter_begins_with_the_tenant() {
        let tenant = Tenant::new("a b".to_owned());
        let filter = tenant.filter(vec![number_is("x", 1)], Vec::new()).into_filter();
        assert_eq!(filter.must[0], Condition::matches(field::TENANT, MatchValue::Keyword("a b".to_owned())));
        assert_eq!(tenant.points(&[]).into_filter().must.len(), 2);
    }
}
