/**
 * Composio's storage: addresses that are signed for one upload or download, and the keys of what was uploaded. An upload whose length or
 * MD5 is not as announced is refused, and so is an address that was not handed out.
 */
import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'

const UploadRequest = z.strictObject({
  toolkit_slug: z.string().min(1),
  tool_slug: z.string().min(1),
  filename: z.string().min(1),
  mimetype: z.string().regex(/^[\w.+-]+\/[\w.+-]+/),
  md5: z.string().regex(/^[0-9a-f]{32}$/),
})

export interface StoredUpload extends z.output<typeof UploadRequest> {
  readonly size: number
  /** On disk. */
  readonly path: string
}

export interface StorageDouble extends AsyncDisposable {
  /** Uploads that are complete, by their keys. */
  readonly uploads: ReadonlyMap<string, StoredUpload>
  /** Requests with bytes, without their signatures. */
  readonly requests: string[]
  /** Headers of those requests. */
  readonly headers: IncomingMessage['headers'][]
  /** In place of the next requests: a status, or a cut connection after some bytes. */
  readonly next: (number | 'cut')[]
  /** The answer to a request for an upload; throws for one that does not fit. */
  begin(body: unknown, origin: string): object
  /** A signed address of a file on disk. */
  address(path: string, origin: string): string
  serve(request: IncomingMessage, response: ServerResponse): Promise<void>
}

export async function createStorage(): Promise<StorageDouble> {
  const base = await mkdtemp(join(tmpdir(), 'composio-storage-'))
  const uploads = new Map<string, StoredUpload>()
  const begun = new Map<string, z.output<typeof UploadRequest>>()
  const files = new Map<string, string>()
  const requests: string[] = []
  const headers: IncomingMessage['headers'][] = []
  const next: StorageDouble['next'] = []
  const refuse = (response: ServerResponse, status: number) => void response.writeHead(status).end()

  async function take(request: IncomingMessage, response: ServerResponse, key: string): Promise<void> {
    const announced = begun.get(key)
    const length = Number(request.headers['content-length'] ?? Number.NaN)
    if (announced === undefined) return refuse(response, 403)
    if (!Number.isInteger(length)) return refuse(response, 411)
    if (request.headers['content-type'] !== announced.mimetype) return refuse(response, 403)
    const path = join(base, randomBytes(8).toString('hex'))
    const hash = createHash('md5')
    let size = 0
    await pipeline(
      request,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk)
          size += chunk.length
          yield chunk
        }
      },
      createWriteStream(path),
    )
    if (size !== length || hash.digest('hex') !== announced.md5) return refuse(response, 400)
    uploads.set(key, { ...announced, size, path })
    response.writeHead(200, { etag: `"${announced.md5}"` }).end()
  }

  return {
    uploads,
    requests,
    headers,
    next,
    begin(body, origin) {
      const asked = UploadRequest.parse(body)
      const [known] =
        [...uploads].find(([, { md5, tool_slug: tool }]) => md5 === asked.md5 && tool === asked.tool_slug) ?? []
      const metadata = { storage_backend: 's3' }
      if (known !== undefined) {
        const url = `${origin}/storage/${known}`
        return { id: 'req_file_known', key: known, type: 'existing', existing_url: url, existingUrl: url, metadata }
      }
      const key = `projects/pr_test/requests/${asked.toolkit_slug}/${asked.tool_slug}/${randomBytes(6).toString('hex')}`
      begun.set(key, asked)
      const url = `${origin}/storage/${key}?X-Amz-Signature=${randomBytes(16).toString('hex')}`
      return {
        id: `req_file_${randomBytes(4).toString('hex')}`,
        key,
        type: 'new',
        new_presigned_url: url,
        newPresignedUrl: url,
        metadata,
      }
    },
    address(path, origin) {
      const key = `downloads/${randomBytes(8).toString('hex')}`
      files.set(key, path)
      return `${origin}/storage/${key}?X-Amz-Signature=${randomBytes(16).toString('hex')}`
    },
    async serve(request, response) {
      const url = new URL(request.url ?? '/', 'http://storage')
      const key = decodeURIComponent(url.pathname.slice('/storage/'.length))
      requests.push(`${request.method} ${url.pathname}`)
      headers.push(request.headers)
      const instead = next.shift()
      if (instead === 'cut') return void request.once('data', () => request.socket.destroy())
      if (instead !== undefined) return refuse(response, instead)
      if (!url.searchParams.has('X-Amz-Signature')) return refuse(response, 403)
      if (request.method === 'PUT') return take(request, response, key)
      const path = files.get(key)
      if (path === undefined) return refuse(response, 404)
      response.writeHead(200, { 'content-length': String((await stat(path)).size) })
      await pipeline(createReadStream(path), response)
    },
    [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true }),
  }
}
