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
import { listPastSigners, rememberSigner } from '../vault/past-signers.ts'
import type { Vault } from '../vault/vault.ts'

export interface KeepCheckpoints {
  /** Sign what came since, of one organization or of all. */
  sign(organization?: string): Promise<void>
  /** Of the keys that sign, and of those that did before them. */
  fingerprints(): Promise<readonly string[]>
  close(): Promise<void>
}

export interface KeepCheckpointsParts {
  readonly db: Db
  /** What seals the list of keys that signed before. */
  readonly vault: Pick<Vault, 'seal' | 'open' | 'signingKeys'>
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

/** What the vault derives the keys for. */
const PURPOSE = 'record checkpoints'
const DAY = 86_400_000
/** Between two looks for what is too old. Milliseconds. */
const PRUNE_EVERY = 3_600_000

export function createKeepCheckpoints({ db, vault, log, now, minutes, days }: KeepCheckpointsParts): KeepCheckpoints {
  const keys = (): readonly SigningKey[] => vault.signingKeys(PURPOSE)
  const remembered = new Set<string>()
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
      await remember(fingerprintOf(key.publicKey))
      const checkpoint = signCheckpoint(head, key, new Date(now()))
      if (await db.system((sql) => storeCheckpoint(sql, checkpoint))) log.info(checkpoint, 'checkpoint')
    }
  }

  /** Before it signs, so that no checkpoint of ours is ever by a key that nobody knows. */
  async function remember(fingerprint: string): Promise<void> {
    if (remembered.has(fingerprint)) return
    await db.system((sql) => rememberSigner(sql, vault, PURPOSE, fingerprint))
    remembered.add(fingerprint)
  }

  async function fingerprints(): Promise<readonly string[]> {
    const own = keys().map(({ publicKey }) => fingerprintOf(publicKey))
    return [...new Set([...own, ...(await db.system((sql) => listPastSigners(sql, vault, PURPOSE)))])]
  }

  async function pruneAll(kept: number): Promise<void> {
    pruned = now()
    const signers = await fingerprints()
    const before = new Date(now() - kept * DAY)
    for (const organization of await db.system(listChained)) {
      const actor = { ...RETENTION, correlationId: randomUUID() }
      const removed = await db.system((sql) => prune(sql, { actor, organization, before, signers }))
      if (removed > 0)
        log.info({ organization, removed, before }, 'records older than they are to be kept were removed')
    }
  }

  return {
    sign,
    fingerprints,
    async close() {
      clearInterval(timer)
      await under
    },
  }
}
