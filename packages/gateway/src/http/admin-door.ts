/**
 * The admin door: each operation at its address, in one order of checks that no operation can leave out.
 *
 * Identify, place, permission, shape, run, answer. What an organization may not see answers as what does not exist; whoever may
 * see and not do is told which permission is missing. Answers are parsed by their shape, so that no field leaves by mistake.
 */
import type { HttpBindings } from '@hono/node-server'
import { Fault, permits, type Permission, type Role } from '@toolway/contract'
import type { Needs, Operation, Shape } from '@toolway/contract/admin'
import { parseJson, type Json } from '@toolway/protocol'
import { Hono, type Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { z } from 'zod'
import { roleIn } from '../call/role.ts'
import type { Snapshot } from '../call/snapshot.ts'
import type { AdminParts, Asking, Served } from '../admin/serve.ts'
import type { Principal } from '../identity/principal.ts'
import type { Actor } from '../records/change.ts'
import type { Limits } from '../limits/limits.ts'
import type { Client, Clients } from './client-address.ts'
import { countUnknown } from './count-unknown.ts'
import { correlationOf, isJsonType } from './request-head.ts'

export interface AdminDoorParts {
  readonly operations: readonly Served[]
  readonly parts: AdminParts
  /** Throws `key.missing` or `key.unknown`. */
  identify(authorization: string | undefined): Principal | Promise<Principal>
  newCorrelationId(): string
  readonly clients: Clients
  readonly limits: Pick<Limits, 'address' | 'administer' | 'unknown'>
  /** Bytes of a body. */
  readonly bodyLimit: number
}

/** What a stranger may change (sign in, register, renew) costs a password's hash: it counts as many requests of its address. */
const STRANGERS_CHANGE = 10
type Env = { Bindings: HttpBindings }
type AdminContext = Context<Env>

/** `{organization}` in a description is `:organization` for Hono. */
const pathOf = ({ path }: Operation): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

export function createAdminDoor(door: AdminDoorParts): Hono<Env> {
  const { operations, parts, identify, newCorrelationId, clients, limits, bodyLimit: maxSize } = door
  const app = new Hono<Env>()
  const tooLarge = () => {
    throw new Fault('request.too-large', { limit: maxSize })
  }
  app.use(bodyLimit({ maxSize, onError: tooLarge }))
  async function serve(c: AdminContext, { operation, run }: Served): Promise<Response> {
    const client = clients.of(c.env.incoming)
    const principal = operation.needs.of === 'anyone' ? undefined : await identify(c.req.header('authorization'))
    // One of these was counted when the request came in.
    if (principal === undefined && operation.method !== 'GET')
      await limits.address(client.network, STRANGERS_CHANGE - 1)
    refuseBeyond(principal, operation)
    refuseUnstorable(c)
    const place = placeOf(parts, principal, operation.needs, c.req.param())
    const { organization } = place
    if (principal !== undefined)
      await limits.administer(principal.id, organization?.id, organization?.settings.requests_per_minute)
    const correlationId = correlationOf(c.env.incoming) ?? newCorrelationId()
    const given = await run(parts, await askingOf(c, operation, principal, client, correlationId), place)
    return given instanceof Response ? given : answer(c, operation, given)
  }

  for (const served of operations) {
    app.on(served.operation.method, pathOf(served.operation), async (c) => {
      try {
        return await serve(c, served)
      } catch (thrown) {
        throw await countUnknown(thrown, limits)
      }
    })
  }
  return app
}

/**
 * What a credential is for, whatever its holder may: one of a single toolset or for a single endpoint administers nothing, and
 * one that only reads changes nothing.
 */
function refuseBeyond(principal: Principal | undefined, { method, needs }: Operation): void {
  if (principal === undefined) return
  if (principal.toolset !== undefined) throw new Fault('key.limit', { limit: `the toolset ${principal.toolset}` })
  if (method !== 'GET' && principal.limit === 'read') throw new Fault('key.limit', { limit: 'reading' })
  // What is bound to one organization has no say over all of them.
  if (needs.of === 'platform' && principal.organizationId !== undefined)
    throw new Fault('role.forbidden', { role: 'one organization', permission: needs.permission })
}

/** Throws `place.unknown` for who has no role there, and `role.forbidden` for who has one that may not. */
function placeOf(parts: AdminParts, principal: Principal | undefined, needs: Needs, params: Record<string, string>) {
  if (principal === undefined || needs.of === 'anyone' || needs.of === 'signed-in')
    return { organization: undefined, role: undefined }
  if (needs.of === 'platform') {
    const role = roleIn(parts.accounts, principal, new Map())
    return { organization: undefined, role: permitted(role, needs.permission, 'platform_admin') }
  }
  const name = params['organization'] ?? ''
  const snapshot: Snapshot | undefined = parts.snapshots.find({ slug: name }) ?? parts.snapshots.find({ id: name })
  const bound = principal.organizationId === undefined || principal.organizationId === snapshot?.organization.id
  if (snapshot === undefined || !bound) throw new Fault('place.unknown')
  const role = roleIn(parts.accounts, principal, snapshot.members)
  if (role === undefined) throw new Fault('place.unknown')
  return { organization: snapshot.organization, role: permitted(role, needs.permission) }
}

function permitted(role: Role | undefined, permission: Permission, only?: Role): Role {
  if (role === undefined || !permits(role, permission) || (only !== undefined && role !== only))
    throw new Fault('role.forbidden', { role: role ?? 'none', permission })
  return role
}

async function askingOf(
  c: AdminContext,
  operation: Operation,
  principal: Principal | undefined,
  client: Client,
  correlationId: string,
): Promise<Asking> {
  const actor: Actor = {
    id: principal?.id ?? 'anonymous',
    type: principal === undefined ? 'system' : principal.kind === 'key' ? 'api_key' : 'user',
    keyId: principal?.keyId,
    address: client.address,
    userAgent: c.req.header('user-agent'),
    correlationId,
  }
  c.header('x-correlation-id', correlationId)
  return {
    principal,
    actor,
    params: c.req.param(),
    query: parsed(operation.query, c.req.query(), 'query'),
    body: parsed(operation.body, await bodyOf(c), ''),
    head: {
      set: (name, value) => c.header(name, value),
      append: (name, value) => c.header(name, value, { append: true }),
    },
    signal: c.req.raw.signal,
  }
}

async function bodyOf(c: AdminContext): Promise<unknown> {
  const text = await c.req.text()
  if (text === '') return undefined
  if (!isJsonType(c.req.header('content-type'))) throw new Fault('request.media-type')
  const value = jsonOf(text)
  const place = unstorable(value)
  if (place !== undefined) throw new Fault('body.shape', { place, problem: 'holds a character that no text may hold' })
  return value
}

/** Read as messages are: bounded in depth before anything is made of it. */
function jsonOf(text: string): Json {
  try {
    return parseJson(text)
  } catch (thrown) {
    const fault = Fault.of(thrown)
    throw fault.code === 'request.not-json' ? new Fault('body.shape', { place: '/', problem: 'is not JSON' }) : fault
  }
}

/** NUL and half a surrogate pair: JSON can say them, and PostgreSQL cannot hold them (its documentation, character types). */
const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** The place of the first text that is not, by its names. */
function unstorable(value: Json, place = ''): string | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : place || '/'
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, inner] of Object.entries(value)) {
    if (!isStorable(name)) return place || '/'
    const found = unstorable(inner, `${place}/${name}`)
    if (found !== undefined) return found
  }
  return undefined
}

/** What no name can be names nothing. */
function refuseUnstorable(c: AdminContext): void {
  for (const [name, value] of Object.entries(c.req.param()))
    if (!isStorable(value))
      throw name === 'organization' ? new Fault('place.unknown') : new Fault('thing.unknown', { thing: name })
  for (const [name, value] of Object.entries(c.req.query()))
    if (!isStorable(name) || !isStorable(value))
      throw new Fault('body.shape', { place: '/query', problem: 'holds a character that no text may hold' })
}

function parsed(shape: Shape, value: unknown, under: string): unknown {
  const result = shape.safeParse(value)
  if (result.success) return result.data
  const issue: z.core.$ZodIssue | undefined = result.error.issues[0]
  const place = `/${[...(under === '' ? [] : [under]), ...(issue?.path ?? [])].map(String).join('/')}`
  throw new Fault('body.shape', { place, problem: issue?.message ?? 'does not fit' })
}

function answer(c: AdminContext, { answer: shape, status }: Operation, value: unknown): Response {
  if (status === 204) return c.body(null, 204)
  return c.json(shape.parse(value) as object, status)
}
