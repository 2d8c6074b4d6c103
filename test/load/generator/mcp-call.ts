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

/** Ids run from here and keep nine digits. */
export const FIRST_ID = 100_000_000

/** One endpoint with one tool behind it; `key` is sent as a bearer token. */
export interface CallTarget {
  readonly url: string
  readonly tool: string
  readonly key?: string
  /** The session of a legacy client; a call without one is modern. */
  readonly session?: string
}

const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'toolway-bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

const textFor = (id: number) => `echo ${id}`

/** The headers and the body of one call; the body is what JSON.stringify makes of it. */
export function callParts(target: CallTarget, id: number): { headers: Record<string, string>; body: string } {
  const { tool, session } = target
  const asked = { name: tool, arguments: { text: textFor(id) } }
  const params = session === undefined ? { ...asked, _meta: META } : asked
  return {
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(session === undefined
        ? { 'mcp-protocol-version': REVISION, 'mcp-method': 'tools/call', 'mcp-name': tool }
        : { 'mcp-protocol-version': LEGACY_REVISION, 'mcp-session-id': session }),
      ...(target.key === undefined ? {} : { authorization: `Bearer ${target.key}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }),
  }
}

/** A function from an id to the whole request as text. Written by template: composing JSON per call costs the generator. */
export function createCallText(target: CallTarget): (id: number) => string {
  const { host, pathname } = new URL(target.url)
  const { headers, body } = callParts(target, FIRST_ID)
  const lines = Object.entries({ host, ...headers, 'content-length': String(Buffer.byteLength(body)) })
  const head = `POST ${pathname} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
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
export function faultIn(reply: Reply, id: number, isLegacy = false): string | undefined {
  if (reply.status !== 200) return `status ${reply.status}: ${reply.body.slice(0, 200)}`
  let answer: Answer | null
  try {
    answer = JSON.parse(messageIn(reply))
  } catch {
    return `not JSON: ${reply.body.slice(0, 200)}`
  }
  if (answer?.id !== id) return `the answer carries id ${JSON.stringify(answer?.id)}, the call ${id}`
  if (answer.error !== undefined) return `error ${JSON.stringify(answer.error).slice(0, 200)}`
  const type = isLegacy ? undefined : 'complete'
  if (answer.result?.resultType !== type) return `resultType ${JSON.stringify(answer.result?.resultType)}`
  if (answer.result?.isError === true) return `tool error ${reply.body.slice(0, 200)}`
  // The gateway mints its own ids upstream: only the echoed text shows that the streams were not crossed.
  if (answer.result?.content?.[0]?.text !== textFor(id)) return `another call's text: ${reply.body.slice(0, 200)}`
  return undefined
}

/** The response is the last message of an event stream, whatever notifications went before it. */
function messageIn({ contentType, body }: Pick<Reply, 'contentType' | 'body'>): string {
  if (!contentType.startsWith('text/event-stream')) return body
  const event =
    body
      .trimEnd()
      .split(/\r?\n\r?\n/)
      .at(-1) ?? ''
  const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'))
  return lines.map((line) => line.slice(5)).join('\n')
}

/** Open a legacy client's session. Throws what went wrong in a sentence. */
export async function openSession({ url, key }: CallTarget): Promise<string> {
  const reply = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: {
        protocolVersion: LEGACY_REVISION,
        capabilities: {},
        clientInfo: META['io.modelcontextprotocol/clientInfo'],
      },
    }),
  })
  const session = reply.headers.get('mcp-session-id')
  const text = await reply.text()
  if (session === null) throw new Error(`initialize at ${new URL(url).pathname}: status ${reply.status}: ${text}`)
  return session
}
