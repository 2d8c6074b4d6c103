/** Every address that is not handled by a door of its own: administration, pages, console, health and metrics, by Hono. */
import type { HttpBindings } from '@hono/node-server'
import { Fault } from '@toolway/contract'
import { Hono, type Context } from 'hono'
import { isDatabaseFault } from '../db/unreachable.ts'
import type { Log } from '../lib/log.ts'
import type { Exposition } from '../telemetry/exposition.ts'
import { isChallenge, type ListenAddress } from '../vault/identity-proof.ts'
import type { Health, Readiness } from './health.ts'
import { headersOf, problemAnswer } from './http-faults.ts'
import { noteTemplate } from './path-templates.ts'
import { faultTexts } from './pages/fault-text.ts'
import { html } from './pages/markup.ts'
import { notFoundPage, wantsPage } from './pages/not-found-page.ts'
import { pageOf } from './pages/page.ts'
import { textsFor } from './pages/page-request.ts'
import type { PageTexts } from './pages/page-texts.ts'

type Routes = Hono<{ Bindings: HttpBindings }>

export interface RestParts {
  /** Serves the addresses below /api/v1 that are not MCP endpoints. */
  readonly admin: Routes | undefined
  /** Connecting accounts. The callbacks are below /api/v1, too, and belong to no operation. */
  readonly connect: Routes | undefined
  /** Approval pages, and the signed answers of webhooks. */
  readonly approvals: Routes | undefined
  /** Pages for users with a browser. */
  readonly pages: Routes | undefined
  /** The console, if the gateway has an administration. */
  readonly console: Hono | undefined
  /** The documentation, where there is a console. */
  readonly docs?: Hono | undefined
  readonly health: Health
  readonly readiness: () => Readiness
  /** Undefined: /metrics is not served. `accept`: the header of the request. */
  readonly metrics: ((accept: string | undefined) => Promise<Exposition>) | undefined
  readonly newCorrelationId: () => string
  readonly log?: Pick<Log, 'error'>
  /** The answer to a challenge that asks whether this is the gateway of a data directory, at that address. */
  prove(challenge: string, address: ListenAddress): string
  /** Throws a fault unless the header carries a known key. */
  identify(authorization: string | undefined): unknown
  /** Whether memory alone knows the header's key or token, and it is good here; never waits and never throws. */
  recalls(authorization: string | undefined): boolean
}

/** Headers of every answer here: no content sniffing, no referrer, no caching. */
const HARDENED = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const

export function createRest(parts: RestParts) {
  const { health, readiness, metrics, newCorrelationId, prove, connect, approvals, admin, pages, log } = parts
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.use(async (c, next) => {
    await next()
    noteTemplate(c.env?.outgoing, c)
    // A handler that sets one of them itself keeps its own.
    for (const [name, value] of Object.entries(HARDENED)) if (!c.res.headers.has(name)) c.header(name, value)
  })
  for (const routes of [connect, approvals, admin, pages]) if (routes !== undefined) app.route('/', routes)
  if (parts.console !== undefined) app.route('/', parts.console)
  if (parts.docs !== undefined) app.route('/', parts.docs)
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
    app.get(path, (c) => {
      const { status, problem, checks, ages } = readiness()
      const report = { status, ...(problem === undefined ? {} : { problem }), checks, age_ms: ages }
      return c.json(report, status === 'not ready' ? 503 : 200)
    })
  if (metrics !== undefined) serveMetrics(app, metrics, parts)
  app.onError((thrown, c) => {
    const fault = Fault.of(thrown)
    if (isDatabaseFault(fault) && isForPeople(c.req.method, c.req.header('accept')))
      return unavailablePage(textsFor(c), fault)
    // The id that the handler gave this request, so that answer, record and log have the same one.
    const correlationId = c.res.headers.get('x-correlation-id') ?? newCorrelationId()
    if (fault.code === 'internal') log?.error({ request_id: correlationId, err: fault.cause }, 'a request failed')
    return answerProblem(c, fault, correlationId)
  })
  app.notFound((c) => {
    if (wantsPage(c.req)) return notFoundPage(textsFor(c))
    return answerProblem(c, new Fault('address.unknown', { path: c.req.path }), newCorrelationId())
  })
  return app
}

function answerProblem(c: Context, fault: Fault, correlationId: string): Response {
  const { status, type, headers, problem } = problemAnswer(fault, correlationId)
  for (const [name, value] of Object.entries(headers)) c.header(name, value)
  return c.body(JSON.stringify(problem), status as 500, { 'content-type': type })
}

/** Whether a browser shows the answer to a user; of the API's addresses, a browser opens only OAuth callbacks. */
const isForPeople = (method: string, accept = ''): boolean =>
  (method === 'GET' || method === 'POST') && accept.includes('text/html')

async function unavailablePage(texts: PageTexts, fault: Fault): Promise<Response> {
  const { say, mend } = faultTexts(texts, fault)
  const page = await pageOf({
    texts,
    title: texts.unavailable(),
    body: html`<p>${say}</p>
      <p>${mend}</p>`,
    status: fault.row.http,
  })
  for (const [name, value] of Object.entries(headersOf(fault))) page.headers.set(name, value)
  return page
}

/**
 * Metrics tell how an installation is used: every key that may call may read them. A key that memory knows does not wait for the
 * database, whose trouble the metrics are to show.
 */
function serveMetrics(
  app: Hono<{ Bindings: HttpBindings }>,
  metrics: NonNullable<RestParts['metrics']>,
  { identify, recalls }: Pick<RestParts, 'identify' | 'recalls'>,
): void {
  app.use('/metrics', async (c, next) => {
    const authorization = c.req.header('authorization')
    if (!recalls(authorization)) await identify(authorization)
    await next()
  })
  app.get('/metrics', async (c) => {
    const { type, text } = await metrics(c.req.header('accept'))
    return c.text(text, 200, { 'content-type': type })
  })
}
