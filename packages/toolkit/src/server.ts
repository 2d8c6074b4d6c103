/**
 * The MCP server `local_toolkit` (ledger S4-TK-01) in both eras of the protocol: lists the tools, and hands each call to the session of
 * its connection. A fault is a result with `isError`, its text for the model and `_meta["dev.toolway/fault"]` for programs: clients check
 * `structuredContent` against the output schema, some also that of a failed call.
 */
import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Budgets } from './budgets.ts'
import { createClientRoots, type Era } from './client-roots.ts'
import type { Workspace } from './files/workspace.ts'
import { SessionRoots } from './session-roots.ts'
import type { createHiding } from './secrets.ts'
import { Session } from './session.ts'
import type { Outcome, Tool, ToolCall } from './tools/tool.ts'
import { VERSION } from './version.ts'

export interface ToolkitServerParts {
  readonly tools: readonly Tool[]
  /** Of the operator (`--root`); the outer limit. Undefined: the client names the folders. */
  readonly workspace: Workspace | undefined
  readonly budgets: Budgets
  readonly era: Era
  /** Writes a line for the operator. */
  tell(line: string): void
  /** Leaves keys out of what the client gets. */
  readonly hide: ReturnType<typeof createHiding>
}

const INSTRUCTIONS =
  'Files on the user’s own machine. Paths are relative to the workspace, or absolute within it; results contain absolute paths. Nothing leaves the machine except through a tool whose description says so.'

/** The server of one connection, with a session of its own. */
export function createToolkitServer({ tools, workspace, budgets, era, tell, hide }: ToolkitServerParts): Server {
  const server = new Server(
    { name: 'local_toolkit', version: VERSION },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  )
  const session = new Session({ tools, budgets })
  const roots = new SessionRoots(workspace, tell)
  const clientRoots = createClientRoots(server, era, tell)
  const listed = tools.map(describe)
  server.setRequestHandler('tools/list', () => ({ tools: listed }))
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = session.findTool(params.name)
    if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}.`)
    const named = await clientRoots.find(context)
    if ('question' in named) return named.question
    const { signal } = context.mcpReq
    const { progress, end } = progressOf(context, hide)
    const work = (files: Workspace) =>
      session.call(tool, params.arguments ?? {}, { workspace: files, signal, progress })
    const outcome = await roots
      .use(named.uris, work)
      .catch((thrown: unknown) => session.refuse(tool, thrown, signal))
      .finally(end)
    return resultOf(hide(outcome))
  })
  server.onclose = () => void roots[Symbol.asyncDispose]()
  return server
}

function describe(tool: Tool) {
  const { name, title, description, readOnly, destructive, idempotent, openWorld } = tool
  const annotations = {
    ...{ title, readOnlyHint: readOnly, idempotentHint: idempotent, openWorldHint: openWorld },
    ...(readOnly ? {} : { destructiveHint: destructive }),
  }
  const input = z.toJSONSchema(tool.input.meta({ examples: [...tool.examples] }), { io: 'input' })
  const output = z.toJSONSchema(tool.output, { io: 'output' })
  return { name, title, description, annotations, inputSchema: asObject(input), outputSchema: asObject(output) }
}

const asObject = (schema: object) => ({ ...schema, type: 'object' as const })

/** Sends progress to a client that gave a token, only growing numbers, and none after the end of the call. */
function progressOf({ mcpReq }: ServerContext, hide: ToolkitServerParts['hide']) {
  const progressToken = mcpReq._meta?.progressToken
  let last = -1
  let over = false
  const progress: ToolCall['progress'] = (done, total, message) => {
    if (over || progressToken === undefined || done <= last || mcpReq.signal.aborted) return
    last = done
    const params = { progressToken, progress: done, ...(total === undefined ? {} : { total }), message: hide(message) }
    void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
  }
  return { progress, end: () => void (over = true) }
}

function resultOf({ text, structured, fault }: Outcome): CallToolResult {
  const content = [{ type: 'text' as const, text }]
  if (fault === undefined) return { content, structuredContent: structured }
  return { content, isError: true, _meta: { 'dev.toolway/fault': fault } }
}
