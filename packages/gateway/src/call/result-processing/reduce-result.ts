/**
 * A tool's result within its budget: members made unreadable, members left out, rows cut. Pure; the text is cut afterwards, when it is
 * known where the rest is kept.
 *
 * Structured content and the text that says the same (JSON) are one thing here. Where something is to be unreadable in either, a text
 * in other words might say it too: then the JSON stands in its place. An error loses only what is to be unreadable.
 */
import { isObject, type Json, type JsonObject } from '@toolway/protocol'
import type { Budget } from './budget.ts'
import { capRows, longestList, redactMembers, selectMembers } from './members.ts'

export interface Reduced {
  readonly result: JsonObject
  /** All of it but what is unreadable, to be kept; undefined where nothing was left out. */
  readonly whole: Whole | undefined
  readonly cut: readonly ('redact' | 'fields' | 'rows')[]
  readonly rows: { readonly shown: number; readonly of: number } | undefined
}

export interface Whole {
  readonly text: string
  readonly mime: 'application/json' | 'text/plain'
}

/** Longer texts are not read as JSON. */
const LONGEST_JSON = 16 * 1024 * 1024

export function reduceResult(result: JsonObject, budget: Budget): Reduced {
  const { rows, selections, redact, ruled, text } = budget
  const idle = rows === undefined && selections.length === 0 && redact.length === 0 && !ruled
  if (idle) return { result, whole: undefined, cut: [], rows: undefined }
  const failed = result['isError'] === true
  const cut = new Set<Reduced['cut'][number]>()
  let counted: Reduced['rows']

  const readable = (value: Json): Json => {
    const made = redactMembers(value, redact)
    if (made !== value) cut.add('redact')
    return made
  }
  const fitting = (value: Json): Json => {
    if (failed) return value
    let made = value
    for (const paths of selections) made = selectMembers(made, paths)
    if (selections.length > 0 && sizeOf(made) < sizeOf(value)) cut.add('fields')
    const capped = capRows(made, ruled ? rowsWithin(made, rows, text) : (rows ?? Number.POSITIVE_INFINITY))
    if (capped.of !== undefined) {
      cut.add('rows')
      counted = { shown: longestList(capped.value), of: Math.max(capped.of, counted?.of ?? 0) }
    }
    return capped.value
  }

  const { structuredContent, content } = result
  const structured = structuredContent === undefined ? undefined : readable(structuredContent)
  const fitted = structured === undefined ? undefined : fitting(structured)
  const parts = Array.isArray(content) ? content : []
  const told =
    structuredContent === undefined && redact.length > 0
      ? redactedIn(parts, readable)
      : { given: structuredContent, structured }
  const clear: Json[] = []
  const shown: Json[] = []
  for (const part of parts) {
    const made = textOf(part, told.given, told.structured, redact.length > 0, readable)
    clear.push(made.part)
    shown.push(made.json === undefined ? made.part : withText(made.part, fitAs(made.json, structured, fitted, fitting)))
  }
  const left = cut.has('fields') || cut.has('rows')
  const reduced: JsonObject = {
    ...result,
    ...(Array.isArray(content) ? { content: shown } : {}),
    ...(fitted === undefined ? {} : { structuredContent: fitted }),
  }
  return {
    result: cut.size === 0 ? result : reduced,
    whole: left ? wholeOf(clear, structured) : undefined,
    cut: [...cut],
    rows: counted,
  }
}

const sizeOf = (value: Json): number => JSON.stringify(value).length

/** As many rows as fit into the text that is allowed: a client may give structured content to its model instead. */
function rowsWithin(value: Json, rows: number | undefined, text: number): number {
  let most = rows ?? Number.POSITIVE_INFINITY
  let next = Math.min(most, Math.max(1, longestList(value)))
  while (next > 1 && Buffer.byteLength(JSON.stringify(capRows(value, next).value)) > text)
    next = most = Math.floor(next / 2)
  return most
}

