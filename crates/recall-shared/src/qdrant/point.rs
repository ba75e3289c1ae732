//! Points as Qdrant stores them: an identity, fields, and vectors.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use qdrant_client::qdrant::point_id::PointIdOptions;
use qdrant_client::qdrant::value::Kind;
use qdrant_client::qdrant::{ListValue, NamedVectors, PointId, PointStruct, Value, Vector, Vectors, vectors};
use uuid::Uuid;

use crate::StoreError;

/// Fields by name.
pub(super) type Fields = HashMap<String, Value>;

/// A point that was read, with the fields that were asked for.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) id: Uuid,
    fields: Fields,
}

impl Point {
    pub(super) fn new(id: Option<PointId>, fields: Fields) -> Result<Self, StoreError> {
        Ok(Self { id: uuid_of(id)?, fields })
    }

    fn field(&self, name: &str) -> Option<&Kind> {
        self.fields.get(name)?.kind.as_ref()
    }

    pub(super) fn text(&self, name: &str) -> Result<&str, StoreError> {
        match self.field(name) {
            Some(Kind::StringValue(text)) => Ok(text),
            _ => Err(self.lacks(name, "text")),
        }
    }

    pub(super) fn number(&self, name: &str) -> Result<i64, StoreError> {
        match self.field(name) {
            Some(Kind::IntegerValue(number)) => Ok(*number),
            _ => Err(self.lacks(name, "number")),
        }
    }

    pub(super) fn bytes(&self, name: &str) -> Result<Vec<u8>, StoreError> {
        STANDARD_NO_PAD.decode(self.text(name)?).map_err(|_| self.lacks(name, "base64"))
    }

    pub(super) fn ids(&self, name: &str) -> Result<Vec<Uuid>, StoreError> {
        let texts = self.texts(name)?.into_iter();
        texts.map(|text| Uuid::parse_str(text).map_err(|_| self.lacks(name, "identities"))).collect()
    }

    pub(super) fn texts(&self, name: &str) -> Result<Vec<&str>, StoreError> {
        let mut texts = Vec::new();
        for value in self.list(name)? {
            let Some(Kind::StringValue(text)) = &value.kind else { return Err(self.lacks(name, "texts")) };
            texts.push(text.as_str());
        }
        Ok(texts)
    }

    /// The numbers of terms.
    pub(super) fn keys(&self, name: &str) -> Result<Vec<u32>, StoreError> {
        let key = |value: &Value| match value.kind {
            Some(Kind::IntegerValue(number)) => u32::try_from(number).map_err(|_| self.lacks(name, "keys")),
            _ => Err(self.lacks(name, "keys")),
        };
        self.list(name)?.iter().map(key).collect()
    }

    /// A number for each field of texts.
    pub(super) fn lengths(&self, name: &str) -> Result<[u64; 6], StoreError> {
        let number = |value: &Value| match value.kind {
            Some(Kind::IntegerValue(number)) => Ok(number.max(0).cast_unsigned()),
            _ => Err(self.lacks(name, "numbers")),
        };
        let numbers: Vec<u64> = self.list(name)?.iter().map(number).collect::<Result<_, _>>()?;
        numbers.try_into().map_err(|_| self.lacks(name, "six numbers"))
    }

    fn list(&self, name: &str) -> Result<&[Value], StoreError> {
        match self.field(name) {
            Some(Kind::ListValue(list)) => Ok(&list.values),
            _ => Err(self.lacks(name, "list")),
        }
    }

    fn lacks(&self, name: &str, what: &str) -> StoreError {
        StoreError::Invalid { what: format!("the field `{name}` of the point {} has no {what}", self.id) }
    }
}

pub(super) fn uuid_of(id: Option<PointId>) -> Result<Uuid, StoreError> {
    match id.and_then(|id| id.point_id_options) {
        Some(PointIdOptions::Uuid(text)) => {
            Uuid::parse_str(&text).map_err(|_| StoreError::Invalid { what: format!("`{text}` is not a UUID") })
        }
        other => Err(StoreError::Invalid { what: format!("{other:?} is not the identity of a point of recall") }),
    }
}

pub(super) fn point_id(id: Uuid) -> PointId {
    PointId::from(id.to_string())
}

