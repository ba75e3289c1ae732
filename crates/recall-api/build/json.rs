//! The attributes and implementations that let `serde` serialise the messages.

use std::fmt::{Error, Write as _};

use protox::prost_reflect::{DescriptorPool, FieldDescriptor, Kind, MessageDescriptor};
use tonic_prost_build::Builder;

use crate::options::{Empty, FieldOptions, ValueNames};

/// Lets a message be serialised as `proto/recall/json.proto` says; of an event its variant.
pub(crate) fn derive(builder: Builder, message: &MessageDescriptor) -> Builder {
    let choice = message.oneofs().find(|choice| !choice.is_synthetic());
    let (path, derived) = match &choice {
        None => (message.full_name(), "#[derive(serde::Serialize)]".to_owned()),
        Some(choice) => {
            let tag = choice.name();
            let attributes = format!("#[serde(tag = {tag:?}, rename_all = \"snake_case\")]");
            (choice.full_name(), format!("#[derive(serde::Serialize)] {attributes}"))
        }
    };
    let builder = builder.type_attribute(format!(".{path}"), derived);
    message.fields().fold(builder, |builder, field| match attributes(&field) {
        attributes if attributes.is_empty() => builder,
        attributes => {
            let attribute = format!("#[serde({})]", attributes.join(", "));
            builder.field_attribute(format!(".{path}.{}", field.name()), attribute)
        }
    })
}

/// Returns the attributes of a field for `serde`.
fn attributes(field: &FieldDescriptor) -> Vec<String> {
    let FieldOptions { name, empty, shape } = FieldOptions::new(field);
    let mut attributes = Vec::from_iter(name.map(|name| format!("rename = {name:?}")));
    match empty {
        Empty::AsItIs | Empty::Null => {}
        Empty::Absent => attributes.push("skip_serializing_if = \"crate::json::field::is_default\"".to_owned()),
        Empty::Never => attributes.push("skip".to_owned()),
    }
    let writer = match shape {
        Some(shape) => Some(format!("crate::json::shape::{shape}")),
        None if empty == Empty::Null => Some("crate::json::field::null_if_default".to_owned()),
        None => writer(field),
    };
    attributes.extend(writer.map(|function| format!("serialize_with = {function:?}")));
    attributes
}

/// Returns the function that writes a value of a field's type, for types that `serde` does not know.
fn writer(field: &FieldDescriptor) -> Option<String> {
    match field.kind() {
        Kind::Enum(names) => Some(format!("crate::json::field::value_name::<crate::v1::{}, _>", names.name())),
        Kind::Message(message) => match message.full_name() {
            "google.protobuf.Timestamp" => Some("crate::json::field::time".to_owned()),
            "google.protobuf.Struct" => Some("crate::json::field::object".to_owned()),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the source that gives each enumeration the names of its values in JSON.
pub(crate) fn name_values(pool: &DescriptorPool) -> Result<String, Error> {
    let mut source = String::new();
    for enumeration in pool.all_enums().filter(|enumeration| enumeration.package_name() == "recall.v1") {
        let ValueNames { names, unspecified } = ValueNames::new(&enumeration);
        writeln!(source, "impl crate::json::field::Enumeration for {} {{", enumeration.name())?;
        writeln!(source, "    fn json_name(number: i32) -> Option<&'static str> {{\n        match number {{")?;
        for (number, name) in names {
            writeln!(source, "            {number} => Some({name:?}),")?;
        }
        writeln!(source, "            _ => {unspecified:?},\n        }}\n    }}\n}}")?;
    }
    Ok(source)
}
