/**
 * The upstream of the extension scenarios: skills by the official SDK, tasks by our own hand, since no SDK serves them.
 * Revision 2026-07-28 only, on loopback only, without authentication.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import type { NodeIncomingMessageLike } from '@modelcontextprotocol/node'
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import { memorySkillFiles, SkillsExtension } from '@modelcontextprotocol/server/ext/skills'
import type { SkillCatalog } from '@modelcontextprotocol/server/ext/skills'
import { answerTask, TASKS_ID } from './extensions/task-messages.ts'
import { createTasks } from './extensions/tasks.ts'
import type { Tasks } from './extensions/tasks.ts'
import { TASK_TOOLS } from './extensions/task-tools.ts'

export interface ExtensionsServer extends AsyncDisposable {
  readonly url: string
  readonly port: number
  readonly tasks: Tasks
  close(): Promise<void>
}

const SKILL =
  '---\nname: greeting\ndescription: How to greet somebody.\n---\n\n# Greeting\n\nSay hello. See [tone](notes/tone.md).\n'
const FILES = { 'greeting/SKILL.md': SKILL, 'greeting/notes/tone.md': 'Be kind.\n' }

function build(skills: SkillCatalog): McpServer {
  const server = new McpServer(
    { name: 'extensions-server', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true }, resources: {}, extensions: { [TASKS_ID]: {} } } },
  )
  skills.attach(server)
  const named = fromJsonSchema<{ name: string }>({ type: 'object', properties: { name: { type: 'string' } } })
  server.registerTool('greet', { description: 'Greets', inputSchema: named }, ({ name }) => ({
    content: [{ type: 'text', text: `Hello, ${name}!` }],
  }))
  for (const { name, description, properties } of TASK_TOOLS) {
    const inputSchema = fromJsonSchema({ type: 'object', properties: properties as Record<string, object> })
    // Its calls are answered before they get here.
    server.registerTool(name, { description, inputSchema }, () => ({ content: [], isError: true }))
  }
  return server
}

export async function startExtensionsServer(): Promise<ExtensionsServer> {
  const skills = await SkillsExtension.load(memorySkillFiles(FILES))
  const tasks = createTasks()
  const handler = createMcpHandler(() => build(skills), { legacy: 'reject' })
  const fetch = async (request: Request): Promise<Response> => {
    const body: unknown =
      request.method === 'POST'
        ? await request
            .clone()
            .json()
            .catch(() => undefined)
        : undefined
    return (await answerTask(request, body, tasks)) ?? handler.fetch(request)
  }
  const serve = toNodeHandler({ fetch })
  const http = createServer((request, response) => void serve(request as NodeIncomingMessageLike, response))
  await new Promise<void>((resolve, reject) => http.once('error', reject).listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  const close = async () => {
    tasks.close()
    const closed = new Promise<void>((resolve) => http.close(() => resolve()))
    await handler.close()
    http.closeAllConnections()
    await closed
  }
  return { url: `http://127.0.0.1:${port}/mcp`, port, tasks, close, [Symbol.asyncDispose]: close }
}
