/**
 * The HTTP handler of the admin interface: each operation at its path, with one order of checks that no operation can skip.
 *
 * Identity, organization, permission, schema, run, answer. A resource that the caller may not see is answered as one that does
 * not exist; a caller who may see it but lacks a permission gets an error that names the permission. Answers are parsed by their
 * schema, so that no field leaks by mistake.
 */
import { Fault } from '@toolway/contract'
import type { Operation } from '@toolway/contract/admin'
import { Hono } from 'hono'
import { answerOf } from '../../operations/answer.ts'
import { createKeptAnswers } from '../../operations/idempotent-answers.ts'
import { homeOf, placeOf, refuseBeyond } from '../../operations/authorize-operation.ts'
import { refuseUnstorable } from '../../operations/read-input.ts'
import { STREAM_HEAD } from '../../operations/stream-of-events.ts'
import type { OperationBase, OperationCall, Served } from '../../operations/serve.ts'
import type { Log } from '../../lib/log.ts'
import type { Limits } from '../../limits/limits.ts'
import type { Clients } from '../client-address.ts'
import { countUnknownEndpoint } from '../count-unknown-endpoint.ts'
import { createAdminRefusals, type AdminRefusalParts, type Learned } from './admin-refusals.ts'
import { whoAsks, type CallerParts } from './admin-caller.ts'
import { askingOf, type AdminContext, type Env } from './admin-asking.ts'
import { streamWithProgress } from './admin-progress.ts'
import { EVENTS, untilEnded, type AdminStreams } from './admin-stream.ts'
import { correlationOf, prefersStream } from '../request-head.ts'
import { problemOf } from '../http-faults.ts'

export interface AdminDoorParts<Parts extends OperationBase = OperationBase> extends CallerParts {
  readonly operations: readonly Served<Parts>[]
  readonly parts: Parts
  newCorrelationId(): string
  readonly clients: Clients
  readonly limits: Pick<Limits, 'address' | 'administer' | 'unknown'>
  /** Bytes of a body. */
  readonly bodyLimit: number
  readonly streams: AdminStreams
  readonly refusals: AdminRefusalParts
  readonly log?: Log | undefined
}

/**
 * Cost of a change by an unauthenticated caller (sign in, register, renew), which takes a password hash: it counts as this many
 * requests of its address.
 */
const STRANGERS_CHANGE = 10

/** `{organization}` in a description is `:organization` for Hono. */
const pathOf = ({ path }: Operation): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

