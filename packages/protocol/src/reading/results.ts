/**
 * Reads the result of a tool, a prompt or a resource as servers write it: content that official clients refuse as a whole is mended, and
 * the mends are noted in its `_meta`. A result without a fault is returned as it is.
 *
 * Sources: schema of MCP 2025-11-25 and 2026-07-28 (CallToolResult, GetPromptResult, ReadResourceResult, ContentBlock).
 */
import { eraOf, type Revision } from '../era.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'
import { readAnnotations, readIcons } from './definitions.ts'
import {
  withChanges,
  dropUnfit,
  kindName,
  leftOut,
  type Change,
  type Repairs,
  readEntries,
  readMember,
} from './repairs.ts'

export const REPAIRED = 'dev.toolway/repaired'
/** So many are named. */
const MOST = 20

export interface Reading {
  /** What the server speaks. */
  readonly revision: Revision
  /** Whether blocks of other kinds than the protocol's pass: an extension may have some, which are its client's to read. */
  readonly extended?: boolean
}

/** The very object where nothing is wrong with it. */
export function readResult(method: string, result: JsonObject, { revision, extended = false }: Reading): JsonObject {
  if (isPlain(method, result)) return result
  const repairs: Repairs = []
  const read = readOf(method, result, { revision, extended }, repairs)
  if (repairs.length === 0) return read
  const meta = isObject(read['_meta']) ? read['_meta'] : {}
  return { ...read, _meta: { ...meta, [REPAIRED]: repairs.slice(0, MOST) } }
}

/** Most results: texts, and nothing else that could be wrong. */
function isPlain(
  method: string,
  { content, isError, structuredContent, resultType, _meta: meta }: JsonObject,
): boolean {
  if (method !== 'tools/call' || !Array.isArray(content)) return false
  if (isError !== undefined && typeof isError !== 'boolean') return false
  if (structuredContent === null || resultType === null || (meta !== undefined && !isObject(meta))) return false
  return content.every(
    (block) =>
      isObject(block) &&
      block['type'] === 'text' &&
      typeof block['text'] === 'string' &&
      block['annotations'] === undefined &&
      block['_meta'] === undefined,
  )
}

function readOf(method: string, result: JsonObject, reading: Required<Reading>, repairs: Repairs): JsonObject {
  const plain =
    result['_meta'] === undefined || isObject(result['_meta']) ? result : withoutMember(result, '_meta', repairs)
  switch (method) {
    case 'tools/call':
    case 'tasks/result':
      return readToolResult(plain, reading, repairs)
    case 'prompts/get':
      return readPrompt(plain, repairs)
    case 'resources/read':
      return readContents(plain, repairs)
    default:
      return plain
  }
}

const withoutMember = (result: JsonObject, name: string, repairs: Repairs): JsonObject =>
  withChanges(result, '', [{ name, value: undefined, repair: leftOut(result[name] ?? null, 'an object') }], repairs)

/** One that asks for input, or is a task, has no content yet. */
function readToolResult(result: JsonObject, { revision, extended }: Required<Reading>, repairs: Repairs): JsonObject {
  const { content, isError, structuredContent, resultType, task } = result
  if ((resultType !== undefined && resultType !== 'complete' && resultType !== null) || isObject(task)) return result
  const changes: Change[] = []
  if (resultType === null) changes.push({ name: 'resultType', value: undefined, repair: leftOut(null, 'a text') })
  if (isError !== undefined && typeof isError !== 'boolean')
    changes.push(
      isError === 'true' ? FAILED : { name: 'isError', value: undefined, repair: leftOut(isError, 'true or false') },
    )
  if (structuredContent === null && eraOf(revision) === 'legacy')
    changes.push({ name: 'structuredContent', value: undefined, repair: leftOut(null, 'an object') })
  const read = withChanges(result, '', changes, repairs)
  const blocks = Array.isArray(content) ? readBlocks(content, extended, repairs) : contentOf(content, extended, repairs)
  return blocks === content ? read : { ...read, content: blocks }
}

