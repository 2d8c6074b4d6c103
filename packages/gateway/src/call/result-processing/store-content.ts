/**
 * Content of a result that is stored as a file in place of being passed on: pictures, sounds and embedded files above a size, base64
 * within structured content, and large members of structured content. It runs after the result is reduced, so that nothing that a
 * rule takes out is stored.
 */
import type { Json, JsonObject } from '@toolway/protocol'
import { binaryOf, isLargeData, typeOf } from './cut-result.ts'
import { linkTo, type FileFacts } from '../../upstreams/caller-files.ts'

/** Revisions whose results may link to a resource (2025-06-18, tool results). */
const LINKS: ReadonlySet<string> = new Set(['2025-06-18', '2025-11-25', '2026-07-28'])
export const mayLink = (revision: string): boolean => LINKS.has(revision)

/** Undefined where it could not be stored: then the content stays where it is. */
export type Store = (
  file: { readonly name: string; readonly mediaType: string },
  bytes: Buffer,
) => Promise<FileFacts | undefined>

/** The same object where nothing was stored. */
export async function storeContent(result: JsonObject, store: Store, revision: string): Promise<JsonObject> {
  const { content, structuredContent } = result
  const parts = Array.isArray(content) ? await Promise.all(content.map((part) => storePart(part, store, revision))) : []
  const made = Array.isArray(content) ? { ...result, content: parts.flatMap((part) => part) } : result
  return isLargeData(structuredContent) ? storeData(made, structuredContent, store, revision) : made
}

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

async function storeData(
  result: JsonObject,
  input: JsonObject & { data: string },
  store: Store,
  revision: string,
): Promise<JsonObject> {
  const { data, is_base64: _, ...rest } = input
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
