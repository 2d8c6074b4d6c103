/**
 * Addresses that a remote side hands out for bytes, streamed up and down: no key goes along, and redirects are not followed. They are not of
 * the user's choosing, so the guard of the crawler judges where they lead; those at the gateway that the user has set are as good as it.
 */
import type { Dispatcher } from 'undici'
import { RemoteFailure } from '../remote-failure.ts'
import type { Doing } from '../workbench.ts'
import { refusalOf } from './http.ts'

export interface Presigned {
  /** @param from the first byte that is wanted */
  get(url: string, doing: Doing & { readonly from?: number }): AsyncIterable<Uint8Array>
  send(method: 'PUT' | 'PATCH', url: string, content: PresignedContent, doing: Doing): Promise<void>
  /** Bytes that an upload in parts has got (tus 1.0, `Upload-Offset`). */
  offset(url: string, doing: Doing): Promise<number>
}

export interface PresignedContent {
  /** Bytes. */
  readonly size: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: AsyncIterable<Uint8Array>
}

export interface PresignedParts {
  /** Origin of the gateway, where one is set. */
  readonly trusted: string | undefined
  /** Connects to permitted addresses only; made when it is first needed. */
  guarded(): Promise<Dispatcher>
}

const STORAGE = {
  name: 'The storage',
  headers: {},
  secret: '\u0000',
  keyVariable: 'the address, which may have expired',
}
/** Milliseconds of silence. */
const PATIENCE_MS = 120_000

type Options = Pick<Dispatcher.RequestOptions, 'method' | 'headers' | 'body'>

export function createPresigned({ trusted, guarded }: PresignedParts): Presigned {
  async function request(text: string, options: Options, { signal }: Doing): Promise<Dispatcher.ResponseData> {
    const url = addressOf(text)
    const { request: send } = await import('./send-request.ts')
    const limits = { headersTimeout: PATIENCE_MS, bodyTimeout: PATIENCE_MS, signal }
    const by = url.origin === trusted ? {} : { dispatcher: await guarded() }
    let response
    try {
      response = await send(url, { ...options, ...limits, ...by })
    } catch (thrown) {
      signal.throwIfAborted()
      throw failureOf(url, thrown)
    }
    if (response.statusCode < 200 || response.statusCode >= 300) throw await refusalOfResponse(response)
    return response
  }

  return {
    async *get(url, { from = 0, signal }) {
      const headers = from === 0 ? {} : { range: `bytes=${from}-` }
      const response = await request(url, { method: 'GET', headers }, { signal })
      if (from > 0 && response.statusCode !== 206) {
        await response.body.dump()
        throw new RemoteFailure('The storage sends the whole file instead of the rest of it.')
      }
      try {
        for await (const chunk of response.body) yield chunk as Uint8Array
      } catch (thrown) {
        signal.throwIfAborted()
        throw failureOf(new URL(url), thrown)
      }
    },
    async send(method, url, { size, headers, bytes }, doing) {
      const { Readable } = await import('node:stream')
      const body = size === 0 ? Buffer.alloc(0) : Readable.from(bytes, { objectMode: false })
      const response = await request(
        url,
        { method, headers: { ...headers, 'content-length': String(size) }, body },
        doing,
      )
      await response.body.dump()
    },
    async offset(url, doing) {
      const response = await request(url, { method: 'HEAD', headers: { 'tus-resumable': '1.0.0' } }, doing)
      await response.body.dump()
      const offset = Number(response.headers['upload-offset'] ?? Number.NaN)
      if (!Number.isSafeInteger(offset) || offset < 0)
        throw new RemoteFailure('The storage does not report how much of the upload it has.')
      return offset
    },
  }
}

function addressOf(text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new RemoteFailure('The remote side returned an address that is not a plain web address.')
  return url
}

const MOST_WORDS = 16 * 1024

async function refusalOfResponse({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<RemoteFailure> {
  const isJson = String(headers['content-type'] ?? '').includes('json')
  const words = isJson ? await wordsIn(body) : undefined
  // The rest is not waited for: the other side may never end.
  body.on('error', () => {}).destroy()
  const later = headers['retry-after']
  const shown = new Headers(typeof later === 'string' ? { 'retry-after': later } : {})
  return refusalOf(STORAGE, { status: statusCode, headers: shown }, words)
}

/** The JSON of a short body; undefined for every other one. */
async function wordsIn(body: AsyncIterable<unknown>): Promise<unknown> {
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of body as AsyncIterable<Uint8Array>) {
      size += part.byteLength
      if (size > MOST_WORDS) return undefined
      parts.push(part)
    }
    return JSON.parse(Buffer.concat(parts).toString())
  } catch {
    return undefined
  }
}

function failureOf(url: URL, thrown: unknown): unknown {
  if (!(thrown instanceof Error) || thrown.name === 'RemoteFailure' || thrown.name === 'Refusal') return thrown
  // The guard's own sentence.
  if (thrown.name === 'PageProblem') return new RemoteFailure(thrown.message)
  const why = (thrown as NodeJS.ErrnoException).code ?? thrown.name
  return new RemoteFailure(`The storage at ${url.host} cannot be reached: ${why}.`, { kind: 'passing' })
}
