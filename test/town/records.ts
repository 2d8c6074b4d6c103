/**
 * Records of a town: what its people and programs called in 90 days, more by day than by night. They go through the gateway's own storing, so that the chain of each organization verifies.
 */
import { newId } from '@toolway/contract'
import type { Db } from '../../packages/gateway/src/db/db.ts'
import { storeRecords, type Entry, type Outcome } from '../../packages/gateway/src/records/records.ts'
import type { TownConnection } from './connections.ts'
import type { Making, Person, TownKey } from './people.ts'
import { time } from './people.ts'

const DAY = 86_400_000
const DAYS = 90
const BATCH = 2_000

export interface RecordsOf {
  readonly people: readonly Person[]
  readonly keys: readonly TownKey[]
  readonly connections: readonly TownConnection[]
}

export async function makeRecords(
  db: Db,
  making: Omit<Making, 'sql'>,
  town: RecordsOf,
  onStored: (count: number) => void,
): Promise<void> {
  const { organization, now } = making
  const from = town.connections.filter(({ tools }) => tools.length > 0)
  if (from.length === 0 || town.keys.length === 0) return
  const span = DAYS * DAY
  for (let stored = 0; stored < organization.records; stored += BATCH) {
    const count = Math.min(BATCH, organization.records - stored)
    const entries = Array.from({ length: count }, (_, at) => {
      const moment = now - span + Math.floor(((stored + at + 1) / organization.records) * (span - 60_000))
      return entryOf(making, { ...town, connections: from }, byDay(moment, now))
    })
    await db.system((sql) => storeRecords(sql, entries))
    onStored(count)
  }
}

/** Moves calls of the night into the working hours of the same day: the order of days stays. */
function byDay(moment: number, now: number): number {
  const hour = new Date(moment).getUTCHours()
  if (hour >= 6 && hour <= 20) return moment
  const moved = moment - (moment % DAY) + 8 * 3_600_000 + (moment % (DAY / 3))
  // Of today, only what is over has happened.
  return moved > now ? moment : moved
}

/** A tenth of the callers makes most of the calls; one in 25 fails, one in 200 is a change by an administrator. */
function entryOf({ chance, organization }: Omit<Making, 'sql'>, town: RecordsOf, at: number): Entry {
  const [connection] = pick(town.connections)
  const [tool] = pick(connection?.tools ?? [])
  const busy = chance.yes(0.9) ? Math.ceil(town.keys.length / 10) : town.keys.length
  const key = town.keys[chance.under(busy)]
  const change = chance.yes(0.005)
  const administrator = town.people[0]?.id
  const outcome: Outcome = chance.yes(0.96)
    ? 'ok'
    : chance.of<Outcome>(['failed', 'tool_error', 'refused', 'cancelled'])
  return {
    ...{ id: newId('rec', at), timestamp: time(at), kind: change ? 'change' : 'call', org_id: organization.id },
    organization: organization.slug,
    principal: change ? administrator : (key?.userId ?? key?.id),
    key_id: change ? undefined : key?.id,
    toolset: !change && chance.yes(0.4) ? `work-${1 + chance.under(4)}` : undefined,
    connection: change ? undefined : connection?.alias,
    method: change ? chance.of(['connection.change', 'key.add', 'rule.change', 'member.add']) : 'tools/call',
    tool_name: change || connection === undefined ? undefined : `${connection.alias}__${tool ?? ''}`,
    ...{ era_client: '2025-11-25', era_upstream: '2025-11-25' },
    client: chance.of(['claude-ai', 'Cursor', 'Visual Studio Code', 'Open WebUI']),
    ...{ bytes_in: 120 + chance.under(900), bytes_out: 300 + chance.under(20_000), duration_ms: 5 + chance.under(900) },
    outcome: change ? 'ok' : outcome,
    code: change ? undefined : CODES[outcome],
    ...{ decision: 'allow', request_id: `town-${chance.hex(16)}` },
    actor_type: change || key?.userId === null ? 'api_key' : 'user',
    resource_type: change ? 'connection' : undefined,
    resource_id: change ? connection?.id : undefined,
    ...{ ip_address: `10.1.${chance.under(250)}.${chance.under(250)}`, user_agent: undefined, detail: undefined },
  }

  function pick<Item>(items: readonly Item[]): readonly [Item | undefined] {
    // Squared: the first connections and tools are called far more often than the last.
    return [items[Math.floor((chance.under(1_000_000) / 1_000_000) ** 2 * items.length)]]
  }
}

const CODES: Readonly<Record<string, string | undefined>> = {
  failed: 'upstream.unreachable',
  refused: 'policy.blocked',
}
