/**
 * Accounts as people see them: which there are, whose they are, and whether one has to do something about them. No token is read
 * here.
 */
import type { ConnectionId, CredentialId, UserId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql } from '../db/db.ts'

export const AccountStateRow = z.object({
  id: z.string().transform((id) => id as CredentialId),
  connection_id: z
    .string()
    .transform((id) => id as ConnectionId)
    .nullable(),
  provider: z.string(),
  user_id: z
    .string()
    .transform((id) => id as UserId)
    .nullable(),
  account: z.string(),
  is_default: z.boolean(),
  provider_username: z.string().nullable(),
  kind: z.string(),
  problem: z.string().nullable(),
  expires_at: z.date().nullable(),
  renewable: z.boolean(),
  renewed_at: z.date(),
  server: z.string().nullable(),
  issuer: z.string().nullable(),
})
export type AccountStateRow = z.output<typeof AccountStateRow>

/** A member's own and the organization's; without a member only the latter. */
export const listAccountStates = (sql: OrgSql, userId: UserId | undefined) => sql(AccountStateRow)`
  select id, connection_id, provider, user_id, account, is_default, provider_username, kind, problem, expires_at,
         sealed_refresh_token is not null as renewable, renewed_at, server, issuer
    from credentials
   where active and (user_id is null or user_id = ${userId ?? null})
   order by user_id nulls last, not is_default, account`

const LostAccount = z.object({
  connection_id: AccountStateRow.shape.connection_id,
  account: z.string(),
  problem: z.string(),
})

const FailedConnect = z.object({ connection_id: z.string(), reason: z.string() })

/**
 * Connections whose last attempt of a day to connect an account failed at an authorization server, and why. It reads records, so it is
 * for people who look for a fault.
 */
export const listFailedConnects = (sql: OrgSql) => sql(FailedConnect)`
  select connection_id, reason
    from (select distinct on (detail ->> 'connection') detail ->> 'connection' as connection_id,
                 detail ->> 'reason' as reason
            from records
           where method = 'credential.connect' and at > now() - interval '24 hours' and detail ->> 'connection' is not null
           order by detail ->> 'connection', at desc) last
   where reason is not null`

/** Accounts of the organization and of all its members that serve nobody until a person connects them anew. */
export const listLostAccounts = (sql: OrgSql) => sql(LostAccount)`
  select connection_id, account, problem
    from (select connection_id, account, active,
                 coalesce(problem, case when expires_at <= now() and sealed_refresh_token is null then 'it has expired' end) as problem
            from credentials) every
   where active and problem is not null
   order by account`
