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
  {
    cursor,
    scope,
    member,
    signer,
    size = PAGE_SIZE,
  }: { cursor: string | undefined; scope: string; member: string; signer: Signer; size?: number },
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

/** What is signed is the cursor as it is written, so that there is one way to write it. */
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
