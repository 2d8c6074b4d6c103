/**
 * Content to and from the addresses that Composio signs for its object storage: streamed through the guarded agent, without the key of
 * the project. No redirect is followed, and the leave of the connection for private networks is for Composio's own server only.
 */
import { Readable } from 'node:stream'
import { Fault } from '@toolway/contract'
import type { Pool } from 'undici'
import { createPool } from '../http/agent.ts'
import { NO_EXCEPTIONS } from '../http/exceptions.ts'
import { wordFailure } from '../http/post.ts'
import { signedAddress } from '../http/signed-address.ts'
import type { ComposioTarget, ReachOf } from '../upstream.ts'

export interface SignedTransfer {
  /** Throws `upstream.*`, `egress.refused` and `connector.failed`. */
  put(address: string, sent: SentContent): Promise<void>
  /** The content as it comes, and what its server says of it. Throws as `put` does. */
  get(address: string, signal: AbortSignal): Promise<ReceivedContent>
}

export interface SentContent {
  readonly content: AsyncIterable<Uint8Array>
  /** Bytes. */
  readonly size: number
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

export interface ReceivedContent {
  readonly content: AsyncIterable<Uint8Array>
  /** Ends what the content comes by, whether it was read or not. */
  close(): Promise<void>
  readonly mediaType: string | undefined
  readonly size: number | undefined
}

export function createSignedTransfer({ alias, timeout, wire }: ReachOf<ComposioTarget>): SignedTransfer {
  const options = {
    alias,
    exceptions: wire.exceptions ?? NO_EXCEPTIONS,
    headersTimeout: timeout * 1000,
    connections: 1,
  }
  const transferFailed = (problem: string) =>
    new Fault('connector.failed', { vendor: 'Composio', tool: 'file transfer', problem })

  function placeOf(address: string): { readonly pool: Pool; readonly path: string } {
    const signed = signedAddress(address, wire)
    if (signed === undefined) throw transferFailed('it returned a URL that is not https')
    const { url, allowPrivate } = signed
    return { pool: createPool(url.origin, { ...options, allowPrivate }), path: url.pathname + url.search }
  }

  return {
    async put(address, { content, size, headers, signal }) {
      const { pool, path } = placeOf(address)
      try {
        const { statusCode, body } = await pool.request({
          ...{ method: 'PUT', path, signal },
          headers: { ...headers, 'content-length': String(size), 'user-agent': 'toolway' },
          body: Readable.from(content, { objectMode: false }),
        })
        await body.dump()
        if (statusCode < 200 || statusCode > 299) throw transferFailed(`its storage responded with HTTP ${statusCode}`)
      } catch (thrown) {
        throw thrown instanceof Fault ? thrown : wordFailure({ alias, timeout }, thrown)
      } finally {
        await pool.destroy()
      }
    },
    async get(address, signal) {
      const { pool, path } = placeOf(address)
      try {
        const { statusCode, headers, body } = await pool.request({ method: 'GET', path, signal })
        if (statusCode !== 200) throw transferFailed(`its storage responded with HTTP ${statusCode}`)
        const size = Number(headers['content-length'])
        return {
          content: body,
          close: () => pool.destroy(),
          mediaType: [headers['content-type']].flat()[0]?.split(';')[0]?.trim(),
          size: Number.isSafeInteger(size) ? size : undefined,
        }
      } catch (thrown) {
        await pool.destroy()
        throw thrown instanceof Fault ? thrown : wordFailure({ alias, timeout }, thrown)
      }
    },
  }
}
