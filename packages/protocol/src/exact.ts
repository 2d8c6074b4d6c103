/**
 * The digits of numbers that a double would change: `1234567890123456789`, `1.0`, `1e400`, `-0`. JSON says nothing of how large or how exact
 * a number is (RFC 8259, section 6), and ids of 64 bits are such numbers.
 *
 * The value that everything in the gateway works with has doubles. What the text had is remembered beside it, by the object or list
 * that holds the number, and put back where the value goes on: only for the same number at the same place, so that nothing that was
 * changed or hidden on the way comes back.
 */
import { endOfString } from './json-break.ts'
import type { Json } from './json-value.ts'

interface RawJson {
  rawJSON?(text: string): unknown
}
/** Node 22 and later; before it (the bridge alone runs there), a number is what a double makes of it. */
const { rawJSON } = JSON as RawJson

/** A number as its text, for whoever writes JSON: nothing else is to be done with it. */
export class ExactNumber {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }

  toJSON(): unknown {
    return rawJSON === undefined ? Number(this.source) : rawJSON.call(JSON, this.source)
  }

  toString(): string {
    return this.source
  }
}

/** The exact members of an object or a list; empty where only something within has some. */
type Exact = ReadonlyMap<string | number, ExactNumber>
const exactOf = new WeakMap<object, Exact>()

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/g
/** Begins texts that stand for numbers while a text is parsed; nobody outside knows it. */
const MARK = `exact ${crypto.randomUUID()} `

/** The same as `JSON.parse`, with the digits remembered. */
export function parseExactly(text: string): Json {
  if (!hasInexact(text)) return JSON.parse(text) as Json
  const marked = marks(text)
  if (marked === text) return JSON.parse(text) as Json
  const holder = [JSON.parse(marked) as Json]
  remember(holder)
  return holder[0] ?? null
}

/** The text with a mark for each such number; strings are passed over by their quotes, as a pattern for long ones could fail. */
function marks(text: string): string {
  const parts: string[] = []
  for (let at = 0; at < text.length;) {
    const quote = text.indexOf('"', at)
    const end = quote === -1 ? text.length : quote
    const between = text.slice(at, end)
    parts.push(DIGIT.test(between) ? between.replace(NUMBER, markNumber) : between)
    if (quote === -1) break
    at = endOfString(text, quote) + 1
    parts.push(text.slice(quote, at))
  }
  return parts.join('')
}

const DIGIT = /\d/
const markNumber = (source: string): string => (isPlain(source) ? source : `"${MARK}${source}"`)

/** Whether a double is written as the text has it. */
const isPlain = (source: string): boolean => String(Number(source)) === source

/** Looks into strings as well, which costs less than to tell them apart. */
function hasInexact(text: string): boolean {
  for (const [source] of text.matchAll(NUMBER)) if (!isPlain(source)) return true
  return false
}

/** Puts doubles in the place of the marks. Whether there were any. */
function remember(value: Json[] | { [key: string]: Json }): boolean {
  let exact: Map<string | number, ExactNumber> | undefined
  let within = false
  const list = Array.isArray(value) ? value : undefined
  const members = value as { [key: string | number]: Json }
  for (const key of list?.keys() ?? Object.keys(value)) {
    const member = members[key]
    if (typeof member === 'string') {
      if (!member.startsWith(MARK)) continue
      const source = member.slice(MARK.length)
      exact ??= new Map()
      exact.set(key, new ExactNumber(source))
      put(members, key, Number(source))
    } else if (typeof member === 'object' && member !== null && remember(member)) within = true
  }
  if (exact === undefined && !within) return false
  exactOf.set(value, exact ?? NOTHING)
  return true
}

const NOTHING: Exact = new Map()

function put(members: { [key: string | number]: Json }, key: string | number, value: number): void {
  if (key !== '__proto__') members[key] = value
  else Object.defineProperty(members, key, { value, enumerable: true, writable: true, configurable: true })
}

/**
 * The value with the digits that `original` was parsed from, wherever it has the same number at the same place; the value itself
 * where there is nothing to put back. For `JSON.stringify`, and for nothing else.
 */
export function withDigits(value: Json, original: Json | undefined = value): Json {
  if (!isContainer(value) || !isContainer(original)) return value
  if (exactOf.has(original)) return putBack(value, original, exactOf.get(original))
  // A structured result that is no object has a member of ours around it for older clients.
  const { result } = original as { result?: Json }
  return isContainer(result) && exactOf.has(result) ? putBack(value, original, undefined) : value
}

/** An object or list that was made around parsed values, so that their digits are found through it; the same object. */
export function aroundDigits<Made extends object>(made: Made): Made {
  const members: unknown[] = Object.values(made)
  if (members.some((member) => typeof member === 'object' && member !== null && exactOf.has(member)))
    exactOf.set(made, NOTHING)
  return made
}

type Container = Json[] | { [key: string]: Json }
const isContainer = (value: Json | undefined): value is Container =>
  typeof value === 'object' && value !== null && !(value instanceof ExactNumber)

function putBack(value: Container, original: Container, exact: Exact | undefined): Json {
  if (Array.isArray(value)) {
    if (!Array.isArray(original)) return value
    return value.map((member, at) => putMember(member, original[at], exact?.get(at)))
  }
  if (Array.isArray(original)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      putMember(member, Object.hasOwn(original, name) ? original[name] : undefined, exact?.get(name)),
    ]),
  )
}

function putMember(member: Json, original: Json | undefined, exact: ExactNumber | undefined): Json {
  if (exact !== undefined) return Object.is(member, original) ? (exact as unknown as Json) : member
  if (!isContainer(member) || !isContainer(original) || !exactOf.has(original)) return member
  return putBack(member, original, exactOf.get(original))
}

/**
 * The first number whose double is another number, by the names and places that lead to it, with that double; undefined where there is
 * none. `value` is what was parsed, or holds it.
 */
export function findRounded(value: Json, keys: readonly (string | number)[] = []): Rounded | undefined {
  if (!isContainer(value)) return undefined
  for (const [key, { source }] of exactOf.get(value) ?? NOTHING)
    if (!isExact(source)) return { keys: [...keys, key], double: Number(source) }
  for (const [key, member] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    const found = findRounded(member, [...keys, key])
    if (found !== undefined) return found
  }
  return undefined
}

export interface Rounded {
  readonly keys: readonly (string | number)[]
  readonly double: number
}

/** For people: numbers that a double would change beyond their form are texts of their digits. */
export function withDigitsAsText(value: Json, original: Json | undefined = value): Json {
  return withShownNumbers(withDigits(value, original))
}

function withShownNumbers(value: Json): Json {
  if (value instanceof ExactNumber) return isExact(value.source) ? Number(value.source) : value.source
  if (Array.isArray(value)) return value.map(withShownNumbers)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withShownNumbers(member)]))
}

/** Whether the double is the same number in another form: `1.0`, `1e3`. */
function isExact(source: string): boolean {
  const number = Number(source)
  if (!Number.isFinite(number)) return false
  return digitsOf(source) === digitsOf(String(number))
}

/** Significant digits and exponent, one text for one number. */
function digitsOf(source: string): string {
  const [, sign = '', whole = '', part = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(source) ?? []
  const digits = `${whole}${part}`.replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  return `${sign}${significant}e${Number(power) - part.length + (digits.length - significant.length)}`
}
