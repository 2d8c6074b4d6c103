/**
 * Content of a result that is stored as a file in place of being passed on: pictures, sounds and embedded files above a size, base64
 * within structured content, and large members of structured content. It runs after the result is reduced, so that nothing that a
 * rule takes out is stored.
 */
import { isObject, type Json, type JsonObject } from '@toolway/protocol'
import { linkTo, type FileFacts } from '../../upstreams/caller-files.ts'

/** Characters of base64 that are passed on as content that a client shows: 1 MiB of bytes. */
const MOST_CONTENT = 1_398_104
/** Characters of base64 in structured content: a model pays for each and can read none of them. */
const MOST_DATA = 32_768
/** Revisions whose results may link to a resource (2025-06-18, tool results). */
const LINKS: ReadonlySet<string> = new Set(['2025-06-18', '2025-11-25', '2026-07-28'])
export const mayLink = (revision: string): boolean => LINKS.has(revision)

/** Undefined where it could not be stored: then the content stays where it is. */
export type Store = (
  file: { readonly name: string; readonly mediaType: string },
  bytes: Buffer,
) => Promise<FileFacts | undefined>

/** Whether there is anything to store. Cheap: every result is asked. */
export const hasLargeContent = ({ content, structuredContent }: JsonObject): boolean =>
  isLargeData(structuredContent) || (Array.isArray(content) && content.some((part) => binaryOf(part) !== undefined))

/** The same object where nothing was stored. */
export async function storeContent(result: JsonObject, store: Store, revision: string): Promise<JsonObject> {
  const { content, structuredContent } = result
  const parts = Array.isArray(content) ? await Promise.all(content.map((part) => storePart(part, store, revision))) : []
  const made = Array.isArray(content) ? { ...result, content: parts.flatMap((one) => one) } : result
  return isLargeData(structuredContent) ? storeData(made, structuredContent, store, revision) : made
}

interface Binary {
  readonly data: string
  readonly mediaType: string
  readonly name: string
}

function binaryOf(part: Json): Binary | undefined {
  if (!isObject(part)) return undefined
  const { type, data, mimeType, resource } = part
  if ((type === 'image' || type === 'audio') && typeof data === 'string' && data.length > MOST_CONTENT)
    return { data, mediaType: typeOf(mimeType), name: type }
  if (type !== 'resource' || !isObject(resource)) return undefined
  const { blob, uri, mimeType: own } = resource
  if (typeof blob !== 'string' || blob.length <= MOST_CONTENT) return undefined
  return { data: blob, mediaType: typeOf(own), name: nameIn(uri) }
}

const typeOf = (said: Json | undefined): string => (typeof said === 'string' ? said : 'application/octet-stream')
const nameIn = (uri: Json | undefined): string =>
  (typeof uri === 'string' ? uri.split(/[?#]/, 1)[0]?.split('/').at(-1) : undefined) || 'file'

async function storePart(part: Json, store: Store, revision: string): Promise<Json> {
  const binary = binaryOf(part)
  if (binary === undefined) return part
  const file = await store(binary, Buffer.from(binary.data, 'base64'))
  return file === undefined ? part : linkOrText(file, revision)
}

/** A link, or its words for clients of revisions without links. */
export function linkOrText(file: FileFacts, revision: string): JsonObject {
  if (mayLink(revision)) return linkTo(file)
  const { name, mediaType, size, uri } = file
  return { type: 'text', text: `[Stored by Toolway: ${name} (${mediaType}, ${size} bytes) is the resource ${uri}]` }
}

/** The members by which a connector gives a file: `data` in base64, `is_base64`, and what is known of it. */
function isLargeData(value: Json | undefined): value is JsonObject & { data: string } {
  if (!isObject(value) || value['is_base64'] !== true) return false
  return typeof value['data'] === 'string' && value['data'].length > MOST_DATA
}

async function storeData(
  result: JsonObject,
  given: JsonObject & { data: string },
  store: Store,
  revision: string,
): Promise<JsonObject> {
  const { data, is_base64: _, ...rest } = given
  const name = typeof rest['name'] === 'string' ? rest['name'] : 'file'
  const file = await store({ name, mediaType: typeOf(rest['type']) }, Buffer.from(data, 'base64'))
  if (file === undefined) return result
  const structured = { ...rest, file: shownOf(file) }
  return {
    ...result,
    structuredContent: structured,
    content: [{ type: 'text', text: JSON.stringify(structured) }, linkOrText(file, revision)],
  }
}

/** A file as structured content names it. */
export const shownOf = ({ uri, name, mediaType, size }: FileFacts): JsonObject => ({
  uri,
  name,
  media_type: mediaType,
  size,
})
