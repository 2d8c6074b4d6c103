/**
 * Objects in an S3-compatible store, one for each batch: `<prefix>organization=<id>/<day>/<batch id>.jsonl.gz` or `.parquet`. A batch
 * that comes twice replaces its object. Requests are signed by the library and sent by the guarded fetch.
 */
import { Readable } from 'node:stream'
import { gzip } from 'node:zlib'
import { promisify } from 'node:util'
import type { StreamBatch } from '../stream-items.rows.ts'
import { DeliveryProblem, type Deliver, type DestinationParts, type OfKind, type Secrets } from './destination.ts'
import { parquetOf } from './parquet.ts'

const compress = promisify(gzip)

const FORMATS = {
  jsonl: {
    ending: 'jsonl.gz',
    media: 'application/gzip',
    encode: ({ items }: StreamBatch): Promise<Uint8Array> =>
      compress(items.map((item) => `${JSON.stringify(item)}\n`).join('')),
  },
  parquet: {
    ending: 'parquet',
    media: 'application/vnd.apache.parquet',
    encode: ({ items }: StreamBatch): Promise<Uint8Array> => parquetOf(items),
  },
} as const

/** As the library hands a request to what sends it. */
interface SignedRequest {
  readonly method: string
  readonly protocol: string
  readonly hostname: string
  readonly port?: number
  readonly path: string
  readonly query?: Record<string, string | string[] | null>
  readonly headers: Record<string, string>
  readonly body?: unknown
}

export function toS3({ fetch }: DestinationParts, target: OfKind<'s3'>, secrets: Secrets): Deliver {
  const { endpoint, region, bucket, prefix, format, access_key_id: accessKeyId } = target
  const { ending, media, encode } = FORMATS[format]
  return async (batch, signal) => {
    const { S3Client, PutObjectCommand } = await import('../../../lib/s3-client.ts')
    const client = new S3Client({
      endpoint,
      region,
      credentials: { accessKeyId, secretAccessKey: secrets.secret_access_key ?? '' },
      forcePathStyle: true,
      maxAttempts: 1,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: { handle: (request: unknown) => send(fetch, request as SignedRequest, signal) } as never,
    })
    const day = batch.items[0]?.at.slice(0, 10) ?? 'none'
    const Key = `${prefix}organization=${batch.organizationId}/${day}/${batch.id}.${ending}`
    try {
      await client.send(new PutObjectCommand({ Bucket: bucket, Key, Body: await encode(batch), ContentType: media }))
    } catch (thrown) {
      throw problemOf(thrown)
    } finally {
      client.destroy()
    }
  }
}

async function send(fetch: DestinationParts['fetch'], request: SignedRequest, signal: AbortSignal) {
  const { method, protocol, hostname, port, path, query = {}, headers, body } = request
  const words = Object.entries(query).flatMap(([name, value]) =>
    [value ?? ''].flat().map((item) => `${encodeURIComponent(name)}=${encodeURIComponent(item)}`),
  )
  const search = words.length === 0 ? '' : `?${words.join('&')}`
  const address = `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}${search}`
  // These two are the connection's to say.
  const sent = Object.fromEntries(
    Object.entries(headers).filter(([name]) => !/^(?:host|content-length|expect)$/i.test(name)),
  )
  const answer = await fetch(address, { method, headers: sent, body, signal })
  return {
    response: {
      statusCode: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: Readable.from([Buffer.from(await answer.arrayBuffer())]),
    },
  }
}

/** Errors of the service by their code; what the network does passes through. */
function problemOf(thrown: unknown): unknown {
  const { name, $metadata } = thrown as { name?: string; $metadata?: { httpStatusCode?: number } }
  const status = $metadata?.httpStatusCode
  if (status === undefined) return thrown
  const code = /^[A-Za-z]{1,60}$/.test(name ?? '') ? ` ${name}` : ''
  return new DeliveryProblem(`it responded with HTTP ${status}${code}`)
}
