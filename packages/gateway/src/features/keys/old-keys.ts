/**
 * Keys that come from another system with their slow hashes: how they are taken over, and how each becomes like any other when
 * it is first used (ledger U-04).
 */
import { Fault, LIMITS, ROLES, type OrganizationId } from '@toolway/contract'
import { z } from 'zod'
import type { Db } from '../../db/db.ts'
import { roleOfMark } from '../../identity/keys/key-forms.ts'
import { findKey, type KeyRow } from '../../identity/keys/keys.ts'
import {
  addOldKey,
  countAlike,
  findCandidates,
  MOST_ALIKE,
  replaceSlowHash,
  SLOW_FORM,
  type SlowHashes,
} from '../../identity/keys/slow-keys.ts'
import { recordChange, type Actor } from '../../records/change.ts'
import { keyChange } from './make-key.ts'

export interface TakeOverParts {
  readonly db: Pick<Db, 'organization' | 'system'>
  hash(key: string): Buffer
  readonly slow: SlowHashes
}

const actorOf = ({ id }: KeyRow): Actor => ({
  id,
  type: 'api_key',
  keyId: id,
  address: undefined,
  userAgent: undefined,
  correlationId: 'first use',
})

/** The row behind a key whose hash is still the slow one; afterwards it is the keyed one, with its record. */
export const createTakeOver =
  ({ db, hash, slow }: TakeOverParts) =>
  async (key: string): Promise<KeyRow | undefined> => {
    const candidate = await slow.find(key, () => db.system((sql) => findCandidates(sql, key)))
    if (candidate === undefined) return undefined
    return db.system(async (sql) => {
      const row = await replaceSlowHash(sql, candidate, key, hash(key))
      // Another gateway may have been faster.
      if (row === undefined) return findKey(sql, hash(key))
      await recordChange(sql, actorOf(row), row.organization_id ?? undefined, keyChange('key.take-over', row))
      return row
    })
  }

const SCOPES = [...ROLES, 'tenant_user'] as const
/** One line of an import; the source system says `scope`, `key_prefix` and `key_hash`. */
const Line = z
  .strictObject({
    name: z.string().trim().min(1).max(255),
    hash: z.string().regex(SLOW_FORM, 'must be a bcrypt hash with a cost of 4 to 14'),
    prefix: z
      .string()
      .regex(/^smcp_(pa|ta|tu)_[\w-]{0,12}$/, 'must be smcp_pa_, smcp_ta_ or smcp_tu_ and at most 12 more characters'),
    role: z.enum(SCOPES),
    limit: z.enum(LIMITS).default('execute'),
    organization: z.string().min(1).nullish(),
    expires_at: z.iso.datetime({ offset: true }).nullish(),
  })
  .transform((line) => ({ ...line, role: line.role === 'tenant_user' ? ('tenant_member' as const) : line.role }))
  .refine(({ role, prefix }) => roleOfMark(prefix) === role, { path: ['role'], error: 'is not the role of its prefix' })
  .refine(({ role, organization }) => (role === 'platform_admin') === (organization == null), {
    path: ['organization'],
    error: 'is required, except for a platform key, which has none',
  })
type Line = z.output<typeof Line>

export interface ImportParts {
  readonly db: Pick<Db, 'organization' | 'system'>
  readonly actor: Actor
  /** By slug or id. */
  findOrganization(name: string): OrganizationId | undefined
}

/** Takes over every line or none of them; how many. Throws `body.shape` that names the line. */
export async function importKeys({ db, actor, findOrganization }: ImportParts, text: string): Promise<number> {
  const lines = text
    .split('\n')
    .map((line, index) => ({ line: line.trim(), number: index + 1 }))
    .filter(({ line }) => line !== '')
    .map(({ line, number }) => ({ number, key: parseLine(line, number) }))
  await db.system(async (sql) => {
    for (const { number, key } of lines) {
      const organizationId = key.organization == null ? undefined : findOrganization(key.organization)
      if (key.organization != null && organizationId === undefined)
        throw wrong(number, 'organization', 'does not exist in this installation')
      if ((await countAlike(sql, key.prefix)) >= MOST_ALIKE)
        throw wrong(
          number,
          'prefix',
          `is the prefix of ${MOST_ALIKE} keys that have not been used yet: give a longer prefix of each key`,
        )
      const added = await addOldKey(sql, {
        organizationId,
        name: key.name,
        role: key.role,
        limit: key.limit,
        prefix: key.prefix,
        slowHash: key.hash,
        expiresAt: key.expires_at == null ? undefined : new Date(key.expires_at),
      })
      if (added === undefined) throw wrong(number, 'name', `"${key.name}" is the name of another key there`)
      await recordChange(sql, actor, organizationId, {
        action: 'key.import',
        resource: 'key',
        id: added.id,
        detail: { name: key.name, scope: key.role, limit: key.limit },
      })
    }
  })
  return lines.length
}

function parseLine(line: string, number: number): Line {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw wrong(number, '', 'is not JSON')
  }
  const parsed = Line.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw wrong(number, issue?.path.join('/') ?? '', issue?.message ?? 'is not valid')
}

/** The message does not repeat the wrong value: it may be a hash. */
const wrong = (number: number, member: string, problem: string) =>
  new Fault('body.shape', { place: `line ${number}${member === '' ? '' : `, ${member},`}`, problem })