const FAILED: Change = { name: 'isError', value: true, repair: 'was the text "true" and is true now' }

/** What stands where a list of content should. */
function contentOf(content: Json | undefined, extended: boolean, repairs: Repairs): Json[] {
  if (content === undefined) {
    // The clients themselves take that for an empty list.
    return []
  }
  repairs.push(`content was ${kindName(content)} and is a list now`)
  if (content === null) return []
  return readBlocks([content], extended, repairs)
}

const readBlocks = (content: Json[], extended: boolean, repairs: Repairs): Json[] =>
  readEntries(content, 'content', repairs, (block, place) =>
    extended && isOther(block) ? block : readBlock(block, place, repairs),
  ) as Json[]

const isOther = (block: Json): boolean =>
  isObject(block) && typeof block['type'] === 'string' && !KINDS.has(block['type'])
const KINDS: ReadonlySet<string> = new Set(['text', 'image', 'audio', 'resource', 'resource_link'])

/** Members that a block of a kind must have, all of them texts. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource_link: ['uri', 'name'],
}
const OPTIONAL = { _meta: 'object', title: 'text', description: 'text', icons: 'list', size: 'number' } as const
const LINK = { ...OPTIONAL, mimeType: 'text' } as const
const BLOCK = { _meta: 'object' } as const

/** A block as clients take it; what is no block of a known kind becomes text, as a model would have read it. */
function readBlock(block: Json, place: string, repairs: Repairs): Json {
  if (typeof block === 'string') return asText(block, place, 'was a text and is a block of it now', repairs)
  if (!isObject(block)) return asText(textOf(block), place, `was ${kindName(block)} and is text now`, repairs)
  const { type } = block
  const blockMembers = readBlockMembers(block, place, repairs)
  if (type === 'text') return typeof block['text'] === 'string' ? blockMembers : withText(blockMembers, place, repairs)
  if (type === 'resource')
    return isResource(block['resource'])
      ? readEmbedded(blockMembers, place, repairs)
      : shownAsText(block, place, repairs)
  const needed = typeof type === 'string' ? NEEDED[type] : undefined
  if (needed === undefined)
    return typeof type === 'string' && UNJUDGED.has(type) ? blockMembers : shownAsText(block, place, repairs)
  if (type === 'resource_link' && typeof block['uri'] === 'string' && typeof block['name'] !== 'string')
    return withChanges(
      blockMembers,
      place,
      [{ name: 'name', value: block['uri'], repair: 'was missing and is the address now' }],
      repairs,
    )
  if (!needed.every((name) => typeof block[name] === 'string')) return shownAsText(block, place, repairs)
  return type === 'resource_link'
    ? blockMembers
    : (readBase64(blockMembers, 'data', place, repairs) ?? shownAsText(block, place, repairs))
}

/** Kinds that are not of a tool's result, and are what they are elsewhere (sampling). */
const UNJUDGED: ReadonlySet<string> = new Set(['tool_use', 'tool_result'])

function readBlockMembers(block: JsonObject, place: string, repairs: Repairs): JsonObject {
  const value = withChanges(block, place, dropUnfit(block, block['type'] === 'resource_link' ? LINK : BLOCK), repairs)
  const noted = readMember(value, 'annotations', readAnnotations, repairs)
  return noted['icons'] === undefined ? noted : readMember(noted, 'icons', readIcons, repairs)
}

const withText = (block: JsonObject, place: string, repairs: Repairs): JsonObject =>
  withChanges(
    block,
    place,
    [{ name: 'text', value: textOf(block['text'] ?? ''), repair: `was ${kindName(block['text'])} and is a text now` }],
    repairs,
  )

const isResource = (value: Json | undefined): value is JsonObject =>
  isObject(value) &&
  typeof value['uri'] === 'string' &&
  (typeof value['text'] === 'string' || typeof value['blob'] === 'string')

