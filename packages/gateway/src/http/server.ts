/**
 * The HTTP server: Host and Origin first, then the MCP endpoints by a dispatcher of our own, everything else by Hono.
 *
 * Every address that is not an MCP endpoint answers problem+json. Nothing is served to a name that is not ours.
 */
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { Fault } from '@toolway/contract'
import { Hono } from 'hono'
import type { Registry } from 'prom-client'
import type { Place } from '../call/ports.ts'
import { isChallenge } from '../vault/identity-proof.ts'
import type { Guard } from './guard.ts'
import type { Health, Readiness } from './health.ts'
import type { McpDoor } from './mcp-door.ts'
import { problemOf } from './say-fault.ts'

export interface ServerParts {
  readonly guard: Guard
  readonly mcp: McpDoor
  readonly health: Health
  readonly readiness: () => Promise<Readiness>
  readonly metrics: Registry
  readonly newCorrelationId: () => string
  /** The answer to who asks whether this is the gateway of a data directory, on that port. */
  prove(challenge: string, port: number): string
  /** Throws a fault unless the header carries a key that is known. */
  identify(authorization: string | undefined): unknown
}

const ENDPOINTS: readonly { form: RegExp; place(found: RegExpExecArray): Place }[] = [
  { form: /^\/mcp\/?$/, place: () => ({}) },
  {
    form: /^\/o\/([\w-]+)\/t\/([\w-]+)\/mcp\/?$/,
    place: ([, organization = '', toolset = '']) => ({ organization, toolset }),
  },
  {
    form: /^\/api\/v1\/([\w-]+)\/connectors\/([\w-]+)\/mcp\/?$/,
    place: ([, organization = '', connection = '']) => ({ organization, connection }),
  },
]

/** The endpoint that a path names, if it names one. */
export function placeOf(path: string): Place | undefined {
  for (const { form, place } of ENDPOINTS) {
    const found = form.exec(path)
    if (found !== null) return place(found)
  }
  return undefined
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
const ALLOWED_METHODS = 'GET, POST, DELETE'
const EXPOSED = 'Mcp-Session-Id, X-Correlation-Id, WWW-Authenticate'

export function createServer(parts: ServerParts, times = TIMES): Server {
  const { guard, mcp } = parts
  const rest = getRequestListener(createRest(parts).fetch, { overrideGlobalObjects: false })

  function receive(request: IncomingMessage, response: ServerResponse): void | Promise<unknown> {
    const { origin } = request.headers
    try {
      guard.check(request.headers.host, origin)
    } catch (thrown) {
      return sayProblem(response, Fault.of(thrown), parts.newCorrelationId())
    }
    if (origin !== undefined) allowOrigin(response, origin)
    const path = request.url?.split('?', 1)[0] ?? '/'
    const place = placeOf(path)
    if (place === undefined) return rest(request, response)
    if (request.method === 'OPTIONS') return void response.writeHead(204).end()
    return mcp.answer(request, response, place)
  }

  return createHttpServer(times, (request, response) => {
    // A client that goes away while it is answered is no fault of the gateway's.
    response.on('error', () => {})
    Promise.resolve(receive(request, response)).catch((thrown: unknown) => {
      if (!response.headersSent) sayProblem(response, Fault.of(thrown), parts.newCorrelationId())
      else response.destroy()
    })
  })
}

function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('vary', 'Origin')
  response.setHeader('access-control-expose-headers', EXPOSED)
  response.setHeader('access-control-allow-methods', ALLOWED_METHODS)
  response.setHeader(
    'access-control-allow-headers',
    'Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, X-Correlation-Id',
  )
}

function sayProblem(response: ServerResponse, fault: Fault, correlationId: string): void {
  const body = JSON.stringify(problemOf(fault, correlationId))
  response
    .writeHead(fault.row.http, {
      'content-type': 'application/problem+json',
      'content-length': Buffer.byteLength(body),
    })
    .end(body)
}

function createRest({ health, readiness, metrics, newCorrelationId, identify, prove }: ServerParts) {
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.get('/health/live', (c) => {
    const challenge = c.req.query('challenge')
    const port = c.env.incoming.socket.localPort
    if (!isChallenge(challenge) || port === undefined) return c.json({ status: 'live' })
    return c.json({ status: 'live', proof: prove(challenge, port) })
  })
  app.get('/health/startup', (c) =>
    c.json({ status: health.started ? 'started' : 'starting' }, health.started ? 200 : 503),
  )
  app.get('/health/ready', async (c) => {
    const { ready, problem, checks } = await readiness()
    return c.json(
      { status: ready ? 'ready' : 'not ready', ...(problem === undefined ? {} : { problem }), checks },
      ready ? 200 : 503,
    )
  })
  app.get('/health', (c) => c.redirect('/health/ready'))
  // Counters tell how an installation is used: whoever may call may read them.
  app.use('/metrics', async (c, next) => {
    await identify(c.req.header('authorization'))
    await next()
  })
  app.get('/metrics', async (c) => c.text(await metrics.metrics(), 200, { 'content-type': metrics.contentType }))
  app.onError((thrown, c) => {
    const fault = Fault.of(thrown)
    if (fault.row.http === 401) c.header('www-authenticate', 'Bearer realm="toolway"')
    return c.body(JSON.stringify(problemOf(fault, newCorrelationId())), fault.row.http as 500, {
      'content-type': 'application/problem+json',
    })
  })
  app.notFound((c) => {
    const fault = new Fault('address.unknown', { path: new URL(c.req.url).pathname })
    return c.json(problemOf(fault, newCorrelationId()), 404, { 'content-type': 'application/problem+json' })
  })
  return app
}