pub(super) fn fields<const N: usize>(all: [(&str, Value); N]) -> Fields {
    all.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

pub(super) fn text(text: &str) -> Value {
    Value::from(text)
}

pub(super) fn number(number: i64) -> Value {
    Value::from(number)
}

pub(super) fn bytes(bytes: &[u8]) -> Value {
    Value::from(STANDARD_NO_PAD.encode(bytes))
}

pub(super) fn list(values: impl IntoIterator<Item = Value>) -> Value {
    Value { kind: Some(Kind::ListValue(ListValue { values: values.into_iter().collect() })) }
}

pub(super) fn lengths(lengths: &[u64; 6]) -> Value {
    list(lengths.iter().map(|length| number(length.cast_signed())))
}

/// Makes a point to store. A vector that is `None` is left out.
pub(super) fn point(id: Uuid, fields: Fields, vector: Option<(&str, Vector)>) -> PointStruct {
    let named = NamedVectors { vectors: vector.map(|(name, vector)| (name.to_owned(), vector)).into_iter().collect() };
    let vectors = Vectors { vectors_options: Some(vectors::VectorsOptions::Vectors(named)) };
    PointStruct { id: Some(point_id(id)), payload: fields, vectors: Some(vectors) }
}

/// A sparse vector with the value 1 for each key; `None` without keys.
pub(super) fn ones(keys: &[u32]) -> Option<Vector> {
    (!keys.is_empty()).then(|| Vector::new_sparse(keys.to_vec(), vec![1.0; keys.len()]))
}

/// About how many bytes a field takes in a request.
fn size(value: &Value) -> usize {
    let own = match &value.kind {
        Some(Kind::StringValue(text)) => text.len(),
        Some(Kind::ListValue(list)) => list.values.iter().map(size).sum(),
        _ => 10,
    };
    own + 8
}

/// Splits points into requests of at most `most` bytes. A point that is larger has its own.
pub(super) fn by_bytes(points: Vec<(PointStruct, usize)>, most: usize) -> Vec<Vec<PointStruct>> {
    let mut requests = Vec::new();
    let (mut request, mut bytes) = (Vec::new(), 0);
    for (point, of_vector) in points {
        let own = of_vector + point.payload.iter().map(|(name, value)| name.len() + size(value)).sum::<usize>() + 64;
        if bytes + own > most && !request.is_empty() {
            requests.push(std::mem::take(&mut request));
            bytes = 0;
        }
        bytes += own;
        request.push(point);
    }
    if !request.is_empty() {
        requests.push(request);
    }
    requests
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point_with_bytes(count: usize) -> (PointStruct, usize) {
        (point(Uuid::nil(), fields([("text", text(&"x".repeat(count)))]), None), 0)
    }

    #[test]
    fn requests_are_bounded_by_bytes() {
        let sizes =
            |points: Vec<(PointStruct, usize)>| by_bytes(points, 1_000).iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(sizes(Vec::new()), [0; 0]);
        assert_eq!(sizes(vec![point_with_bytes(300), point_with_bytes(300), point_with_bytes(300)]), [2, 1]);
        assert_eq!(sizes(vec![point_with_bytes(10), point_with_bytes(5_000), point_with_bytes(10)]), [1, 1, 1]);
        assert_eq!(sizes(vec![(point_with_bytes(10).0, 600), (point_with_bytes(10).0, 600)]), [1, 1], "vectors count");
    }

    #[test]
    fn a_point_of_another_form_is_an_error() {
        let point = |fields| Point::new(Some(point_id(Uuid::nil())), fields).expect("an identity");
        let whole = point(fields([("a", text("x")), ("b", lengths(&[1, 2, 3, 4, 5, 6])), ("c", bytes(&[0, 255]))]));
        assert_eq!(whole.text("a").expect("a text"), "x");
        assert_eq!(whole.lengths("b").expect("six"), [1, 2, 3, 4, 5, 6]);
        assert_eq!(whole.bytes("c").expect("base64"), [0, 255]);
        for wrong in [whole.number("a").err(), whole.text("b").err(), whole.ids("c").err(), whole.lengths("d").err()] {
            assert!(matches!(wrong, Some(StoreError::Invalid { .. })), "{wrong:?}");
        }
        assert!(Point::new(Some(PointId::from(7)), Fields::new()).is_err(), "not one of ours");
    }
}
