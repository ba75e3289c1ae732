//! What does the server say about itself?

use rmcp::model::{Implementation, ServerCapabilities, ServerConfig};

/// What a client puts before its model. What matters first: clients cut it.
const INSTRUCTIONS: &str = include_str!("about/instructions.txt");

/// The longest text that every client takes uncut.
#[cfg(test)]
pub(crate) const LONGEST_TEXT_CHARS: usize = 2_000;

/// What this server is and can do. Nothing in it changes while it runs, so no changes are announced.
pub(crate) fn server() -> ServerConfig {
    let capabilities =
        ServerCapabilities::builder().enable_completions().enable_prompts().enable_resources().enable_tools().build();
    let implementation = Implementation::new("recall", env!("CARGO_PKG_VERSION"))
        .with_title("recall")
        .with_description("Local memory of a project: code, documents and decisions, searched in milliseconds");
    ServerConfig::new(capabilities).with_server_info(implementation).with_instructions(INSTRUCTIONS.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_take_the_instructions_uncut() {
        assert!(INSTRUCTIONS.chars().count() < LONGEST_TEXT_CHARS);
    }

    #[test]
    fn only_what_there_is_is_announced() {
        let announced = serde_json::to_value(server().capabilities).expect("plain data");
        let announced: Vec<&String> = announced.as_object().expect("an object").keys().collect();
        assert_eq!(announced, ["completions", "prompts", "resources", "tools"]);
    }
}
