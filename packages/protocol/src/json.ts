/**
 * From text to a value, strictly: what is not JSON is refused with the place in it, what nests too deep before it is parsed.
 *
 * The value is parsed once; whoever forwards it serialises that very value again, so that the gateway and the server
 * behind it can never read two different things out of the same bytes (duplicate keys, odd escapes). Digits that a double would
 * change are remembered (`exact.ts`) and go along.
 */
import { Fault } from '@toolway/contract'
import { ExactNumber, parseExactly } from './exact.ts'
import { breakOf, endOfString } from './json-break.ts'
import type { Json, JsonObject } from './json-value.ts'

export type { Json, JsonObject }

/** Nesting of a whole message: 64 levels of arguments (the ledger's U-16) below params and arguments. */
export const MAX_DEPTH = 68

/** Whether a text may have a number that a double changes: most have none and cost no more. It begins with a digit, which is found fast. */
const MAY_HAVE_EXACT = /\d(?:\d{15}|[eE][-+\d]|\.\d*0(?:[\s,}\]]|$)|\.\d{15})|-0(?:[\s,}\]]|$)/

const BYTE_ORDER_MARK = '\uFEFF'
const QUOTE = 0x22
const OPENERS = new Set([0x5b, 0x7b])
const CLOSERS = new Set([0x5d, 0x7d])

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)

/** Whether a value has at most so many levels; an object or a list is one. */
export const isShallow = (value: unknown, levels: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((item) => isShallow(item, levels - 1)))

/** Parse one JSON text. Throws `request.not-json` (with line and column) or `request.too-deep`. */
export function parseJson(text: string): Json {
  refuseDepth(text)
  try {
    return MAY_HAVE_EXACT.test(text) ? parseExactly(text) : (JSON.parse(text) as Json)
  } catch {
    // RFC 8259, section 8.1: a reader may pass over it. Programs on Windows write it before a body or a line.
    if (text.startsWith(BYTE_ORDER_MARK) && !text.startsWith(BYTE_ORDER_MARK, 1)) return parseJson(text.slice(1))
    throw new Fault('request.not-json', { problem: wordProblem(text) })
  }
}

/** A text with no more openers than levels cannot be too deep: counting them is native, and most texts end there. */
function refuseDepth(text: string): void {
  if (text.length <= MAX_DEPTH || !hasMany(text)) return
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (OPENERS.has(code) && ++depth > MAX_DEPTH) {
      throw new Fault('request.too-deep', { limit: MAX_DEPTH, place: placeOf(text, at) })
    } else if (CLOSERS.has(code)) depth--
  }
}

function hasMany(text: string): boolean {
  let count = 0
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at + 1)) if (++count > MAX_DEPTH) return true
  for (let at = text.indexOf('['); at !== -1; at = text.indexOf('[', at + 1)) if (++count > MAX_DEPTH) return true
  return false
}

function placeOf(text: string, at: number): string {
  const before = text.slice(0, at)
  const line = before.split('\n').length
  return `line ${line}, column ${at - before.lastIndexOf('\n')}`
}

/** The place and nothing of the text, because a body may hold a secret. */
function wordProblem(text: string): string {
  if (text.trim() === '') return 'it is empty.'
  const at = breakOf(text) ?? 0
  return at === text.length ? `it ends too early, at ${placeOf(text, at)}.` : `it breaks at ${placeOf(text, at)}.`
}
