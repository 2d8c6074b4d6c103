/**
 * Signs the head of each chain in which something came: at the start, every minute or few, and at the end. Each signature is said in
 * the log and kept in the data directory, so that it is elsewhere than the records. And lets go what is older than records are to be kept, never without a checkpoint to begin anew from.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  fingerprintOf,
  chainContains,
  isSigned,
  listUnsigned,
  signCheckpoint,
  storeCheckpoint,
  type Checkpoint,
  type SigningKey,
} from '../../records/chain/checkpoints.ts'
import type { KeptCheckpoints } from '../../records/chain/kept-checkpoints.ts'
import type { KeptElsewhere, Trust } from '../../records/chain/verify.ts'
import { dropMonths, makeMonthsAhead } from '../../records/months.ts'
import { listChained, prune } from '../../records/retention.ts'
import type { Db } from '../../db/db.ts'
import type { Actor } from '../../records/change.ts'
import type { Log } from '../../lib/log.ts'
import { listPastSigners, rememberSigner } from '../../vault/past-signers.ts'
import type { Vault } from '../../vault/vault.ts'

export interface KeepCheckpoints {
  /** Sign now, and from time to time until it is closed, which signs a last time. */
  begin(): void
  /** Sign what came since, of one organization or of all. */
  sign(organization?: string): Promise<void>
  /** Returns the data for verifying a chain: the signing keys, and the checkpoints that were stored outside the database. */
  trust(): Promise<Omit<Trust, 'checkpoints'> & { readonly checkpoints: readonly KeptOf[] }>
  /** Of the keys that sign, and of those that did before them. */
  fingerprints(): Promise<readonly string[]>
  close(): Promise<void>
}

type KeptOf = Required<KeptElsewhere>

export interface KeepCheckpointsParts {
  readonly db: Db
  /** The part of the vault that seals the list of former signing keys. */
  readonly vault: Pick<Vault, 'seal' | 'open' | 'signingKeys'>
  readonly kept: KeptCheckpoints
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

/** The folder of the data directory in which they are kept. */
export const CHECKPOINTS = 'checkpoints'
/** The purpose for which the vault derives the keys. */
const PURPOSE = 'record checkpoints'
const DAY = 86_400_000
/** Between two looks for what is too old. Milliseconds. */
const PRUNE_EVERY_MS = 3_600_000
/** A database that does not answer holds up no end. Milliseconds. */
const LAST_WITHIN_MS = 3_000

export const createKeepCheckpoints = (parts: KeepCheckpointsParts): KeepCheckpoints => new CheckpointKeeper(parts)

class CheckpointKeeper implements KeepCheckpoints {
  readonly #parts: KeepCheckpointsParts
  readonly #db
  readonly #vault
  readonly #kept
  readonly #log
  readonly #now
  readonly #remembered = new Set<string>()
  #under: Promise<void> = Promise.resolve()
  #pruned = 0
  #timer: NodeJS.Timeout | undefined

  constructor(parts: KeepCheckpointsParts) {
    this.#parts = parts
    this.#db = parts.db
    this.#vault = parts.vault
    this.#kept = parts.kept
    this.#log = parts.log
    this.#now = parts.now
  }

  #keys(): readonly SigningKey[] {
    return this.#vault.signingKeys(PURPOSE)
  }

  readonly #beat = async (): Promise<void> => {
    try {
      await this.sign()
      if (this.#now() - this.#pruned >= PRUNE_EVERY_MS) await this.#keepMonths(this.#parts.days)
    } catch (thrown) {
      this.#log.warn({ err: thrown }, 'records could not be signed or pruned; retrying')
    }
  }

