//! What is answered to which request of the protocol?

use std::path::PathBuf;
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, DiscoverResult,
    GetPromptRequestParams, GetPromptResponse, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerConfig,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ServerHandler, model};

use recall_core::{EndReason, nearest};
use recall_proto::v1;

use crate::daemon::Daemon;
use crate::options::ToolSet;
use crate::progress::Progress;
use crate::surroundings::Surroundings;
use crate::tool::Tool;
use crate::{about, answer, prompt, resource};

/// What the server says about itself is built into the program: a client may keep it as long as the program runs,
/// and an hour bounds how long it misses an upgrade.
const TTL_MS: u64 = 60 * 60 * 1000;

/// How long the process stays for its last call: clients that wait for its end kill it after a second or two.
const LAST_CALL: Duration = Duration::from_millis(500);

/// The server.
#[derive(Debug)]
pub(crate) struct Shim {
    tools: &'static [Tool],
    context: v1::RequestContext,
    is_own_session: bool,
    home: Option<PathBuf>,
    daemon: Daemon,
}

impl Shim {
    /// Connects to nothing yet.
    pub(crate) fn new(tools: ToolSet, surroundings: Surroundings) -> Self {
        let Surroundings { dirs, home, context, is_own_session } = surroundings;
        Self { tools: Tool::of_set(tools), context, is_own_session, home, daemon: Daemon::new(dirs) }
    }

    /// Ends the session of a client that is gone, where the session was this process's own and something was asked in it.
    ///
    /// A process that is killed does not come to this: its session counts as abandoned after some hours.
    pub(crate) async fn end_session(&self) {
        if !self.is_own_session {
            return;
        }
        let Some(client) = self.daemon.connection().await else { return };
        let request = v1::EndSessionRequest {
            context: Some(self.context.clone()),
            reason: EndReason::Exit.as_str().to_owned(),
            ..v1::EndSessionRequest::default()
        };
        // Nobody is left to be told of a failure; one of which nothing was noted is not there.
        let _ = tokio::time::timeout(LAST_CALL, client.end_session(request)).await;
    }

    /// The context of a request: that of the process, and the agent by the name that it gives itself.
    fn context(&self, request: &RequestContext<RoleServer>) -> v1::RequestContext {
        let agent = request.client_info().map(|client| client.name).unwrap_or_default();
        v1::RequestContext { agent, ..self.context.clone() }
    }

    fn tool(&self, name: &str) -> Result<Tool, ErrorData> {
        let offered = || self.tools.iter().map(|tool| &*tool.definition().name);
        Tool::from_name(name).filter(|tool| self.tools.contains(tool)).ok_or_else(|| {
            let meant = nearest(name, offered()).map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
            ErrorData::invalid_params(format!("there is no tool `{name}`{meant}"), None)
        })
    }
}

impl ServerHandler for Shim {
    fn get_info(&self) -> ServerConfig {
        about::server()
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
        let tools = self.tools.iter().map(|tool| tool.definition().clone()).collect();
        Ok(ListToolsResult::with_all_items(tools).with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Public))
    }

    /// A cancelled call is dropped where it waits, and what the daemon does for it ends with the stream that is closed.
    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = self.tool(&request.name)?;
        let arguments = request.arguments.unwrap_or_default();
        let (asker, progress) = (self.context(&context), Progress::of(&context));
        let call = tool.call(arguments, &self.daemon, asker, self.home.as_deref(), progress);
        // A call is as large as its largest message; in a box it is not copied on its way.
        let answer = uncancelled(&context, Box::pin(call)).await?;
        Ok(answer::to_result(answer).into())
    }

    /// Documents are too many to list and are named by the template; `recall_list` and completion find them.
    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::default().with_ttl_ms(TTL_MS).with_cache_scope(CacheScope::Public))
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
        let read = resource::read(&request.uri, &self.daemon, self.context(&context));
        Ok(uncancelled(&context, read).await??.into())
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
        let answer = prompt::answer(&request, &self.daemon, self.context(&context));
        uncancelled(&context, answer).await?.map(GetPromptResponse::from)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let complete = resource::complete(&request, &self.daemon, self.context(&context));
        Ok(CompleteResult::new(uncancelled(&context, complete).await?))
    }
}

/// Runs the work unless its request is cancelled; then the work is dropped, and the SDK sends no answer.
async fn uncancelled<T>(context: &RequestContext<RoleServer>, work: impl Future<Output = T>) -> Result<T, ErrorData> {
    tokio::select! {
        biased;
        () = context.ct.cancelled() => Err(ErrorData::new(model::ErrorCode::INTERNAL_ERROR, "cancelled", None)),
        done = work => Ok(done),
    }
}
