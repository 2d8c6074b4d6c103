/**
 * What a request of the admin interface says: who asks from where, and its parameters, query and body by their shapes.
 *
 * Nothing that the database could not hold gets past it, and nothing is made of a body before its size and depth are known.
 */
import type { HttpBindings } from '@hono/node-server'
import { Fault } from '@toolway/contract'
import type { Operation, Shape } from '@toolway/contract/admin'
import { parseJson, type Json } from '@toolway/protocol'
import type { Context } from 'hono'
import type { z } from 'zod'
import type { Asking } from '../../admin/serve.ts'
import type { Principal } from '../../identity/principal.ts'
import { actorTypeOf, type Actor } from '../../records/change.ts'
import { readBody, textOf } from '../body.ts'
import type { Client } from '../client-address.ts'
import { isJsonType } from '../request-head.ts'

export type Env = { Bindings: HttpBindings }
export type AdminContext = Context<Env>

/** What the door knows of a request before it reads it. */
export interface Known {
  readonly principal: Principal | undefined
  readonly client: Client
  readonly correlationId: string
  /** Bytes of a body. */
  readonly bodyLimit: number
}

/** Throws `body.shape`, `request.media-type`, `request.too-large`. */
export async function askingOf(c: AdminContext, operation: Operation, known: Known): Promise<Asking> {
  const { principal, client, correlationId, bodyLimit } = known
  const actor: Actor = {
    id: principal?.id ?? 'anonymous',
    type: actorTypeOf(principal),
    keyId: principal?.keyId,
    address: client.address,
    userAgent: c.req.header('user-agent'),
    correlationId,
  }
  return {
    principal,
    actor,
    params: c.req.param(),
    query: parsed(operation.query, c.req.query(), 'query'),
    body: parsed(operation.body, await bodyOf(c, bodyLimit), ''),
    header: (name) => c.req.header(name),
    ifMatch: matchOf(c.req.header('if-match')),
    head: {
      set: (name, value) => c.header(name, value),
      append: (name, value) => c.header(name, value, { append: true }),
    },
    signal: c.req.raw.signal,
  }
}

async function bodyOf(c: AdminContext, limit: number): Promise<unknown> {
  // Hono's own reader fails on a request whose length is not stated.
  const text = textOf(await readBody(c.env.incoming, limit))
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

/** RFC 9110, section 13.1.1: one strong tag. `*` asks only that there is something, which an operation asks anyway. */
function matchOf(header: string | undefined): string | undefined {
  if (header === undefined || header === '*') return undefined
  return /^"([^"]*)"$/.exec(header.trim())?.[1] ?? header
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
export function refuseUnstorable(c: AdminContext): void {
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
