/** Finds data of other organizations in an answer. */
import { roleAt } from './expected.ts'
import type { Answered } from './request.ts'
import { SIDES, type Side } from './sides.ts'
import type { Caller } from './town.ts'

export type Markers = Readonly<Record<Side, readonly string[]>>

/** Documents of this length (characters) are the same for all callers: each is searched once for the names of an organization. */
const LARGE = 100_000
const inDocuments = new WeakMap<readonly string[], Map<string, readonly string[]>>()

function foundIn(text: string, names: readonly string[]): readonly string[] {
  if (text.length < LARGE) return names.filter((name) => text.includes(name))
  const searched = inDocuments.get(names) ?? new Map<string, readonly string[]>()
  inDocuments.set(names, searched)
  const found = searched.get(text) ?? names.filter((name) => text.includes(name))
  searched.set(text, found)
  return found
}

/** Returns texts and ids of organizations where the caller has no role. Text that the caller sent itself may be returned. */
export function leaksIn({ text, headers }: Answered, caller: Caller, markers: Markers, sent: string): string[] {
  if (caller.platform) return []
  const fields = JSON.stringify(headers)
  return SIDES.filter((side) => roleAt(caller, side) === undefined)
    .flatMap((side) => [...foundIn(text, markers[side]), ...foundIn(fields, markers[side])])
    .filter((marker) => !sent.includes(marker))
}
