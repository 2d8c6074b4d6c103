/**
 * Filters of SCIM (RFC 7644, section 3.4.2.2): read into a tree, and compared with a resource. Length, depth and the number of
 * comparisons are bounded. Texts are compared without regard to case, as RFC 7643 has it for all attributes that are compared here
 * but ids.
 */
import { checkText } from './input.ts'
import { refused } from './refuse.ts'

export type Operator = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le' | 'pr'
type Value = string | number | boolean | null
export type Filter =
  | { readonly is: 'and'; readonly left: Filter; readonly right: Filter }
  | { readonly is: 'or'; readonly left: Filter; readonly right: Filter }
  | { readonly is: 'not'; readonly of: Filter }
  /** `emails[type eq "work"]` */
  | { readonly is: 'some'; readonly path: string; readonly of: Filter }
  | { readonly is: 'compare'; readonly path: string; readonly by: Operator; readonly value: Value }

const MOST_CHARACTERS = 2_000
const MOST_DEPTH = 10
const MOST_COMPARISONS = 30
const OPERATORS: ReadonlySet<string> = new Set(['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le', 'pr'])
const TOKEN = /\s*(?:("(?:[^"\\]|\\.)*")|([()[\]])|([^\s()[\]"]+))/y
const CORE = 'urn:ietf:params:scim:schemas:core:2.0:'

const invalid = (problem: string) => refused('invalidFilter', problem)

function tokensOf(text: string): string[] {
  if (text.length > MOST_CHARACTERS) throw refused('tooMany', `the filter is longer than ${MOST_CHARACTERS} characters`)
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length && text.slice(TOKEN.lastIndex).trim() !== '') {
    const found = TOKEN.exec(text)
    if (found === null) throw invalid('a text in the filter does not end')
    tokens.push(found[1] ?? found[2] ?? found[3] ?? '')
  }
  return tokens
}

/** Throws `scim.refused`. */
export function readFilter(text: string): Filter {
  const reader = new FilterReader(tokensOf(text))
  const filter = reader.either(0)
  if (!reader.isOver()) throw invalid(`the filter goes on where it should end: ${reader.rest()}`)
  return filter
}

