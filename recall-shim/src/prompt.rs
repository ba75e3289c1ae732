//! The prompts of the server.

use recall_api::v1::{BriefingRequest, RequestContext};
use recall_text::nearest;
use rmcp::ErrorData;
use rmcp::model::{GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

use crate::daemon::Daemon;
use crate::error::Doing;
use crate::render;

/// The prompt that asks for the reason of a choice.
const WHY: &str = "why";

/// The prompt with the briefing of a new session.
const BRIEF: &str = "brief";

/// The prompt that asks to record what was learnt.
const CAPTURE: &str = "capture";

/// Returns all prompts, in a fixed order.
pub(crate) fn all() -> Vec<Prompt> {
    let topic =
        PromptArgument::new("topic").with_description("What to explain: a choice, a name, a file").with_required(true);
    let description = "Find out why something is as it is, from recorded decisions and the code, with citations";
    let why = Prompt::new(WHY, Some(description), Some(vec![topic])).with_title("Why is it so?");
    let goal = PromptArgument::new("goal").with_description("What the session is for").with_required(false);
    let description =
        "What a new session should know: recent sessions, what was left open, decisions, what no longer holds";
    let brief = Prompt::new(BRIEF, Some(description), Some(vec![goal])).with_title("Briefing");
    let topic = PromptArgument::new("topic").with_description("What to record: a subject, a file").with_required(false);
    let description = "Record what this session decided and learnt, without repeating what is known";
    let capture = Prompt::new(CAPTURE, Some(description), Some(vec![topic])).with_title("Record what was learnt");
    vec![brief, capture, why]
}

/// Returns the messages of a prompt. The briefing comes from the daemon.
///
/// # Errors
/// There is no such prompt, its argument is missing, or the daemon cannot be reached.
pub(crate) async fn answer(
    request: &GetPromptRequestParams,
    daemon: &Daemon,
    context: RequestContext,
) -> Result<GetPromptResult, ErrorData> {
    if request.name != BRIEF {
        return get(request);
    }
    let goal = argument(request, "goal").unwrap_or_default().to_owned();
    let asked = BriefingRequest { context: Some(context), goal, ..BriefingRequest::default() };
    let briefing = daemon.call(Doing::Reading, |client| {
        let asked = asked.clone();
        async move { client.briefing(asked).await }
    });
    let response = briefing.await.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, render::briefing(&response))]))
}

/// Returns an argument of a request if it is not blank.
fn argument<'r>(request: &'r GetPromptRequestParams, name: &str) -> Option<&'r str> {
    let given = request.arguments.as_ref()?.get(name).and_then(Value::as_str)?;
    Some(given.trim()).filter(|given| !given.is_empty())
}

/// Returns the messages of a prompt that needs no daemon.
fn get(request: &GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    if request.name == CAPTURE {
        let text = capture(argument(request, "topic"));
        return Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]));
    }
    if request.name != WHY {
        let hint = nearest(&request.name, [BRIEF, CAPTURE, WHY])
            .map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
        return Err(ErrorData::invalid_params(format!("there is no prompt `{}`{hint}", request.name), None));
    }
    let Some(topic) = argument(request, "topic") else {
        return Err(ErrorData::invalid_params("the argument `topic` is missing", None));
    };
    let text = format!(
        "Find out why this is as it is: {topic}\n\n\
         1. Call recall_search for it with types [\"adr\", \"decision\", \"documentation\"].\n\
         2. Call recall_search for it again without types, for the code that shows it.\n\
         3. Answer in a few sentences and cite each source as path:start-end. Keep apart what is recorded and what you \
         conclude. Say so when no decision is recorded."
    );
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]))
}

/// Returns the text that asks to record what was learnt, about everything or about a topic.
fn capture(topic: Option<&str>) -> String {
    let about = topic.map_or_else(String::new, |topic| format!(" about {topic}"));
    format!(
        "Record what the next session should know{about}.\n\n\
         1. List the decisions with their reasons, the lessons, the patterns worth repeating, and the failures with their \
         causes. Leave out what the code, its comments or the git history already say.\n\
         2. For each, call recall_search with its subject. If a memory says it, do not add it again. If a memory is wrong \
         now, pass its id as `supersedes`.\n\
         3. Call recall_add for each: type decision, lesson, pattern or failure, a title that states it, the reason as \
         content, and the files as related_files.\n\
         4. Report the ids and titles. Add nothing if there is nothing to record."
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(name: &str, topic: &Value) -> String {
        let mut request = GetPromptRequestParams::new(name);
        request.arguments = json!({"topic": topic}).as_object().cloned();
        match get(&request) {
            Ok(prompt) => prompt.messages[0].content.as_text().expect("text").text.clone(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn what_is_recorded_may_have_a_topic() {
        let text = check("capture", &json!("retries"));
        assert!(text.starts_with("Record what the next session should know about retries.\n"), "{text}");
        assert!(check("capture", &json!(" ")).starts_with("Record what the next session should know.\n"));
        assert_eq!(all().iter().map(|prompt| prompt.name.as_str()).collect::<Vec<_>>(), ["brief", "capture", "why"]);
    }

    #[test]
    fn a_prompt_needs_its_topic() {
        insta::assert_snapshot!(check("why", &json!("WAL mode")), @r#"
        Find out why this is as it is: WAL mode

        1. Call recall_search for it with types ["adr", "decision", "documentation"].
        2. Call recall_search for it again without types, for the code that shows it.
        3. Answer in a few sentences and cite each source as path:start-end. Keep apart what is recorded and what you conclude. Say so when no decision is recorded.
        "#);
        assert_eq!(check("why", &json!(" ")), "-32602: the argument `topic` is missing");
        assert_eq!(check("wy", &json!("x")), "-32602: there is no prompt `wy`; did you mean `why`?");
    }
}
