//! Metadata of events.

use prost_types::value::Kind;
use prost_types::{ListValue, Struct, Value};
use recall_core::{METADATA_BYTES, METADATA_DEPTH, METADATA_VALUES, Metadata, MetadataValue};

use crate::{InvalidRequest, Problem};

const FIELD: &str = "metadata";

/// The remaining budget while metadata are read.
struct Remaining {
    bytes: usize,
    values: usize,
}

/// Reads metadata.
///
/// # Errors
/// They are too long, too many or nested too deeply, or a number is not finite.
pub(super) fn from_proto(metadata: Option<Struct>) -> Result<Metadata, InvalidRequest> {
    let Some(metadata) = metadata else { return Ok(Metadata::new()) };
    map(metadata, METADATA_DEPTH, &mut Remaining { bytes: METADATA_BYTES, values: METADATA_VALUES })
}

pub(super) fn to_proto(metadata: Metadata) -> Struct {
    Struct { fields: metadata.into_iter().map(|(name, value)| (name, value_to_proto(value))).collect() }
}

fn map(Struct { fields }: Struct, depth: usize, remaining: &mut Remaining) -> Result<Metadata, InvalidRequest> {
    let deeper = depth.checked_sub(1).ok_or_else(|| too_large(METADATA_DEPTH + 1, METADATA_DEPTH))?;
    let entry = |(name, value): (String, Value)| {
        remaining.take(name.len())?;
        Ok((name, value_from_proto(value, deeper, remaining)?))
    };
    fields.into_iter().map(entry).collect()
}

fn value_from_proto(
    Value { kind }: Value,
    depth: usize,
    remaining: &mut Remaining,
) -> Result<MetadataValue, InvalidRequest> {
    Ok(match kind {
        None | Some(Kind::NullValue(_)) => MetadataValue::Null,
        Some(Kind::BoolValue(is)) => MetadataValue::Bool(is),
        Some(Kind::NumberValue(number)) if number.is_finite() => MetadataValue::Number(number),
        Some(Kind::NumberValue(number)) => {
            let problem = Problem::Malformed { value: number.to_string(), expected: "a finite JSON number" };
            return Err(InvalidRequest::new(FIELD, problem));
        }
        Some(Kind::StringValue(text)) => {
            remaining.take(text.len())?;
            MetadataValue::Text(text)
        }
        Some(Kind::ListValue(ListValue { values })) => {
            let deeper = depth.checked_sub(1).ok_or_else(|| too_large(METADATA_DEPTH + 1, METADATA_DEPTH))?;
            let value = |value| {
                remaining.take(0)?;
                value_from_proto(value, deeper, remaining)
            };
            MetadataValue::List(values.into_iter().map(value).collect::<Result<_, _>>()?)
        }
        Some(Kind::StructValue(values)) => MetadataValue::Map(map(values, depth, remaining)?),
    })
}

impl Remaining {
    /// Counts one value of `bytes` bytes.
    fn take(&mut self, bytes: usize) -> Result<(), InvalidRequest> {
        let left = self.bytes.checked_sub(bytes);
        self.bytes = left.ok_or_else(|| too_large(METADATA_BYTES + bytes - self.bytes, METADATA_BYTES))?;
        self.values = self.values.checked_sub(1).ok_or_else(|| too_large(METADATA_VALUES + 1, METADATA_VALUES))?;
        Ok(())
    }
}

fn too_large(value: usize, limit: usize) -> InvalidRequest {
    let (value, limit) = (value as u64, limit as u64);
    InvalidRequest::new(FIELD, Problem::TooLarge { value, limit, setting: None })
}

fn value_to_proto(value: MetadataValue) -> Value {
    let kind = match value {
        MetadataValue::Null => Kind::NullValue(0),
        MetadataValue::Bool(is) => Kind::BoolValue(is),
        MetadataValue::Number(number) => Kind::NumberValue(number),
        MetadataValue::Text(text) => Kind::StringValue(text),
        MetadataValue::List(values) => {
            Kind::ListValue(ListValue { values: values.into_iter().map(value_to_proto).collect() })
        }
        MetadataValue::Map(values) => Kind::StructValue(to_proto(values)),
    };
    Value { kind: Some(kind) }
}
