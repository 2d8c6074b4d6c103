/**
 * Lists of SCIM (RFC 7644, section 3.4.2; RFC 9865): filtered, sorted, and read by index or cursor. What an index finds is found by it;
 * any other filter is compared row by row, up to a number of rows, and refused as `tooMany` beyond.
 */
import { matches, needed, readFilter, type Filter } from './filter.ts'
import { isStorable } from './input.ts'
import { refused } from './refuse.ts'
import type { Json } from './schemas.ts'

export const MOST_ITEMS = 500
const USUAL_ITEMS = 100
const MOST_SCANNED = 20_000
const BATCH = 500
const MOST_INDEX = 1_000_000_000

export interface ListQuery {
  readonly filter?: string | undefined
  readonly sortBy?: string | undefined
  readonly sortOrder?: string | undefined
  readonly startIndex?: string | undefined
  readonly count?: string | undefined
  readonly cursor?: string | undefined
}

export interface Wanted {
  readonly active: boolean | null
  readonly since: string | null
  readonly sort: string
  readonly down: boolean
  readonly after: readonly [string, string] | null
  readonly offset: number
  readonly limit: number
}

interface ListedRow {
  readonly id: string
  readonly key: string
}

export interface Listed<Row> {
  /** Attributes whose equality an index finds, by the name of its narrowing. */
  readonly indexed: Readonly<Record<string, string>>
  narrow(by: string, is: string): Promise<readonly Omit<Row, 'key'>[]>
  count(wanted: Wanted): Promise<number>
  list(wanted: Wanted): Promise<readonly Row[]>
  /** Rows as this filter sees them. */
  toCompared(rows: readonly Omit<Row, 'key'>[], filter: Filter): Promise<readonly Json[]>
  /** Rows as they are answered. */
  toResources(rows: readonly Omit<Row, 'key'>[]): Promise<readonly Json[]>
}

export interface Page {
  readonly total: number
  readonly resources: readonly Json[]
  readonly startIndex: number
  readonly nextCursor: string | undefined
}

/** Throws `scim.refused`. */
export const wholeOf = (stated: unknown, usual: number): number => {
  if (stated === undefined || stated === null || stated === '') return usual
  const value = typeof stated === 'string' || typeof stated === 'number' ? Number(stated) : Number.NaN
  if (!Number.isSafeInteger(value) || Math.abs(value) > MOST_INDEX)
    throw refused('invalidValue', `startIndex and count are whole numbers of at most ${MOST_INDEX}`)
  return value
}

/** Throws `scim.refused`. */
export async function listPage<Row extends ListedRow>(of: Listed<Row>, query: ListQuery): Promise<Page> {
  const filter = query.filter === undefined || query.filter === '' ? undefined : readFilter(query.filter)
  const limit = Math.min(Math.max(wholeOf(query.count, USUAL_ITEMS), 0), MOST_ITEMS)
  const cursor = query.cursor === undefined ? undefined : readCursor(query.cursor)
  const startIndex = Math.max(wholeOf(query.startIndex, 1), 1)
  const offset = cursor === undefined ? startIndex - 1 : (cursor.offset ?? 0)
  const wanted: Wanted = {
    ...pushedDown(filter),
    ...{ sort: (query.sortBy ?? '').toLowerCase(), down: query.sortOrder?.toLowerCase() === 'descending' },
    ...{ after: cursor?.after ?? null, offset, limit: limit + 1 },
  }
  const narrowing = narrowingOf(filter, of.indexed)
  if (narrowing === undefined && isCovered(filter)) {
    const rows = await of.list(wanted)
    const [page, last] = [rows.slice(0, limit), rows[limit - 1]]
    const next = rows.length > limit && last !== undefined ? cursorOf({ after: [last.key, last.id] }) : undefined
    const resources = await of.toResources(page)
    return { total: await of.count(wanted), resources, startIndex, nextCursor: next }
  }
  const found =
    narrowing === undefined
      ? await scan(of, wanted, filter, { offset, limit })
      : window(await compared(of, await of.narrow(...narrowing), filter), { offset, limit })
  const next = found.total > offset + limit ? cursorOf({ offset: offset + limit }) : undefined
  return { total: found.total, resources: await of.toResources(found.rows), startIndex, nextCursor: next }
}

interface Window {
  readonly offset: number
  readonly limit: number
}

const window = <Row>(found: readonly Row[], { offset, limit }: Window) => ({
  total: found.length,
  rows: found.slice(offset, offset + limit),
})

async function compared<Row extends ListedRow>(
  of: Listed<Row>,
  rows: readonly Omit<Row, 'key'>[],
  filter: Filter | undefined,
) {
  if (filter === undefined) return rows
  const resources = await of.toCompared(rows, filter)
  return rows.filter((_, at) => matches(filter, resources[at]))
}