  async sign(organization?: string): Promise<void> {
    const [key] = this.#keys()
    if (key === undefined) throw new Error('there is no key to sign records with')
    for (const head of await this.#db.system((sql) => listUnsigned(sql, organization))) {
      await this.#remember(fingerprintOf(key.publicKey))
      const checkpoint = signCheckpoint(head, key, new Date(this.#now()))
      if (!(await this.#db.system((sql) => storeCheckpoint(sql, checkpoint)))) continue
      this.#log.info(checkpoint, 'checkpoint')
      await this.#keep(checkpoint).catch((thrown: unknown) => {
        this.#log.warn({ err: thrown }, 'a checkpoint could not be stored in the data directory; it is in the log')
      })
    }
  }

  /** One that the chain does not hold any more is the proof of that, and stays. */
  async #keep(checkpoint: Checkpoint): Promise<void> {
    const before = await this.#kept.find(checkpoint.organization_id)
    const signers = await this.fingerprints()
    const isOwn = before !== undefined && isSigned(before) && signers.includes(fingerprintOf(before.public_key))
    if (!isOwn || (await this.#db.system((sql) => chainContains(sql, before, signers))))
      return this.#kept.keep(checkpoint)
    const { organization_id: organization, seq } = before
    this.#log.error({ organization, seq }, 'signed records are missing: run `toolway records verify`')
  }

  async trust() {
    // First: what is signed while this asks for the keys is not held against a chain that was read before.
    const own = await this.#kept.list()
    const known = await this.fingerprints()
    // Somebody else's say nothing about these chains: the directory may have served another installation.
    const good = own.filter((item) => isSigned(item) && known.includes(fingerprintOf(item.public_key)))
    const checkpoints = good.map(({ organization_id: organization, seq, hash }) => ({ organization, seq, hash }))
    return { fingerprints: known, checkpoints }
  }

  /** Before it signs, so that no checkpoint of ours is ever by a key that nobody knows. */
  async #remember(fingerprint: string): Promise<void> {
    if (this.#remembered.has(fingerprint)) return
    await this.#db.system((sql) => rememberSigner(sql, this.#vault, PURPOSE, fingerprint))
    this.#remembered.add(fingerprint)
  }

  async fingerprints(): Promise<readonly string[]> {
    const own = this.#keys().map(({ publicKey }) => fingerprintOf(publicKey))
    return [...new Set([...own, ...(await this.#db.system((sql) => listPastSigners(sql, this.#vault, PURPOSE)))])]
  }

  readonly #unsigned = (thrown: unknown) =>
    this.#log.warn({ err: thrown }, 'the last records could not be signed; the next start signs them')

  /** The months to come are made, and what is past its retention goes: whole months at once, the rest by row. */
  async #keepMonths(stored: number | undefined): Promise<void> {
    this.#pruned = this.#now()
    const now = new Date(this.#now())
    await this.#makeMonths(now)
    if (stored === undefined) return
    const before = new Date(this.#now() - stored * DAY)
    await this.#dropMonths(before, now)
    await this.#pruneAll(before)
  }

  /** Readers of the table, such as a backup, may be in the way: months are made well ahead, and the rest goes on. */
  async #makeMonths(now: Date): Promise<void> {
    try {
      await this.#db.system((sql) => makeMonthsAhead(sql, now))
    } catch (thrown) {
      this.#log.warn({ err: thrown }, 'partitions for the next months of records could not be created; retrying')
    }
  }

  async #dropMonths(before: Date, now: Date): Promise<void> {
    const signers = await this.fingerprints()
    const how = { before, now, signers, actor: RETENTION, correlationId: randomUUID() }
    try {
      for (const dropped of await this.#db.system((sql) => dropMonths(sql, how)))
        this.#log.info(dropped, 'a month of records past its retention was removed')
    } catch (thrown) {
      // Readers of the table were in the way, or a checkpoint is not ours: by row, each organization is asked for itself.
      this.#log.warn({ err: thrown }, 'months of records could not be removed as a whole; retrying')
    }
  }

  async #pruneAll(before: Date): Promise<void> {
    const signers = await this.fingerprints()
    for (const organization of await this.#db.system(listChained)) {
      const actor = { ...RETENTION, correlationId: randomUUID() }
      const removed = await this.#db.system((sql) => prune(sql, { actor, organization, before, signers }))
      if (removed > 0) this.#log.info({ organization, removed, before }, 'records past their retention were removed')
    }
  }

  begin() {
    this.#under = this.#under.then(this.#beat)
    this.#timer ??= setInterval(() => {
      this.#under = this.#under.then(this.#beat)
    }, this.#parts.minutes * 60_000).unref()
  }

  async close() {
    clearInterval(this.#timer)
    if (this.#timer !== undefined) this.#under = this.#under.then(() => this.sign().catch(this.#unsigned))
    await Promise.race([this.#under, sleep(LAST_WITHIN_MS, undefined, { ref: false })])
  }
}
