//! The options of `proto/recall/json.proto`, and the attributes and implementations that let `serde` serialise the messages as
//! they say.

use std::fmt::{Error, Write as _};

use protox::prost_reflect::{
    DescriptorPool, DynamicMessage, EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor, Value,
};
use tonic_prost_build::Builder;

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
        Some(shape) => Some(format!("crate::json::{shape}")),
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

/// How a field without a value is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Empty {
    AsItIs,
    Null,
    Absent,
    Never,
}

/// The options of a field.
pub(crate) struct FieldOptions {
    /// Its name in JSON, if it has another there.
    pub(crate) name: Option<String>,
    pub(crate) empty: Empty,
    /// The function that writes it in another shape.
    pub(crate) shape: Option<String>,
}

impl FieldOptions {
    pub(crate) fn new(field: &FieldDescriptor) -> Self {
        let options = field.options();
        let option = |name: &str| option(field.parent_pool(), &options, name);
        let text = |name| option(name)?.as_str().map(str::to_owned);
        let empty = match option("recall.json.empty").and_then(|value| value.as_enum_number()) {
            None | Some(0) => Empty::AsItIs,
            Some(1) => Empty::Null,
            Some(2) => Empty::Absent,
            Some(3) => Empty::Never,
            Some(other) => panic!("`recall.json.Empty` has a new value {other}"),
        };
        Self { name: text("recall.json.name"), empty, shape: text("recall.json.shape") }
    }
}

/// The names of an enumeration's values in JSON.
pub(crate) struct ValueNames {
    /// By number, without the unspecified value.
    pub(crate) names: Vec<(i32, String)>,
    /// What the unspecified and every unknown value is written as; `None` for null.
    pub(crate) unspecified: Option<String>,
}

impl ValueNames {
    pub(crate) fn new(enumeration: &EnumDescriptor) -> Self {
        let unspecified = option(enumeration.parent_pool(), &enumeration.options(), "recall.json.unspecified");
        let unspecified = unspecified.and_then(|value| value.as_str().map(str::to_owned));
        let first = enumeration.default_value();
        let prefix = first.name().strip_suffix("UNSPECIFIED").expect("the first value is the unspecified one");
        let others = enumeration.values().filter(|value| value.number() != first.number());
        let bare = |name: &str| name.strip_prefix(prefix).expect("all values have the prefix").to_lowercase();
        Self { names: others.map(|value| (value.number(), bare(value.name()))).collect(), unspecified }
    }
}

/// Returns an option that a declaration sets.
fn option(pool: &DescriptorPool, options: &DynamicMessage, name: &str) -> Option<Value> {
    let extension = pool.get_extension_by_name(name).expect("`proto/recall/json.proto` defines it");
    options.has_extension(&extension).then(|| options.get_extension(&extension).into_owned())
}
