/**
 * What of one server's lists is taken: definitions that clients can read (`@toolway/protocol`, reading/), and lists and catalogs that
 * are bounded in bytes, because every list of every client carries them. The rest is left out, each with its reason, and never cut.
 */
import { isObject, readDefinition, type Definition, type Json, type JsonObject, type Revision } from '@toolway/protocol'
import type { LeftOut } from '../upstream.ts'

/** An upstream that never stops giving cursors must not fill the memory. */
export const MAX_PAGES = 100
export const MAX_ITEMS = 20_000
/** Bytes of JSON: of one definition, of all lists of one connection, and of all catalogs of one organization. */
export const MAX_DEFINITION_BYTES = 64 * 1024
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

const DEFINITIONS = {
  'tools/list': 'tool',
  'resources/list': 'resource',
  'resources/templates/list': 'template',
  'prompts/list': 'prompt',
} as const satisfies Record<string, Definition>
export type ListMethod = keyof typeof DEFINITIONS

export interface OfferBounds {
  readonly leftOut: readonly LeftOut[]
  /** Taken, and repaired in these places. */
  readonly repaired: readonly LeftOut[]
  /** The definition as it is taken; undefined where it is not. `revision`: what its server speaks. */
  read(method: ListMethod, item: Json, revision: Revision): JsonObject | undefined
  /** The list goes on, and is not followed. */
  ends(method: string, reason: string): void
}

/** Of all lists of one look at a connection. */
export function createOfferBounds(): OfferBounds {
  const leftOut = createLeftOut()
  const repaired = createLeftOut()
  let bytes = 0
  let full = false

  function takes(name: string, item: JsonObject): boolean {
    const size = bytesOf(item)
    if (size > MAX_DEFINITION_BYTES) {
      leftOut.add(name, `its definition is larger than ${inKiB(MAX_DEFINITION_BYTES)}, which no client could use`)
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
  }

  return {
    leftOut: leftOut.items,
    repaired: repaired.items,
    read(method, item, revision) {
      if (!isObject(item)) {
        leftOut.add(method, 'an entry of the list is no object')
        return undefined
      }
      const name = nameOf(item) ?? method
      if (!takes(name, item)) return undefined
      const read = readDefinition(DEFINITIONS[method], item, revision)
      if ('reason' in read) {
        leftOut.add(name, read.reason)
        return undefined
      }
      if (read.repairs.length > 0) repaired.add(name, wordRepairs(read.repairs))
      return read.item
    },
    ends: (method, reason) => leftOut.add(method, reason),
  }
}

const nameOf = ({ name, uri, uriTemplate }: JsonObject): string | undefined =>
  [name, uri, uriTemplate].find((text) => typeof text === 'string' && text !== '') as string | undefined

/** Places that are named of one definition. */
const MAX_PLACES = 5
const MAX_REASON = 1_000

function wordRepairs(repairs: readonly string[]): string {
  const more = repairs.length - MAX_PLACES
  const places = repairs.slice(0, MAX_PLACES).join('; ')
  return (more > 0 ? `${places}; and ${more} more` : places).slice(0, MAX_REASON)
}
