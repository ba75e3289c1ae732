//! The tools of the server.
//!
//! Each is a row of one table, a call and its text in a file of its topic, and a JSON file with its definition. Arguments are checked
//! against the definition. The core set lists less of it, because each session pays for every word.

mod add;
pub(crate) mod call;
mod context;
mod graph;
mod index;
mod list;
mod related;
mod search;
mod session;
mod status;
mod verify;
mod why;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use recall_api::v1::RequestContext;
use rmcp::model::{self, JsonObject};
use serde_json::Value;

use crate::answer::Answer;
use crate::arguments;
use crate::daemon::Daemon;
use crate::error::ToolError;
use crate::process_env::{Options, ToolSet};
use call::{Call, Progress};

/// Defines [`Tool`] from one row per tool: its name here, the smallest set that offers it, its definition, the name that clients see, and
/// its call.
///
/// The definition `d` is the file `tool/d.json` with what clients see: the name, the description, the schema of the arguments and the
/// annotations. The call reads its arguments into a type of its own.
macro_rules! tools {
    ($($tool:ident, $set:ident, $definition:literal, $name:literal, $call:path;)+) => {
        /// A tool.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Tool {
            $($tool,)+
        }

        impl Tool {
            /// Every tool, in the order in which they are listed.
            pub(crate) const ALL: &[Self] = &[$(Self::$tool,)+];

            /// Returns the smallest set that offers the tool.
            fn set(self) -> ToolSet {
                match self {
                    $(Self::$tool => ToolSet::$set,)+
                }
            }

            /// Returns the name that clients see, without reading the definition.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Self::$tool => $name,)+
                }
            }

            /// Returns the text of the definition.
            fn source(self) -> &'static str {
                match self {
                    $(Self::$tool => include_str!(concat!("tool/", $definition, ".json")),)+
                }
            }

            /// Reads the arguments and answers the call.
            async fn answer(self, arguments: JsonObject, call: Call<'_>) -> Result<Answer, ToolError> {
                let schema = &self.definition().input_schema;
                match self {
                    $(Self::$tool => $call(arguments::read(schema, arguments)?, call).await,)+
                }
            }
        }
    };
}

tools! {
    Search, Core, "search", "recall_search", search::call;
    Context, Core, "context", "recall_context", context::call;
    Get, Core, "get", "recall_get", related::get;
    Graph, Core, "graph", "recall_graph", graph::call;
    List, Core, "list", "recall_list", list::call;
    Add, Core, "add", "recall_add", add::call;
    Index, Core, "index", "recall_index", index::call;
    Feedback, Core, "feedback", "recall_feedback", verify::feedback;
    Log, Core, "log", "flight_recorder_log", session::log;
    Status, Core, "status", "recall_status", status::call;
    Related, Full, "related", "recall_related", related::call;
    Promote, Full, "promote", "recall_promote", add::promote;
    Verify, Full, "verify", "recall_verify", verify::call;
    Why, Full, "why", "recall_why", why::call;
    Session, Full, "session", "recall_session", session::call;
    Store, Full, "store", "store", add::store;
    Recall, Full, "recall", "recall", search::recall;
    Init, Full, "init", "init", index::init;
    Rebuild, Full, "rebuild", "rebuild", index::rebuild;
}

impl Tool {
    /// Returns the tools of a set, in the order in which they are listed.
    pub(crate) fn in_set(set: ToolSet) -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(move |tool| set == ToolSet::Full || tool.set() == set)
    }

    /// Returns the tool of that name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|tool| tool.name() == name)
    }

    /// Returns the whole definition, which arguments are checked against. It stays in memory from the first call of the tool on: each
    /// session has a process, and calls few of the tools.
    pub(crate) fn definition(self) -> &'static model::Tool {
        static DEFINITIONS: [OnceLock<model::Tool>; Tool::ALL.len()] = [const { OnceLock::new() }; Tool::ALL.len()];
        DEFINITIONS[self as usize].get_or_init(|| self.read_definition())
    }

    fn read_definition(self) -> model::Tool {
        serde_json::from_str(self.source()).expect("the definitions are read in a test")
    }

    /// Returns the definition that clients of a set see. The core set leaves out the arguments that an agent seldom needs, which are
    /// accepted nevertheless, and what a client learns from an error in time.
    pub(crate) fn listing(self, options: &Options) -> model::Tool {
        let mut listed = self.read_definition();
        if options.tools == ToolSet::Core {
            listed.input_schema = Arc::new(brief_schema(&listed.input_schema));
        }
        if options.plain_names {
            listed.name = Cow::Borrowed(self.plain_name());
        }
        listed
    }

    /// Returns the name without the prefix that tells recall's tools from those of other servers.
    fn plain_name(self) -> &'static str {
        self.name().strip_prefix("recall_").unwrap_or(self.name())
    }

    /// Returns the tool of that name without its prefix.
    pub(crate) fn from_plain_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|tool| tool.plain_name() == name)
    }

    /// Returns whether the definition has an argument.
    pub(crate) fn has_argument(self, name: &str) -> bool {
        let properties = self.definition().input_schema.get("properties").and_then(Value::as_object);
        properties.is_some_and(|properties| properties.contains_key(name))
    }

    /// Answers a call.
    ///
    /// # Errors
    /// The arguments are wrong, the daemon cannot be reached, or it rejects the call.
    pub(crate) async fn call(
        self,
        arguments: JsonObject,
        daemon: &Daemon,
        context: RequestContext,
        home: Option<&Path>,
        progress: Option<Progress>,
    ) -> Result<Answer, ToolError> {
        let (mut arguments, notes) = arguments::tidy(&self.definition().input_schema, &arguments)?;
        let question = question(self, &arguments);
        // The time is part of the context, so no tool needs to know it.
        let as_of = match arguments.remove("as_of") {
            Some(Value::String(as_of)) => as_of,
            _ => String::new(),
        };
        let context = RequestContext { as_of, ..context };
        let answer = self.answer(arguments, Call { daemon, context, home, progress, question }).await?;
        Ok(answer.with_notes(&notes))
    }
}

