/**
 * Writes one measured call and checks its answer.
 *
 * Writes a `tools/call` as HTTP/1.1 text: of revision 2026-07-28 with the whole `_meta` envelope and the mirrored headers
 * (protocol.md sections 1.2 and 1.4), or of 2025-11-25 in a session. Ids have a fixed width, so that everything but the id is
 * written once and every call of a target is equally long. Never opens a connection and never accepts an answer that belongs to
 * another call.
 */
export const REVISION = '2026-07-28'
export const LEGACY_REVISION = '2025-11-25'

const OPEN_LIMIT_MS = 10_000

/** Ids run from here and keep nine digits. */
export const FIRST_ID = 100_000_000

/** One endpoint with one tool behind it; `key` is sent as a bearer token. */
export interface CallTarget {
  readonly url: string
  readonly tool: string
  readonly key?: string
  /** The session of a legacy client; a call without one is modern. */
  readonly session?: string
  /** The oldest transport, HTTP+SSE of 2024-11-05: `url` is the stream that answers come on. Each connection is a session. */
  readonly isStream?: true
}

/** True for a target whose results have no `resultType`. */
export const isLegacy = ({ session, isStream }: CallTarget): boolean => session !== undefined || isStream === true

const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'toolway-bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

const textFor = (id: number) => `echo ${id}`

/** The headers and the body of one call; the body is what JSON.stringify makes of it. */
export function callParts(target: CallTarget, id: number): { headers: Record<string, string>; body: string } {
  const { tool } = target
  const asked = { name: tool, arguments: { text: textFor(id) } }
  const params = isLegacy(target) ? asked : { ...asked, _meta: META }
  return {
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...eraHeaders(target),
      ...(target.key === undefined ? {} : { authorization: `Bearer ${target.key}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }),
  }
}

function eraHeaders({ tool, session, isStream }: CallTarget): Record<string, string> {
  if (isStream === true) return {}
  return session === undefined
    ? { 'mcp-protocol-version': REVISION, 'mcp-method': 'tools/call', 'mcp-name': tool }
    : { 'mcp-protocol-version': LEGACY_REVISION, 'mcp-session-id': session }
}

/** A function from an id to the whole request as text. Written by template: composing JSON per call costs the generator. */
export function createCallText(target: CallTarget): (id: number) => string {
  const { host, pathname, search } = new URL(target.url)
  const { headers, body } = callParts(target, FIRST_ID)
  const lines = Object.entries({ host, ...headers, 'content-length': String(Buffer.byteLength(body)) })
  const head = `POST ${pathname}${search} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
  const pieces = (head + body).split(String(FIRST_ID))
  return (id) => pieces.join(String(id))
}

interface Answer {
  readonly id?: unknown
  readonly error?: unknown
  readonly result?: { resultType?: unknown; isError?: unknown; content?: readonly { text?: unknown }[] }
}

interface Reply {
  readonly status: number
  readonly contentType: string
  readonly body: string
}

/** Why this reply is not the answer to call `id`; undefined when it is. A legacy result has no `resultType`. */
export function faultIn(reply: Reply, id: number, legacy = false): string | undefined {
  if (reply.status !== 200) return `status ${reply.status}: ${reply.body.slice(0, 200)}`
  let answer: Answer | null
  try {
    answer = JSON.parse(messageIn(reply))
  } catch {
    return `not JSON: ${reply.body.slice(0, 200)}`
  }
  if (answer?.id !== id) return `the answer carries id ${JSON.stringify(answer?.id)}, the call ${id}`
  if (answer.error !== undefined) return `error ${JSON.stringify(answer.error).slice(0, 200)}`
  const type = legacy ? undefined : 'complete'
  if (answer.result?.resultType !== type) return `resultType ${JSON.stringify(answer.result?.resultType)}`
  if (answer.result?.isError === true) return `tool error ${reply.body.slice(0, 200)}`
  // The gateway mints its own ids upstream: only the echoed text shows that the streams were not crossed.
  if (answer.result?.content?.[0]?.text !== textFor(id)) return `another call's text: ${reply.body.slice(0, 200)}`
  return undefined
}

/** The response is the last message of an event stream, whatever notifications and empty events went before it. */
function messageIn({ contentType, body }: Pick<Reply, 'contentType' | 'body'>): string {
  if (!contentType.startsWith('text/event-stream')) return body
  const events = body.split(/\r?\n\r?\n/)
  return readEvent(events.findLast((event) => /^data: ?\S/m.test(event)) ?? '').data
}

/** The name and the data of one server-sent event, given without the empty line that ends it. */
export function readEvent(event: string): { name: string; data: string } {
  const lines = event.split(/\r?\n/)
  const valuesOf = (field: string) =>
    lines.filter((line) => line.startsWith(`${field}:`)).map((line) => line.slice(field.length + 1).replace(/^ /, ''))
  return { name: valuesOf('event').at(-1) ?? 'message', data: valuesOf('data').join('\n') }
}

/** The messages that begin a legacy session: the request, and the notification that follows its answer. */
export const openingOf = (protocolVersion: string) => ({
  initialize: JSON.stringify({
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo: META['io.modelcontextprotocol/clientInfo'] },
  }),
  initialized: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
})

/** Open a legacy client's session. Throws what went wrong in a sentence. */
export async function openSession({ url, key }: CallTarget): Promise<string> {
  const opening = openingOf(LEGACY_REVISION)
  const post = async (body: string, more: Record<string, string> = {}) => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...more,
    }
    const reply = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(OPEN_LIMIT_MS) })
    return { reply, text: await reply.text() }
  }
  const { reply, text } = await post(opening.initialize)
  const session = reply.headers.get('mcp-session-id')
  if (session === null) throw new Error(`initialize at ${new URL(url).pathname}: status ${reply.status}: ${text}`)
  await post(opening.initialized, { 'mcp-session-id': session, 'mcp-protocol-version': LEGACY_REVISION })
  return session
}
