/**
 * Refusals of callers whom nobody knows: which of them are put on record, under the platform.
 *
 * Whoever can reach the gateway can be refused as often as they like, so a record of each would be a flood. The first refusal of one
 * kind from one address is on record at once; those that follow within a minute are counted, and the count is on record after it.
 */
import type { Entry } from './records.ts'

export interface Refusals {
  take(entry: Entry): void
  close(): void
}

export interface RefusalsParts {
  write(entry: Entry): void
  readonly now: () => number
}

interface Kind {
  readonly since: number
  more: number
  last: Entry
}

const WINDOW_MS = 60_000
/** Addresses and kinds that are told apart; beyond it they are counted together. */
const MOST = 1_000
const OTHERS = 'others'

export function createRefusals({ write, now }: RefusalsParts): Refusals {
  const kinds = new Map<string, Kind>()
  const sweep = setInterval(() => settleKinds((kind) => now() - kind.since >= WINDOW_MS), WINDOW_MS / 2).unref()

  function settleKinds(isOver: (kind: Kind) => boolean): void {
    for (const [name, kind] of kinds) {
      if (!isOver(kind)) continue
      kinds.delete(name)
      if (kind.more > 0)
        write(onRecord(kind.last, { more: kind.more, ...(name === OTHERS ? { from: 'many addresses' } : {}) }))
    }
  }

  return {
    take(entry) {
      const own = `${entry.code} ${entry.ip_address}`
      const name = kinds.has(own) || kinds.size < MOST ? own : OTHERS
      const kind = kinds.get(name)
      if (kind !== undefined) {
        kind.more++
        kind.last = entry
        return
      }
      kinds.set(name, { since: now(), more: 0, last: entry })
      write(onRecord(entry, undefined))
    },
    close() {
      clearInterval(sweep)
      settleKinds(() => true)
    },
  }
}

const onRecord = (entry: Entry, detail: Entry['detail']): Entry => ({
  ...entry,
  principal: entry.principal ?? 'anonymous',
  method: entry.method === '' ? 'request' : entry.method,
  detail,
})
