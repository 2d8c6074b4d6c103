/**
 * Pages of a list: an opaque, signed cursor names the last item given, so that a page survives a change of the list: what is
 * longer than a page is ordered by name, and the next page begins behind that name, whether or not it is still there.
 *
 * The signature binds a cursor to its list and to whom it was given; any other cursor is refused, never guessed at.
 */
import { Fault } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'

export interface Signer {
  sign(text: string, purpose: string): string
  verify(text: string, signature: string, purpose: string): boolean
}

/** Many clients never ask for a second page, so the first one is large. */
export const PAGE_SIZE = 1000
const PURPOSE = 'cursor'
/** Characters of JSON of the items of a page: whoever lists holds up every other call for as long as a page takes to write. */
export const PAGE_SIZE_LIMIT_CHARACTERS = 1024 * 1024

export interface Page {
  readonly items: readonly JsonObject[]
  readonly nextCursor: string | undefined
}

const sorted = new WeakMap<readonly JsonObject[], readonly JsonObject[]>()

/** A list as its pages want it: what fits one page keeps its order. Names are compared by their UTF-16 code units. */
export function ordered(list: readonly JsonObject[], member: string, size = PAGE_SIZE): readonly JsonObject[] {
  if (fitsPage(list, size)) return list
  const known = sorted.get(list)
  if (known !== undefined) return known
  const made = list.toSorted((first, other) => (String(first[member]) < String(other[member]) ? -1 : 1))
  // In order, it is its own order: pages of the same list ask once more.
  sorted.set(list, made).set(made, made)
  return made
}

const sizes = new WeakMap<JsonObject, number>()

/** Definitions do not change, so that each is measured once. */
function sizeOf(item: JsonObject): number {
  const known = sizes.get(item)
  if (known !== undefined) return known
  const size = JSON.stringify(item).length
  sizes.set(item, size)
  return size
}

/** How many of the first ones make a page; one at least. */
function countOf(list: readonly JsonObject[], size: number): number {
  const most = Math.min(size, list.length)
  let length = 0
  for (let count = 0; count < most; count++) {
    length += sizeOf(list[count] as JsonObject)
    if (length > PAGE_SIZE_LIMIT_CHARACTERS) return Math.max(count, 1)
  }
  return most
}

const fitsPage = (list: readonly JsonObject[], size: number) =>
  list.length <= size && countOf(list, size) === list.length

/** `list` is ordered by `member` where it is longer than a page. `scope` names list, endpoint and principal; `member` is what names an item in this list. */
export function pageOf(
  list: readonly JsonObject[],
  {
    cursor,
    scope,
    member,
    signer,
    size = PAGE_SIZE,
  }: { cursor: string | undefined; scope: string; member: string; signer: Signer; size?: number },
): Page {
  const rest = cursor === undefined ? list : behind(list, member, readCursor(cursor, scope, signer))
  const count = countOf(rest, size)
  const last = rest[count - 1]
  if (rest.length <= count || last === undefined) return { items: rest, nextCursor: undefined }
  return { items: rest.slice(0, count), nextCursor: writeCursor(String(last[member]), scope, signer) }
}

const behind = (list: readonly JsonObject[], member: string, name: string) =>
  list.filter((item) => String(item[member]) > name)

/** The signature covers the cursor as it is written, so that it has only one written form. */
function writeCursor(name: string, scope: string, signer: Signer): string {
  const encoded = Buffer.from(name).toString('base64url')
  return `${encoded}.${signer.sign(`${scope}\n${encoded}`, PURPOSE)}`
}

function readCursor(cursor: string, scope: string, signer: Signer): string {
  const dot = cursor.indexOf('.')
  const encoded = cursor.slice(0, Math.max(dot, 0))
  if (!signer.verify(`${scope}\n${encoded}`, cursor.slice(dot + 1), PURPOSE)) throw new Fault('cursor.unknown')
  return Buffer.from(encoded, 'base64url').toString()
}
