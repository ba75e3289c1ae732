//! The server's description of itself.

use rmcp::model::{Implementation, ServerCapabilities, ServerConfig};

/// The instructions that a client gives to its model, the most important first, because clients truncate them.
const INSTRUCTIONS: &str = include_str!("about/instructions.txt");

/// The longest text that no client truncates.
#[cfg(test)]
pub(crate) const LONGEST_TEXT_CHARS: usize = 2_000;

/// Returns the server's name and capabilities. They do not change while it runs, so no change notifications are announced.
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
    fn clients_do_not_truncate_the_instructions() {
        assert!(INSTRUCTIONS.chars().count() < LONGEST_TEXT_CHARS);
    }

    #[test]
    fn only_existing_capabilities_are_announced() {
        let announced = serde_json::to_value(server().capabilities).expect("plain data");
        let announced: Vec<&String> = announced.as_object().expect("an object").keys().collect();
        assert_eq!(announced, ["completions", "prompts", "resources", "tools"]);
    }
}
