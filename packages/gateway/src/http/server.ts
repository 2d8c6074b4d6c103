/**
 * The HTTP server: Host and Origin first, then the MCP endpoints by a dispatcher of our own, everything else by Hono.
 *
 * Every address that is not an MCP endpoint answers problem+json. Nothing is served to a name that is not ours.
 */
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { Fault, type FaultCode } from '@toolway/contract'
import { Hono, type Context } from 'hono'
import type { Registry } from 'prom-client'
import { isDatabaseFault } from '../db/unreachable.ts'
import type { Log } from '../lib/log.ts'
import { isChallenge, type Place } from '../vault/identity-proof.ts'
import type { Limits } from '../limits/limits.ts'
import { addressOf } from './addresses.ts'
import type { Clients } from './client-address.ts'
import { consolePlaceOf } from './console/console-mcp.ts'
import type { EventSocket } from './events/event-socket.ts'
import { checkRepeated, type Guard } from './guard.ts'
import type { Health, Readiness } from './health.ts'
import type { McpDoor } from './mcp-door.ts'
import type { OAuthDoor } from './oauth/oauth-door.ts'
import { errorOf, failureOf, headersOf, problemAnswer } from './say-fault.ts'
import { html, pageOf } from './pages/page.ts'
import type { SseDoor } from './lasting/sse-door.ts'
import { notFoundPage, wantsPage } from './pages/not-found-page.ts'
import type { PolicyDoor } from './tools/policy-door.ts'
import type { ToolDoor } from './tools/tool-door.ts'
import { pathOf, targetOf, type Target } from './target.ts'
import { cutUnread } from './streams/unread.ts'
import type { WebSocketDoor } from './lasting/websocket-door.ts'

export interface ServerParts {
  readonly guard: Guard
  readonly clients: Clients
  readonly limits: Pick<Limits, 'address' | 'state'>
  /** Whether clients reach the gateway by https. */
  readonly https: boolean
  readonly mcp: McpDoor
  /** The same for the console, where browsers sign in. */
  readonly consoleMcp?: McpDoor | undefined
  /** None where no session outlives a request: a stream and the messages to it are two requests. */
  readonly sse: SseDoor | undefined
  readonly webSocket: WebSocketDoor
  /** Tools for clients that speak no MCP. */
  readonly tools?: ToolDoor | undefined
  /** Shows and reloads a policy file, where there is one. */
  readonly policy?: PolicyDoor | undefined
  /** Tells what happens in an organization. This and the next are undefined where nothing is stored. */
  readonly eventSocket: EventSocket | undefined
  /** Serves the addresses of the authorization server. */
  readonly oauth: OAuthDoor | undefined
  /** Serves what is below /api/v1 and is no MCP endpoint. */
  readonly admin: Hono<{ Bindings: HttpBindings }> | undefined
  /** Connecting accounts: its callbacks lie below /api/v1, too, and are nobody's operation. */
  readonly connect: Hono<{ Bindings: HttpBindings }> | undefined
  /** Questions whether calls may be made: pages, and the signed answers of webhooks. */
  readonly approvals: Hono<{ Bindings: HttpBindings }> | undefined
  /** Pages for people with a browser. */
  readonly pages: Hono<{ Bindings: HttpBindings }> | undefined
  /** The console, where there is an administration. */
  readonly console: Hono | undefined
  readonly health: Health
  readonly readiness: () => Promise<Readiness>
  /** Undefined: there is no /metrics. */
  readonly metrics: Registry | undefined
  refused(code: FaultCode): void
  readonly newCorrelationId: () => string
  readonly log?: Pick<Log, 'error'>
  /** The answer to who asks whether this is the gateway of a data directory, at that address. */
  prove(challenge: string, place: Place): string
  /** Throws a fault unless the header carries a key that is known. */
  identify(authorization: string | undefined): unknown
}

/**
 * Slow senders of headers and bodies are cut off, which Node looks for at each interval; idle connections are kept for
 * proxies that keep them too. Milliseconds.
 */
const TIMES = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
}
const ALLOWED_METHODS = 'GET, POST, PUT, PATCH, DELETE'
const TAKEN = [
  'Authorization',
  'Content-Type',
  'Accept',
  'Last-Event-ID',
  'Mcp-Session-Id',
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'X-Correlation-Id',
  'X-User-OAuth-Token',
]
/**
 * Servers name these headers (specification 2026-07-28, custom headers from tool parameters), so no list of ours holds them; a
 * `*` would not hold together with Authorization (Fetch standard, CORS protocol).
 */
