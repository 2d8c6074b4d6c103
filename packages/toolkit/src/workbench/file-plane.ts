/**
 * The file plane of a gateway: bytes go to and come from signed addresses that are good for one file, and models see a reference,
 * `toolway://files/…`. Uploads follow tus 1.0 and go on where they were cut, downloads by ranges; both are verified.
 */
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { z } from 'zod'
import type { FileReader } from '../files/file-reader.ts'
import type { Workspace } from '../files/workspace.ts'
import { Refusal } from '../refusal.ts'
import { again } from './again.ts'
import { RemoteFailure } from './remote-failure.ts'
import { askJson, type JsonRequest } from './remote/http.ts'
import type { Presigned } from './remote/presigned.ts'
import type { SessionMemory } from './remote/session-memory.ts'
import type { Carrying } from './upload.ts'

const FILES = '/api/v1/files'
const REFERENCE = /^toolway:\/\/files\/(file_[0-9a-hjkmnp-tv-z]{26})$/

const Signed = z.object({ url: z.string() })
const Begun = z.object({ id: z.string(), uri: z.string(), upload: Signed })
const StoredFile = z.object({
  id: z.string(),
  uri: z.string(),
  name: z.string(),
  media_type: z.string(),
  size: z.int(),
  sha256: z.string(),
  expires_at: z.string(),
})
export type StoredFile = z.output<typeof StoredFile>

export interface FilePlaneParts {
  /** Any address of the gateway. */
  readonly url: string
  readonly key: string
  readonly presigned: Presigned
  readonly memory: SessionMemory
}

export class FilePlane {
  readonly #parts: FilePlaneParts

  constructor(parts: FilePlaneParts) {
    this.#parts = parts
  }

  async upload(
    file: FileReader,
    { mediaType, expiresIn }: { mediaType: string; expiresIn?: number | undefined },
    carrying: Carrying,
  ): Promise<StoredFile> {
    const { signal } = carrying
    const sha256 = await hashOf(file, signal)
    const body = {
      name: basename(file.path),
      media_type: mediaType,
      size: file.size,
      sha256,
      ...(expiresIn === undefined ? {} : { expires_in: expiresIn }),
    }
    const of = [this.#parts.url, this.#parts.key, JSON.stringify(body)]
    const begun = (await this.#findBegun(of, signal)) ?? (await this.#begin(of, body, signal))
    await again(signal, () => this.#send(begun.upload.url, file, carrying))
    await this.#parts.memory.forget(of, JSON.stringify(begun))
    return this.#find(begun.id, signal)
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

  async #begin(of: readonly string[], body: object, signal: AbortSignal): Promise<z.output<typeof Begun>> {
    const said = Begun.safeParse(await again(signal, () => this.#ask('POST', FILES, signal, body)))
    if (!said.success) throw new RemoteFailure('The gateway gave no address for the upload.')
    await this.#parts.memory.keep(of, JSON.stringify(said.data))
    return said.data
  }

  /** An upload of the same file that ended before its end, if its address is still good. */
  async #findBegun(of: readonly string[], signal: AbortSignal): Promise<z.output<typeof Begun> | undefined> {
    const known = await this.#parts.memory.find(of)
    if (known === undefined) return undefined
    const begun = Begun.safeParse(JSON.parse(known))
    try {
      if (begun.success) await this.#parts.presigned.offset(begun.data.upload.url, { signal })
      return begun.data
    } catch (thrown) {
      if (!(thrown instanceof RemoteFailure)) throw thrown
      return undefined
    }
  }

  async download(
    reference: string,
    { workspace, local }: { workspace: Workspace; local: string },
    { signal, progress }: Carrying,
  ): Promise<StoredFile & { readonly path: string; readonly resumedAt: number }> {
    const id = REFERENCE.exec(reference)?.[1]
    if (id === undefined)
      throw new Refusal(`${JSON.stringify(reference)} is no reference such as toolway://files/file_….`)
    const found = await this.#find(id, signal)
    await using writer = await workspace.createFile(local, { signal, resume: `file ${id} ${found.sha256}` })
    if (writer.size > found.size) await writer.restart()
    const resumedAt = writer.size
    // A signed address is used up by the first request, so each try asks for one.
    while (writer.size < found.size)
      await again(signal, async () => {
        const signed = Signed.parse(await this.#ask('POST', `${FILES}/${id}/download`, signal))
        for await (const chunk of this.#parts.presigned.get(signed.url, { signal, from: writer.size })) {
          await writer.append(chunk)
          progress(writer.size, found.size, `${writer.size} of ${found.size} bytes are here`)
        }
        if (writer.size < found.size) throw new RemoteFailure('The download was cut off.', { kind: 'passing' })
      })
    if (writer.size !== found.size || writer.sha256() !== found.sha256) {
      await writer.abort()
      throw new RemoteFailure(`${reference} is not here as it was sent: its size or hash differs. Download it again.`)
    }
    const { path } = await writer.commit()
    return { ...found, path, resumedAt }
  }

  async #find(id: string, signal: AbortSignal): Promise<StoredFile> {
    const found = StoredFile.safeParse(await again(signal, () => this.#ask('GET', `${FILES}/${id}`, signal)))
    if (!found.success) throw new RemoteFailure('The gateway described the file in an unknown form.')
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

async function hashOf(file: FileReader, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of file.chunks({ signal })) hash.update(chunk)
  return hash.digest('hex')
}
