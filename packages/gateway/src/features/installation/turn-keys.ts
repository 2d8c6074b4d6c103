/**
 * Turning the vault's keys with the gateways that run: told to all of them, waited for, and left as records.
 *
 * A gateway that has not got a new key says so while nothing is sealed with it yet; then nothing changes.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db, SystemSql } from '../../db/db.ts'
import { recordChange, type Actor } from '../../records/change.ts'
import { Lack } from '../../vault/reload.ts'
import { retire, rotate, type RotateParts, type Rotated } from '../../vault/rotate.ts'

/** How long gateways have to load a key that they were told of. */
const SETTLE_MS = 2_000

export interface TurnParts extends Pick<RotateParts, 'db' | 'sources' | 'onStep' | 'onProgress' | 'batch'> {
  readonly settleMs?: number
}

/** A gateway has not got the key that would seal. */
export class KeyNotEverywhere extends Error {}

const actor = (): Actor => ({
  id: 'command line',
  type: 'system',
  keyId: undefined,
  address: undefined,
  userAgent: undefined,
  correlationId: randomUUID(),
})

const record = (sql: SystemSql, action: 'rotate' | 'retire', id: string, detail: object): Promise<void> =>
  recordChange(sql, actor(), undefined, { action: `vault.${action}`, resource: 'vault', id, detail: { ...detail } })

export async function rotateKeys({ settleMs = SETTLE_MS, ...parts }: TurnParts): Promise<Rotated> {
  await using lacks = await hearLacks(parts.db)
  const checkLacks = async (id: string) => {
    await sleep(settleMs)
    const gateway = lacks.of(id)
    if (gateway === undefined) return
    throw new KeyNotEverywhere(
      `The gateway of ${gateway} does not have the new vault key ${id}, so nothing was changed: give it the same key (copy vault.keys into its data directory, or set the same environment), then run this again.`,
    )
  }
  return await rotate({ ...parts, record, settle: checkLacks })
}

export const retireKey = (parts: Pick<TurnParts, 'db' | 'sources'>, id: string): Promise<readonly string[]> =>
  retire({ ...parts, record }, id)

async function hearLacks(db: Db) {
  const missing = new Map<string, string>()
  const listener = await db.listen('toolway_vault', (notice) => {
    if (notice.kind !== 'payload') return
    const lack = Lack.safeParse(JSON.parse(notice.payload))
    for (const id of lack.data?.vault.lacks ?? []) missing.set(id, lack.data?.vault.gateway ?? '')
  })
  return { of: (id: string) => missing.get(id), [Symbol.asyncDispose]: () => listener.close() }
}