const PARAMETER = /^mcp-param-[!#$%&'*+.^_`|~\w-]{1,100}$/i
const parametersIn = (asked: string): string[] =>
  asked
    .split(',')
    .map((name) => name.trim())
    .filter((name) => PARAMETER.test(name))
const EXPOSED = 'Mcp-Session-Id, X-Correlation-Id, WWW-Authenticate, Retry-After'

/** A year, for this name alone: what else lives below it is not ours to decide (RFC 6797). */
const HSTS = 'max-age=31536000'
/** Whoever looks after the process asks often, from one address, and is answered from memory. */
const isProbe = (path: string): boolean => path === '/health' || path.startsWith('/health/')

export function createServer(parts: ServerParts, times = TIMES): Server {
  const { guard, clients, limits, mcp, consoleMcp, sse, webSocket, eventSocket, oauth, tools, policy } = parts
  const rest = getRequestListener(createRest(parts).fetch, { overrideGlobalObjects: false })

  /**
   * Throws `request.repeated`, `request.host` or `request.origin`. An authority in the target is judged and then taken away, so that nobody behind
   * this reads it another way.
   */
  function guarded(request: IncomingMessage, { origin, authority }: Target): void {
    checkRepeated(request.rawHeaders)
    guard.check(request.headers.host, request.headers.origin, authority)
    if (authority !== undefined) request.url = origin
  }

  /** Its address is counted before anything is looked at, so that no kind of flood is let in for free (ledger U-22). */
  function receive(request: IncomingMessage, response: ServerResponse): void | Promise<unknown> {
    const target = targetOf(request.url ?? '/')
    const path = pathOf(target.origin)
    const client = clients.of(request)
    if (parts.https || client.secure) response.setHeader('strict-transport-security', HSTS)
    try {
      const counting = isProbe(path) ? undefined : limits.address(client.network)
      if (counting !== undefined)
        return counting.then(
          () => hand(request, response, target, path),
          (thrown: unknown) => turnAway(request, response, target, Fault.of(thrown)),
        )
    } catch (thrown) {
      return turnAway(request, response, target, Fault.of(thrown))
    }
    return hand(request, response, target, path)
  }

  function hand(request: IncomingMessage, response: ServerResponse, target: Target, path: string) {
    const { origin } = request.headers
    try {
      guarded(request, target)
    } catch (thrown) {
      return sayProblem(response, Fault.of(thrown), parts.newCorrelationId())
    }
    if (origin !== undefined) allowOrigin(request, response, origin)
    const address = addressOf(path)
    if (address === undefined) return beside(request, response, path)
    if (request.method === 'OPTIONS') return void response.writeHead(204).end()
    const { place, way } = address
    if (way === 'mcp') return mcp.answer(request, response, place)
    return sse === undefined ? rest(request, response) : sse.answer(request, response, place, way)
  }

  /** What is no MCP endpoint. A browser that asks first is told what the server says of every address. */
  function beside(request: IncomingMessage, response: ServerResponse, path: string): void | Promise<unknown> {
    if (oauth?.takes(path) === true) return oauth.answer(request, response, path)
    const place = consoleMcp === undefined ? undefined : consolePlaceOf(path)
    if (place !== undefined) return consoleMcp?.answer(request, response, place)
    const tool = tools?.addressOf(path)
    const isPolicy = tool === undefined && policy?.takes(path) === true
    // An address of one part may be a page; only what is sent to it is for a tool.
    if ((tool === undefined || (tool.way === 'flat call' && request.method === 'GET')) && !isPolicy)
      return rest(request, response)
    if (request.method === 'OPTIONS') return void response.writeHead(204).end()
    return tool === undefined ? policy?.answer(request, response, path) : tools?.answer(request, response, tool)
  }

  /** Nobody was asked who this is: no body is read and no record is kept, only a count. */
  function turnAway(request: IncomingMessage, response: ServerResponse, target: Target, fault: Fault): void {
    parts.refused(fault.code)
    const correlationId = parts.newCorrelationId()
    const { origin } = request.headers
    try {
      guarded(request, target)
      // Who may read an answer in a browser may read this one.
      if (origin !== undefined) allowOrigin(request, response, origin)
    } catch {
      // The limit says more than the name does, and both refuse.
    }
    if (addressOf(pathOf(target.origin)) === undefined) return sayProblem(response, fault, correlationId)
    const said = { fault, status: fault.row.http, type: 'application/json' }
    say(response, said, failureOf(undefined, errorOf(fault, 'legacy', correlationId)))
  }

  /** What may not become a socket is answered as the request that it also is: 403, 404, 503. */
  function becomesSocket(request: IncomingMessage): boolean {
    try {
      const target = targetOf(request.url ?? '/')
      const path = pathOf(target.origin)
      const isEvents = eventSocket?.takes(request, path) === true
      if (!isEvents && !webSocket.takes(request)) return false
      guarded(request, target)
      return isEvents || addressOf(path)?.way === 'mcp'
    } catch {
      return false
    }
  }

  const options = { ...times, shouldUpgradeCallback: becomesSocket }
  const server = createHttpServer(options, (request, response) => {
    // Its client comes back by another connection, which a balancer may lead elsewhere.
    if (parts.health.draining) response.shouldKeepAlive = false
    // A client that goes away while it is answered is no fault of the gateway's.
    response.on('error', () => {})
    Promise.resolve(receive(request, response)).catch((thrown: unknown) => {
      if (!response.headersSent) sayProblem(response, Fault.of(thrown), parts.newCorrelationId())
      else response.destroy()
    })
  })
  server.on('upgrade', (request, socket, head) => {
    const path = pathOf(request.url ?? '/')
    const { place = {} } = addressOf(path) ?? {}
    const entered = eventSocket?.takes(request, path)
      ? eventSocket.enter(request, socket, head)
      : webSocket.enter(request, socket, head, place)
    entered.catch(() => socket.destroy())
  })
  return server
}

function allowOrigin({ headers }: IncomingMessage, response: ServerResponse, origin: string): void {
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('vary', 'Origin')
  response.setHeader('access-control-expose-headers', EXPOSED)
  response.setHeader('access-control-allow-methods', ALLOWED_METHODS)
  const asked = headers['access-control-request-headers'] ?? ''
  response.setHeader('access-control-allow-headers', [...TAKEN, ...parametersIn(asked)].join(', '))
}

function sayProblem(response: ServerResponse, fault: Fault, correlationId: string): void {
  const { status, type, problem } = problemAnswer(fault, correlationId)
  say(response, { fault, status, type }, problem)
}

interface Said {
  readonly fault: Fault
  readonly status: number
  readonly type: string
}

function say(response: ServerResponse, { fault, status, type }: Said, message: object): void {
  const body = JSON.stringify(message)
  response
    .writeHead(status, {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      ...headersOf(fault),
    })
    .end(body)
  cutUnread(response)
}

/** What no answer for people may lack: it is what it says it is, it is kept nowhere, it tells no other site where it was read. */
const HARDENED = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const

function createRest(parts: ServerParts) {
  const { health, readiness, metrics, newCorrelationId, identify, prove, connect, approvals, admin, pages, log } = parts
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.use(async (c, next) => {
    await next()
    // What sets one of its own, as a page that may be kept, keeps it.
    for (const [name, value] of Object.entries(HARDENED)) if (!c.res.headers.has(name)) c.header(name, value)
  })
  for (const door of [connect, approvals, admin, pages]) if (door !== undefined) app.route('/', door)
  if (parts.console !== undefined) app.route('/', parts.console)
  app.get('/health/live', (c) => {
    const challenge = c.req.query('challenge')
    const { localAddress: address, localPort: port } = c.env.incoming.socket
    if (!isChallenge(challenge) || address === undefined || port === undefined) return c.json({ status: 'live' })
    return c.json({ status: 'live', proof: prove(challenge, { address, port }) })
  })
  app.get('/health/startup', (c) =>
    c.json({ status: health.started ? 'started' : 'starting' }, health.started ? 200 : 503),
  )
  for (const path of ['/health/ready', '/health'])
    app.get(path, async (c) => {
      const { status, problem, checks } = await readiness()
      const told = { status, ...(problem === undefined ? {} : { problem }), checks }
      return c.json(told, status === 'not ready' ? 503 : 200)
    })
  if (metrics !== undefined) serveMetrics(app, metrics, identify)
  app.onError((thrown, c) => {
    const fault = Fault.of(thrown)
    if (isDatabaseFault(fault) && isForPeople(c.req.method, c.req.header('accept'))) return unavailablePage(fault)
    // The id that the door gave this request, so that answer, record and log name the same one.
    const correlationId = c.res.headers.get('x-correlation-id') ?? newCorrelationId()
    if (fault.code === 'internal') log?.error({ request_id: correlationId, err: fault.cause }, 'a request failed')
    return answerProblem(c, fault, correlationId)
  })
  app.notFound((c) => {
    if (wantsPage(c.req)) return notFoundPage()
    return answerProblem(c, new Fault('address.unknown', { path: c.req.path }), newCorrelationId())
  })
  return app
}

function answerProblem(c: Context, fault: Fault, correlationId: string): Response {
  const { status, type, headers, problem } = problemAnswer(fault, correlationId)
  for (const [name, value] of Object.entries(headers)) c.header(name, value)
  return c.body(JSON.stringify(problem), status as 500, { 'content-type': type })
}

/** Whether a browser shows the answer to a person: no address of the API is opened that way but those of OAuth's way back. */
const isForPeople = (method: string, accept = ''): boolean =>
  (method === 'GET' || method === 'POST') && accept.includes('text/html')

async function unavailablePage(fault: Fault): Promise<Response> {
  const page = await pageOf({
    title: 'Service unavailable',
    body: html`<p>${fault.message}</p>
      <p>${fault.mend}</p>`,
    status: fault.row.http,
  })
  for (const [name, value] of Object.entries(headersOf(fault))) page.headers.set(name, value)
  return page
}

/** Counters tell how an installation is used: whoever may call may read them. */
function serveMetrics(
  app: Hono<{ Bindings: HttpBindings }>,
  metrics: Registry,
  identify: ServerParts['identify'],
): void {
  app.use('/metrics', async (c, next) => {
    await identify(c.req.header('authorization'))
    await next()
  })
  app.get('/metrics', async (c) => c.text(await metrics.metrics(), 200, { 'content-type': metrics.contentType }))
}
