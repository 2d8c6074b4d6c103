/**
 * The admin door: each operation at its address, in one order of checks that no operation can leave out.
 *
 * Identify, place, permission, shape, run, answer. What an organization may not see answers as what does not exist; whoever may
 * see and not do is told which permission is missing. Answers are parsed by their shape, so that no field leaves by mistake.
 */
import { Fault, permits, type Permission, type Role } from '@toolway/contract'
import type { Needs, Operation } from '@toolway/contract/admin'
import { Hono } from 'hono'
import { roleIn } from '../../call/callers/role.ts'
import type { Snapshot } from '../../call/snapshot.ts'
import { createKeptAnswers } from '../../admin/kept-answers.ts'
import type { AdminParts, Asking, Served } from '../../admin/serve.ts'
import type { Principal } from '../../identity/principal.ts'
import { rateOf } from '../../organizations/organizations.ts'
import type { Limits } from '../../limits/limits.ts'
import type { Clients } from '../client-address.ts'
import { countUnknown } from '../count-unknown.ts'
import { createAdminRefusals, type AdminRefusalParts, type Learned } from './admin-refusals.ts'
import { askingOf, refuseUnstorable, type AdminContext, type Env } from './admin-asking.ts'
import { EVENTS, untilEnded, type AdminStreams } from './admin-stream.ts'
import { correlationOf } from '../request-head.ts'
import type { WebSession } from '../sign-in/web-session.ts'

export interface AdminDoorParts {
  readonly operations: readonly Served[]
  readonly parts: AdminParts
  /** Throws `key.missing` or `key.unknown`. */
  identify(authorization: string | undefined): Principal | Promise<Principal>
  readonly web: Pick<WebSession, 'identify' | 'checkCsrf'>
  /** What a token must have been made for. */
  publicUrl(): string
  newCorrelationId(): string
  readonly clients: Clients
  readonly limits: Pick<Limits, 'address' | 'administer' | 'unknown'>
  /** Bytes of a body. */
  readonly bodyLimit: number
  readonly streams: AdminStreams
  readonly refusals: AdminRefusalParts
}

/** What a stranger may change (sign in, register, renew) costs a password's hash: it counts as many requests of its address. */
const STRANGERS_CHANGE = 10

/** `{organization}` in a description is `:organization` for Hono. */
const pathOf = ({ path }: Operation): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

