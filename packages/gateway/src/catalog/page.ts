/**
 * Pages of a list: an opaque, signed cursor names the last item given, so that a page survives a change of the list.
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

export interface Page {
  readonly items: readonly JsonObject[]
  readonly nextCursor: string | undefined
}

/** `scope` names list, endpoint and principal; `member` is what names an item in this list. */
export function pageOf(
  list: readonly JsonObject[],
  { cursor, scope, member, signer, size = PAGE_SIZE }: { cursor: string | undefined; scope: string; member: string; signer: Signer; size?: number },
): Page {
  const start = cursor === undefined ? 0 : after(list, member, readCursor(cursor, scope, signer))
  const end = start + size
  const last = list[end - 1]
  const more = end < list.length && last !== undefined
  return {
    items: start === 0 && !more ? list : list.slice(start, end),
    nextCursor: more ? writeCursor(String(last[member]), scope, signer) : undefined,
  }
}

function after(list: readonly JsonObject[], member: string, name: string): number {
  const at = list.findIndex((item) => item[member] === name)
  if (at === -1) throw new Fault('cursor.unknown')
  return at + 1
}

const writeCursor = (name: string, scope: string, signer: Signer): string =>
  `${Buffer.from(name).toString('base64url')}.${signer.sign(`${scope}\n${name}`, PURPOSE)}`

function readCursor(cursor: string, scope: string, signer: Signer): string {
  const [encoded = '', signature = ''] = cursor.split('.')
  const name = Buffer.from(encoded, 'base64url').toString()
  if (!signer.verify(`${scope}\n${name}`, signature, PURPOSE)) throw new Fault('cursor.unknown')
  return name
}
