/**
 * The Tasks extension on the wire of 2026-07-28: which requests are about tasks, and what each is answered with.
 *
 * Everything else is the SDK's, which knows nothing of tasks (no version of it serves the extension).
 */
import type { Tasks } from './tasks.ts'
import { TASK_TOOLS } from './task-tools.ts'

type Json = Record<string, unknown>

export const TASKS_ID = 'io.modelcontextprotocol/tasks'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const METHODS = new Set(['tasks/get', 'tasks/update', 'tasks/cancel'])
const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {})

interface Message {
  readonly id: string | number
  readonly method: string
  readonly params: Json
}

/** The answer to a message about tasks, or undefined for every other one. */
export function answerTask(request: Request, body: unknown, tasks: Tasks): Promise<Response> | undefined {
  const { id, method, params } = object(body)
  if (typeof method !== 'string' || (typeof id !== 'string' && typeof id !== 'number')) return undefined
  const message = { id, method, params: object(params) }
  const tool = method === 'tools/call' ? TASK_TOOLS.find(({ name }) => name === message.params['name']) : undefined
  if (tool === undefined && !METHODS.has(method)) return undefined
  if (tool === undefined && message.params['inputResponses'] === undefined && method === 'tasks/update')
    return undefined
  const name = tool?.name ?? String(message.params['taskId'])
  const mirrored = request.headers.get('mcp-method') === method && request.headers.get('mcp-name') === name
  if (!mirrored) return Promise.resolve(say(id, { error: { code: -32020, message: 'Header mismatch' } }, 400))
  return tool === undefined ? Promise.resolve(about(message, tasks)) : call(message, tool, tasks)
}

const knowsTasks = ({ params }: Message): boolean =>
  TASKS_ID in object(object(object(params['_meta'])[CAPABILITIES])['extensions'])

function about(message: Message, tasks: Tasks): Response {
  const { id, method, params } = message
  if (!knowsTasks(message)) return missing(id)
  const taskId = String(params['taskId'])
  const task = tasks.look(taskId)
  if (task === undefined) return say(id, { error: { code: -32602, message: 'Unknown task' } })
  if (method === 'tasks/get') return complete(id, task)
  if (method === 'tasks/update') tasks.answer(taskId, object(params['inputResponses']))
  else tasks.cancel(taskId)
  return complete(id, {})
}

async function call(message: Message, tool: (typeof TASK_TOOLS)[number], tasks: Tasks): Promise<Response> {
  const { id, params } = message
  const given = object(params['arguments'])
  const answers = object(params['inputResponses'])
  if (!knowsTasks(message)) {
    if (tool.required) return missing(id)
    const now = await tool.run(given, ALONE, answers).catch(() => undefined)
    return now === undefined ? say(id, { error: { code: -32603, message: 'the job broke' } }) : complete(id, now)
  }
  const wanted = tool.before?.(given, answers)
  if (wanted !== undefined) return say(id, { result: stamped({ resultType: 'input_required', inputRequests: wanted }) })
  const now = tool.atOnce?.(given)
  if (now !== undefined) return complete(id, now)
  const task = tasks.begin((running) => tool.run(given, running, answers))
  return say(id, { result: stamped({ resultType: 'task', ...task }) })
}

/** A call that is no task waits, and can ask nothing. */
const ALONE = {
  pause: (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds)),
  ask: () => Promise.reject(new Error('nobody to ask')),
}

const stamped = (result: Json): Json => ({
  ...result,
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'extensions-server', version: '1.0.0' } },
})
const complete = (id: Message['id'], result: Json) =>
  say(id, { result: stamped({ resultType: 'complete', ...result }) })
const missing = (id: Message['id']) => {
  const data = { requiredCapabilities: { extensions: { [TASKS_ID]: {} } } }
  return say(id, { error: { code: -32021, message: 'Missing required client capability', data } }, 400)
}
const say = (id: Message['id'], answer: Json, status = 200) =>
  Response.json({ jsonrpc: '2.0', id, ...answer }, { status })