/// The arguments that the core set accepts and does not list: JSON instead of text, tuning, and names that earlier servers had.
const UNLISTED: [&str; 13] = [
    "as_of",
    "since",
    "before",
    "format",
    "include_code",
    "include_memories",
    "rerank",
    "explain",
    "bm25_weight",
    "vector_weight",
    "ppr_weight",
    "project_id",
    "useful",
];

/// Returns a schema without the unlisted arguments, without lower bounds, which no agent misses, and without defaults of `false`.
fn brief_schema(schema: &JsonObject) -> JsonObject {
    let mut brief = schema.clone();
    brief.retain(|key, value| match key.as_str() {
        "additionalProperties" | "minLength" | "minimum" => false,
        "default" => *value != Value::Bool(false),
        _ => true,
    });
    if let Some(Value::Object(properties)) = brief.get_mut("properties") {
        properties.retain(|name, _| !UNLISTED.contains(&name.as_str()));
        properties.values_mut().for_each(shorten);
    }
    brief.get_mut("items").into_iter().for_each(shorten);
    brief
}

fn shorten(schema: &mut Value) {
    if let Value::Object(schema) = schema {
        *schema = brief_schema(schema);
    }
}

/// Returns the arguments that determine what is found, not those that determine how it is shown, in a fixed order.
fn question(tool: Tool, arguments: &JsonObject) -> String {
    const PRESENTATION: [&str; 5] = ["budget_tokens", "cursor", "format", "k", "limit"];
    let deciding: BTreeMap<_, _> =
        arguments.iter().filter(|(name, value)| !value.is_null() && !PRESENTATION.contains(&name.as_str())).collect();
    format!("{tool:?} {}", serde_json::json!(deciding))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::{INSTRUCTIONS, LONGEST_TEXT_CHARS};

    fn options(tools: ToolSet) -> Options {
        Options { tools, plain_names: false }
    }

    #[test]
    fn plain_names_are_unique_and_lead_to_their_tools() {
        for &tool in Tool::ALL {
            let listed = tool.listing(&Options { tools: ToolSet::Full, plain_names: true });
            assert!(!listed.name.starts_with("recall_"), "{}", listed.name);
            assert_eq!(Tool::from_plain_name(&listed.name), Some(tool));
        }
    }

    #[test]
    fn every_definition_is_portable() {
        for &tool in Tool::ALL {
            let definition = tool.definition();
            assert_eq!(Tool::from_name(&definition.name), Some(tool));
            let description = definition.description.as_ref().expect("described");
            assert!(description.chars().count() < LONGEST_TEXT_CHARS, "{tool:?}");
            assert!(definition.title.is_some(), "{tool:?}");
            let annotations = definition.annotations.as_ref().expect("annotated");
            assert_eq!(annotations.open_world_hint, Some(false), "{tool:?}");
            // A repeated call of these tools counts twice.
            let counts = matches!(tool, Tool::Add | Tool::Feedback | Tool::Log | Tool::Store);
            // Default values of hints are left out, and the other hints are meaningless for a read-only tool.
            let is_read_only = annotations.read_only_hint == Some(true);
            assert_eq!(annotations.idempotent_hint, (!is_read_only && !counts).then_some(true), "{tool:?}");
            for set in [ToolSet::Core, ToolSet::Full] {
                let listed = tool.listing(&options(set));
                check_portable(&Value::Object((*listed.input_schema).clone()), &format!("{tool:?}"));
            }
            assert_eq!(definition.input_schema.get("type"), Some(&Value::from("object")), "{tool:?}");
        }
    }

    /// The arguments whose names are self-explanatory: every description costs each session its tokens.
    const SELF_EXPLANATORY: [&str; 16] = [
        "from_agent",
        "to_agent",
        "limit",
        "depth",
        "tags",
        "related_files",
        "recursive",
        "include_code",
        "include_memories",
        "rerank",
        "explain",
        "bm25_weight",
        "vector_weight",
        "ppr_weight",
        "project_id",
        "language",
    ];

    /// Some clients translate schemas into dialects that know less: one plain type each, no formats, no combinations.
    fn check_portable(schema: &Value, at: &str) {
        const KNOWN: [&str; 12] = [
            "type",
            "properties",
            "required",
            "additionalProperties",
            "items",
            "enum",
            "default",
            "description",
            "minimum",
            "maximum",
            "minLength",
            "title",
        ];
        let schema = schema.as_object().expect(at);
        for key in schema.keys() {
            assert!(KNOWN.contains(&key.as_str()), "{at} has `{key}`");
        }
        assert!(schema.get("type").is_some_and(Value::is_string), "{at} has no plain type");
        assert!(schema.get("default").is_none_or(|default| !default.is_null()), "{at} has a null default");
        for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let is_plain = SELF_EXPLANATORY.contains(&name.as_str()) || property.get("enum").is_some();
            assert!(is_plain || property.get("description").is_some(), "{at}.{name} is not described");
            check_portable(property, &format!("{at}.{name}"));
        }
        if let Some(items) = schema.get("items") {
            check_portable(items, &format!("{at}[]"));
        }
    }

    #[test]
    fn clients_of_the_full_set_see_all_of_a_definition() {
        for tool in Tool::ALL {
            let written: Value = serde_json::from_str(tool.source()).expect("JSON");
            assert_eq!(
                serde_json::to_value(tool.listing(&options(ToolSet::Full))).expect("plain data"),
                written,
                "{tool:?}"
            );
        }
    }

    #[test]
    fn the_core_set_lists_less_and_accepts_as_much() {
        let listed = Tool::Search.listing(&options(ToolSet::Core));
        let schema = serde_json::to_string(&listed.input_schema).expect("plain data");
        for (name, is_listed) in [("query", true), ("budget_tokens", true), ("project", true), ("bm25_weight", false)] {
            assert_eq!(schema.contains(&format!("\"{name}\":")), is_listed, "{name}");
            assert!(Tool::Search.has_argument(name), "{name}");
        }
        assert!(schema.contains("\"required\":[\"query\"]") && schema.contains("\"maximum\":50"), "{schema}");
        for name in UNLISTED {
            assert!(Tool::ALL.iter().any(|tool| tool.has_argument(name)), "{name} is no argument");
        }
    }

    #[test]
    fn the_core_tools_ask_to_be_loaded_always() {
        let asks = |tool: &Tool| {
            let meta = tool.definition().meta.as_ref();
            meta.is_some_and(|meta| meta.get("anthropic/alwaysLoad") == Some(&Value::Bool(true)))
        };
        let always: Vec<_> = Tool::ALL.iter().copied().filter(asks).collect();
        assert_eq!(always, [Tool::Search, Tool::Get]);
    }

    /// Four characters are about a token, and every session pays for all of them.
    #[test]
    fn the_core_tools_and_the_instructions_take_no_more_than_2600_tokens() {
        let definitions: Vec<_> =
            Tool::in_set(ToolSet::Core).map(|tool| tool.listing(&options(ToolSet::Core))).collect();
        let text = serde_json::to_string(&definitions).expect("plain data") + INSTRUCTIONS;
        assert!(text.chars().count() <= 4 * 2_600, "{}", text.chars().count());
    }

    #[test]
    fn the_full_set_adds_to_the_core() {
        let [core, full] = [ToolSet::Core, ToolSet::Full].map(|set| Tool::in_set(set).collect::<Vec<_>>());
        assert_eq!((core.len(), full.len()), (10, 19));
        assert!(full.starts_with(&core));
        assert_eq!(full, Tool::ALL);
    }

    #[test]
    fn the_question_is_the_same_on_every_page() {
        let question = |arguments: Value| question(Tool::Search, arguments.as_object().expect("an object"));
        let first = question(serde_json::json!({"query": "q", "types": ["code"], "limit": 5}));
        let next = question(serde_json::json!({"cursor": "x", "types": ["code"], "query": "q", "format": "json"}));
        assert_eq!(first, next);
        assert_ne!(first, question(serde_json::json!({"query": "q"})));
    }
}
