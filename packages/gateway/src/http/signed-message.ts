/**
 * Requests that somebody elsewhere signs (Standard Webhooks 1.0): their bytes with the headers of the signature. Who may have signed
 * is decided by whoever reads them.
 */
import type { Context } from 'hono'
import { Fault } from '@toolway/contract'
import type { z } from 'zod'
import type { Limits } from '../limits/limits.ts'
import { isFresh, type SignedMessage } from '../features/webhooks/index.ts'
import { readBody, textOf } from './body.ts'
import type { Client, Clients } from './client-address.ts'
import type { Env } from './pages/page-request.ts'
import { correlationOf } from './request-head.ts'

export interface SignedMessageParts {
  readonly limits: Pick<Limits, 'address'>
  readonly clients: Clients
  newCorrelationId(): string
  now(): number
}

export interface ReceivedMessage {
  readonly message: SignedMessage
  readonly client: Client
  readonly correlationId: string
}

/** A stranger's guess counts as so many requests of its address, as at a sign-in. */
const STRANGERS = 10

export interface SignedRequest {
  /** Bytes that the body may have. */
  readonly limit: number
  /** The fault of a message that nobody can have signed now. */
  wrong(problem: string): Fault
}

/** Counts the request for its address and sets the correlation id of the answer. Throws `wrong`, `limit.*` and `body.*`. */
export async function receiveSigned(
  parts: SignedMessageParts,
  c: Context<Env>,
  { limit, wrong }: SignedRequest,
): Promise<ReceivedMessage> {
  const correlationId = correlationOf(c.env.incoming) ?? parts.newCorrelationId()
  c.header('x-correlation-id', correlationId)
  const client = parts.clients.of(c.env.incoming)
  await parts.limits.address(client.network, STRANGERS - 1)
  const message: SignedMessage = {
    id: c.req.header('webhook-id') ?? '',
    timestamp: c.req.header('webhook-timestamp') ?? '',
    signature: c.req.header('webhook-signature') ?? '',
    body: await readBody(c.env.incoming, limit),
  }
  if (message.id === '' || message.id.length > 200) throw wrong('the header webhook-id is missing or too long')
  if (!isFresh(message, parts.now())) throw wrong('it is older than five minutes')
  return { message, client, correlationId }
}

/** The body of a message by its shape. Throws `request.not-json` and `body.shape`. */
export function readSigned<Shape extends z.ZodType>(shape: Shape, { body }: SignedMessage): z.output<Shape> {
  let value: unknown
  try {
    value = JSON.parse(textOf(body))
  } catch (thrown) {
    if (thrown instanceof Fault) throw thrown
    throw new Fault('request.not-json', { problem: 'it could not be read.' })
  }
  const read = shape.safeParse(value)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new Fault('body.shape', { place: `/${issue?.path.join('/') ?? ''}`, problem: issue?.message ?? 'is not valid' })
}
