/**
 * A server of revision 2025-11-25 with tasks, by SDK 1: one store for all its sessions, as behind one credential, each task bound to the
 * session that it was made in or to nobody.
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  InMemoryTaskMessageQueue,
  InMemoryTaskStore,
} from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { TaskRequestHandlerExtra } from '@modelcontextprotocol/sdk/experimental/tasks/interfaces.js'
import { ElicitResultSchema } from '@modelcontextprotocol/sdk/types.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'

export interface LegacyTasks extends AsyncDisposable {
  readonly url: string
  /** The servers' own ids of the tasks that were made. */
  readonly made: readonly string[]
}

const FORM = { type: 'object' as const, properties: { name: { type: 'string' as const } }, required: ['name'] }
const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })

function build(taskStore: InMemoryTaskStore, made: string[]): McpServer {
  const server = new McpServer(
    { name: 'legacy-tasks', version: '1.0.0' },
    {
      capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      taskStore,
      taskMessageQueue: new InMemoryTaskMessageQueue(),
    },
  )
  const looks = {
    getTask: (_: unknown, { taskId, taskStore: own }: TaskRequestHandlerExtra) => own.getTask(taskId),
    getTaskResult: async (_: unknown, { taskId, taskStore: own }: TaskRequestHandlerExtra) =>
      (await own.getTaskResult(taskId)) as CallToolResult,
  }
  for (const taskSupport of ['optional', 'required'] as const) {
    server.experimental.tasks.registerToolTask(
      `${taskSupport}_delay`,
      {
        description: 'Takes its time',
        inputSchema: { ms: z.number(), fail: z.boolean().optional() },
        execution: { taskSupport },
      },
      {
        async createTask({ ms, fail = false }, extra) {
          const task = await extra.taskStore.createTask({ ttl: 60_000, pollInterval: 100 })
          made.push(task.taskId)
          const end = () =>
            fail
              ? extra.taskStore.storeTaskResult(task.taskId, 'failed', { ...text('it failed'), isError: true })
              : extra.taskStore.storeTaskResult(task.taskId, 'completed', text(`waited ${ms}`))
          // A task that was cancelled meanwhile takes no result.
          setTimeout(() => void end().catch(() => {}), ms).unref()
          return { task }
        },
        ...looks,
      },
    )
  }
  server.experimental.tasks.registerToolTask(
    'ask_name',
    { description: 'Asks for a name as a task', inputSchema: {}, execution: { taskSupport: 'required' } },
    {
      async createTask(_, extra) {
        const task = await extra.taskStore.createTask({ ttl: 60_000, pollInterval: 100 })
        made.push(task.taskId)
        const work = async () => {
          await extra.taskStore.updateTaskStatus(task.taskId, 'input_required')
          const params = { mode: 'form' as const, message: 'Who is it?', requestedSchema: FORM }
          // The option is there, its type is not.
          const options: object = { relatedTask: { taskId: task.taskId } }
          const question = { method: 'elicitation/create' as const, params }
          const answer = await extra.sendRequest(question, ElicitResultSchema, options)
          await extra.taskStore.updateTaskStatus(task.taskId, 'working')
          const said = text(`It is ${String(answer.content?.['name'] ?? answer.action)}`)
          await extra.taskStore.storeTaskResult(task.taskId, 'completed', said)
        }
        work().catch(() => {})
        return { task }
      },
      ...looks,
    },
  )
  return server
}

export async function startLegacyTasks(): Promise<LegacyTasks> {
  const made: string[] = []
  const store = new InMemoryTaskStore()
  const open = new Map<string, StreamableHTTPServerTransport>()
  const http = createServer((request, response) => {
    const session = request.headers['mcp-session-id']
    const held = typeof session === 'string' ? open.get(session) : undefined
    if (session !== undefined && held === undefined) return void response.writeHead(404).end()
    void (held === undefined ? connect() : Promise.resolve(held)).then((one) => one.handleRequest(request, response))
  })
  async function connect() {
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void open.set(id, transport),
    })
    await build(store, made).connect(transport)
    return transport
  }
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    made,
    async [Symbol.asyncDispose]() {
      await Promise.all([...open.values()].map((transport) => transport.close()))
      store.cleanup()
      http.closeAllConnections()
      await new Promise<void>((resolve) => void http.close(() => resolve()))
    },
  }
}
