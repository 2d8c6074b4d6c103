/** The MCP server `local_toolkit` (ledger S4-TK-01): tools that work on this machine, within the roots of their session. */
import { McpServer, type CallToolResult, type ServerContext } from '@modelcontextprotocol/server'
import type { Workspace } from './files/workspace.ts'
import { Refusal } from './refusal.ts'
import type { Tool, ToolCall } from './tools/tool.ts'
import { VERSION } from './version.ts'

export interface ToolkitServerParts {
  readonly tools: readonly Tool[]
  readonly workspace: Workspace
}

export function createToolkitServer({ tools, workspace }: ToolkitServerParts): McpServer {
  const server = new McpServer({ name: 'local_toolkit', version: VERSION })
  for (const one of tools) {
    const { name, title, description, output } = one
    const inputSchema = one.input.meta({ examples: [...one.examples] })
    const annotations = {
      ...{ readOnlyHint: one.readOnly, idempotentHint: one.idempotent, openWorldHint: one.openWorld },
      ...(one.readOnly ? {} : { destructiveHint: one.destructive }),
    }
    server.registerTool(
      name,
      { title, description, inputSchema, outputSchema: output, annotations },
      (given, context) => carriedOut(one, given, callOf(workspace, context)),
    )
  }
  return server
}

function callOf(workspace: Workspace, { mcpReq }: ServerContext): ToolCall {
  const progressToken = mcpReq._meta?.progressToken
  let last = -1
  return {
    workspace,
    signal: mcpReq.signal,
    progress(done, total, message) {
      if (progressToken === undefined || done <= last) return
      last = done
      const params = { progressToken, progress: done, ...(total === undefined ? {} : { total }), message }
      void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
    },
  }
}

async function carriedOut(one: Tool, given: object, call: ToolCall): Promise<CallToolResult> {
  try {
    const { text, structured } = await one.run(given as never, call)
    return { content: [{ type: 'text', text }], structuredContent: structured }
  } catch (thrown) {
    const reason = thrown instanceof Refusal ? thrown.message : `it failed (${codeOf(thrown)}).`
    const details =
      thrown instanceof Refusal && thrown.details !== undefined ? { structuredContent: thrown.details } : {}
    return { content: [{ type: 'text', text: `${one.failure}: ${reason}` }], isError: true, ...details }
  }
}

const codeOf = (thrown: unknown): string =>
  (thrown as NodeJS.ErrnoException).code ?? (thrown instanceof Error ? thrown.name : 'unknown')
