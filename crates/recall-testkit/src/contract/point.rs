//! Points, that is their fields and their vectors, and the filters that select them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use qdrant_client::qdrant::condition::ConditionOneOf;
use qdrant_client::qdrant::r#match::MatchValue;
use qdrant_client::qdrant::point_id::PointIdOptions;
use qdrant_client::qdrant::value::Kind;
use qdrant_client::qdrant::{Condition, FieldCondition, FieldType, Filter, PointId, Range, Value};
use tonic::Status;

/// Fields by name.
pub(super) type Fields = HashMap<String, Value>;

#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) fields: Fields,
    pub(super) vectors: HashMap<String, Stored>,
}

/// A vector.
#[derive(Clone, Debug)]
pub(super) enum Stored {
    Dense(Vec<f32>),
    Sparse(BTreeMap<u32, f32>),
}

/// A text among fields.
pub(super) fn text(fields: &Fields, name: &str) -> Option<String> {
    match fields.get(name)?.kind.as_ref()? {
        Kind::StringValue(text) => Some(text.clone()),
        _ => None,
    }
}

/// Returns the tenants of points to store, if each has one.
pub(super) fn tenants<'a>(all: impl Iterator<Item = &'a Fields>) -> Result<Vec<String>, Status> {
    let tenants: Option<BTreeSet<String>> = all.map(|fields| text(fields, "tenant")).collect();
    match tenants {
        Some(tenants) if tenants.iter().all(|tenant| !tenant.is_empty()) => Ok(tenants.into_iter().collect()),
        _ => Err(Status::failed_precondition("a point has no tenant")),
    }
}

/// Checks that a filter has the tenant among the conditions that must hold. Returns the tenant.
pub(super) fn tenant_of(filter: Option<&Filter>) -> Result<String, Status> {
    let of = |condition: &Condition| match &condition.condition_one_of {
        Some(ConditionOneOf::Field(FieldCondition { key, r#match: Some(wanted), .. })) if key == "tenant" => {
            match &wanted.match_value {
                Some(MatchValue::Keyword(tenant)) if !tenant.is_empty() => Some(tenant.clone()),
                _ => None,
            }
        }
        _ => None,
    };
    let tenant = filter.into_iter().flat_map(|filter| &filter.must).find_map(of);
    tenant.ok_or_else(|| Status::failed_precondition("the filter has no tenant"))
}

/// A filter with only conditions that the server supports, on fields with an index.
///
/// Every point satisfies the default.
#[derive(Default)]
pub(super) struct Prepared {
    pub(super) must: Vec<Test>,
    pub(super) must_not: Vec<Test>,
    pub(super) should: Vec<Test>,
}

/// A condition on a point's identity, or on a field of it.
pub(super) enum Test {
    Ids(HashSet<String>),
    Texts(String, HashSet<String>),
    Numbers(String, HashSet<i64>),
    Range(String, Range),
    Filter(Prepared),
}

impl Prepared {
    pub(super) fn new(filter: &Filter, indexes: &HashMap<String, FieldType>) -> Result<Self, Status> {
        let Filter { should, must, must_not, min_should } = filter;
        if min_should.is_some() {
            return Err(Status::unimplemented("min_should"));
        }
        let tests =
            |conditions: &[Condition]| conditions.iter().map(|one| test(one, indexes)).collect::<Result<_, _>>();
        Ok(Self { must: tests(must)?, must_not: tests(must_not)?, should: tests(should)? })
    }

    /// The filter for some points.
    pub(super) fn with_ids(ids: Vec<String>) -> Self {
        Self { must: vec![Test::Ids(ids.into_iter().collect())], ..Self::default() }
    }

    /// Whether a point satisfies the filter.
    pub(super) fn is_satisfied(&self, id: &str, point: &Point) -> bool {
        let holds = |test: &Test| test.holds(id, point);
        self.must.iter().all(holds)
            && !self.must_not.iter().any(holds)
            && (self.should.is_empty() || self.should.iter().any(holds))
    }
}

fn test(condition: &Condition, indexes: &HashMap<String, FieldType>) -> Result<Test, Status> {
    match &condition.condition_one_of {
        Some(ConditionOneOf::Filter(filter)) => Prepared::new(filter, indexes).map(Test::Filter),
        Some(ConditionOneOf::HasId(wanted)) => {
            Ok(Test::Ids(wanted.has_id.iter().filter_map(uuid_of).map(str::to_owned).collect()))
        }
        Some(ConditionOneOf::Field(field)) => test_of_field(field, indexes),
        other => Err(Status::unimplemented(format!("the condition {other:?}"))),
    }
}

fn test_of_field(field: &FieldCondition, indexes: &HashMap<String, FieldType>) -> Result<Test, Status> {
    let key = field.key.clone();
    let wanted = field.r#match.as_ref().and_then(|wanted| wanted.match_value.as_ref());
    let test = match (wanted, &field.range) {
        (Some(MatchValue::Keyword(text)), None) => Test::Texts(key, HashSet::from([text.clone()])),
        (Some(MatchValue::Keywords(texts)), None) => Test::Texts(key, texts.strings.iter().cloned().collect()),
        (Some(MatchValue::Integers(numbers)), None) => Test::Numbers(key, numbers.integers.iter().copied().collect()),
        (None, Some(range)) => Test::Range(key, *range),
        _ => return Err(Status::unimplemented(format!("the condition {field:?}"))),
    };
    let index = indexes.get(&field.key);
    let has_index = match test {
        Test::Texts(..) => matches!(index, Some(FieldType::Keyword | FieldType::Uuid)),
        _ => matches!(index, Some(FieldType::Integer)),
    };
    let missing = || Status::failed_precondition(format!("the field `{}` has no index for its condition", field.key));
    has_index.then_some(test).ok_or_else(missing)
}

impl Test {
    fn holds(&self, id: &str, point: &Point) -> bool {
        // Of a list, any element may satisfy the condition.
        let any = |key: &str, holds: &dyn Fn(&Value) -> bool| match point.fields.get(key) {
            None => false,
            Some(Value { kind: Some(Kind::ListValue(list)) }) => list.values.iter().any(holds),
            Some(value) => holds(value),
        };
        let text = |texts: &HashSet<String>, value: &Value| match &value.kind {
            Some(Kind::StringValue(text)) => texts.contains(text),
            _ => false,
        };
        let number = |holds: &dyn Fn(i64) -> bool, value: &Value| match value.kind {
            Some(Kind::IntegerValue(number)) => holds(number),
            _ => false,
        };
        match self {
            Self::Ids(ids) => ids.contains(id),
            Self::Texts(key, texts) => any(key, &|value| text(texts, value)),
            Self::Numbers(key, numbers) => any(key, &|value| number(&|one| numbers.contains(&one), value)),
            Self::Range(key, range) => any(key, &|value| number(&|one| is_within(range, one as f64), value)),
            Self::Filter(filter) => filter.is_satisfied(id, point),
        }
    }
}

fn is_within(range: &Range, number: f64) -> bool {
    range.lt.is_none_or(|bound| number < bound)
        && range.gt.is_none_or(|bound| number > bound)
        && range.lte.is_none_or(|bound| number <= bound)
        && range.gte.is_none_or(|bound| number >= bound)
}

/// The text of an identity; `None` for a number.
pub(super) fn uuid_of(id: &PointId) -> Option<&str> {
    match &id.point_id_options {
        Some(PointIdOptions::Uuid(text)) => Some(text),
        _ => None,
    }
}
