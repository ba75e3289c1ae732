//! What a client says about the result of a tool.

use serde_json::Value;

/// The result of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ToolResult {
    /// It has not run, or has succeeded, with its output.
    Fine(String),
    /// It has failed, with the reason or its output.
    Failed(String),
    /// The user interrupted it.
    Interrupted,
}

/// Reads the result of a tool from an event and the tool's response in it. Some agents send an event of its own for a failure, others
/// say it in the response.
pub(super) fn read(event: &Value, response: &Value) -> ToolResult {
    let is_true = |flag: &Value| flag.as_bool() == Some(true);
    if is_true(&event["is_interrupt"]) || is_true(&response["interrupted"]) {
        return ToolResult::Interrupted;
    }
    let output = output(response);
    let error = [&event["error"], &event["error_message"], &response["error"]["message"], &response["error"]];
    if let Some(reason) = error.into_iter().find_map(Value::as_str).filter(|reason| !reason.is_empty()) {
        return ToolResult::Failed(
            ShellReport::read(reason).map_or_else(|| reason.to_owned(), ShellReport::into_reason),
        );
    }
    if let Some(failed) = failed_item(&output) {
        return ToolResult::Failed(failed);
    }
    let code = ["exit_code", "exitCode", "code"].into_iter().find_map(|field| response[field].as_i64());
    if let Some(report) = ShellReport::read(&output).filter(|_| code.is_none()) {
        return match report.code {
            0 => ToolResult::Fine(report.output),
            _ => ToolResult::Failed(report.into_reason()),
        };
    }
    let last = exit_code(&output).filter(|_| code.is_none() && response.get("stdout").is_none());
    let (output, code) = last.map_or((&*output, code), |(written, code)| (written, Some(code)));
    let is_failed = code.is_some_and(|code| code != 0)
        || is_true(&response["is_error"])
        || response["success"].as_bool() == Some(false);
    let output = output.to_owned();
    if is_failed { ToolResult::Failed(output) } else { ToolResult::Fine(output) }
}

/// Returns what a tool wrote: its errors first, since they say why it failed.
pub(super) fn output(response: &Value) -> String {
    let fields = ["stderr", "stdout", "output", "llmContent", "text_result_for_llm", "textResultForLlm", "result"];
    let fields = fields.map(|field| response[field].as_str().unwrap_or_default());
    let written = fields.into_iter().filter(|part| !part.trim().is_empty()).collect::<Vec<_>>().join("\n");
    if written.is_empty() { response.as_str().unwrap_or_default().to_owned() } else { written }
}

/// Returns the output of the first call that failed in a list of results that is sent as its text.
fn failed_item(text: &str) -> Option<String> {
    let list: Vec<Value> = serde_json::from_str(text).ok()?;
    let failed = list.iter().find(|item| item["success"] == false)?;
    Some(failed["result"].as_str().unwrap_or_default().to_owned())
}

/// What Qwen Code and Gemini CLI tell the model about a command: a list of lines such as `Directory: (root)`, among them its output
/// and its exit code. The first line of the output stands after its name, where it is not read as the line of a file.
struct ShellReport {
    code: i64,
    output: String,
    error: Option<String>,
}

impl ShellReport {
    /// The lines that begin a report. One that begins with its output has no line for an error that did not happen.
    const BEGINNINGS: [&str; 3] = ["Command: ", "Directory: ", Self::OUTPUT];
    const OUTPUT: &str = "Output: ";

    /// Reads a report; `None` if a text is not one, or names no exit code.
    fn read(text: &str) -> Option<Self> {
        let beginning = Self::BEGINNINGS.into_iter().find(|beginning| text.starts_with(beginning))?;
        let (before, after) = text.rsplit_once("\nExit Code: ")?;
        let code = after.lines().next()?.trim().parse().ok()?;
        let (output, error) = if beginning == Self::OUTPUT {
            (before.strip_prefix(Self::OUTPUT)?, None)
        } else {
            let (_, rest) = before.split_once(&format!("\n{}", Self::OUTPUT))?;
            let (output, error) = rest.rsplit_once("\nError: ")?;
            (output, Some(error).filter(|error| *error != "(none)"))
        };
        let output = if output == "(empty)" { "" } else { output };
        Some(Self { code, output: output.to_owned(), error: error.map(str::to_owned) })
    }

