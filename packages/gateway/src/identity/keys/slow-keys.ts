/**
 * Keys that were taken over from elsewhere with their bcrypt hashes (ledger U-04, S3-AUTH-03): found by how they begin, compared
 * in a thread of its own, once; then the keyed hash stands in the place of the slow one, and the key is like any other.
 *
 * One comparison runs at a time and a few wait: a stranger who guesses keeps one thread busy and nobody's call.
 */
import { Worker } from 'node:worker_threads'
import { Fault, newId, type KeyId, type Limit, type OrganizationId, type Role } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../../db/db.ts'
import { hintOf, prefixOf } from './key-forms.ts'
import { KeyRow } from './keys.ts'

/** Of the source system (bcrypt, 22 characters of salt and 31 of hash), no dearer than a second or so. */
export const SLOW_FORM = /^\$2[aby]\$(?:0[4-9]|1[0-4])\$[./A-Za-z0-9]{53}$/
/** Keys that begin alike are compared one after the other; the source system's begin alike by the scope. */
export const MOST_ALIKE = 50
const MOST_WAITING = 8

const Candidate = z.object({ id: z.string().transform((id) => id as KeyId), slow_hash: z.string() })
export type Candidate = z.output<typeof Candidate>

const LONGEST_PREFIX = 20
const beginningsOf = (key: string): string[] =>
  Array.from({ length: LONGEST_PREFIX }, (_, index) => key.slice(0, index + 1))

/** Those that may be it. The database is told how the key begins, and no more of it. */
export const findCandidates = (sql: SystemSql, key: string) => sql(Candidate)`
  select id, slow_hash from keys
   where slow_hash is not null and prefix = any(${beginningsOf(key)}::text[]) and (expires_at is null or expires_at > now())
   order by created_at, id limit ${MOST_ALIKE}`

/** The keyed hash in the place of the slow one; undefined where somebody else has done it, or removed the key. */
export async function replaceSlowHash(
  sql: SystemSql,
  { id, slow_hash: slow }: Candidate,
  key: string,
  hash: Buffer,
): Promise<KeyRow | undefined> {
  const rows = await sql(KeyRow)`
    update keys set hash = ${hash}, slow_hash = null, hint = ${hintOf(key)}, prefix = ${prefixOf(key)}
     where id = ${id} and slow_hash = ${slow}
    returning id, organization_id, user_id, family, role, effect_limit, trusted, trusted_by, name, hint, prefix, toolset, origin,
              created_at, expires_at, last_used_at`
  return rows[0]
}

export interface OldKey {
  readonly organizationId: OrganizationId | undefined
  readonly name: string
  readonly role: Role
  readonly limit: Limit
  /** How it begins: what is known of it. */
  readonly prefix: string
  readonly slowHash: string
  readonly expiresAt: Date | undefined
}

/** Undefined when there is one of that name already. */
export async function addOldKey(sql: OrgSql | SystemSql, key: OldKey): Promise<{ id: string } | undefined> {
  const { organizationId = null, name, role, limit, prefix, slowHash, expiresAt = null } = key
  const rows = await sql(z.object({ id: z.string() }))`
    insert into keys (id, organization_id, family, role, effect_limit, name, hint, prefix, slow_hash, origin, expires_at)
    values (${newId('key')}, ${organizationId}, 'smcp', ${role}, ${limit}, ${name}, '', ${prefix}, ${slowHash}, 'import',
            ${expiresAt})
    on conflict do nothing returning id`
  return rows[0]
}

/** How many keys that nobody has used yet begin like this. */
export async function countAlike(sql: SystemSql, prefix: string): Promise<number> {
  const [row] = await sql(z.object({ count: z.int() }))`
    select count(*)::int as count from keys
     where slow_hash is not null and (starts_with(prefix, ${prefix}) or starts_with(${prefix}, prefix))`
  return row?.count ?? 0
}

export interface SlowHashes {
  /** Returns the candidate that matches the key. Throws `gateway.not-ready` when too many are waiting. */
  find(key: string, list: () => Promise<readonly Candidate[]>): Promise<Candidate | undefined>
  close(): Promise<void>
}

export function createSlowHashes(): SlowHashes {
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()
  let running: Worker | undefined
  let closed = false

  function compare(key: string, hashes: readonly string[]): Promise<number> {
    if (closed) return Promise.resolve(-1)
    return new Promise((resolve, reject) => {
      const worker = new Worker(new URL('./slow-hash-worker.ts', import.meta.url), { workerData: { key, hashes } })
      running = worker
      worker.once('message', resolve)
      worker.once('error', reject)
      // After its answer this says nothing any more.
      worker.once('exit', () => resolve(-1))
    })
  }

  async function findAmong(key: string, list: () => Promise<readonly Candidate[]>): Promise<Candidate | undefined> {
    const candidates = await list()
    if (candidates.length === 0) return undefined
    const hashes = candidates.map(({ slow_hash: slow }) => slow)
    const turn = last.then(() => compare(key, hashes))
    last = turn.catch(() => {})
    return candidates[await turn]
  }

  return {
    find(key, list) {
      if (waiting >= MOST_WAITING)
        throw new Fault('gateway.not-ready', { problem: 'too many unknown keys are being tried' })
      waiting++
      return findAmong(key, list).finally(() => waiting--)
    },
    async close() {
      closed = true
      await running?.terminate()
    },
  }
}