function readEmbedded(block: JsonObject, place: string, repairs: Repairs): JsonObject {
  const resource = block['resource'] as JsonObject
  const made = readBody(resource, `${place}/resource`, repairs)
  if (made === undefined) return shownAsText(block, place, repairs)
  return made === resource ? block : { ...block, resource: made }
}

/** The contents of a resource; undefined where its bytes cannot be read. */
function readBody(resource: JsonObject, place: string, repairs: Repairs): JsonObject | undefined {
  const made = withChanges(resource, place, dropUnfit(resource, CONTENTS), repairs)
  return typeof made['text'] === 'string' ? made : readBase64(made, 'blob', place, repairs)
}

const CONTENTS = { mimeType: 'text', _meta: 'object' } as const

/** Bytes as RFC 4648 writes them, section 4; undefined where they are no base64 at all. */
function readBase64(value: JsonObject, name: string, place: string, repairs: Repairs): JsonObject | undefined {
  const data = value[name]
  if (typeof data !== 'string') return undefined
  if (isBase64(data)) return value
  const plain = data
    .replace(/^data:[^,]*;base64,/, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replaceAll(/\s/g, '')
  if (!isBase64(plain)) return undefined
  return withChanges(
    value,
    place,
    [{ name, value: plain, repair: 'was base64 of another form and is the usual one now' }],
    repairs,
  )
}

/** Characters whose every one is looked at; of more, those that other forms have. */
const FEW = 65_536
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

function isBase64(data: string): boolean {
  const rest = data.length % 4
  if (rest === 1 || (rest !== 0 && data.endsWith('='))) return false
  if (data.length <= FEW) return BASE64.test(data)
  return BASE64.test(data.slice(0, 100)) && !data.includes('-') && !data.includes('_') && !data.includes('\n')
}

function asText(text: string, place: string, repair: string, repairs: Repairs): JsonObject {
  repairs.push(`${place} ${repair}`)
  return { type: 'text', text }
}

const shownAsText = (block: JsonObject, place: string, repairs: Repairs): JsonObject =>
  asText(JSON.stringify(block), place, 'was no block of content and is its text now', repairs)

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))

function readPrompt(result: JsonObject, repairs: Repairs): JsonObject {
  const { messages, description } = result
  const changes: Change[] = []
  if (description !== undefined && typeof description !== 'string')
    changes.push({ name: 'description', value: undefined, repair: leftOut(description, 'a text') })
  if (!Array.isArray(messages))
    changes.push({ name: 'messages', value: [], repair: `was ${kindName(messages)} and is an empty list now` })
  const read = withChanges(result, '', changes, repairs)
  if (!Array.isArray(messages)) return read
  const made = readEntries(messages, 'messages', repairs, (message, place) => readMessage(message, place, repairs))
  return made === messages ? read : { ...read, messages: made }
}

function readMessage(message: Json, place: string, repairs: Repairs): Json | undefined {
  if (!isObject(message) || message['content'] === undefined || message['content'] === null) return undefined
  const { role, content } = message
  const known = role === 'user' || role === 'assistant'
  const spoken = known
    ? message
    : withChanges(
        message,
        place,
        [{ name: 'role', value: 'user', repair: 'was neither user nor assistant and is user now' }],
        repairs,
      )
  const block = readBlock(content, `${place}/content`, repairs)
  return block === content ? spoken : { ...spoken, content: block }
}

function readContents(result: JsonObject, repairs: Repairs): JsonObject {
  const { contents } = result
  if (!Array.isArray(contents))
    return withChanges(
      result,
      '',
      [{ name: 'contents', value: [], repair: `was ${kindName(contents)} and is an empty list now` }],
      repairs,
    )
  const made = readEntries(contents, 'contents', repairs, (entry, place) => {
    return isResource(entry) ? readBody(entry, place, repairs) : undefined
  })
  return made === contents ? result : { ...result, contents: made }
}