/** Only the window is held, however many match. */
async function scan<Row extends ListedRow>(
  of: Listed<Row>,
  wanted: Wanted,
  filter: Filter | undefined,
  { offset, limit }: Window,
) {
  const count = await of.count(wanted)
  if (count > MOST_SCANNED)
    throw refused(
      'tooMany',
      `this filter cannot be answered for ${count} resources: filter by userName, externalId or emails`,
    )
  const rows: Omit<Row, 'key'>[] = []
  let total = 0
  let after: Wanted['after'] = null
  for (;;) {
    const batch: readonly Row[] = await of.list({ ...wanted, after, offset: 0, limit: BATCH })
    for (const row of await compared(of, batch, filter)) if (++total > offset && rows.length < limit) rows.push(row)
    const last = batch.at(-1)
    if (batch.length < BATCH || last === undefined) return { total, rows }
    after = [last.key, last.id]
  }
}

function narrowingOf(filter: Filter | undefined, indexed: Listed<ListedRow>['indexed']): [string, string] | undefined {
  for (const { path, by, value } of needed(filter)) {
    const named = Object.hasOwn(indexed, path) ? indexed[path] : undefined
    if (by === 'eq' && typeof value === 'string' && named !== undefined) return [named, value]
  }
  return undefined
}

/** Of years that the database has, too. */
const isTime = (value: unknown): value is string => {
  const year = typeof value === 'string' ? new Date(value).getUTCFullYear() : Number.NaN
  return year >= 1 && year <= 9_999
}

/** What the statement of a list decides itself, and all that it is asked to. */
function pushedDown(filter: Filter | undefined): Pick<Wanted, 'active' | 'since'> {
  const all = needed(filter)
  const active = all.find(({ path, by, value }) => path === 'active' && by === 'eq' && typeof value === 'boolean')
  const since = all.find(
    ({ path, by, value }) => path === 'meta.lastmodified' && (by === 'ge' || by === 'gt') && isTime(value),
  )
  return {
    active: active === undefined ? null : active.value === true,
    since: since === undefined ? null : new Date(String(since.value)).toISOString(),
  }
}

function isCovered(filter: Filter | undefined): boolean {
  if (filter === undefined) return true
  if (filter.is === 'and') return isCovered(filter.left) && isCovered(filter.right)
  if (filter.is !== 'compare') return false
  if (filter.by === 'pr') return filter.path === 'id' || filter.path === 'username' || filter.path === 'schemas'
  return filter.path === 'active' && filter.by === 'eq' && typeof filter.value === 'boolean'
}

interface Cursor {
  readonly after?: readonly [string, string]
  readonly offset?: number
}

const cursorOf = (cursor: Cursor): string => Buffer.from(JSON.stringify(cursor)).toString('base64url')

/** An empty one is the beginning. Not secret: what may be seen is decided when the page is read. */
function readCursor(text: string): Cursor {
  if (text === '') return {}
  try {
    const { after, offset } = JSON.parse(Buffer.from(text.slice(0, 4_000), 'base64url').toString()) as Cursor
    if (Array.isArray(after) && after.length === 2 && after.every((item) => isStorable(item))) return { after }
    if (Number.isInteger(offset) && Number(offset) >= 0 && Number(offset) <= MOST_INDEX)
      return { offset: Number(offset) }
  } catch {
    // Refused below.
  }
  throw refused('invalidCursor', 'this cursor is not from a list of this gateway')
}

/** `attributes` and `excludedAttributes` (RFC 7644, section 3.9); `schemas` and `id` are always there. */
export function projected(resource: Json, attributes: string | undefined, excluded: string | undefined): Json {
  if (attributes !== undefined && attributes !== '') return picked(resource, namesIn(attributes))
  return excluded === undefined || excluded === '' ? resource : without(resource, namesIn(excluded))
}

const CORE = /^urn:ietf:params:scim:schemas:core:2\.0:\w+:/i
const namesIn = (list: string): string[] =>
  list
    .slice(0, 4_000)
    .split(',')
    .map((name) => name.trim().replace(CORE, '').toLowerCase())

const ALWAYS: ReadonlySet<string> = new Set(['schemas', 'id'])

/** The names of what is within an attribute. */
const within = (names: readonly string[], name: string): string[] =>
  names.flatMap((item) =>
    item.startsWith(name) && /[.:]/.test(item.charAt(name.length)) ? [item.slice(name.length + 1)] : [],
  )

const each = (value: unknown, work: (item: Json) => Json): unknown =>
  Array.isArray(value)
    ? value.map((item: unknown) => each(item, work))
    : typeof value === 'object' && value !== null
      ? work(value as Json)
      : value

const picked = (resource: Json, names: readonly string[], always = ALWAYS): Json =>
  Object.fromEntries(
    Object.entries(resource).flatMap(([name, value]) => {
      const key = name.toLowerCase()
      if (always.has(name) || names.includes(key)) return [[name, value]]
      const inner = within(names, key)
      return inner.length === 0 ? [] : [[name, each(value, (item) => picked(item, inner, new Set()))]]
    }),
  )

const without = (resource: Json, names: readonly string[], always = ALWAYS): Json =>
  Object.fromEntries(
    Object.entries(resource).flatMap(([name, value]) => {
      const key = name.toLowerCase()
      if (names.includes(key) && !always.has(name)) return []
      const inner = within(names, key)
      return [[name, inner.length === 0 ? value : each(value, (item) => without(item, inner, new Set()))]]
    }),
  )
