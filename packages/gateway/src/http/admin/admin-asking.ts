/**
 * A request to the admin interface: its principal and client, and its parameters, query and body, parsed by their schemas.
 *
 * The size and depth of a body are checked before it is parsed.
 */
import type { HttpBindings } from '@hono/node-server'
import { Fault } from '@toolway/contract'
import type { Operation } from '@toolway/contract/admin'
import { parseJson, type Json } from '@toolway/protocol'
import type { Context } from 'hono'
import { readInput } from '../../operations/read-input.ts'
import type { OperationCall } from '../../operations/serve.ts'
import type { Principal } from '../../identity/principal.ts'
import { actorTypeOf, type Actor } from '../../records/change.ts'
import { readBody, textOf } from '../body.ts'
import type { Client } from '../client-address.ts'
import { isJsonType } from '../request-head.ts'

export type Env = { Bindings: HttpBindings }
export type AdminContext = Context<Env>

/** The facts about a request that the handler has before it reads the request. */
export interface Known {
  readonly principal: Principal | undefined
  readonly client: Client
  readonly correlationId: string
  /** Bytes of a body. */
  readonly bodyLimit: number
}

/** Throws `body.shape`, `request.media-type`, `request.too-large`. */
export async function askingOf(c: AdminContext, operation: Operation, known: Known): Promise<OperationCall> {
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
    ...readInput(operation, { query: c.req.query(), body: await bodyOf(c, bodyLimit) }),
    origin: 'administration',
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
  return jsonOf(text)
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