export function createAdminDoor(door: AdminDoorParts): Hono<Env> {
  const { operations, parts, newCorrelationId, clients, limits, bodyLimit, streams } = door
  const app = new Hono<Env>()
  const refused = createAdminRefusals(door.refusals)
  const keeper = createKeptAnswers(parts)
  /** A POST that names itself is carried out once, however often it comes. */
  const once = async (
    c: AdminContext,
    { method, needs, path }: Operation,
    { principal, query, body }: Asking,
    run: () => unknown,
  ) => {
    const key = c.req.header('idempotency-key')
    const may = method === 'POST' && (needs.of === 'organization' || needs.of === 'platform')
    if (key === undefined || !may || principal === undefined) return { replayed: false, given: await run() }
    const request = JSON.stringify([method, path, c.req.param(), query, body])
    return keeper.once({ principal: principal.id, key, request }, async () => run())
  }

  async function serve(c: AdminContext, served: Served, learned: Learned): Promise<Response> {
    const { operation } = served
    const { client, correlationId } = learned
    c.header('x-correlation-id', correlationId)
    const who = () => (operation.needs.of === 'anyone' ? undefined : whoAsks(door, c))
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
    refuseUnstorable(c)
    const place = placeOf(parts, principal, operation.needs, c.req.param())
    const { organization } = place
    if (organization !== undefined) learned.organizationId = organization.id
    if (principal !== undefined)
      await limits.administer(principal.id, organization?.id, organization && rateOf(organization))
    const asked = await askingOf(c, operation, { principal, client, correlationId, bodyLimit })
    const asking = operation.media === EVENTS ? { ...asked, signal: untilEnded(c, streams, stand) } : asked
    const { replayed, given } = await once(c, operation, asking, () => served.run(parts, asking, place))
    if (replayed) c.header('idempotency-replayed', 'true')
    return given instanceof Response ? given : answer(c, operation, given)
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
        learned.organizationId ??= homeOf(parts, learned, served.operation, c.req.param())
        refused(thrown, served.operation, learned)
        throw await countUnknown(thrown, limits)
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

/** What an address takes, if anything is served there. */
function methodsAt(operations: readonly Served[], path: string): string[] {
  const wanted = path.split('/')
  const here = operations.filter(({ operation }) => {
    const parts = operation.path.split('/')
    return (
      parts.length === wanted.length &&
      parts.every((part, at) => (part.startsWith('{') ? wanted[at] !== '' : part === wanted[at]))
    )
  })
  return [...new Set(here.map(({ operation }) => operation.method))]
}

/**
 * What a credential is for, whatever its holder may: one of a single toolset or for a single endpoint administers nothing, and
 * one that only reads changes nothing.
 */
function refuseBeyond(principal: Principal | undefined, { method, needs, harmless }: Operation): void {
  if (principal === undefined || harmless) return
  if (principal.toolset !== undefined) throw new Fault('key.limit', { limit: `the toolset ${principal.toolset}` })
  if (method !== 'GET' && principal.limit === 'read') throw new Fault('key.limit', { limit: 'reading' })
  // What is bound to one organization has no say over all of them.
  if (needs.of === 'platform' && principal.organizationId !== undefined)
    throw new Fault('role.forbidden', { role: 'one organization', permission: needs.permission })
}

const HARMLESS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** By the Authorization header, else by the cookies of a browser; what changes something then needs the CSRF token as well. */
async function whoAsks({ identify, web, publicUrl }: AdminDoorParts, c: AdminContext): Promise<Principal> {
  const authorization = c.req.header('authorization')
  const browser = authorization === undefined ? await web.identify(c.req.header('cookie')) : undefined
  if (browser !== undefined) {
    if (!HARMLESS.has(c.req.method)) web.checkCsrf(browser.signInId, c.req.header('x-csrf-token'))
    return browser
  }
  const principal = await identify(authorization)
  // A token for one MCP endpoint is no token for this interface (RFC 8707).
  if (principal.resource !== undefined && principal.resource !== publicUrl()) throw new Fault('token.unknown')
  return principal
}

/** Throws `place.unknown` for who has no role there, and `role.forbidden` for who has one that may not. */
function placeOf(parts: AdminParts, principal: Principal | undefined, needs: Needs, params: Record<string, string>) {
  if (principal === undefined || needs.of === 'anyone' || needs.of === 'signed-in')
    return { organization: undefined, role: undefined }
  if (needs.of === 'platform') {
    const role = roleIn(parts.accounts, principal, new Map())
    return { organization: undefined, role: permitted(role, needs.permission, 'platform_admin') }
  }
  const { organization, role } = standIn(parts, principal, needs, params)
  return { organization, role: permitted(role, needs.permission) }
}

/** Where the principal has a role, and which. Throws `place.unknown` and `place.bound`. */
function standIn(
  parts: AdminParts,
  principal: Principal,
  needs: Extract<Needs, { of: 'organization' }>,
  params: Record<string, string>,
) {
  const snapshot =
    needs.by === 'connection' ? holderOf(parts, params['connection'] ?? '') : named(parts, params['organization'] ?? '')
  const bound = principal.organizationId === undefined || principal.organizationId === snapshot?.organization.id
  // Whether another organization exists is not told to a token that is bound to one.
  if (!bound && principal.kind === 'user') throw new Fault('place.bound')
  if (snapshot === undefined || !bound) throw new Fault('place.unknown')
  const role = roleIn(parts.accounts, principal, snapshot.members)
  // One that is not active is there for who administers the platform, and for nobody else.
  if (role === undefined || (!snapshot.organization.active && role !== 'platform_admin'))
    throw new Fault('place.unknown')
  return { organization: snapshot.organization, role }
}

/** The organization that is addressed, for who has a role there: its records name nobody who is a stranger to it. */
function homeOf(parts: AdminParts, { principal }: Learned, { needs }: Operation, params: Record<string, string>) {
  if (principal === undefined || needs.of !== 'organization') return undefined
  try {
    return standIn(parts, principal, needs, params).organization.id
  } catch {
    return undefined
  }
}

const named = ({ snapshots }: AdminParts, name: string): Snapshot | undefined =>
  snapshots.find({ slug: name }) ?? snapshots.find({ id: name })

const holderOf = ({ snapshots }: AdminParts, connection: string): Snapshot | undefined =>
  snapshots.all().find(({ connections }) => connections.some(({ id }) => id === connection))

function permitted(role: Role | undefined, permission: Permission, only?: Role): Role {
  if (role === undefined || !permits(role, permission) || (only !== undefined && role !== only))
    throw new Fault('role.forbidden', { role: role ?? 'none', permission })
  return role
}

function answer(c: AdminContext, { answer: shape, status }: Operation, value: unknown): Response {
  if (status === 204) return c.body(null, 204)
  return c.json(shape.parse(value) as object, status)
}
