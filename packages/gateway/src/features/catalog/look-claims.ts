/**
 * Whether this gateway is the one that asks a connection for its lists now. Gateways on one database agree by leases in it; a
 * gateway without a database is alone and always asks.
 */
import { randomUUID } from 'node:crypto'
import type { ConnectionId } from '@toolway/contract'
import {
  claimChecks,
  claimLooks,
  releaseLooks,
  RENEW_LEASES,
  renewLooks,
  settleLooks,
  type Claim,
  type Claimed,
  type Settled,
} from '../../catalog/catalog-schedule.ts'
import type { Db } from '../../db/db.ts'
import { createBatch } from '../../lib/batch.ts'
import type { Log } from '../../lib/log.ts'

export interface LookClaims {
  claim(claim: Claim): Promise<Claimed>
  /** The outcome of a fetch that was permitted. */
  settle(settled: Omit<Settled, 'lease'>): Promise<void>
  /** Whether this gateway is to ask whether a server is there: no other one did within so many milliseconds. */
  claimCheck(connectionId: ConnectionId, within: number): Promise<boolean>
  /** Leaves fetches under way to other gateways. */
  close(): Promise<void>
}

const MOST = 100

export function createLookClaims({ db, log }: { db: Pick<Db, 'system'>; log: Pick<Log, 'warn'> }): LookClaims {
  const lease = randomUUID()
  let underWay = 0
  let closed = false
  const renewing = setInterval(() => void renew(), RENEW_LEASES)
  renewing.unref()

  const claimed = createBatch<Claim, Claimed>({
    most: MOST,
    run: (claims) => db.system((sql) => claimLooks(sql, claims, lease)),
  })
  const settled = createBatch<Settled, void>({
    most: MOST,
    run: async (all) => {
      await db.system((sql) => settleLooks(sql, all))
      return []
    },
  })
  const checks = createBatch<{ connectionId: ConnectionId; within: number }, boolean>({
    most: MOST,
    async run(all) {
      const within = Math.min(...all.map((item) => item.within))
      const ids = all.map(({ connectionId }) => connectionId)
      const granted = await db.system((sql) => claimChecks(sql, ids, within))
      return ids.map((id) => granted.has(id))
    },
  })

  async function renew(): Promise<void> {
    if (underWay === 0) return
    await db
      .system((sql) => renewLooks(sql, lease))
      .catch((thrown: unknown) => log.warn({ err: thrown }, 'leases on catalogs could not be renewed'))
  }

  return {
    async claim(claim) {
      const answer = await claimed(claim)
      if (answer.granted) underWay++
      return answer
    },
    async settle(item) {
      underWay--
      if (!closed) await settled({ ...item, lease })
    },
    claimCheck: (connectionId, within) => checks({ connectionId, within }),
    async close() {
      if (closed) return
      closed = true
      clearInterval(renewing)
      if (underWay === 0) return
      await db
        .system((sql) => releaseLooks(sql, lease))
        .catch((thrown: unknown) => log.warn({ err: thrown }, 'leases on catalogs could not be released'))
    },
  }
}

/** For a gateway that is alone: what is wanted is granted, and how often a look failed is all that is remembered. */
export function createOwnClaims(): LookClaims {
  const failures = new Map<ConnectionId, number>()
  return {
    claim: ({ connectionId }) =>
      Promise.resolve({ granted: true, leased: false, wait: 0, failures: failures.get(connectionId) ?? 0 }),
    settle({ connectionId, failures: now }) {
      failures.set(connectionId, now)
      return Promise.resolve()
    },
    claimCheck: () => Promise.resolve(true),
    close: () => Promise.resolve(),
  }
}
