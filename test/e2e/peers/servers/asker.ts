/**
 * An MCP server written with SDK 1 that asks its client in the middle of a call: for input, for a model's answer, for folders.
 *
 * It asks as most servers do that were written without a thought to it: by the server, not by the call. Over HTTP the SDK sends
 * such a question on the session's own stream, over stdio there is only one stream anyhow. `asker-server.ts` serves it over HTTP,
 * `asker.script.ts` over stdio.
 */
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  RootsListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { setTimeout as pause } from 'node:timers/promises'
import { INSTANCE } from '../probes/probe.ts'

const TOOLS = ['ask_user', 'ask_model', 'ask_roots', 'log', 'log_later', 'wait', 'roots_changes', 'process']
const inputSchema = { type: 'object' as const, properties: { message: { type: 'string' } } }
const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })

/** One instance, for one session or one process. A client that can be asked for input is offered one more tool. */
export function createAsker(): Server {
  const server = new Server({ name: 'asker', version: '1.0.0' }, { capabilities: { tools: {}, logging: {} } })
  let rootsChanges = 0
  server.setRequestHandler(ListToolsRequestSchema, () => {
    const names = server.getClientCapabilities()?.elicitation === undefined ? TOOLS : [...TOOLS, 'only_for_askable']
    return { tools: names.map((name) => ({ name, inputSchema })) }
  })
  server.setNotificationHandler(RootsListChangedNotificationSchema, () => void rootsChanges++)
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const message = String(params.arguments?.['message'])
    if (params.name === 'ask_model') {
      const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: message } }]
      const { content } = await server.createMessage({ messages, maxTokens: 10 })
      return text(JSON.stringify(content))
    }
    if (params.name === 'ask_roots') return text(JSON.stringify((await server.listRoots()).roots))
    if (params.name === 'log') {
      for (const level of ['debug', 'warning'] as const)
        await server.sendLoggingMessage({ level, data: `${level} ${message}` })
      return text('logged')
    }
    if (params.name === 'log_later') {
      setTimeout(() => void server.sendLoggingMessage({ level: 'warning', data: message }).catch(() => {}), 50)
      return text('it will be')
    }
    if (params.name === 'roots_changes') return text(String(rootsChanges))
    if (params.name === 'process') return text(INSTANCE)
    if (params.name === 'wait') {
      await pause(60_000, undefined, { signal }).catch(() => undefined)
      return text('waited')
    }
    const requestedSchema = { type: 'object' as const, properties: { name: { type: 'string' as const } } }
    const { action, content } = await server.elicitInput({ message, requestedSchema })
    return text(`${action} ${JSON.stringify(content)}`)
  })
  return server
}
