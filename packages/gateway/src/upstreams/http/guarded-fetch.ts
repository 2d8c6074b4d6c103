/**
 * `fetch` for protocols that are not MCP (OpenID Connect, OAuth, webhooks): small answers, a deadline for all of it, through the one
 * guarded agent, so that the address is judged when the connection is made.
 *
 * A redirect is the answer, unless whoever asks lets some be followed; each is then judged like the first address. One pool for each
 * request: these are rare, and nothing is left open behind them. Answers are read as they are sent: what is packed is refused.
 */
import { Fault } from '@toolway/contract'
import type { Dispatcher } from 'undici'
import { createPool, type Permits } from './agent.ts'
import { mayBePrivate, type PrivateOrigins } from './permits.ts'

export interface FetchOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>> | Headers
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

export type GuardedFetch = (url: string, options: FetchOptions) => Promise<Response>

export interface GuardedFetchParts extends Pick<Permits, 'exceptions'> {
  readonly alias: string
  /** Neither a redirect nor an address that a server names takes the leave of one origin to another. */
  readonly privateOrigins: PrivateOrigins
}

export interface GuardedFetchLimits {
  /** How many redirects of a GET are followed; none unless it says otherwise, and never more than three. */
  readonly redirects?: number
  /** Redirects to another origin are the answer. */
  readonly withinOrigin?: boolean
  /** Milliseconds for all of it: look-up, connection, every redirect and the last byte. */
  readonly patience?: number
  readonly mostBytes?: number
}

const MOST_BYTES = 1024 * 1024
const PATIENCE = 10_000
const MOST_REDIRECTS = 3
const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
/** Statuses that have no body (Fetch standard, null body status). */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304])
/** Headers that may be sent to another origin: none that grants access or identifies anything. */
const HARMLESS: ReadonlySet<string> = new Set(['accept', 'accept-encoding', 'accept-language', 'user-agent'])

interface Sent {
  readonly url: URL
  readonly method: (typeof METHODS)[number]
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | null
}

/** Throws `egress.refused`, `result.too-large`, and as errors of their own what the network and the deadline do. */
export function createGuardedFetch(
  { privateOrigins, ...reach }: GuardedFetchParts,
  limits: GuardedFetchLimits = {},
): GuardedFetch {
  const { redirects = 0, withinOrigin = false, patience = PATIENCE, mostBytes = MOST_BYTES } = limits
  const most = Math.min(redirects, MOST_REDIRECTS)

  async function send({ url, method, headers, body }: Sent, signal: AbortSignal): Promise<Response> {
    const pool = createPool(url.origin, {
      ...reach,
      allowPrivate: mayBePrivate(privateOrigins, url),
      headersTimeout: patience,
      connections: 1,
    })
    try {
      const path = url.pathname + url.search
      return await read(await pool.request({ path, method, headers, body, signal }), reach.alias, mostBytes)
    } finally {
      await pool.destroy()
    }
  }

  return async (address, { method = 'GET', headers = {}, body, signal }) => {
    const known = METHODS.find((item) => item === method)
    if (known === undefined) throw new TypeError(`${method} is not sent from here`)
    const deadline = AbortSignal.timeout(patience)
    const until = signal === undefined ? deadline : AbortSignal.any([signal, deadline])
    let sent: Sent = {
      url: addressOf(address, reach.alias),
      method: known,
      headers: { ...Object.fromEntries(new Headers(headers)), 'accept-encoding': 'identity' },
      body: contentOf(body),
    }
    for (let followed = 0; ; followed++) {
      const response = await send(sent, until)
      const next = known === 'GET' && followed < most ? redirectOf(sent, response) : undefined
      if (next === undefined || (withinOrigin && next.url.origin !== sent.url.origin))
        return withUrl(response, sent.url)
      sent = next
    }
  }
}

/** Where the answer came from, as `fetch` says it: after a redirect this is another address. */
const withUrl = (response: Response, { href }: URL): Response => Object.defineProperty(response, 'url', { value: href })

/** For an address that the operator of the installation set: it may be private, and even this machine's own. */
export const operatorFetch = (alias: string): GuardedFetch => createGuardedFetch({ alias, privateOrigins: 'any' })

/** Only what HTTP is spoken with: everything else leads somewhere that no guard looks at. */
function addressOf(address: string, alias: string): URL {
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new Fault('egress.refused', { connection: alias })
  return url
}

/** Where it leads; undefined where it leads nowhere, or from a line that nobody can listen to to one that everybody can. */
function redirectOf({ url, headers, ...sent }: Sent, { status, headers: answered }: Response): Sent | undefined {
  const to = REDIRECTS.has(status) ? URL.parse(answered.get('location') ?? '', url.href) : null
  if (to === null || !/^https?:$/.test(to.protocol) || to.username !== '' || to.password !== '') return undefined
  if (url.protocol === 'https:' && to.protocol !== 'https:') return undefined
  if (to.origin === url.origin) return { ...sent, url: to, headers }
  const harmless = Object.entries(headers).filter(([name]) => HARMLESS.has(name.toLowerCase()))
  return { ...sent, url: to, headers: Object.fromEntries(harmless) }
}

async function read(answer: Dispatcher.ResponseData, alias: string, mostBytes: number): Promise<Response> {
  // A few bytes of it may unpack to anything; that it was not asked for says enough of who sends it.
  const packed = String(answer.headers['content-encoding'] ?? 'identity')
    .trim()
    .toLowerCase()
  if (packed !== 'identity' && packed !== '') {
    answer.body.once('error', () => {}).destroy()
    throw new Error('the response is compressed, which was not requested')
  }
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer.body) {
    bytes += (chunk as Buffer).length
    if (bytes > mostBytes) throw new Fault('result.too-large', { connection: alias, limit: mostBytes })
    chunks.push(chunk as Buffer)
  }
  const plain = new Headers()
  for (const [name, value] of Object.entries(answer.headers)) {
    for (const item of [value ?? []].flat()) plain.append(name, item)
  }
  const { statusCode: status } = answer
  return new Response(BODILESS.has(status) ? null : Buffer.concat(chunks), { status, headers: plain })
}

function contentOf(body: unknown): string | Uint8Array | null {
  if (body === undefined || body === null) return null
  if (typeof body === 'string' || body instanceof Uint8Array) return body
  if (body instanceof URLSearchParams) return body.toString()
  throw new TypeError('only texts, bytes and forms are sent from here')
}
