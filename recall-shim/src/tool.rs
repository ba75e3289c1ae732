//! The tools of the server.
//!
//! Each has a file with its call and a JSON file with its definition. Arguments are checked against the definition.

mod add;
mod call;
mod feedback;
mod get;
mod graph;
mod index;
mod init;
pub(crate) mod key;
mod list;
mod log;
mod promote;
mod rebuild;
mod recall;
mod related;
mod search;
mod session;
mod status;
mod store;
mod verify;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use recall_proto::v1::RequestContext;
use rmcp::model::{self, JsonObject};

use crate::answer::Answer;
use crate::arguments;
use crate::daemon::Daemon;
use crate::error::ToolError;
use crate::options::ToolSet;
use crate::progress::Progress;
use call::Call;

/// A tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    Search,
    Get,
    Graph,
    List,
    Add,
    Index,
    Feedback,
    Log,
    Status,
    Related,
    Promote,
    Verify,
    Session,
    Store,
    Recall,
    Init,
    Rebuild,
}

impl Tool {
    /// Every tool, in the order in which they are listed.
    pub(crate) const ALL: [Self; 17] = [
        Self::Search,
        Self::Get,
        Self::Graph,
        Self::List,
        Self::Add,
        Self::Index,
        Self::Feedback,
        Self::Log,
        Self::Status,
        Self::Related,
        Self::Promote,
        Self::Verify,
        Self::Session,
        Self::Store,
        Self::Recall,
        Self::Init,
        Self::Rebuild,
    ];

    /// The number of tools at the start of [`ALL`](Self::ALL) that an agent needs in its work.
    const CORE: usize = 9;

    /// Returns the tools of a set, in the order in which they are listed.
    pub(crate) fn of_set(set: ToolSet) -> &'static [Self] {
        match set {
            ToolSet::Core => &Self::ALL[..Self::CORE],
            ToolSet::Full => &Self::ALL,
        }
    }

    /// Returns the tool of that name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.definition().name == name)
    }

    /// Returns the definition that clients see.
    pub(crate) fn definition(self) -> &'static model::Tool {
        static DEFINITIONS: LazyLock<[model::Tool; Tool::ALL.len()]> = LazyLock::new(|| {
            Tool::ALL.map(|tool| serde_json::from_str(tool.source()).expect("the definitions are read in a test"))
        });
        &DEFINITIONS[self as usize]
    }

    fn source(self) -> &'static str {
        match self {
            Self::Search => include_str!("tool/search.json"),
            Self::Get => include_str!("tool/get.json"),
            Self::List => include_str!("tool/list.json"),
            Self::Add => include_str!("tool/add.json"),
            Self::Feedback => include_str!("tool/feedback.json"),
            Self::Log => include_str!("tool/log.json"),
            Self::Promote => include_str!("tool/promote.json"),
            Self::Verify => include_str!("tool/verify.json"),
            Self::Session => include_str!("tool/session.json"),
            Self::Index => include_str!("tool/index.json"),
            Self::Status => include_str!("tool/status.json"),
            Self::Related => include_str!("tool/related.json"),
            Self::Graph => include_str!("tool/graph.json"),
            Self::Store => include_str!("tool/store.json"),
            Self::Recall => include_str!("tool/recall.json"),
            Self::Init => include_str!("tool/init.json"),
            Self::Rebuild => include_str!("tool/rebuild.json"),
        }
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
        let schema = &self.definition().input_schema;
        let call = Call { daemon, context, home, progress, question: question(self, &arguments) };
        match self {
            Self::Search => search::call(arguments::read(schema, arguments)?, call).await,
            Self::Get => get::call(arguments::read(schema, arguments)?, call).await,
            Self::List => list::call(arguments::read(schema, arguments)?, call).await,
            Self::Add => add::call(arguments::read(schema, arguments)?, call).await,
            Self::Feedback => feedback::call(arguments::read(schema, arguments)?, call).await,
            Self::Log => log::call(arguments::read(schema, arguments)?, call).await,
            Self::Promote => promote::call(arguments::read(schema, arguments)?, call).await,
            Self::Verify => verify::call(arguments::read(schema, arguments)?, call).await,
            Self::Session => session::call(arguments::read(schema, arguments)?, call).await,
            Self::Index => index::call(arguments::read(schema, arguments)?, call).await,
            Self::Status => status::call(arguments::read(schema, arguments)?, call).await,
            Self::Related => related::call(arguments::read(schema, arguments)?, call).await,
            Self::Graph => graph::call(arguments::read(schema, arguments)?, call).await,
            Self::Store => store::call(arguments::read(schema, arguments)?, call).await,
            Self::Recall => recall::call(arguments::read(schema, arguments)?, call).await,
            Self::Init => init::call(arguments::read(schema, arguments)?, call).await,
            Self::Rebuild => rebuild::call(arguments::read(schema, arguments)?, call).await,
        }
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
    use serde_json::Value;

    use super::*;
    use crate::about::LONGEST_TEXT_CHARS;

    #[test]
    fn every_definition_is_portable() {
        for tool in Tool::ALL {
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
            check_portable(&Value::Object((*definition.input_schema).clone()), &format!("{tool:?}"));
            assert_eq!(definition.input_schema.get("type"), Some(&Value::from("object")), "{tool:?}");
        }
    }

    /// The arguments whose names are self-explanatory: every description costs each session its tokens.
    const SELF_EXPLANATORY: [&str; 7] =
        ["limit", "depth", "tags", "related_files", "recursive", "include_code", "include_memories"];

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
    fn the_definitions_change_only_on_purpose() {
        let definitions = Tool::ALL.map(Tool::definition);
        insta::assert_snapshot!(serde_json::to_string_pretty(&definitions).expect("plain data"));
    }

    #[test]
    fn the_core_tools_ask_to_be_loaded_always() {
        let always: Vec<_> = Tool::ALL
            .into_iter()
            .filter(|tool| {
                let meta = tool.definition().meta.as_ref();
                meta.is_some_and(|meta| meta.get("anthropic/alwaysLoad") == Some(&Value::Bool(true)))
            })
            .collect();
        assert_eq!(always, [Tool::Search, Tool::Get]);
    }

    /// Four characters are about a token, and every session pays for all of them.
    #[test]
    fn the_core_tools_take_no_more_than_2600_tokens() {
        let definitions: Vec<_> = Tool::of_set(ToolSet::Core).iter().map(|tool| tool.definition()).collect();
        let text = serde_json::to_string(&definitions).expect("plain data");
        assert!(text.chars().count() <= 4 * 2_600, "{}", text.chars().count());
    }

    #[test]
    fn the_full_set_adds_to_the_core() {
        let (core, full) = (Tool::of_set(ToolSet::Core), Tool::of_set(ToolSet::Full));
        let expected = [
            Tool::Search,
            Tool::Get,
            Tool::Graph,
            Tool::List,
            Tool::Add,
            Tool::Index,
            Tool::Feedback,
            Tool::Log,
            Tool::Status,
        ];
        assert_eq!(core, expected);
        let more = [Tool::Related, Tool::Promote, Tool::Verify, Tool::Session];
        let plain = [Tool::Store, Tool::Recall, Tool::Init, Tool::Rebuild];
        assert_eq!(full[core.len()..], [&more[..], &plain[..]].concat());
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
