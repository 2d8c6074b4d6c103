/**
 * Reading a stored file by `toolway://files/<id>`: texts in ranges like a result that was cut, other content as a blob up to a bound.
 * Larger content is not read through a model: its text says how it is downloaded.
 */
import type { JsonObject } from '@toolway/protocol'
import { ownerOf, type OpenedFile, type StoredFile } from '../../snapshot/ports/file-store.ts'
import type { StoredResult } from '../../results/result-store.ts'
import type { ShapeParts, Shaping } from './shaping.ts'

/** Bytes of a text that is read in ranges: all of it is decoded for each. */
const MOST_TEXT = 16 * 1024 * 1024
/** Bytes of other content. */
const MOST_BLOB = 1024 * 1024
const TEXT = /^text\/|^application\/(?:[\w.+-]+\+)?(?:json|xml|yaml|x-yaml|javascript|x-ndjson|jsonl|sql|toml)\b/i

const isText = ({ mediaType, size }: StoredFile): boolean => TEXT.test(mediaType) && size <= MOST_TEXT

/** Undefined for a file that this caller does not have, and for one that is read as bytes. */
export async function readFileText(
  { files }: ShapeParts,
  { principal, organizationId }: Shaping,
  id: string,
): Promise<StoredResult | undefined> {
  const owner = ownerOf(principal, organizationId)
  const file = await files?.find(owner, id)
  if (files === undefined || file === undefined || !isText(file)) return undefined
  const bytes = await collect(await files.open(owner, id))
  const mime = /json\b/i.test(file.mediaType) ? 'application/json' : 'text/plain'
  return { text: new TextDecoder().decode(bytes), mime }
}

/** Content that is no text, as `contents` of a resource; undefined for texts and for a file that this caller does not have. */
export async function readFileBytes(
  { files }: ShapeParts,
  { principal, organizationId }: Shaping,
  id: string,
): Promise<JsonObject | undefined> {
  const owner = ownerOf(principal, organizationId)
  const file = await files?.find(owner, id)
  if (files === undefined || file === undefined || isText(file)) return undefined
  const { name, mediaType, size, sha256 } = file
  const _meta = { 'dev.toolway/file': { name, media_type: mediaType, size, sha256 } }
  if (size > MOST_BLOB) {
    const text = `${name} (${mediaType}) is ${size} bytes long, which is too much for a model. Get a download URL with the tool download_file, or with POST /api/v1/organizations/{organization}/files/${id}/download.`
    return { mimeType: 'text/plain', text, _meta }
  }
  const bytes = await collect(await files.open(owner, id))
  return { mimeType: mediaType, blob: bytes.toString('base64'), _meta }
}

async function collect({ content }: OpenedFile): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks)
}
