/**
 * The text of a tool's result, no longer than a model should be made to read (ledger U-16): what is too long is cut, and the
 * cut says so and how much there was.
 *
 * Only text is cut. Structured content goes on whole, because half of it would not fit its schema; images, audio and
 * resources are no reading matter, and half of them would be nothing. A result that is short enough is not copied.
 */
import { isObject, type Json, type JsonObject } from '@toolway/protocol'

/** Bytes for the notice, which counts too. */
const NOTICE = 200
const LESS = 'Request less, or only part of it.'
/** Bytes of UTF-8 that one unit of a JavaScript text can become. */
const WIDEST = 3

/** `next` is what whoever reads the notice can do. */
export function cutResult(result: JsonObject, limit: number, next = LESS): JsonObject {
  const { content } = result
  const bytes = bytesBeyond(result, limit)
  return bytes === undefined || !Array.isArray(content)
    ? result
    : { ...result, content: cut(content, bytes, limit, next) }
}

/** Bytes of its text where they are more than so many; undefined where they are not. */
export function bytesBeyond({ content }: JsonObject, limit: number): number | undefined {
  if (!Array.isArray(content)) return undefined
  let units = 0
  for (const part of content) units += textOf(part)?.length ?? 0
  if (units * WIDEST <= limit) return undefined
  const bytes = content.reduce<number>((sum, part) => sum + Buffer.byteLength(textOf(part) ?? ''), 0)
  return bytes <= limit ? undefined : bytes
}

function textOf(part: Json): string | undefined {
  if (!isObject(part) || part['type'] !== 'text') return undefined
  const { text } = part
  return typeof text === 'string' ? text : undefined
}

/** The texts until there is no room, with the notice at the end of them; everything else stays where it is. */
function cut(content: readonly Json[], bytes: number, limit: number, next: string): Json[] {
  let left = Math.max(0, limit - NOTICE - (next.length - LESS.length))
  let over = false
  const values: Json[] = []
  for (const part of content) {
    const text = textOf(part)
    if (text === undefined) values.push(part)
    else if (!over) {
      const size = Buffer.byteLength(text)
      over = size > left
      values.push({
        ...(part as JsonObject),
        text: over ? `${headOf(text, left)}\n\n${noticeOf(bytes, limit, next)}` : text,
      })
      left -= size
    }
  }
  return values
}

const noticeOf = (bytes: number, limit: number, next: string) =>
  `[Truncated by Toolway: the text of this result is ${bytes} bytes long, and at most ${limit} are passed on. ${next}]`

/** The beginning of a text that fits into so many bytes, whole characters only. */
function headOf(text: string, bytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes))
  return text.slice(0, read)
}

/** Characters of base64 that are passed on as content that a client shows: 1 MiB of bytes. */
const MOST_CONTENT = 1_398_104
/** Characters of base64 in structured content: a model pays for each and can read none of them. */
const MOST_DATA = 32_768

/** Whether there is anything to store. Cheap: every result is asked. */
export const hasLargeContent = ({ content, structuredContent }: JsonObject): boolean =>
  isLargeData(structuredContent) || (Array.isArray(content) && content.some((part) => binaryOf(part) !== undefined))

export interface Binary {
  readonly data: string
  readonly mediaType: string
  readonly name: string
}

export function binaryOf(part: Json): Binary | undefined {
  if (!isObject(part)) return undefined
  const { type, data, mimeType, resource } = part
  if ((type === 'image' || type === 'audio') && typeof data === 'string' && data.length > MOST_CONTENT)
    return { data, mediaType: typeOf(mimeType), name: type }
  if (type !== 'resource' || !isObject(resource)) return undefined
  const { blob, uri, mimeType: own } = resource
  if (typeof blob !== 'string' || blob.length <= MOST_CONTENT) return undefined
  return { data: blob, mediaType: typeOf(own), name: nameIn(uri) }
}

export const typeOf = (input: Json | undefined): string =>
  typeof input === 'string' ? input : 'application/octet-stream'
const nameIn = (uri: Json | undefined): string =>
  (typeof uri === 'string' ? uri.split(/[?#]/, 1)[0]?.split('/').at(-1) : undefined) || 'file'

/** The members by which a connector gives a file: `data` in base64, `is_base64`, and what is known of it. */
export function isLargeData(value: Json | undefined): value is JsonObject & { data: string } {
  if (!isObject(value) || value['is_base64'] !== true) return false
  return typeof value['data'] === 'string' && value['data'].length > MOST_DATA
}
