/**
 * Clients that know tasks: the official requester of the extension (`ext-tasks`) over SDK 2, and SDK 1 with its experimental tasks.
 */
import { Client as ClientTwo, StreamableHTTPClientTransport as TransportTwo } from '@modelcontextprotocol/client'
import { createTaskSessionFromClient } from '@modelcontextprotocol/ext-tasks/client'
import type { ApplicationInputRequest, ApplicationInputResult } from '@modelcontextprotocol/ext-tasks/client'
import { Client as ClientOne } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportOne } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema, TaskStatusNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { ask } from './raw-client.ts'

const TASKS = 'io.modelcontextprotocol/tasks'
export const KNOWS_TASKS = { elicitation: {}, extensions: { [TASKS]: {} } }

interface Peer {
  readonly url: string
  readonly key: string
}

/** A modern client that drives tasks by itself and answers every question with a name. */
export async function connectTaskClient({ url, key }: Peer) {
  const headers = { authorization: `Bearer ${key}` }
  const clientInfo = { name: 'tasks', version: '1.0.0' }
  const client = new ClientTwo(clientInfo, {
    versionNegotiation: { mode: { pin: '2026-07-28' } },
    capabilities: KNOWS_TASKS,
  })
  await client.connect(new TransportTwo(new URL(url), { requestInit: { headers } }))
  const asked: unknown[] = []
  const session = createTaskSessionFromClient(client, {
    endpointId: url,
    v2RequestFraming: { protocolVersion: '2026-07-28', clientInfo, clientCapabilities: KNOWS_TASKS },
    onInputRequest: async <Asked extends ApplicationInputRequest>(request: Asked) => {
      asked.push(request)
      return { action: 'accept', content: { name: 'Ada', confirm: true } } as unknown as ApplicationInputResult<Asked>
    },
    async rawDispatch(request) {
      const { method, params } = request as { method: string; params: Record<string, unknown> }
      const meta = params['_meta'] as Record<string, unknown>
      const { answer } = await ask({ url, key, era: 'modern' }, method, params, { meta })
      if (answer.error === undefined) return { kind: 'result', result: answer.result as never }
      return { kind: 'error', error: answer.error as never }
    },
  })
  const close = async () => {
    await session.close()
    await client.close()
  }
  return { session, asked, [Symbol.asyncDispose]: close }
}

/** SDK 1 in revision 2025-11-25, which answers every question with a name. */
export async function connectLegacyTaskClient({ url, key }: Peer) {
  const client = new ClientOne({ name: 'tasks', version: '1.0.0' }, { capabilities: { elicitation: {} } })
  const asked: { params?: Record<string, unknown> }[] = []
  const heard: { taskId: string; status: string }[] = []
  client.setRequestHandler(ElicitRequestSchema, (request) => {
    asked.push(request)
    return { action: 'accept', content: { name: 'Ada' } }
  })
  client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => void heard.push(params))
  const headers = { authorization: `Bearer ${key}` }
  const transport = new TransportOne(new URL(url), { requestInit: { headers } })
  await client.connect(transport)
  const close = async () => {
    await transport.terminateSession()
    await client.close()
  }
  return { client, tasks: client.experimental.tasks, asked, heard, [Symbol.asyncDispose]: close }
}
