/**
 * Signs the head of each chain in which something came, every few minutes, and says it in the log, so that whoever ships logs
 * has it elsewhere; and lets go what is older than records are to be kept, never without a checkpoint to begin anew from.
 */
import { randomUUID } from 'node:crypto'
import {
  fingerprintOf,
  listUnsigned,
  signCheckpoint,
  storeCheckpoint,
  type SigningKey,
} from '../records/chain/checkpoints.ts'
import { listChained, prune } from '../records/retention.ts'
import type { Db } from '../db/db.ts'
import type { Actor } from '../records/change.ts'
import type { Log } from '../lib/log.ts'

export interface KeepCheckpoints {
  /** Sign what came since, of one organization or of all. */
  sign(organization?: string): Promise<void>
  fingerprints(): readonly string[]
  close(): Promise<void>
}

export interface KeepCheckpointsParts {
  readonly db: Db
  /** The newest first. */
  readonly keys: () => readonly SigningKey[]
  readonly log: Log
  readonly now: () => number
  readonly minutes: number
  /** Days that records are kept; undefined: for good. */
  readonly days: number | undefined
}

const RETENTION = {
  id: 'retention',
  type: 'system',
  keyId: undefined,
  address: undefined,
  userAgent: undefined,
} as const satisfies Omit<Actor, 'correlationId'>

const DAY = 86_400_000
/** Between two looks for what is too old. Milliseconds. */
const PRUNE_EVERY = 3_600_000

export function createKeepCheckpoints({ db, keys, log, now, minutes, days }: KeepCheckpointsParts): KeepCheckpoints {
  let under: Promise<void> = Promise.resolve()
  let pruned = 0
  const timer = setInterval(() => {
    under = under.then(beat)
  }, minutes * 60_000).unref()

  async function beat(): Promise<void> {
    try {
      await sign()
      if (days !== undefined && now() - pruned >= PRUNE_EVERY) await pruneAll(days)
    } catch (thrown) {
      log.warn({ err: thrown }, 'records could not be signed or pruned; it is tried again')
    }
  }

  async function sign(organization?: string): Promise<void> {
    const [key] = keys()
    if (key === undefined) throw new Error('there is no key to sign records with')
    for (const head of await db.system((sql) => listUnsigned(sql, organization))) {
      const checkpoint = signCheckpoint(head, key, new Date(now()))
      if (await db.system((sql) => storeCheckpoint(sql, checkpoint))) log.info(checkpoint, 'checkpoint')
    }
  }

  async function pruneAll(kept: number): Promise<void> {
    pruned = now()
    const before = new Date(now() - kept * DAY)
    for (const organization of await db.system(listChained)) {
      const actor = { ...RETENTION, correlationId: randomUUID() }
      const removed = await db.system((sql) => prune(sql, { actor, organization, before, keys: keys() }))
      if (removed > 0)
        log.info({ organization, removed, before }, 'records older than they are to be kept were removed')
    }
  }

  return {
    sign,
    fingerprints: () => keys().map(({ publicKey }) => fingerprintOf(publicKey)),
    async close() {
      clearInterval(timer)
      await under
    },
  }
}
