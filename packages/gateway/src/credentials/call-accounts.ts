/**
 * The accounts that a caller's calls may use at each connection, and how many people have one: what the state of a connection is derived
 * from (`features/connections/call-state.ts`). No token is read here.
 */
import type { ConnectionId, UserId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql } from '../db/db.ts'
import { CredentialKind } from './credentials.ts'

const connectionId = z.string().transform((id) => id as ConnectionId)

export const CallAccount = z.object({
  connection_id: connectionId,
  /** The caller's own, or the organization's. */
  own: z.boolean(),
  kind: CredentialKind,
  account: z.string(),
  is_default: z.boolean(),
  /** Why it serves nobody until a person reconnects it. */
  problem: z.string().nullable(),
  /** Its server has taken it: an authorization server gave it, or it was used. */
  proven: z.boolean(),
})
export type CallAccount = z.output<typeof CallAccount>

/** Without a user only the shared ones. The default comes first. */
export const listCallAccounts = (sql: OrgSql, userId: UserId | undefined) => sql(CallAccount)`
  select connection_id, user_id is not null as own, kind, account, is_default,
         coalesce(problem, case when expires_at <= now() and sealed_refresh_token is null then 'it has expired' end) as problem,
         (kind = 'oauth' or used_at is not null) as proven
    from credentials
   where connection_id is not null and active and (user_id is null or user_id = ${userId ?? null})
   order by connection_id, is_default desc, account`

const Owners = z.object({ connection_id: connectionId, people: z.int() })

/** How many members have an account of their own that serves, by connection; those without any are left out. */
export const countAccountOwners = (sql: OrgSql) => sql(Owners)`
  select connection_id, count(distinct user_id)::int as people
    from credentials
   where connection_id is not null and active and user_id is not null and problem is null
     and (expires_at is null or expires_at > now() or sealed_refresh_token is not null)
   group by connection_id`
