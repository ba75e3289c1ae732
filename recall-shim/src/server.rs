//! The MCP server: its description of itself, and the handlers of the protocol's requests.

use std::path::PathBuf;
use std::time::Duration;

use recall_api::v1;
use recall_core::EndReason;
use recall_text::nearest;
use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, DiscoverResult,
    GetPromptRequestParams, GetPromptResponse, GetSkillRequestParams, GetSkillResult, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListSkillsResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer};
use rmcp::{ServerHandler, model};

use crate::daemon::Daemon;
use crate::error::ToolError;
use crate::process_env::{Options, ProcessEnv};
use crate::roots::{OwnFolder, PROJECT_ARGUMENT, ProjectHint, Roots};
use crate::tool::Tool;
use crate::tool::call::Progress;
use crate::{answer, prompt, resource, skill};

/// How long a client may cache discovery and the lists. They are built into the program and do not change while it runs; an
/// hour bounds how long a client misses an upgrade.
const TTL_MS: u64 = 60 * 60 * 1000;

/// How long the process waits for its last call: clients kill a process that does not end within a second or two.
const LAST_CALL: Duration = Duration::from_millis(500);

/// The server.
#[derive(Debug)]
pub(crate) struct Shim {
    tools: Vec<Tool>,
    options: Options,
    context: v1::RequestContext,
    is_own_session: bool,
    home: Option<PathBuf>,
    roots: Roots,
    daemon: Daemon,
}

impl Shim {
    /// Creates the server without connecting to the daemon.
    pub(crate) fn new(options: &Options, process_env: ProcessEnv) -> Self {
        let ProcessEnv { dirs, replace, home, context, is_own_session, is_in_project, mcp } = process_env;
        let daemon = Daemon::new(dirs, replace, &mcp);
        let own = OwnFolder { directory: PathBuf::from(&context.working_directory), is_in_project };
        let roots = Roots::new(own, home.clone(), mcp.roots_wait);
        Self {
            tools: Tool::in_set(options.tools).collect(),
            options: options.clone(),
            context,
            is_own_session,
            home,
            roots,
            daemon,
        }
    }

    /// Ends the session if this process created it and has connected to the daemon.
    ///
    /// The session of a process that is killed counts as abandoned after some hours.
    pub(crate) async fn end_session(&self) {
        if !self.is_own_session {
            return;
        }
        let Some(client) = self.daemon.connection().await else { return };
        let request = v1::EndSessionRequest {
            context: Some(self.context_in(self.roots.known_root().await)),
            reason: EndReason::Exit.as_str().to_owned(),
            ..v1::EndSessionRequest::default()
        };
        // The client is gone, so a failure cannot be reported; a session without events does not exist, which also fails.
        let _ = tokio::time::timeout(LAST_CALL, client.end_session(request)).await;
    }

    /// Returns the context of a request without arguments: that of the process, with the client's own name as the agent, and in the
    /// client's folder if the process was started outside of any project.
    async fn context(&self, request: &RequestContext<RoleServer>) -> v1::RequestContext {
        // Only a named project can be unknown.
        self.context_for(request, &ProjectHint::default()).await.unwrap_or_else(|_| self.context_in(None))
    }

    /// Returns the context of a call, in the project that its arguments name.
    ///
    /// # Errors
    /// The call names a project that is not open.
    async fn context_for(
        &self,
        request: &RequestContext<RoleServer>,
        hint: &ProjectHint,
    ) -> Result<v1::RequestContext, ToolError> {
        let agent = request.client_info().map(|client| client.name).unwrap_or_default();
        Ok(v1::RequestContext { agent, ..self.context_in(self.roots.directory(request, hint).await?) })
    }

    /// Returns the context of the process, in another working directory if there is one.
    fn context_in(&self, directory: Option<PathBuf>) -> v1::RequestContext {
        let mut context = self.context.clone();
        if let Some(directory) = directory {
            context.working_directory = directory.to_string_lossy().into_owned();
        }
        context
    }