/** Where there is no structured content, which early revisions have not: a text that says in JSON what is to be unreadable. */
function redactedIn(parts: readonly Json[], readable: (value: Json) => Json) {
  for (const part of parts) {
    const json = jsonOf(heldText(part) ?? '')
    const structured = json === undefined ? undefined : readable(json)
    if (structured !== json) return { given: json, structured }
  }
  return { given: undefined, structured: undefined }
}

interface ReadPart {
  readonly part: Json
  /** The text as JSON, where it is JSON. */
  readonly json: Json | undefined
}

/** One part of the content without what is to be unreadable. */
function textOf(
  part: Json,
  input: Json | undefined,
  structured: Json | undefined,
  redacts: boolean,
  readable: (value: Json) => Json,
): ReadPart {
  const held = heldText(part)
  if (held === undefined) return { part, json: undefined }
  const said = jsonOf(held)
  if (said === undefined) {
    // In other words it may say what is to be unreadable.
    const told = redacts && input !== undefined && structured !== input && isObject(part) && part['type'] === 'text'
    return told ? { part: withText(part, JSON.stringify(structured)), json: structured } : { part, json: undefined }
  }
  const made = readable(said)
  // It is JSON of another form: a member of the structured content, or in its own words what is to be unreadable.
  if (made === said && redacts && input !== undefined && structured !== undefined && structured !== input) {
    const json = counterpartOf(said, input, structured)
    return { part: withText(part, JSON.stringify(json)), json }
  }
  return { part: made === said ? part : withText(part, JSON.stringify(made)), json: made }
}

/** The same member without what is to be unreadable; all of the structured content where it is none. */
function counterpartOf(value: Json, input: Json, structured: Json): Json {
  if (!isObject(input) || !isObject(structured)) return structured
  const text = JSON.stringify(value)
  const name = Object.keys(input).find((item) => JSON.stringify(input[item]) === text)
  return name === undefined ? structured : (structured[name] ?? structured)
}

/** A text that says the same as the structured content is cut the same, without doing it twice. */
function fitAs(
  json: Json,
  structured: Json | undefined,
  fitted: Json | undefined,
  fitting: (value: Json) => Json,
): string {
  const same = structured !== undefined && fitted !== undefined && JSON.stringify(json) === JSON.stringify(structured)
  return JSON.stringify(same ? fitted : fitting(json))
}

function heldText(part: Json): string | undefined {
  if (!isObject(part)) return undefined
  const { type, text, resource } = part
  if (type === 'text' && typeof text === 'string') return text
  return type === 'resource' && isObject(resource) && typeof resource['text'] === 'string'
    ? resource['text']
    : undefined
}

function withText(part: Json, text: string): Json {
  if (!isObject(part) || heldText(part) === text) return part
  return isObject(part['resource']) ? { ...part, resource: { ...part['resource'], text } } : { ...part, text }
}

/** An object or a list; anything else is text like any other. */
function jsonOf(text: string): Json | undefined {
  if (text.length > LONGEST_JSON || !/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** Everything of a result that can be read, as one text. */
export function wholeOf(content: readonly Json[], structured: Json | undefined): Whole | undefined {
  const said = structured === undefined ? undefined : JSON.stringify(structured)
  const texts = content.flatMap((part) => heldText(part) ?? [])
  const beside =
    said === undefined ? texts : texts.filter((text) => !saysSame(text, said) && !saysMember(text, structured))
  if (said !== undefined && beside.length === 0)
    return { text: JSON.stringify(structured, undefined, 1), mime: 'application/json' }
  const [only, more] = beside
  if (only === undefined) return undefined
  const json = said === undefined && more === undefined ? jsonOf(only) : undefined
  if (json !== undefined) return { text: JSON.stringify(json, undefined, 1), mime: 'application/json' }
  return { text: [...beside, ...(said === undefined ? [] : [said])].join('\n\n'), mime: 'text/plain' }
}

/** A text that is a member of the structured content says nothing more. */
const saysMember = (text: string, structured: Json | undefined): boolean =>
  isObject(structured) && Object.values(structured).some((value) => isObject(value) && JSON.stringify(value) === text)

const saysSame = (text: string, input: string): boolean => {
  const json = jsonOf(text)
  return json !== undefined && JSON.stringify(json) === input
}
