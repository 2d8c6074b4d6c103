/**
 * Values as they are written into an address or a head (OpenAPI 3.1, parameter object, style values; RFC 6570).
 *
 * Nothing that a value holds has a meaning where it goes: what separates paths, queries and lines is percent-encoded or refused.
 */
import { ExactNumber, isObject } from '@toolway/protocol'
import type { Placed } from '@toolway/contract/http-operation'

/**
 * An argument value that cannot be sent in its position; the message continues a sentence that begins with the argument's name.
 */
export class Unsendable extends Error {}

const STRICT = /[!'()*]/g
const hex = (char: string) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`

/** Only the letters, digits and `-._~` stay (RFC 3986, section 2.3). */
export const encodeUriText = (text: string): string => encodeURIComponent(text.toWellFormed()).replaceAll(STRICT, hex)

/**
 * Reserved characters that stay unencoded in a query where a document allows it; those that begin another value or end the query
 * do not.
 */
const RESERVED = /%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B|5B|5D)/g
const encodedReserved = (text: string): string =>
  encodeUriText(text).replaceAll(RESERVED, (value) => decodeURIComponent(value))

/** One value that is neither a list nor an object; those go as JSON where they stand inside another. */
export function plain(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A list or an object; a number with its digits is neither. */
export const isNested = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof ExactNumber)

type Pair = readonly [name: string, value: unknown]
const pairsOf = (value: object): Pair[] =>
  Object.entries(value).filter(([, item]) => item !== undefined && item !== null)

/** A part of a path. Throws Unsendable. */
export function inPath(placed: Placed, value: unknown): string {
  const input = placed.json ? JSON.stringify(value) : value
  const texts = Array.isArray(input)
    ? input.map(plain)
    : isObject(input)
      ? pairsOf(input).flat().map(plain)
      : [plain(input)]
  if (texts.length === 0) throw new Unsendable('must not be empty: it is part of the URL')
  for (const text of texts) refuseInPath(text)
  const written = pathWord(placed, input)
  // The prefix of a style can change the meaning of a path segment: `.` before a slash.
  refuseInPath(decodeURIComponent(written))
  return written
}

function pathWord({ name, style, explode }: Placed, input: unknown): string {
  const key = encodeUriText(name)
  const separator = style === 'label' && explode ? '.' : style === 'matrix' && explode ? ';' : ','
  const words = Array.isArray(input)
    ? input.map((value) =>
        style === 'matrix' && explode ? `${key}=${encodeUriText(plain(value))}` : encodeUriText(plain(value)),
      )
    : isObject(input)
      ? pairsOf(input).map(
          ([inner, value]) => `${encodeUriText(inner)}${explode ? '=' : ','}${encodeUriText(plain(value))}`,
        )
      : [encodeUriText(plain(input))]
  const joined = words.join(separator)
  if (style === 'label') return `.${joined}`
  if (style !== 'matrix') return joined
  return explode && isNested(input) ? `;${joined}` : `;${key}=${joined}`
}

/**
 * Servers take `%2F` for a slash before they look at what stands between slashes, so that encoding alone does not keep `..` in its
 * place (CVE-2026-29791).
 */
function refuseInPath(text: string): void {
  if (text === '') throw new Unsendable('must not be empty: it is part of the URL')
  if (hasControls(text)) throw new Unsendable('must not contain line breaks or other control characters')
  let plain = text
  // As often as somebody on the way may decode it.
  for (let round = 0; round < 4; round++) {
    if (plain.split(/[/\\;]/).some((part) => part === '.' || part === '..'))
      throw new Unsendable('must not be "." or "..", or contain them between slashes')
    const once = decodedOnce(plain)
    if (once === plain) break
    plain = once
  }
}

function decodedOnce(text: string): string {
  return text.replaceAll(/%(2e|2f|5c|25|3b)/gi, (value) => decodeURIComponent(value))
}

const hasControls = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 0x20 || code === 0x7f) return true
  }
  return false
}

/** Names and values of a query, encoded already. */
export function inQuery(placed: Placed, value: unknown): [name: string, value: string][] {
  const { name, style, explode, reserved, json } = placed
  const write = reserved ? encodedReserved : encodeUriText
  const key = encodeUriText(name)
  if (json) return [[key, write(JSON.stringify(value))]]
  if (style === 'deepObject' && isNested(value)) return deepPairs(key, value, write, 0)
  if (Array.isArray(value)) {
    if (style === 'form' && explode) return value.map((item) => [key, write(plain(item))])
    const separator = style === 'spaceDelimited' ? '%20' : style === 'pipeDelimited' ? '%7C' : ','
    return value.length === 0 ? [] : [[key, value.map((item) => write(plain(item))).join(separator)]]
  }
  if (!isObject(value)) return value === null ? [] : [[key, write(plain(value))]]
  const pairs = pairsOf(value)
  if (style === 'form' && explode) return pairs.map(([inner, item]) => [encodeUriText(inner), write(plain(item))])
  const separator = style === 'spaceDelimited' ? '%20' : style === 'pipeDelimited' ? '%7C' : ','
  return pairs.length === 0
    ? []
    : [[key, pairs.flatMap(([inner, item]) => [encodeUriText(inner), write(plain(item))]).join(separator)]]
}

/** `filter[owner][id]=5`, as far as anybody nests. */
export function deepPairs(
  key: string,
  value: object,
  write: (text: string) => string,
  level: number,
): [string, string][] {
  const pairs: Pair[] = Array.isArray(value) ? value.map((item: unknown) => ['', item] as const) : pairsOf(value)
  return pairs.flatMap(([inner, item]): [string, string][] => {
    const name = `${key}%5B${encodeUriText(inner)}%5D`
    return isNested(item) && level < 10 ? deepPairs(name, item, write, level + 1) : [[name, write(plain(item))]]
  })
}

/** Throws Unsendable. */
export function inHeader({ explode, json }: Placed, value: unknown): string {
  const text = json
    ? JSON.stringify(value)
    : Array.isArray(value)
      ? value.map(plain).join(',')
      : isObject(value)
        ? pairsOf(value)
            .map(([name, item]) => `${name}${explode ? '=' : ','}${plain(item)}`)
            .join(',')
        : plain(value)
  // Only what a header line can hold as one line (RFC 9110, section 5.5); other letters are written differently by everybody.
  if (!/^[\t\x20-\x7e]*$/.test(text))
    throw new Unsendable('must consist of ASCII characters without line breaks: it is a header')
  return text
}

/** Cookie values are encoded, so that a value cannot end its cookie or begin another. */
export const inCookie = (placed: Placed, value: unknown): string[] =>
  inQuery({ ...placed, style: 'form', reserved: false }, value).map(([name, item]) => `${name}=${item}`)
