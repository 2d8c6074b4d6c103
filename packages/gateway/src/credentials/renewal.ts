/**
 * Renewal of credentials, as the database sees it: one gateway leases a credential for a minute, asks, and stores what it was given.
 *
 * The lease says who may begin, the version whose result counts: a result that is stored late replaces nothing newer. A refresh token
 * leaves its row only in the statement that puts its successor there. No lease is taken inside a longer transaction.
 */
import {
  Authority,
  type ConnectionId,
  type CredentialId,
  type OAuthAppId,
  type OrganizationId,
  type UserId,
} from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../db/db.ts'

const CredentialOf = z.string().transform((id) => id as CredentialId)
const ConnectionOf = z
  .string()
  .transform((id) => id as ConnectionId)
  .nullable()
const UserOf = z
  .string()
  .transform((id) => id as UserId)
  .nullable()
const AppOf = z
  .string()
  .transform((id) => id as OAuthAppId)
  .nullable()
const Id = z.object({ id: CredentialOf })

/** The fields needed for requests about a credential to its authorization server. */
export const BoundRow = z.object({
  id: CredentialOf,
  kind: z.enum(['oauth', 'key']),
  provider: z.string(),
  connection_id: ConnectionOf,
  user_id: UserOf,
  account: z.string(),
  version: z.int(),
  scopes: z.array(z.string()),
  sealed_access_token: z.instanceof(Buffer),
  sealed_refresh_token: z.instanceof(Buffer).nullable(),
  authority: Authority.nullable(),
  client_id: z.string().nullable(),
  app_id: AppOf,
  failures: z.int(),
})
export type BoundRow = z.output<typeof BoundRow>

export interface RenewalLease {
  readonly id: CredentialId
  readonly version: number
  /** Names the one who renews. */
  readonly lease: string
}

/** Take it for a minute, if it still is of that version, can renew itself, and nobody else has it; undefined otherwise. */
export const leaseCredential = async (
  sql: OrgSql,
  { id, version, lease }: RenewalLease,
): Promise<BoundRow | undefined> =>
  (
    await sql(BoundRow)`
      update credentials
         set lease = ${lease}, leased_until = now() + interval '1 minute'
       where id = ${id} and version = ${version} and active and problem is null and sealed_refresh_token is not null
         and (leased_until is null or leased_until < now())
         and (retry_at is null or retry_at <= now())
      returning id, kind, provider, connection_id, user_id, account, version, scopes, sealed_access_token,
                sealed_refresh_token, authority, client_id, app_id, failures`
  )[0]

const StateRow = z.object({
  version: z.int(),
  lost: z.boolean(),
  leased: z.boolean(),
  renewable: z.boolean(),
  pause: z.number().nullable(),
})
export type StateRow = z.output<typeof StateRow>

/** Why it could not be leased. `pause`: seconds until it may be tried again. */
export const findState = async (sql: OrgSql, id: CredentialId): Promise<StateRow | undefined> =>
  (
    await sql(StateRow)`
      select version, problem is not null or not active as lost, coalesce(leased_until > now(), false) as leased,
             sealed_refresh_token is not null as renewable, extract(epoch from retry_at - now())::float8 as pause
        from credentials where id = ${id}`
  )[0]

export interface Renewed {
  readonly access: Buffer
  /** Absent: the one that is there stays (RFC 6749, section 6; ledger S2-TOK-02). */
  readonly refresh: Buffer | undefined
  readonly tokenType: string
  /** Seconds that the access token is good for; undefined: for good. */
  readonly left: number | undefined
  readonly scopes: readonly string[] | undefined
}

/**
 * Keep what was given, unless something newer is there. It needs no lease any more: whoever else leased it meanwhile, because this one
 * took too long, sent the same refresh token, and at most one of the two answers can be good.
 */
export const storeRenewed = async (sql: OrgSql, { id, version }: RenewalLease, renewed: Renewed): Promise<boolean> =>
  (
    await sql(Id)`
      update credentials
         set sealed_access_token = ${renewed.access},
             sealed_refresh_token = coalesce(${renewed.refresh ?? null}::bytea, sealed_refresh_token),
             token_type = ${renewed.tokenType},
             expires_at = now() + make_interval(secs => ${renewed.left ?? null}::float8),
             scopes = coalesce(${renewed.scopes ?? null}::text[], scopes),
             version = version + 1, renewed_at = now(), warned_at = null,
             lease = null, leased_until = null, failures = 0, retry_at = null
       where id = ${id} and version = ${version} and active and problem is null
      returning id`
  ).length > 0

