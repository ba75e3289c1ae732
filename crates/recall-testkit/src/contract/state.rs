//! Collections, their points with fields and vectors, the filters that select them, what a contract server does wrong on
//! demand, and what it was asked.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::Duration;

use qdrant_client::qdrant::condition::ConditionOneOf;
use qdrant_client::qdrant::r#match::MatchValue;
use qdrant_client::qdrant::point_id::PointIdOptions;
use qdrant_client::qdrant::value::Kind;
use qdrant_client::qdrant::{
    Condition, CreateCollection, FieldCondition, FieldType, Filter, PointId, Range, UpdateMode, Value,
};
use tonic::{Code, Status};

/// Creates the points of a new collection, which are none.
pub(super) type Create = Box<dyn FnMut(&CreateCollection) -> Result<Box<dyn Points>, Status> + Send>;

/// All collections by name.
pub(super) struct State {
    pub(super) create: Create,
    pub(super) collections: BTreeMap<String, Collection>,
    /// The call that is being answered.
    pub(super) call: Option<Call>,
}

pub(super) struct Collection {
    pub(super) created: CreateCollection,
    pub(super) indexes: HashMap<String, FieldType>,
    pub(super) points: Box<dyn Points>,
}

/// What a query asks for: the points nearest to a vector.
#[derive(Debug)]
pub(super) struct Nearest {
    /// The name of the vector.
    pub(super) name: String,
    pub(super) vector: Stored,
    pub(super) most: usize,
    /// How many points a search of a graph compares.
    pub(super) breadth: Option<u64>,
}

/// The points of a collection. Requests were checked before.
pub(super) trait Points: Send {
    /// Stores points. A condition holds for the points that they replace.
    fn write(
        &mut self,
        points: Vec<(String, Point)>,
        mode: UpdateMode,
        condition: Option<&Prepared>,
    ) -> Result<(), Status>;

    /// Sets fields of all points that satisfy a condition.
    fn set(&mut self, fields: &Fields, condition: &Prepared) -> Result<(), Status>;

    /// Deletes all points that satisfy a condition.
    fn delete(&mut self, condition: &Prepared) -> Result<(), Status>;

    /// Returns the first `most` points that satisfy a condition, by identity, from `start` on.
    fn page(&mut self, condition: &Prepared, start: Option<&str>, most: usize)
    -> Result<Vec<(String, Fields)>, Status>;

    /// Counts the points that satisfy a condition.
    fn count(&mut self, condition: &Prepared) -> Result<u64, Status>;

    /// Returns the points with the greatest scores that satisfy a condition, the best first.
    fn best(&mut self, nearest: &Nearest, condition: &Prepared) -> Result<Vec<(String, f32)>, Status>;

    /// Learns of an index of a field.
    fn index(&mut self, _field: &str, _kind: FieldType) -> Result<(), Status> {
        Ok(())
    }
}

impl State {
    pub(super) fn new(create: Create) -> Self {
        Self { create, collections: BTreeMap::new(), call: None }
    }

    pub(super) fn collection(&mut self, name: &str) -> Result<&mut Collection, Status> {
        let missing = || Status::not_found(format!("Not found: Collection `{name}` doesn't exist!"));
        self.collections.get_mut(name).ok_or_else(missing)
    }

    pub(super) fn lose(&mut self, collection: &str, each: usize) -> Result<usize, Status> {
        let Some(collection) = self.collections.get_mut(collection) else { return Ok(0) };
        let all = collection.points.page(&Prepared::default(), None, usize::MAX)?;
        let lost: Vec<String> = all.into_iter().step_by(each).map(|(id, _)| id).collect();
        let count = lost.len();
        collection.points.delete(&Prepared::with_ids(lost))?;
        Ok(count)
    }

    pub(super) fn sizes(&mut self) -> Result<Vec<(String, usize)>, Status> {
        let all = self.collections.iter_mut();
        let size = |(name, collection): (&String, &mut Collection)| {
            Ok((name.clone(), usize::try_from(collection.points.count(&Prepared::default())?).unwrap_or(usize::MAX)))
        };
        all.map(size).collect()
    }

    pub(super) fn texts(&mut self, collection: &str, field: &str) -> Result<Vec<String>, Status> {
        let Some(collection) = self.collections.get_mut(collection) else { return Ok(Vec::new()) };
        let all = collection.points.page(&Prepared::default(), None, usize::MAX)?;
        let mut texts: Vec<String> = all.iter().filter_map(|(_, fields)| text(fields, field)).collect();
        texts.sort();
        Ok(texts)
    }
}

/// When a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureMoment {
    /// Nothing has changed.
    Before,
    /// The change is made, but the client does not learn it.
    After,
}

/// A call that the server received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its method.
    pub method: &'static str,
    /// Its collection; empty for none.
    pub collection: String,
    /// The tenants of its filter or of its points.
    pub tenants: Vec<String>,
    /// For a write: whether it waits until it is applied, in the order of one leader.
    pub is_safe_write: Option<bool>,
    /// For a new collection: its shards, its replicas, and how many of these confirm a write.
    pub spread: Option<[Option<u32>; 3]>,
}

/// A failure or a delay of calls.
#[derive(Clone, Debug)]
pub(super) struct Injection {
    pub(super) method: &'static str,
    pub(super) left: u32,
    pub(super) moment: FailureMoment,
    /// `Ok` for a delay.
    pub(super) code: Code,
    pub(super) retry_after: Option<u64>,
    pub(super) delay: Duration,
}

impl Injection {
    /// The answer of a call that it meets.
    pub(super) fn status(&self) -> Option<Status> {
        if self.code == Code::Ok {
            return None;
        }
        let mut status = Status::new(self.code, "injected");
        if let Some(seconds) = self.retry_after {
            status.metadata_mut().insert("retry-after", seconds.into());
        }
        Some(status)
    }
}

/// What goes wrong, and what was asked.
#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) injections: Vec<Injection>,
    /// How many calls the injections met.
    pub(super) met: u64,
    pub(super) calls: Vec<Call>,
    pub(super) key: Option<String>,
    pub(super) version: Option<String>,
}

impl Script {
    /// Returns the injection that a call meets.
    pub(super) fn meet(&mut self, method: &str) -> Option<Injection> {
        let meets = |injection: &&mut Injection| injection.method.is_empty() || injection.method == method;
        let injection = self.injections.iter_mut().find(meets)?;
        injection.left -= 1;
        let found = injection.clone();
        self.injections.retain(|injection| injection.left > 0);
        self.met += 1;
        Some(found)
    }
}

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
    fn with_ids(ids: Vec<String>) -> Self {
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
