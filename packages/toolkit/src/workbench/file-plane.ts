/**
 * The file plane of a gateway: bytes go to and come from signed addresses that are good for one file, and models see a reference,
 * `toolway://files/…`. Uploads follow tus 1.0 and go on where they were cut, downloads by ranges; both are verified.
 */
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { z } from 'zod'
import type { FileReader } from '../files/file-reader.ts'
import type { LocalPath, LocalText } from '../files/paths.ts'
import type { Workspace } from '../files/workspace.ts'
import { Refusal } from '../refusal.ts'
import { retryPassing } from './retry-passing.ts'
import { RemoteFailure } from './remote-failure.ts'
import { askJson, type JsonRequest } from './remote/http.ts'
import type { Presigned } from './remote/presigned.ts'
import type { Carrying } from './upload.ts'

const REFERENCE = /^toolway:\/\/files\/(file_[0-9a-hjkmnp-tv-z]{26})$/
/** Uploads under way that are looked at for one to go on with. */
const MOST_LISTED = 50
/** How long an address is good: a gigabyte may take its time. */
const LINK_SECONDS = 14_400

const Signed = z.object({ url: z.string() })
const Begun = z.object({ id: z.string(), upload: Signed })
const StoredFile = z.object({
  id: z.string(),
  uri: z.string(),
  name: z.string(),
  media_type: z.string(),
  size: z.int(),
  sha256: z.string(),
  expires_at: z.string(),
})
const Listed = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      media_type: z.string(),
      size: z.int().nullable(),
      sha256: z.string().nullable(),
      state: z.string(),
    }),
  ),
})
export type StoredFile = z.output<typeof StoredFile>

export interface FilePlaneParts {
  /** Any address of the gateway. */
  readonly url: string
  readonly key: string
  /** Slug of the organization whose files these are. */
  readonly organization: string
  readonly presigned: Presigned
}

interface Wanted {
  readonly name: string
  readonly media_type: string
  readonly size: number
  readonly sha256: string
}

export class FilePlane {
  readonly #parts: FilePlaneParts
  readonly #files: string
  /** Uploads of this process that are under way: no other call goes on with one. */
  readonly #sending = new Set<string>()

  constructor(parts: FilePlaneParts) {
    this.#parts = parts
    this.#files = `/api/v1/organizations/${encodeURIComponent(parts.organization)}/files`
  }

  async upload(
    file: FileReader,
    { mediaType, expiresIn }: { mediaType: string; expiresIn?: number | undefined },
    carrying: Carrying,
  ): Promise<StoredFile> {
    const { signal } = carrying
    const sha256 = await hashOf(file, signal)
    const upload = { name: basename(file.path), media_type: mediaType, size: file.size, sha256 }
    let id = await this.#claimBegun(upload, signal)
    try {
      const begun = id === undefined ? await this.#begin(upload, expiresIn, signal) : await this.#goOn(id, signal)
      id = begun.id
      this.#sending.add(id)
      await retryPassing(signal, () => this.#send(begun.upload.url, file, carrying))
      return await this.#find(id, signal)
    } finally {
      if (id !== undefined) this.#sending.delete(id)
    }
  }

  /** Goes on behind the bytes that the gateway has already. */
  async #send(url: string, file: FileReader, { signal, progress }: Carrying): Promise<void> {
    const from = await this.#parts.presigned.offset(url, { signal })
    const headers = {
      'tus-resumable': '1.0.0',
      'upload-offset': String(from),
      'content-type': 'application/offset+octet-stream',
    }
    await this.#parts.presigned.send('PATCH', url, { size: file.size - from, headers, bytes: bytes() }, { signal })

    async function* bytes() {
      let at = from
      for await (const chunk of file.chunks({ from, signal })) {
        yield chunk
        at += chunk.byteLength
        progress(at, file.size, `${at} of ${file.size} bytes are at the gateway`)
      }
    }
  }

  async #begin(requested: Wanted, expiresIn: number | undefined, signal: AbortSignal): Promise<z.output<typeof Begun>> {
    const body = {
      ...requested,
      link_seconds: LINK_SECONDS,
      ...(expiresIn === undefined ? {} : { expires_in: expiresIn }),
    }
    const begun = Begun.safeParse(await this.#ask('POST', this.#files, signal, body))
    if (!begun.success) throw new RemoteFailure('The gateway returned no address for the upload.')
    return begun.data
  }

