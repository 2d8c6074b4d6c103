/**
 * How much of what one server lists is taken: definitions, lists and catalogs are bounded in bytes, because every list of every
 * client carries them. The rest is left out, each with its reason, and never cut.
 */
import type { JsonObject } from '@toolway/protocol'
import type { LeftOut } from '../upstreams/upstream.ts'

/** An upstream that never stops giving cursors must not fill the memory. */
export const MAX_PAGES = 100
export const MAX_ITEMS = 20_000
/** Bytes of JSON: of one definition, of all lists of one connection, and of all catalogs of one organization. */
export const MAX_DEFINITION = 64 * 1024
export const MAX_OFFER = 8 * 1024 * 1024
export const MAX_ORGANIZATION = 64 * 1024 * 1024
/** So many are named, by so much of their names. */
const MAX_NAMED = 100
const MAX_NAME = 200

export const bytesOf = (item: JsonObject): number => Buffer.byteLength(JSON.stringify(item))

const inKiB = (bytes: number) => `${bytes / 1024} KiB`
export const inMiB = (bytes: number) => `${bytes / 1024 / 1024} MiB`

export interface LeftOutList {
  readonly items: readonly LeftOut[]
  add(name: unknown, reason: string): void
}

export function createLeftOut(before: readonly LeftOut[] = []): LeftOutList {
  const items = [...before]
  return {
    items,
    add(name, reason) {
      const more = { name: 'more', reason: 'more was left out than is listed here' }
      if (items.length < MAX_NAMED) items.push({ name: String(name).slice(0, MAX_NAME), reason })
      else if (items.length === MAX_NAMED) items.push(more)
    },
  }
}

export interface OfferBounds {
  readonly leftOut: readonly LeftOut[]
  /** Whether this one of a list is taken. */
  takes(method: string, item: JsonObject): boolean
  /** The list goes on, and is not followed. */
  ends(method: string, reason: string): void
}

/** Of all lists of one look at a connection. */
export function createOfferBounds(): OfferBounds {
  const leftOut = createLeftOut()
  let bytes = 0
  let full = false
  return {
    leftOut: leftOut.items,
    takes(method, item) {
      const size = bytesOf(item)
      const name = item['name'] ?? item['uri'] ?? item['uriTemplate'] ?? method
      if (size > MAX_DEFINITION) {
        leftOut.add(name, `its definition is larger than ${inKiB(MAX_DEFINITION)}, which no client could use`)
        return false
      }
      if (full || bytes + size > MAX_OFFER) {
        const reason = `the lists of one connection may have ${inMiB(MAX_OFFER)} in total, and this one and all after it exceed that`
        if (!full) leftOut.add(name, reason)
        full = true
        return false
      }
      bytes += size
      return true
    },
    ends: (method, reason) => leftOut.add(method, reason),
  }
}