export function createAdminDoor<Parts extends OperationBase>(door: AdminDoorParts<Parts>): Hono<Env> {
  const { operations, parts, newCorrelationId, clients, limits, bodyLimit, streams, log } = door
  const app = new Hono<Env>()
  const refused = createAdminRefusals(door.refusals)
  const keeper = createKeptAnswers(parts)

  async function serve(c: AdminContext, served: Served<Parts>, learned: Learned): Promise<Response> {
    const { operation } = served
    const { client, correlationId } = learned
    c.header('x-correlation-id', correlationId)
    const who = () => (operation.needs.of === 'anyone' ? undefined : whoAsks(door, callerHeadOf(c)))
    const stand = async () => {
      const principal = await who()
      refuseBeyond(principal, operation)
      return placeOf(parts, principal, operation.needs, c.req.param())
    }
    const principal = await who()
    if (principal !== undefined) learned.principal = principal
    // One of these was counted when the request came in.
    if (principal === undefined && operation.method !== 'GET')
      await limits.address(client.network, STRANGERS_CHANGE - 1)
    refuseBeyond(principal, operation)
    refuseUnstorable({ params: c.req.param(), query: c.req.query() })
    const scope = placeOf(parts, principal, operation.needs, c.req.param())
    const { organization } = scope
    if (organization !== undefined) learned.organizationId = organization.id
    if (principal !== undefined) await limits.administer(principal.id, organization?.id)
    const most = Math.max(bodyLimit, operation.bodyBytes ?? 0)
    const call = await askingOf(c, operation, { principal, client, correlationId, bodyLimit: most })
    const isFollowed = operation.progress !== undefined && prefersStream(c.req.header('accept'))
    const isStream = isFollowed || operation.media === EVENTS
    const asking = isStream ? { ...call, signal: untilEnded(c, streams, stand) } : call
    if (isFollowed) {
      const run = (progress: OperationCall['progress']) => served.run(parts, { ...asking, progress }, scope)
      const { signal } = asking
      const events = streamWithProgress({ operation, signal, run, word: wordFor(operation, learned) })
      return c.body(events, 200, STREAM_HEAD)
    }
    const { replayed, given } = await carryOutOnce(keeper, c, operation, asking, () => served.run(parts, asking, scope))
    if (replayed) c.header('idempotency-replayed', 'true')
    return given instanceof Response ? given : answer(c, operation, given, log)
  }

  /** Once a stream has begun, its status is said: what goes wrong then is its last event. */
  const wordFor = (operation: Operation, learned: Learned) => (thrown: unknown) => {
    const fault = Fault.of(thrown)
    refused(fault, operation, learned)
    if (fault.code === 'internal')
      log?.error({ request_id: learned.correlationId, err: fault.cause }, 'a request failed')
    return problemOf(fault, learned.correlationId)
  }

  for (const served of operations) {
    app.on(served.operation.method, pathOf(served.operation), async (c) => {
      const learned: Learned = {
        client: clients.of(c.env.incoming),
        correlationId: correlationOf(c.env.incoming) ?? newCorrelationId(),
        userAgent: c.req.header('user-agent'),
      }
      try {
        return await serve(c, served, learned)
      } catch (thrown) {
        learned.organizationId ??= homeOf(parts, learned.principal, served.operation.needs, c.req.param())
        refused(thrown, served.operation, learned)
        throw await countUnknownEndpoint(thrown, limits)
      }
    })
  }
  app.all('/api/v1/*', (c) => {
    const allowed = methodsAt(operations, c.req.path)
    if (allowed.length === 0) throw new Fault('address.unknown', { path: c.req.path })
    // A browser that asks first is told what the server says of every address.
    if (c.req.method === 'OPTIONS') return c.body(null, 204, { allow: allowed.join(', ') })
    c.header('allow', allowed.join(', '))
    throw new Fault('request.method', { method: c.req.method, allowed: allowed.join(', ') })
  })
  return app
}

/** A POST that names itself is carried out once, however often it comes. */
async function carryOutOnce(
  keeper: ReturnType<typeof createKeptAnswers>,
  c: AdminContext,
  { method, needs, path }: Operation,
  { principal, query, body }: OperationCall,
  run: () => unknown,
) {
  const key = c.req.header('idempotency-key')
  const may = method === 'POST' && (needs.of === 'organization' || needs.of === 'platform')
  if (key === undefined || !may || principal === undefined) return { replayed: false, given: await run() }
  const request = JSON.stringify([method, path, c.req.param(), query, body])
  return keeper.once({ principal: principal.id, key, request }, async () => run())
}

/** Returns the methods that a path accepts; empty if nothing is served there. */
function methodsAt(operations: readonly { readonly operation: Operation }[], path: string): string[] {
  const pathParts = path.split('/')
  const here = operations.filter(({ operation }) => {
    const parts = operation.path.split('/')
    return (
      parts.length === pathParts.length &&
      parts.every((part, at) => (part.startsWith('{') ? pathParts[at] !== '' : part === pathParts[at]))
    )
  })
  return [...new Set(here.map(({ operation }) => operation.method))]
}

const callerHeadOf = (c: AdminContext) => ({
  method: c.req.method,
  authorization: c.req.header('authorization'),
  cookie: c.req.header('cookie'),
  csrf: c.req.header('x-csrf-token'),
})

function answer(c: AdminContext, operation: Operation, value: unknown, log: Log | undefined): Response {
  const { status } = operation
  if (status === 204) return c.body(null, 204)
  return c.json(answerOf(operation, value, log) as object, status)
}
