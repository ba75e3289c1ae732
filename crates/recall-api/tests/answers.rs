//! Every answer as JSON, once with all fields and once with none.
//!
//! The messages are filled by their descriptors, so that a new field is in the snapshot without a line here. Each kind of message
//! has its fields where it comes first, and is absent in the answers after that.

use std::any::type_name;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use prost::Message;
use protox::prost_reflect::{DescriptorPool, DynamicMessage, FieldDescriptor, Kind, MapKey, MessageDescriptor, Value};
use recall_api::v1::{index_event, transfer_event};
use recall_api::{json, v1};
use recall_core::rql::{Field, Selected};
use serde::Serialize;

/// The answers that no interface shows as JSON.
const WITHOUT_JSON: &[&str] = &[
    "ConfigResponse",
    "HandshakeResponse",
    "LayoutResponse",
    "NamesResponse",
    "OpenPageResponse",
    "RemindResponse",
    "ShutdownResponse",
];

/// The answers that are written in a way of their own.
const APART: &[&str] = &["QueryResponse"];

/// Writes one answer. The pieces of a stream are written by their variants.
macro_rules! write_answer {
    (streaming $Answer:ident, $text:ident, $filler:ident) => {};
    ($kind:ident $Answer:ident, $text:ident, $filler:ident) => {
        write_unless_apart::<v1::$Answer>(stringify!($Answer), $text, $filler)
    };
}

/// Writes the answer of every RPC.
macro_rules! write_answers {
    ($($(#[$doc:meta])* $kind:ident $rpc:ident: $Request:ident => $Answer:ident;)*) => {
        /// The names of all answers.
        const ANSWERS: &[&str] = &[$(stringify!($Answer)),*];

        fn write_answers(text: &mut String, filler: &mut Filler) {
            $(write_answer!($kind $Answer, text, filler);)*
        }
    };
}

recall_api::for_each_rpc!(write_answers);

fn write_unless_apart<A: Message + Default + Serialize>(name: &str, text: &mut String, filler: &mut Filler) {
    if !WITHOUT_JSON.contains(&name) && !APART.contains(&name) {
        write_whole(text, name, json::answer(filler.fill::<A>()));
        write_empty(text, json::answer(A::default()));
    }
}

#[test]
fn the_exceptions_are_answers() {
    let unknown: Vec<_> = WITHOUT_JSON.iter().chain(APART).filter(|name| !ANSWERS.contains(name)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn every_answer_has_the_json_of_the_schema() {
    let (mut text, mut filler) = (String::new(), Filler::new());
    write_answers(&mut text, &mut filler);
    let all_fields = Field::ALL.iter().map(|field| field.as_str()).chain([Selected::Score.as_str()]);
    let fields: Vec<_> = all_fields.map(str::to_owned).collect();
    let rows = v1::QueryResponse { fields, ..Filler::new().fill() };
    write_whole(&mut text, "QueryResponse", recall_api::json::rows(&rows));
    write_empty(&mut text, recall_api::json::rows(&v1::QueryResponse::default()));

    for event in [
        index_event::Event::Started(filler.fill()),
        index_event::Event::Progress(filler.fill()),
        index_event::Event::Finished(filler.fill()),
        index_event::Event::Warning(v1::Warning::default()),
    ] {
        write_whole(&mut text, "IndexEvent", json::answer(event));
    }
    for event in [
        transfer_event::Event::Progress(filler.fill()),
        transfer_event::Event::Finished(filler.fill()),
        transfer_event::Event::Warning(v1::Warning::default()),
    ] {
        write_whole(&mut text, "TransferEvent", json::answer(event));
    }
    insta::assert_snapshot!(text);
}

fn write_whole(text: &mut String, name: &str, answer: impl Serialize) {
    let json = serde_json::to_string_pretty(&answer).expect("serialisable");
    writeln!(text, "{name} {json}").expect("a text takes everything");
}

fn write_empty(text: &mut String, answer: impl Serialize) {
    let json = serde_json::to_string(&answer).expect("serialisable");
    writeln!(text, "empty {json}\n").expect("a text takes everything");
}

/// Fills messages; each kind once.
struct Filler {
    pool: DescriptorPool,
    filled: BTreeSet<String>,
}

impl Filler {
    fn new() -> Self {
        let pool = DescriptorPool::decode(v1::FILE_DESCRIPTOR_SET).expect("the build script wrote it");
        Self { pool, filled: BTreeSet::new() }
    }

    fn fill<M: Message + Default>(&mut self) -> M {
        let name = type_name::<M>().rsplit("::").next().expect("a path has a last part");
        let descriptor = self.pool.get_message_by_name(&format!("recall.v1.{name}")).expect("each message has one");
        let message = self.message(&descriptor);
        M::decode(&*message.encode_to_vec()).expect("it has this descriptor")
    }

    fn message(&mut self, descriptor: &MessageDescriptor) -> DynamicMessage {
        let mut message = DynamicMessage::new(descriptor.clone());
        match descriptor.full_name() {
            "google.protobuf.Timestamp" => message.set_field_by_name("seconds", Value::I64(1_700_000_000)),
            "google.protobuf.Value" => message.set_field_by_name("number_value", Value::F64(3.0)),
            _ => {
                for field in descriptor.fields() {
                    if let Some(value) = self.values(&field) {
                        message.set_field(&field, value);
                    }
                }
            }
        }
        message
    }

    /// Returns the value, the list or the map of a field; none for a kind of message that was filled before.
    fn values(&mut self, field: &FieldDescriptor) -> Option<Value> {
        if field.is_map() {
            let entry = field.kind().as_message()?.map_entry_value_field();
            // The keys are names of fields, so that the page on JSON names them anyway.
            let mut pair = |key: &str, at| Some((MapKey::String(key.to_owned()), self.value(&entry, at)?));
            return Some(Value::Map([pair("type", 0)?, pair("code", 1)?].into()));
        }
        let value = self.value(field, 0)?;
        Some(if field.is_list() { Value::List(vec![value]) } else { value })
    }

    fn value(&mut self, field: &FieldDescriptor, at: u32) -> Option<Value> {
        let number = field.number() + at;
        Some(match field.kind() {
            Kind::Message(kind) => {
                let is_ours = kind.package_name() == "recall.v1";
                if is_ours && !self.filled.insert(kind.full_name().to_owned()) {
                    return None;
                }
                Value::Message(self.message(&kind))
            }
            Kind::Enum(names) => Value::EnumNumber(names.values().nth(1)?.number()),
            Kind::String => Value::String(format!("the {}", field.name())),
            Kind::Bool => Value::Bool(true),
            Kind::Float => Value::F32(number as f32 + 0.5),
            Kind::Double => Value::F64(f64::from(number) + 0.25),
            Kind::Uint32 => Value::U32(number),
            Kind::Uint64 => Value::U64(number.into()),
            other => panic!("no answer has a field of type {other:?}"),
        })
    }
}