    /// Returns why the command failed.
    fn into_reason(self) -> String {
        let Self { code, output, error } = self;
        match error {
            Some(error) => format!("{error}\n{output}"),
            None if output.trim().is_empty() => format!("exit code {code}"),
            None => output,
        }
    }
}

/// Returns the exit code that the last line of an output names, for clients that have no field for it, and the lines before; the
/// whole output if there are none.
fn exit_code(output: &str) -> Option<(&str, i64)> {
    let end = output.trim_end();
    let (before, last) = end.rsplit_once('\n').unwrap_or(("", end));
    let line = last.trim_matches(['<', '>', '[', ']']).to_ascii_lowercase();
    // Copilot CLI names the shell.
    let shell = line.strip_prefix("shellid: ").and_then(|line| line.split_once(' '));
    let line = shell.map_or(&*line, |(_, line)| line);
    let starts = [
        "exit code: ",
        "exited with exit code ",
        "completed with exit code ",
        "command exited with code ",
        "process exited with code ",
    ];
    let code = starts.into_iter().find_map(|start| line.strip_prefix(start))?.trim().parse().ok()?;
    let before = before.trim_end();
    Some((if before.is_empty() { output } else { before }, code))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "calls write the event in place")]
    fn check(event: Value, expected: ToolResult) {
        assert_eq!(read(&event, &event["tool_response"]), expected, "{event}");
    }

    fn fine(text: &str) -> ToolResult {
        ToolResult::Fine(text.to_owned())
    }

    fn failed(text: &str) -> ToolResult {
        ToolResult::Failed(text.to_owned())
    }

    #[test]
    fn the_result_of_a_tool_is_read_from_every_form() {
        check(json!({}), fine(""));
        check(json!({"tool_response": {"stdout": "ok", "stderr": "", "interrupted": false}}), fine("ok"));
        check(json!({"tool_response": "ok"}), fine("ok"));
        check(json!({"error": "exit code 2"}), failed("exit code 2"));
        check(json!({"tool_response": {"exit_code": 1, "stdout": "a", "stderr": "b"}}), failed("b\na"));
        check(json!({"tool_response": {"error": {"message": "no"}}}), failed("no"));
        check(json!({"tool_response": {"error": null, "llmContent": "done"}}), fine("done"));
        check(json!({"error": "x", "is_interrupt": true}), ToolResult::Interrupted);
    }

    #[test]
    fn the_last_line_of_an_output_names_the_exit_code() {
        for line in [
            "<shellId: 0 completed with exit code 3>",
            "<exited with exit code 3>",
            "[Process exited with code 3]",
            "Command exited with code 3",
            "Exit Code: 3",
        ] {
            let output = format!("oops\n{line}\n");
            check(json!({"tool_response": {"text_result_for_llm": output}}), failed("oops"));
            check(json!({"tool_response": output.replace('3', "0")}), fine("oops"));
            check(json!({"tool_response": line}), failed(line));
        }
        for output in ["the make failed with exit code 3", "exit code 3\nmore", "<shellId: 0 is still running>"] {
            check(json!({"tool_response": output}), fine(output));
        }
    }

    fn report(output: &str, error: &str, code: &str) -> String {
        format!(
            "Command: make\ntest\nDirectory: (root)\nOutput: {output}\nError: {error}\nExit Code: {code}\nSignal: (none)\n\
             Process Group PGID: 7"
        )
    }

    #[test]
    fn a_report_about_a_command_is_read_by_its_lines() {
        let killed = report("a", "(none)", "(none)");
        let short = "Output: a.rs:2: wrong\nError: x\nExit Code: 1\nProcess Group PGID: 7";
        let done = "Output: done\nProcess Group PGID: 7";
        for (text, expected) in [
            (&*report("a.rs:2: wrong\nError: x", "(none)", "3"), failed("a.rs:2: wrong\nError: x")),
            (&report("fine", "(none)", "0"), fine("fine")),
            (&report("(empty)", "(none)", "3"), failed("exit code 3")),
            (&report("a", "spawn make ENOENT", "127"), failed("spawn make ENOENT\na")),
            (&killed, fine(&killed)),
            (short, failed("a.rs:2: wrong\nError: x")),
            (done, fine(done)),
        ] {
            check(json!({"tool_response": {"llmContent": text, "returnDisplay": "x"}}), expected);
        }
        let failure = report("a.rs:2: wrong", "(none)", "3");
        check(json!({"error": failure, "is_interrupt": false}), failed("a.rs:2: wrong"));
    }
}
