/** Tokens of identity providers that provide people: their form and their rows. Only a keyed hash of the secret is stored. */
import { randomBytes } from 'node:crypto'
import { newId, type OrganizationId, type ScimTokenId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql } from '../../db/db.ts'
import { part } from '../../db/sql-part.ts'

/** A prefix that scanners for secrets can look for, and that is never passed on to a server (`LOOKS_LIKE_KEY`). */
const PREFIX = 'twscim_'
export const SCIM_TOKEN_FORM = /^twscim_[\w-]{43}$/
export const mintScimToken = (): string => PREFIX + randomBytes(32).toString('base64url')
const HINT_LENGTH = 4

export const ScimTokenRow = z.object({
  id: z.string().transform((id) => id as ScimTokenId),
  name: z.string(),
  hint: z.string(),
  created_at: z.date(),
  expires_at: z.date(),
  last_used_at: z.date().nullable(),
})
export type ScimTokenRow = z.output<typeof ScimTokenRow>

const COLUMNS = part`id, name, hint, created_at, expires_at, last_used_at`

export const listScimTokens = (sql: OrgSql) =>
  sql(ScimTokenRow)`select ${COLUMNS} from scim_tokens order by name, created_at, id`

export const findScimToken = async (sql: OrgSql, id: string): Promise<ScimTokenRow | undefined> =>
  (await sql(ScimTokenRow)`select ${COLUMNS} from scim_tokens where id = ${id} for update`)[0]

/** One that has not expired. */
export const findScimTokenByHash = async (sql: OrgSql, hash: Buffer): Promise<ScimTokenRow | undefined> =>
  (await sql(ScimTokenRow)`select ${COLUMNS} from scim_tokens where hash = ${hash} and expires_at > now()`)[0]

export interface NewScimToken {
  readonly organizationId: OrganizationId
  readonly name: string
  readonly days: number
  readonly createdBy: string
}

/** Its secret is not stored. */
export async function addScimToken(
  sql: OrgSql,
  hash: (text: string) => Buffer,
  { organizationId, name, days, createdBy }: NewScimToken,
): Promise<ScimTokenRow & { readonly secret: string }> {
  const secret = mintScimToken()
  const [row] = await sql(ScimTokenRow)`
    insert into scim_tokens (organization_id, id, name, hash, hint, created_by, expires_at)
    values (${organizationId}, ${newId('sct')}, ${name}, ${hash(secret)}, ${secret.slice(-HINT_LENGTH)}, ${createdBy},
            now() + make_interval(days => ${days}))
    returning ${COLUMNS}`
  if (row === undefined) throw new Error('a token that was added is not there')
  return { ...row, secret }
}

const Id = z.object({ id: z.string() })

/** It ends in so many hours, unless it ends earlier. */
export const endScimTokenIn = (sql: OrgSql, id: ScimTokenId, hours: number) => sql(Id)`
  update scim_tokens set expires_at = least(expires_at, now() + make_interval(hours => ${hours})) where id = ${id} returning id`

export const removeScimToken = (sql: OrgSql, id: ScimTokenId) =>
  sql(Id)`delete from scim_tokens where id = ${id} returning id`

/** A minute is as exact as anybody needs it. */
export const noteScimTokenUsed = (sql: OrgSql, id: ScimTokenId) => sql(Id)`
  update scim_tokens set last_used_at = now()
   where id = ${id} and (last_used_at is null or last_used_at < now() - interval '1 minute') returning id`

const Counts = z.object({ people: z.int(), suspended: z.int(), groups: z.int() })

export const countProvided = async (sql: OrgSql): Promise<z.output<typeof Counts>> =>
  (
    await sql(Counts)`
      select (select count(*) from scim_people)::int as people,
             (select count(*) from scim_people join members using (organization_id, user_id) where not active)::int as suspended,
             (select count(*) from scim_groups)::int as groups`
  )[0] ?? { people: 0, suspended: 0, groups: 0 }
