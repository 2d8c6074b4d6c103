/**
 * The key with which an agent of the gateway works for a member: one for each member and organization, which lives an hour and is
 * replaced in its place. It keeps its id, because approvals and limits belong to the key that calls. A sealed copy lets the runs of
 * an hour share it; its member sees it among the own keys, and ends it there.
 */
import { Fault, newId, type KeyId, type Limit, type OrganizationId, type Role, type UserId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql } from '../../db/db.ts'
import { hintOf, mintKey, prefixOf } from '../../identity/keys/key-forms.ts'
import { addKey } from '../../identity/keys/keys.ts'
import { sealedKeyRow, type Seals } from '../../identity/keys/member-keys.ts'

export const AGENT_KEY = 'agent'
/** Milliseconds that it lives, and that it has to live yet where a run begins with it. */
const LIFE_MS = 60 * 60_000
const LEAST_MS = 30 * 60_000

/** The rights of the asker of a run, which are those of the key. */
export interface AgentRights {
  readonly organizationId: OrganizationId
  readonly userId: UserId
  readonly role: Role
  readonly limit: Limit
  readonly toolset: string | undefined
}

export interface AgentKey {
  readonly id: KeyId
  readonly key: string
  /** False for the one of an earlier run. */
  readonly made: boolean
}

const Held = z.object({
  id: z.string().transform((id) => id as KeyId),
  sealed: z.instanceof(Uint8Array).nullable(),
  fits: z.boolean(),
})

/** A key of another origin is never replaced. Throws `thing.taken` where the member gave one of their own that name. */
export async function agentKeyFor(sql: OrgSql, seals: Seals, rights: AgentRights): Promise<AgentKey> {
  const { organizationId, userId, role, limit, toolset } = rights
  const [stored] = await sql(Held)`
    select id, sealed,
           role = ${role} and effect_limit = ${limit} and toolset is not distinct from ${toolset ?? null}
             and expires_at > ${new Date(Date.now() + LEAST_MS)} as fits
      from keys where user_id = ${userId} and name = ${AGENT_KEY} and origin = ${AGENT_KEY} for update`
  if (stored?.sealed != null && stored.fits)
    return { id: stored.id, key: seals.open(stored.sealed, sealedKeyRow(stored.id)), made: false }
  const id = stored?.id ?? newId('key')
  const key = mintKey('smcp', role)
  await sql(z.object({ id: z.string() }))`delete from keys where id = ${id} returning id`
  const row = await addKey(sql, {
    ...{ id, organizationId, userId, role, limit, toolset, family: 'smcp', name: AGENT_KEY, origin: AGENT_KEY },
    ...{ hint: hintOf(key), prefix: prefixOf(key), hash: seals.hash(key), sealed: seals.seal(key, sealedKeyRow(id)) },
    ...{ createdBy: userId, expiresAt: new Date(Date.now() + LIFE_MS) },
  })
  if (row === undefined) throw new Fault('thing.taken', { thing: 'key', name: AGENT_KEY })
  return { id, key, made: true }
}
