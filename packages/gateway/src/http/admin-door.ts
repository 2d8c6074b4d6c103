/**
 * The admin door: each operation at its address, in one order of checks that no operation can leave out.
 *
 * Identify, place, permission, shape, run, answer. What an organization may not see answers as what does not exist; whoever may
 * see and not do is told which permission is missing. Answers are parsed by their shape, so that no field leaves by mistake.
 */
import type { HttpBindings } from '@hono/node-server'
import { Fault, permits, type Permission, type Role } from '@toolway/contract'
import type { Needs, Operation, Shape } from '@toolway/contract/admin'
import { Hono, type Context } from 'hono'
import type { z } from 'zod'
import { roleIn } from '../call/role.ts'
import type { Snapshot } from '../call/snapshot.ts'
import { createKeptAnswers } from '../admin/kept-answers.ts'
import type { AdminParts, Asking, Served } from '../admin/serve.ts'
import type { Principal } from '../identity/principal.ts'
import type { Actor } from '../records/change.ts'
import { readBody, textOf } from './body.ts'
import { correlationOf, isJsonType } from './request-head.ts'

export interface AdminDoorParts {
  readonly operations: readonly Served[]
  readonly parts: AdminParts
  /** Throws `key.missing` or `key.unknown`. */
  identify(authorization: string | undefined): Principal | Promise<Principal>
  newCorrelationId(): string
}

const BODY_LIMIT = 1024 * 1024
type Env = { Bindings: HttpBindings }
type AdminContext = Context<Env>

/** `{organization}` in a description is `:organization` for Hono. */
const pathOf = ({ path }: Operation): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

export function createAdminDoor({ operations, parts, identify, newCorrelationId }: AdminDoorParts): Hono<Env> {
  const app = new Hono<Env>()
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
  for (const served of operations) {
    const { operation } = served
    app.on(operation.method, pathOf(operation), async (c) => {
      const correlationId = correlationOf(c.env.incoming) ?? newCorrelationId()
      c.header('x-correlation-id', correlationId)
      if (c.req.url.includes('%00')) throw new Fault('address.unknown', { path: c.req.path })
      const principal = operation.needs.of === 'anyone' ? undefined : await identify(c.req.header('authorization'))
      refuseBeyond(principal, operation)
      const place = placeOf(parts, principal, operation.needs, c.req.param())
      const asking = await askingOf(c, operation, principal, correlationId)
      const { replayed, given } = await once(c, operation, asking, () => served.run(parts, asking, place))
      if (replayed) c.header('idempotency-replayed', 'true')
      return given instanceof Response ? given : answer(c, operation, given)
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
  const snapshot =
    needs.by === 'connection' ? holderOf(parts, params['connection'] ?? '') : named(parts, params['organization'] ?? '')
  const bound = principal.organizationId === undefined || principal.organizationId === snapshot?.organization.id
  if (snapshot === undefined || !bound) throw new Fault('place.unknown')
  const role = roleIn(parts.accounts, principal, snapshot.members)
  // One that is not active is there for who administers the platform, and for nobody else.
  if (role === undefined || (!snapshot.organization.active && role !== 'platform_admin'))
    throw new Fault('place.unknown')
  return { organization: snapshot.organization, role: permitted(role, needs.permission) }
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

async function askingOf(
  c: AdminContext,
  operation: Operation,
  principal: Principal | undefined,
  correlationId: string,
): Promise<Asking> {
  const { incoming } = c.env
  const actor: Actor = {
    id: principal?.id ?? 'anonymous',
    type: principal === undefined ? 'system' : principal.kind === 'key' ? 'api_key' : 'user',
    keyId: principal?.keyId,
    address: incoming.socket.remoteAddress,
    userAgent: c.req.header('user-agent'),
    correlationId,
  }
  return {
    principal,
    actor,
    params: c.req.param(),
    query: parsed(operation.query, c.req.query(), 'query'),
    body: parsed(operation.body, await bodyOf(c), ''),
    ifMatch: matchOf(c.req.header('if-match')),
    head: {
      set: (name, value) => c.header(name, value),
      append: (name, value) => c.header(name, value, { append: true }),
    },
    signal: c.req.raw.signal,
  }
}

/** JSON can say U+0000, which no text of the database can hold; an address can, too. */
const NUL = /(?<!\\)(?:\\\\)*\\u0000/

async function bodyOf(c: AdminContext): Promise<unknown> {
  // Hono's own reader fails on a request whose length is not stated.
  const text = textOf(await readBody(c.env.incoming, BODY_LIMIT))
  if (text === '') return undefined
  if (!isJsonType(c.req.header('content-type'))) throw new Fault('request.media-type')
  if (NUL.test(text)) throw new Fault('body.shape', { place: '/', problem: 'holds the character U+0000' })
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new Fault('body.shape', { place: '/', problem: 'is not JSON' })
  }
}

/** RFC 9110, section 13.1.1: one strong tag. `*` asks only that there is something, which an operation asks anyway. */
function matchOf(header: string | undefined): string | undefined {
  if (header === undefined || header === '*') return undefined
  return /^"([^"]*)"$/.exec(header.trim())?.[1] ?? header
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
