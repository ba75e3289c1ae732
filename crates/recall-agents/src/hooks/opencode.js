// MARK, removed by `recall mcp uninstall`.
//
// Memory for OpenCode, and for Kilo Code, which has the same plugins. Each occasion runs `recall hook`, which prints what the model should know, or nothing.
import { spawn } from "node:child_process"

const RECALL = "RECALL"
const CLIENT = "CLIENT"
const TOOLS = { read: "Read", edit: "Edit", write: "Write", bash: "Bash", todowrite: "TodoWrite" }

/** Runs a hook; returns the text for the model. The hook limits its time itself. */
function ask(event, input) {
  return new Promise((resolve) => {
    const child = spawn(RECALL, ["hook", event, "--client", CLIENT], { stdio: ["pipe", "pipe", "ignore"], windowsHide: true })
    let answer = ""
    child.on("error", () => resolve(""))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (part) => (answer += part))
    child.on("close", () => {
      try {
        resolve(JSON.parse(answer).hookSpecificOutput.additionalContext ?? "")
      } catch {
        resolve("")
      }
    })
    child.stdin.end(JSON.stringify(input))
  })
}

const server = async ({ directory }) => {
  const started = new Set()
  const compacted = new Set()
  const about = (session) => ({ session_id: session, cwd: directory })

  return {
    "chat.message": async ({ sessionID }, { parts }) => {
      const said = parts.filter((part) => part.type === "text" && !part.synthetic)
      if (said.length === 0) return
      const texts = []
      if (!started.has(sessionID)) {
        started.add(sessionID)
        const source = compacted.delete(sessionID) ? "compact" : "startup"
        texts.push(await ask("session-start", { ...about(sessionID), source }))
      }
      const prompt = said.map((part) => part.text).join("\n")
      texts.push(await ask("prompt", { ...about(sessionID), prompt }))
      const text = texts.filter(Boolean).join("\n\n")
      const last = said[said.length - 1]
      // Parts are in the order of their ids.
      if (text) parts.push({ ...last, id: `${last.id}r`, text, synthetic: true })
    },

    "tool.execute.after": async ({ tool, sessionID, args }, result) => {
      const name = TOOLS[tool]
      if (!name || !result) return
      const text = await ask(tool === "read" ? "pre-tool" : "post-tool", {
        ...about(sessionID),
        tool_name: name,
        tool_input: { ...args, file_path: args?.filePath },
        tool_response: { exit_code: result.metadata?.exit, output: result.output },
      })
      if (text) result.output = `${result.output}\n\n${text}`
    },

    "experimental.session.compacting": async ({ sessionID }) => {
      await ask("pre-compact", about(sessionID))
      compacted.add(sessionID)
      started.delete(sessionID)
    },

    dispose: async () => {
      await Promise.all([...started].map((session) => ask("session-end", about(session))))
    },
  }
}

export default { id: "recall", server }
