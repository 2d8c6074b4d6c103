/**
 * One way to the admin interface: an operation of the contract, asked with the cookies of this browser.
 *
 * What it answers was parsed by its shape before it left the gateway, so it is not parsed again. Throws a `Problem`.
 */
import type { Operation, Shape } from '@toolway/contract/admin'
import type { z } from 'zod'
import { readEvents } from './events.ts'
import { Problem } from './problem.ts'
import { proveAgain } from './proof.ts'
import { csrfToken, leaveForSignIn, renew } from './session.ts'
import { texts } from '../texts/texts.ts'

export interface Given<Query extends z.ZodObject, Body extends Shape> {
  /** Values of the parameters in braces in the path. */
  readonly path?: Readonly<Record<string, string>>
  readonly query?: { readonly [Name in keyof z.input<Query>]?: z.input<Query>[Name] | undefined }
  readonly body?: z.input<Body>
  readonly signal?: AbortSignal | undefined
  /** When the thing was last changed, as far as it is known here: another's change since then is not written over. */
  readonly unlessChangedSince?: string | undefined
}

export async function call<Query extends z.ZodObject, Body extends Shape, Answer extends Shape>(
  operation: Operation<Query, Body, Answer>,
  { path = {}, query = {}, body, signal, unlessChangedSince: since }: Given<Query, Body> = {},
): Promise<z.output<Answer>> {
  const address = addressOf(operation.path, path, query)
  const requestLine = `${operation.method} ${address.split('?', 1)[0]}`
  const response = await ask(operation.method, address, body, signal, requestLine, since)
  if (response.status === 204) return undefined as z.output<Answer>
  return (await response.json()) as z.output<Answer>
}

/** The same for an operation that tells how far it is; `onProgress` hears it. */
export async function follow<Query extends z.ZodObject, Body extends Shape, Answer extends Shape>(
  operation: Operation<Query, Body, Answer>,
  { path = {}, query = {}, body, signal }: Given<Query, Body>,
  onProgress: (progress: unknown) => void,
): Promise<z.output<Answer>> {
  const address = addressOf(operation.path, path, query)
  const requestLine = `${operation.method} ${address.split('?', 1)[0]}`
  const response = await ask(operation.method, address, body, signal, requestLine, undefined, 'text/event-stream')
  let ended: { type: string; data: unknown } | undefined
  try {
    await readEvents(response, (data, type) => {
      const message: unknown = JSON.parse(data)
      if (type === 'progress') onProgress(message)
      else ended = { type, data: message }
    })
  } catch (thrown) {
    if (signal?.aborted === true) throw thrown
  }
  if (ended?.type === 'result') return ended.data as z.output<Answer>
  if (ended?.type === 'error') throw Problem.ofBody(ended.data, response, requestLine)
  // A proxy or the network cut it.
  throw new Problem({ message: texts.failed.noAnswer, mend: texts.failed.askAgain, asked: requestLine })
}

/** The same where an operation answers a text, such as an export; `onBytes` hears how much of it is here. */
export async function download<Query extends z.ZodObject, Body extends Shape>(
  operation: Operation<Query, Body>,
  input: Given<Query, Body> = {},
  onBytes?: (bytes: number) => void,
): Promise<Blob> {
  const address = addressOf(operation.path, input.path ?? {}, input.query ?? {})
  const requestLine = `${operation.method} ${operation.path}`
  const response = await ask(operation.method, address, input.body, input.signal, requestLine)
  if (onBytes === undefined || response.body === null) return response.blob()
  let bytes = 0
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      onBytes((bytes += chunk.byteLength))
      controller.enqueue(chunk)
    },
  })
  return new Response(response.body.pipeThrough(counting), { headers: response.headers }).blob()
}

async function ask(
  method: string,
  address: string,
  body: unknown,
  signal: AbortSignal | undefined,
  request: string,
  since?: string,
  accept = 'application/json',
): Promise<Response> {
  const sent = Date.now()
  const attempt = () => send(method, address, body, signal, request, since, accept)
  const first = await attempt()
  if (first.ok) return first
  if (first.status === 401) {
    if (await renew(sent)) {
      const second = await attempt()
      if (second.ok) return second
      if (second.status !== 401) throw await Problem.ofAnswer(second, request)
    }
    leaveForSignIn()
  }
  const problem = await Problem.ofAnswer(first, request)
  // Nothing of the organization is there until one is added, and that is where it is.
  if (problem.code === 'factor.needed' && !window.location.pathname.endsWith('/me')) window.location.assign('/me')
  if (problem.code === 'proof.old' && (await proveAgain())) {
    const second = await attempt()
    if (second.ok) return second
    throw await Problem.ofAnswer(second, request)
  }
  throw problem
}

async function send(
  method: string,
  address: string,
  body: unknown,
  signal: AbortSignal | undefined,
  request: string,
  since?: string,
  accept = 'application/json',
): Promise<Response> {
  // Read anew for each try: a renewed sign-in has the same one, another sign-in another.
  const csrf = method === 'GET' ? undefined : csrfToken()
  try {
    return await fetch(address, {
      method,
      headers: {
        accept,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(csrf === undefined ? {} : { 'x-csrf-token': csrf }),
        ...(since === undefined ? {} : { 'if-match': `"${since}"` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    })
  } catch (thrown) {
    if (signal?.aborted === true) throw thrown
    throw new Problem({ message: texts.failed.noAnswer, mend: texts.failed.askAgain, asked: request })
  }
}

export function addressOf(
  form: string,
  path: Readonly<Record<string, string>>,
  query: Readonly<Record<string, unknown>> = {},
): string {
  const filled = form.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = path[name]
    if (value === undefined || value === '') throw new Error(`The path ${form} needs {${name}}.`)
    return encodeURIComponent(value)
  })
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  )
  return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs).toString()}`
}