/** It may be tried again after so many seconds. */
export const storePause = (sql: OrgSql, { id, version, lease }: RenewalLease, seconds: number) => sql(Id)`
  update credentials
     set failures = failures + 1, retry_at = now() + make_interval(secs => ${seconds}::float8),
         lease = null, leased_until = null
   where id = ${id} and version = ${version} and lease = ${lease}
  returning id`

const LostRow = z.object({
  id: CredentialOf,
  organization_id: z.string().transform((id) => id as OrganizationId),
  connection_id: ConnectionOf,
  user_id: UserOf,
  account: z.string(),
  provider: z.string(),
  kind: z.enum(['oauth', 'key']),
})
export type LostRow = z.output<typeof LostRow>

/**
 * A person has to connect it anew: nothing is sent with it any more. Only as it was known, and without a lease of its own only where
 * nobody renews it now; undefined when it has moved on.
 */
export const markProblem = async (
  sql: SystemSql,
  { id, version, lease }: Omit<RenewalLease, 'lease'> & { readonly lease: string | undefined },
  problem: string,
): Promise<LostRow | undefined> =>
  (
    await sql(LostRow)`
      update credentials
         set problem = ${problem}, problem_at = now(), lease = null, leased_until = null
       where id = ${id} and version = ${version} and problem is null
         and (lease = ${lease ?? null} or (${lease === undefined}::boolean and coalesce(leased_until < now(), true)))
      returning id, organization_id, connection_id, user_id, account, provider, kind`
  )[0]

/** Whether anything else lets the gateway in at a connection. */
export const hasGood = async (sql: SystemSql, connectionId: ConnectionId): Promise<boolean> =>
  (
    await sql(Id)`
    select id from credentials where connection_id = ${connectionId} and active and problem is null limit 1`
  ).length > 0

const DueRow = z.object({
  id: CredentialOf,
  organization_id: z.string().transform((id) => id as OrganizationId),
  connection_id: ConnectionOf,
  provider: z.string(),
  version: z.int(),
})
export type DueRow = z.output<typeof DueRow>

/**
 * Those that run out within ten minutes (or have lived half of a shorter life), and those that nobody renewed for a day: a refresh
 * token that is never used runs out at many a provider.
 */
export const listDue = (sql: SystemSql, limit: number) => sql(DueRow)`
  select id, organization_id, connection_id, provider, version
    from credentials
   where active and problem is null and sealed_refresh_token is not null
     and (expires_at < now() + least(interval '10 minutes', (expires_at - renewed_at) / 2)
          or renewed_at < now() - interval '1 day')
     and (leased_until is null or leased_until < now())
     and (retry_at is null or retry_at <= now())
   order by expires_at nulls last
   limit ${limit}`

const SoonRow = LostRow.extend({ expires_at: z.date() })
export type SoonRow = z.output<typeof SoonRow>

/** Those that cannot renew themselves and run out within a day, each once, and once more within the last hour; taken by one gateway. */
export const takeExpiring = (sql: SystemSql, limit: number) => sql(SoonRow)`
  update credentials set warned_at = now()
   where id in (select id from credentials
                 where active and problem is null and sealed_refresh_token is null
                   and expires_at > now() and expires_at < now() + interval '1 day'
                   and (warned_at is null
                        or (warned_at < expires_at - interval '1 hour' and now() >= expires_at - interval '1 hour'))
                 order by expires_at limit ${limit} for update skip locked)
  returning id, organization_id, connection_id, user_id, account, provider, kind, expires_at`

/** Those that ran out and cannot renew themselves. */
export const listRunOut = (sql: SystemSql, limit: number) => sql(DueRow)`
  select id, organization_id, connection_id, provider, version
    from credentials
   where active and problem is null and sealed_refresh_token is null and expires_at <= now()
   order by expires_at limit ${limit}`
