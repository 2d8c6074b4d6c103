/**
 * One run of a workflow by its webhook or form, and its answer as the result of a tool. A workflow that answers before it has ended is
 * followed by its execution, which n8n's API tells of.
 */
import { Fault } from '@toolway/contract'
import { isObject, withDigits, type Json, type JsonObject } from '@toolway/protocol'
import { header, type Incoming } from '@toolway/protocol/client'
import type { Act, JsonBackend } from '../listed/json-backend.ts'
import { refusalOf } from '../http/refusal.ts'
import type { Ask } from '../upstream.ts'
import { followExecution, type Following } from './follow-execution.ts'
import type { WorkflowTool } from './read-workflow.ts'

export interface Running extends Omit<Following, 'workflowId' | 'correlationId' | 'callId' | 'asked'> {
  readonly alias: string
  /** The side of webhooks. */
  readonly runs: JsonBackend
  /** The workflow is not there any more: the list is old. */
  onGone(): void
}

const MOST_WORDS = 2_000
/** A proxy in front of n8n answers so; it says nothing of the workflow. */
const AWAY = new Set([502, 503, 504])

/** Throws `connector.*` in n8n's own words, and `upstream.*`. */
export async function runWorkflow(running: Running, tool: WorkflowTool, request: Ask): Promise<JsonObject> {
  const { arguments: input } = request.params
  const correlationId = request.correlationId ?? crypto.randomUUID()
  const callId = request.callId ?? crypto.randomUUID()
  const { runs } = running
  // A workflow tells a second request of the same call from the first by it: an id of ours, since a caller chooses the other one.
  const headers = { accept: 'application/json, */*;q=0.1', 'idempotency-key': callId }
  const begun = new Date(Date.now() - CLOCKS_MS).toISOString()
  const incoming = await runs.act(requestOf(tool, isObject(input) ? input : {}), {
    correlationId,
    headers,
    signal: request.signal,
  })
  if (incoming.status >= 300) throw refusedRun(running, tool, incoming)
  const value = valueOf(runs, incoming)
  if (!tool.startsOnly) return resultOf(value)
  const followed = await followExecution(
    { ...running, workflowId: tool.workflowId, correlationId, callId, asked: request },
    begun,
  )
  if (followed === undefined) return resultOf(value)
  if ('problem' in followed)
    throw new Fault('connector.failed', {
      vendor: 'n8n',
      tool: tool.name,
      problem: cutText(runs.mask(followed.problem)),
    })
  return resultOf(followed.output)
}

/** The clocks of two machines differ. Milliseconds. */
const CLOCKS_MS = 60_000

function requestOf({ method, path, inPath, fields }: WorkflowTool, input: JsonObject): Act {
  const at = `/${path.replaceAll(/(?<=\/):([A-Za-z0-9_]+)/g, (_, name: string) => encodeURIComponent(textOf(input[name])))}`
  if (fields !== undefined) {
    // The page of a form sends its fields by their number.
    const numbered = fields.flatMap((label, index) => {
      const value = input[label]
      return value === undefined ? [] : [[`field-${index}`, value] as const]
    })
    return { method: 'POST', path: at, body: { data: Object.fromEntries(numbered) } }
  }
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !inPath.includes(name)))
  if (method !== 'GET' && method !== 'DELETE') return { method, path: at, body: rest }
  return {
    method,
    path: at,
    query: Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, textOf(value)])),
  }
}

const textOf = (value: Json | undefined): string =>
  value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)

function valueOf(runs: JsonBackend, { text, status }: Incoming): Json {
  if (status === 204 || text.trim() === '') return null
  return runs.parse(runs.hide(text)) ?? runs.hide(text)
}

const resultOf = (value: Json): JsonObject => ({
  content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(withDigits(value)) }],
  ...(typeof value === 'object' && value !== null ? { structuredContent: value } : {}),
})

function refusedRun({ alias, runs, onGone }: Running, { name }: WorkflowTool, incoming: Incoming): Fault {
  const { status } = incoming
  const body = runs.parse(runs.hide(incoming.text))
  const words = isObject(body) ? (body['message'] ?? body['error'] ?? body['errorMessage']) : body
  const message = typeof words === 'string' && words !== '' ? words : undefined
  const facts = {
    vendor: 'n8n',
    tool: name,
    problem: cutText(runs.mask(message ?? `it responded with HTTP ${status}`)),
  }
  if (status === 404) {
    onGone()
    return new Fault('connector.missing', facts)
  }
  if (status === 401 || status === 403) return new Fault('connector.forbidden', facts)
  if (status === 400 || status === 422) return new Fault('connector.arguments', facts)
  if (status === 413) return new Fault('connector.too-large', facts)
  if (status === 429 || (AWAY.has(status) && message === undefined))
    return refusalOf({ alias, mask: (text) => runs.mask(text) }, incoming)
  const later = header(incoming, 'retry-after')
  return new Fault('connector.failed', facts, {
    data: { details: { status, ...(later === undefined ? {} : { later }) } },
  })
}

const cutText = (text: string): string => (text.length > MOST_WORDS ? `${text.slice(0, MOST_WORDS)}…` : text)