    fn tool(&self, name: &str) -> Result<Tool, ErrorData> {
        let offered = || self.tools.iter().map(|tool| tool.name());
        let plain = || self.options.plain_names.then(|| Tool::from_plain_name(name)).flatten();
        // A few names have no prefix, and agents write it before them all the same.
        let bare = || name.strip_prefix("recall_").and_then(Tool::from_name);
        Tool::from_name(name).or_else(plain).or_else(bare).filter(|tool| self.tools.contains(tool)).ok_or_else(|| {
            let meant = nearest(name, offered()).map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
            ErrorData::invalid_params(format!("there is no tool `{name}`{meant}"), None)
        })
    }
}

impl ServerHandler for Shim {
    fn get_info(&self) -> ServerConfig {
        server_config()
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        let result = DiscoverResult::from_server_info(versions, self.get_info());
        Ok(result.with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Public))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.tools.iter().map(|tool| tool.listing(&self.options)).collect();
        Ok(ListToolsResult::with_all_items(tools).with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Public))
    }

    /// Calls a tool. A cancelled call is dropped, which resets its stream and so ends its work in the daemon.
    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = self.tool(&request.name)?;
        let mut arguments = request.arguments.unwrap_or_default();
        let hint = ProjectHint::read(&arguments);
        if !tool.has_argument(PROJECT_ARGUMENT) {
            arguments.remove(PROJECT_ARGUMENT);
        }
        let progress = Progress::for_call(&context);
        let call = async {
            let origin = self.context_for(&context, &hint).await?;
            tool.call(arguments, &self.daemon, origin, self.home.as_deref(), progress).await
        };
        // The future is as large as its largest message; a box avoids copying it.
        let answer = until_cancelled(&context, Box::pin(call)).await?;
        Ok(answer::to_result(answer).into())
    }

    /// Returns the files of the skills. There are too many documents: the templates name them; `recall_list` and completion find them.
    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(skill::resources())
            .with_ttl_ms(TTL_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let result = ListResourceTemplatesResult::with_all_items(resource::templates());
        Ok(result.with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Public))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = async {
            let origin = self.context(&context).await;
            if skill::is_skill(&request.uri) {
                skill::read(&request.uri, TTL_MS, &self.daemon, origin).await
            } else {
                resource::read(&request.uri, &self.daemon, origin).await
            }
        };
        Ok(until_cancelled(&context, read).await??.into())
    }

    async fn list_skills(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        let list = async { skill::list(&self.daemon, self.context(&context).await).await };
        until_cancelled(&context, list).await
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        let get = async { skill::get(&request.uri, TTL_MS, &self.daemon, self.context(&context).await).await };
        until_cancelled(&context, get).await?
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let result = ListPromptsResult::with_all_items(prompt::all());
        Ok(result.with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Public))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let answer = async { prompt::answer(&request, &self.daemon, self.context(&context).await).await };
        until_cancelled(&context, answer).await?.map(GetPromptResponse::from)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let complete = async { resource::complete(&request, &self.daemon, self.context(&context).await).await };
        Ok(CompleteResult::new(until_cancelled(&context, complete).await?))
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        self.roots.forget().await;
    }
}

/// Runs the work until its request is cancelled; then drops the work, and the SDK sends no answer.
async fn until_cancelled<T>(
    context: &RequestContext<RoleServer>,
    work: impl Future<Output = T>,
) -> Result<T, ErrorData> {
    tokio::select! {
        biased;
        () = context.ct.cancelled() => Err(ErrorData::new(model::ErrorCode::INTERNAL_ERROR, "cancelled", None)),
        done = work => Ok(done),
    }
}

/// The instructions that a client gives to its model, the most important first, because clients truncate them.
pub(crate) const INSTRUCTIONS: &str = include_str!("server/instructions.txt");

/// The longest text that no client truncates.
#[cfg(test)]
pub(crate) const LONGEST_TEXT_CHARS: usize = 2_000;

/// Returns the server's name and capabilities. They do not change while it runs, so no change notifications are announced.
fn server_config() -> ServerConfig {
    let capabilities = ServerCapabilities::builder()
        .enable_completions()
        .enable_prompts()
        .enable_resources()
        .enable_tools()
        .enable_skills()
        .build();
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
        let announced = serde_json::to_value(server_config().capabilities).expect("plain data");
        let announced: Vec<&String> = announced.as_object().expect("an object").keys().collect();
        assert_eq!(announced, ["extensions", "completions", "prompts", "resources", "tools"]);
    }
}