class FilterReader {
  readonly #tokens: readonly string[]
  #at = 0
  #comparisons = 0

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens
  }

  isOver(): boolean {
    return this.#at >= this.#tokens.length
  }

  rest(): string {
    return this.#tokens.slice(this.#at, this.#at + 3).join(' ')
  }

  #take(): string {
    const token = this.#tokens[this.#at++]
    if (token === undefined) throw invalid('the filter ends too early')
    return token
  }

  #takes(word: string): boolean {
    if (this.#tokens[this.#at]?.toLowerCase() !== word) return false
    this.#at++
    return true
  }

  either(depth: number): Filter {
    let left = this.#both(depth)
    while (this.#takes('or')) left = { is: 'or', left, right: this.#both(depth) }
    return left
  }

  #both(depth: number): Filter {
    let left = this.#single(depth)
    while (this.#takes('and')) left = { is: 'and', left, right: this.#single(depth) }
    return left
  }

  #single(depth: number): Filter {
    if (depth > MOST_DEPTH) throw refused('tooMany', `the filter is nested more than ${MOST_DEPTH} times`)
    if (this.#takes('not')) return { is: 'not', of: this.#single(depth + 1) }
    if (this.#takes('(')) return this.#until(')', depth)
    const path = pathOf(this.#take())
    if (this.#takes('[')) return this.#some(path, depth)
    return this.#compare(path)
  }

  #until(end: string, depth: number): Filter {
    const inner = this.either(depth + 1)
    if (!this.#takes(end)) throw invalid(`"${end}" is missing`)
    return inner
  }

  /** `emails[type eq "work"].value eq "x"` is a comparison of the same entry. */
  #some(path: string, depth: number): Filter {
    const of = this.#until(']', depth)
    const next = this.#tokens[this.#at]
    if (next === undefined || !next.startsWith('.')) return { is: 'some', path, of }
    this.#at++
    return { is: 'some', path, of: { is: 'and', left: of, right: this.#compare(pathOf(next.slice(1))) } }
  }

  #compare(path: string): Filter {
    if (++this.#comparisons > MOST_COMPARISONS)
      throw refused('tooMany', `the filter has more than ${MOST_COMPARISONS} comparisons`)
    const by = this.#take().toLowerCase()
    if (!OPERATORS.has(by)) throw invalid(`"${by.slice(0, 20)}" is not an operator`)
    return { is: 'compare', path, by: by as Operator, value: by === 'pr' ? null : valueOf(this.#take()) }
  }
}

function pathOf(token: string): string {
  const path = token.toLowerCase().startsWith(CORE) ? token.slice(CORE.length).replace(/^\w+:/, '') : token
  if (!/^[A-Za-z$][\w$.:-]*$/.test(path)) throw invalid(`"${token.slice(0, 40)}" is not the name of an attribute`)
  return path.toLowerCase()
}

function valueOf(token: string): Value {
  if (token.startsWith('"')) {
    let text: string
    try {
      text = JSON.parse(token) as string
    } catch {
      throw invalid('a text in the filter is not written as in JSON')
    }
    checkText(text)
    return text
  }
  const word = token.toLowerCase()
  if (word === 'true' || word === 'false') return word === 'true'
  if (word === 'null') return null
  if (/^-?\d+(?:\.\d+)?$/.test(token)) return Number(token)
  throw invalid(`"${token.slice(0, 40)}" is not a value: texts stand in quotation marks`)
}

type Json = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The values at a path, whatever the case of its names; a URN of a schema is one name. */
export function valuesAt(resource: unknown, path: string): unknown[] {
  if (Array.isArray(resource)) return resource.flatMap((item) => valuesAt(item, path))
  if (!isObject(resource)) return []
  for (const [name, value] of Object.entries(resource)) {
    const key = name.toLowerCase()
    if (key === path) return Array.isArray(value) ? value : [value]
    if (path.startsWith(key) && /[.:]/.test(path.charAt(key.length))) return valuesAt(value, path.slice(key.length + 1))
  }
  return []
}

export function matches(filter: Filter, resource: unknown): boolean {
  if (filter.is === 'and') return matches(filter.left, resource) && matches(filter.right, resource)
  if (filter.is === 'or') return matches(filter.left, resource) || matches(filter.right, resource)
  if (filter.is === 'not') return !matches(filter.of, resource)
  if (filter.is === 'some') return valuesAt(resource, filter.path).some((item) => matches(filter.of, item))
  const values = valuesAt(resource, filter.path).flatMap((value) => simple(value))
  if (filter.by === 'pr') return values.some((value) => value !== null && value !== '')
  if (filter.by === 'ne') return values.every((value) => !compares('eq', value, filter.value))
  if (filter.value === null) return filter.by === 'eq' && values.length === 0
  return values.some((value) => compares(filter.by, value, filter.value))
}

/** An entry of a multi-valued attribute stands for its `value`. */
const simple = (value: unknown): unknown[] => {
  if (value === undefined || value === null) return []
  return isObject(value) ? ('value' in value ? [value['value']] : [true]) : [value]
}

function compares(by: Operator, value: unknown, to: Value): boolean {
  if (typeof value !== typeof to) return typeof value === 'boolean' && String(value) === String(to).toLowerCase()
  const [left, right] = typeof value === 'string' ? ordered(value, String(to)) : [value as number, to as number]
  if (by === 'eq') return left === right
  if (by === 'gt' || by === 'ge') return left > right || (by === 'ge' && left === right)
  if (by === 'lt' || by === 'le') return left < right || (by === 'le' && left === right)
  const [text, wanted] = [String(left), String(right)]
  if (by === 'co') return text.includes(wanted)
  return by === 'sw' ? text.startsWith(wanted) : by === 'ew' && text.endsWith(wanted)
}

const DATE = /^\d{4}-\d\d-\d\dT/

/** Times are compared as times, whatever their zone. */
function ordered(value: string, to: string): [string | number, string | number] {
  if (DATE.test(value) && DATE.test(to)) return [Date.parse(value), Date.parse(to)]
  return [value.toLowerCase(), to.toLowerCase()]
}

/** The comparisons that all have to be true, each with its path; entries of `emails[…]` by their `value`. */
export function needed(filter: Filter | undefined): { path: string; by: Operator; value: Value }[] {
  if (filter === undefined) return []
  if (filter.is === 'and') return [...needed(filter.left), ...needed(filter.right)]
  if (filter.is === 'compare') return [{ path: filter.path, by: filter.by, value: filter.value }]
  if (filter.is === 'some')
    return needed(filter.of).map(({ path, ...rest }) => ({ path: `${filter.path}.${path}`, ...rest }))
  return []
}

/** All comparisons of a filter, whether they have to be true or not; those of `emails[…]` by their whole path. */
export function comparisonsIn(filter: Filter): { path: string; by: Operator; value: Value }[] {
  if (filter.is === 'compare') return [{ path: filter.path, by: filter.by, value: filter.value }]
  if (filter.is === 'not') return comparisonsIn(filter.of)
  if (filter.is === 'some')
    return comparisonsIn(filter.of).map(({ path, ...rest }) => ({ path: `${filter.path}.${path}`, ...rest }))
  return [...comparisonsIn(filter.left), ...comparisonsIn(filter.right)]
}
