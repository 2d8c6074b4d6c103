/**
 * Pages of the administration's lists, the one way in which a list is cut: by `limit` and `cursor`, or by `offset` for those who
 * count. A cursor is opaque, names the order of its list and the key of the last row, and is not secret: what may be seen is
 * decided when the next page is read. A list is read with one row more than a page, which tells whether there is another page.
 *
 * Lists of MCP have cursors of their own, which are signed (catalog/page.ts).
 */
import { Fault } from '@toolway/contract'
import { eachOf } from './unreadable-rows.ts'

export interface PageQuery {
  readonly limit: number
  readonly offset: number
  readonly cursor?: string | undefined
}

export interface PageStart {
  /** The key of the last row of the page before; undefined on the first page and for those who give an offset. */
  readonly after: readonly string[] | undefined
  /** Rows to leave out; 0 behind a key. */
  readonly offset: number
  /** Rows to read: one more than a page. */
  readonly rowLimit: number
}

/** A page of a sorted list. */
export interface Order<Sort extends string> extends PageStart {
  /** Undefined: as the list is without one. */
  readonly sort: Sort | undefined
  readonly order: 'asc' | 'desc'
}

export interface PageOf<Item> {
  readonly items: Item[]
  readonly total: number
  readonly limit: number
  readonly offset: number
  readonly next_cursor?: string
}

/** The content of a cursor of a list without a key: the number of rows before it. */
const BY_COUNT = 'count'

interface SortedQuery<Sort extends string> extends PageQuery {
  readonly sort?: Sort | undefined
  readonly order: 'asc' | 'desc'
}

/** A page of a list whose key is what it is sorted by, and then the id of the row. */
export function sortedPage<Sort extends string>(query: SortedQuery<Sort>) {
  const { sort, order } = query
  const name = `${sort ?? ''} ${order}`
  return {
    order: { ...startOf(query, name, 2), sort, order },
    of: <Row extends { readonly key: string }, Item>(
      { rows, total }: { readonly rows: readonly Row[]; readonly total: number },
      idOf: (row: Row) => string,
      to: (row: Row) => Item,
    ): PageOf<Item> => pageOfRows(rows, { query, order: name, total, keyOf: (row) => [row.key, idOf(row)] }, to),
  }
}

/** As the database writes a time in a key: in UTC, to the microsecond. */
const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/

/** Throws `body.shape` where a part of a cursor is no time as the database writes it. */
export function refuseTime(text: string): void {
  if (!TIME.test(text)) throw unknownCursor()
}

/** A page of a list that is read from the newest row on. */
export interface Newest {
  /** Time and id of the last row of the page before; null on the first page. */
  readonly at: string | null
  readonly id: string | null
  readonly rowLimit: number
  readonly offset: number
}

/** A page of a list whose newest rows come first: its key is their time, and then their id. Throws `body.shape`. */
export function newestPage(query: PageQuery) {
  const { after: [at = null, id = null] = [], rowLimit, offset } = startOf(query, 'newest', 2)
  if (at !== null) refuseTime(at)
  return {
    from: { at, id, rowLimit, offset } satisfies Newest,
    of: <Row extends { readonly id: string; readonly key: string }, Item>(
      { rows, total }: { readonly rows: readonly Row[]; readonly total: number },
      to: (row: Row) => Item,
    ): PageOf<Item> => pageOfRows(rows, { query, order: 'newest', total, keyOf: ({ key, id: of }) => [key, of] }, to),
  }
}

/** @param order the filter and the order that the key belongs to; a cursor of another one is refused. Throws `body.shape`. */
export function startOf({ limit, offset, cursor }: PageQuery, order: string, parts: number): PageStart {
  if (cursor === undefined) return { after: undefined, offset, rowLimit: limit + 1 }
  const [of, ...after] = readCursor(cursor)
  if (of !== order || after.length !== parts) throw unknownCursor()
  return { after, offset: 0, rowLimit: limit + 1 }
}

interface Paged<Row> {
  readonly query: PageQuery
  readonly order: string
  /** Of all pages. */
  readonly total: number
  keyOf(row: Row): readonly string[]
}

/** @param rows what was read from `startOf` on */
export function pageOfRows<Row, Item>(
  rows: readonly Row[],
  { query, order, total, keyOf }: Paged<Row>,
  to: (row: Row) => Item,
): PageOf<Item> {
  const { limit, offset } = query
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const more = rows.length > limit && last !== undefined
  return {
    items: eachOf(shown, to),
    total,
    limit,
    offset,
    ...(more ? { next_cursor: writeCursor([order, ...keyOf(last)]) } : {}),
  }
}

/** A page of a list that is whole in memory, in whichever order; only what is on it is put in its shape. */
export function pageFrom<Row, Item>(all: readonly Row[], query: PageQuery, to: (row: Row) => Item): PageOf<Item> {
  const start = countedStart(query)
  return pageAt(all.slice(start, start + query.limit + 1), { query, start, total: all.length }, to)
}

/** How many rows are before the page of a list whose cursors count. Throws `body.shape`. */
export function countedStart({ offset, cursor }: PageQuery): number {
  if (cursor === undefined) return offset
  const [of, before = ''] = readCursor(cursor)
  if (of !== BY_COUNT || !/^\d{1,9}$/.test(before)) throw unknownCursor()
  return Number(before)
}

/** Rows to read, and how many to leave out before them, of a list in SQL whose cursors count. */
export interface Part {
  readonly rowLimit: number
  readonly offset: number
}

/** Throws `body.shape`. */
export const partOf = (query: PageQuery): Part => ({ rowLimit: query.limit + 1, offset: countedStart(query) })

/** @param rows what was read from `start` on: one more than a page, where there is one more */
export function pageAt<Row, Item>(
  rows: readonly Row[],
  { query, start, total }: { readonly query: PageQuery; readonly start: number; readonly total: number },
  to: (row: Row) => Item,
): PageOf<Item> {
  const { limit } = query
  const more = rows.length > limit || start + rows.length < total
  return {
    items: eachOf(rows.slice(0, limit), to),
    total,
    limit,
    offset: start,
    ...(more && rows.length > 0 ? { next_cursor: writeCursor([BY_COUNT, String(start + limit)]) } : {}),
  }
}

const writeCursor = (parts: readonly string[]): string => Buffer.from(JSON.stringify(parts)).toString('base64url')

function readCursor(cursor: string): string[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (Array.isArray(parts) && parts.every(isText)) return parts
  } catch {
    // As below.
  }
  throw unknownCursor()
}

/** PostgreSQL takes no NUL in a text. */
const isText = (keyPart: unknown): keyPart is string => typeof keyPart === 'string' && !keyPart.includes('\0')

export const unknownCursor = () =>
  new Fault('body.shape', { place: '/cursor', problem: 'is not a cursor of this list with this order' })
