/**
 * A file on its way into Composio's storage: directly, by an address that Composio signs for it, or through a gateway, whose file plane
 * takes the bytes and whose tool COMPOSIO_UPLOAD_FILE hands them on. Files of any size are streamed.
 */
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { z } from 'zod'
import type { FileReader } from '../files/file-reader.ts'
import { retryPassing } from './retry-passing.ts'
import type { Connected } from './connect.ts'
import { mediaTypeOf } from './media-types.ts'
import { RemoteFailure } from './remote-failure.ts'
import type { ComposioRest, UploadTarget } from './remote/composio-rest.ts'
import type { RemoteTools } from './remote/remote-tools.ts'
import type { Carrying } from './upload.ts'

export interface Uploading {
  readonly file: FileReader
  /** Undefined: the name decides. */
  readonly mediaType: string | undefined
  readonly toolkit: string
  readonly tool: string
}

export interface InStorage {
  readonly key: string
  /** Without its signature; undefined where the gateway keeps it to itself. */
  readonly url: string | undefined
  readonly mimetype: string
  readonly name: string
}

export async function uploadToComposio(
  connected: Connected,
  uploading: Uploading,
  carrying: Carrying,
): Promise<InStorage> {
  const storage = connected.storage()
  const name = basename(uploading.file.path)
  const mimetype = uploading.mediaType ?? mediaTypeOf(name)
  const named = { ...uploading, name, mimetype }
  return 'rest' in storage
    ? uploadDirectly(storage.rest, connected, named, carrying)
    : uploadThroughGateway(connected, storage.gateway, named, carrying)
}

interface Named extends Uploading {
  readonly name: string
  readonly mimetype: string
}

async function uploadDirectly(
  rest: ComposioRest,
  { presigned }: Connected,
  { file, toolkit, tool, name, mimetype }: Named,
  { signal, progress }: Carrying,
): Promise<InStorage> {
  const md5 = await md5Of(file, signal)
  const upload = { toolkit_slug: toolkit, tool_slug: tool, filename: name, mimetype, md5 }
  // An address that has expired, or was cut off, is asked for again.
  const { key, url } = await retryPassing(signal, async () => {
    const target = await rest.requestUpload(upload, { signal })
    await put(target)
    return { key: target.key, url: plainUrl(target.putAt ?? target.existingUrl) }
  })
  return { key, url, mimetype, name }

  async function put({ putAt, isThere, isAzure }: UploadTarget): Promise<void> {
    if (isThere) return progress(file.size, file.size, 'the storage already has this file')
    if (putAt === undefined) throw new RemoteFailure('Composio returned no address for the upload.')
    const sent = createHash('md5')
    const headers = { 'content-type': mimetype, ...(isAzure ? { 'x-ms-blob-type': 'BlockBlob' } : {}) }
    const bytes = chunksOf(file, { signal, progress }, (chunk) => sent.update(chunk))
    await presigned.send('PUT', putAt, { size: file.size, headers, bytes }, { signal })
    if (sent.digest('hex') !== md5)
      throw new RemoteFailure(`${file.path} changed while it was uploaded: upload it again.`)
  }
}

async function* chunksOf(file: FileReader, { signal, progress }: Carrying, onChunk: (chunk: Uint8Array) => void) {
  let at = 0
  for await (const chunk of file.chunks({ signal })) {
    onChunk(chunk)
    yield chunk
    at += chunk.byteLength
    progress(at, file.size, `${at} of ${file.size} bytes are in the storage`)
  }
}

async function md5Of(file: FileReader, signal: AbortSignal): Promise<string> {
  const hash = createHash('md5')
  for await (const chunk of file.chunks({ signal })) hash.update(chunk)
  return hash.digest('hex')
}

/** Without the signature, which opens it for whoever has it. */
function plainUrl(signed: string | undefined): string | undefined {
  const url = signed === undefined ? null : URL.parse(signed)
  return url === null ? undefined : url.origin + url.pathname
}

const UPLOAD = 'COMPOSIO_UPLOAD_FILE'
const Handed = z.object({ s3key: z.string().min(1), mimetype: z.string() })

async function uploadThroughGateway(
  { filePlane, user }: Connected,
  gateway: RemoteTools,
  { file, toolkit, tool, name, mimetype }: Named,
  carrying: Carrying,
): Promise<InStorage> {
  const { uri } = await filePlane().upload(file, { mediaType: mimetype }, carrying)
  const input = { file: uri, toolkit_slug: toolkit, tool_slug: tool, media_type: mimetype }
  const data = await gateway.call(UPLOAD, input, { user, session: undefined, signal: carrying.signal })
  const handed = Handed.safeParse(data)
  if (!handed.success)
    throw new RemoteFailure(`The gateway accepted the file, but its tool ${UPLOAD} returned no key.`, {
      details: { data },
    })
  return { key: handed.data.s3key, url: undefined, mimetype: handed.data.mimetype, name }
}
