/** Finds data of other organizations in an answer. */
import { roleAt } from './expected.ts'
import type { Answered } from './request.ts'
import { SIDES, type Side } from './sides.ts'
import type { Caller } from './town.ts'

export type Markers = Readonly<Record<Side, readonly string[]>>

/** Returns texts and ids of organizations where the caller has no role. Text that the caller sent itself may be returned. */
export function leaksIn({ text, headers }: Answered, caller: Caller, markers: Markers, sent: string): string[] {
  if (caller.platform) return []
  const all = `${text} ${JSON.stringify(headers)}`
  return SIDES.filter((side) => roleAt(caller, side) === undefined).flatMap((side) =>
    markers[side].filter((marker) => all.includes(marker) && !sent.includes(marker)),
  )
}
