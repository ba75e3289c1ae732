//! The options of `proto/recall/json.proto`.

use protox::prost_reflect::{DescriptorPool, DynamicMessage, EnumDescriptor, FieldDescriptor, Value};

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