  /** An upload of the same file that ended before its end; it is this call's now. */
  async #claimBegun(requested: Wanted, signal: AbortSignal): Promise<string | undefined> {
    const query = new URLSearchParams({ search: requested.name.slice(0, 100), limit: String(MOST_LISTED) })
    const listed = Listed.safeParse(
      await retryPassing(signal, () => this.#ask('GET', `${this.#files}?${query.toString()}`, signal)),
    )
    const found = listed.data?.items.find(
      (item) =>
        item.state === 'uploading' &&
        !this.#sending.has(item.id) &&
        item.name === requested.name &&
        item.media_type === requested.media_type &&
        item.size === requested.size &&
        item.sha256 === requested.sha256,
    )
    if (found !== undefined) this.#sending.add(found.id)
    return found?.id
  }

  /** A new address for an upload that has begun. */
  async #goOn(id: string, signal: AbortSignal): Promise<z.output<typeof Begun>> {
    return {
      id,
      upload: signedIn(await this.#ask('POST', `${this.#files}/${id}/upload`, signal, { link_seconds: LINK_SECONDS })),
    }
  }

  async download(
    reference: string,
    { workspace, local }: { workspace: Workspace; local: LocalText },
    { signal, progress }: Carrying,
  ): Promise<StoredFile & { readonly path: LocalPath; readonly resumedAt: number }> {
    const id = idOf(reference)
    const found = await this.#find(id, signal)
    const resume = `file ${id} ${found.sha256}`
    await using writer = await workspace.createFile(local, { signal, resume, most: found.size })
    if (writer.size > found.size) await writer.restart()
    const resumedAt = writer.size
    // A signed address is used up by the first request, so each try asks for one.
    while (writer.size < found.size)
      await retryPassing(signal, async () => {
        const signed = signedIn(await this.#ask('POST', `${this.#files}/${id}/download`, signal, {}))
        for await (const chunk of this.#parts.presigned.get(signed.url, { signal, from: writer.size })) {
          await writer.append(chunk)
          progress(writer.size, found.size, `${writer.size} of ${found.size} bytes are here`)
        }
        if (writer.size < found.size) throw new RemoteFailure('The download was cut off.', { kind: 'passing' })
      })
    if (writer.size !== found.size || writer.sha256() !== found.sha256) {
      await writer.abort()
      throw new RemoteFailure(
        `${reference} did not arrive as it was sent: its size or hash differs. Download it again.`,
      )
    }
    const { path } = await writer.commit()
    return { ...found, path, resumedAt }
  }

  /** The bytes of a file as they come. */
  async *read(reference: string, { signal }: Pick<Carrying, 'signal'>): AsyncIterable<Uint8Array> {
    const path = `${this.#files}/${idOf(reference)}/download`
    const signed = Signed.parse(await this.#ask('POST', path, signal, {}))
    yield* this.#parts.presigned.get(signed.url, { signal })
  }

  async #find(id: string, signal: AbortSignal): Promise<StoredFile> {
    const found = StoredFile.safeParse(
      await retryPassing(signal, () => this.#ask('GET', `${this.#files}/${id}`, signal)),
    )
    if (!found.success) throw new RemoteFailure('The gateway described the file in an unknown format.')
    return found.data
  }

  async #ask(method: JsonRequest['method'], path: string, signal: AbortSignal, body?: object): Promise<unknown> {
    const { url, key } = this.#parts
    const remote = {
      name: 'The gateway',
      headers: { authorization: `Bearer ${key}` },
      secret: key,
      keyVariable: 'TOOLWAY_KEY',
    }
    return askJson(remote, { method, url: new URL(path, url).href, signal, ...(body === undefined ? {} : { body }) })
  }
}

function idOf(reference: string): string {
  const id = REFERENCE.exec(reference)?.[1]
  if (id === undefined)
    throw new Refusal(`${JSON.stringify(reference)} is not a reference such as toolway://files/file_….`)
  return id
}

function signedIn(input: unknown): z.output<typeof Signed> {
  const signed = Signed.safeParse(input)
  if (!signed.success) throw new RemoteFailure('The gateway returned no address for the bytes.')
  return signed.data
}

async function hashOf(file: FileReader, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of file.chunks({ signal })) hash.update(chunk)
  return hash.digest('hex')
}
