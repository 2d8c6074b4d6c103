/**
 * Grants that users gave to OAuth clients: client, endpoint, organization and scope.
 *
 * A grant is a sign-in as well (the `sid` of its tokens), and the database ends both together. It is valid only as long as its
 * account is active and of the epoch in which it was given.
 */
import { LIMITS, newId, type FamilyId, type Limit, type OrganizationId, type UserId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../../db/db.ts'
import type { Part } from '../../lib/page.ts'
import { METHODS } from '../sign-ins.ts'

export const GrantRow = z.object({
  id: z.string().transform((id) => id as FamilyId),
  organization_id: z.string().transform((id) => id as OrganizationId),
  user_id: z.string().transform((id) => id as UserId),
  client_id: z.string(),
  client_name: z.string(),
  client_host: z.string(),
  resource: z.string(),
  effect_limit: z.enum(LIMITS),
  created_at: z.date(),
  used_at: z.date(),
})
export type GrantRow = z.output<typeof GrantRow>

const ProvenGrant = GrantRow.extend({ methods: z.array(z.enum(METHODS)) })
export type ProvenGrant = z.output<typeof ProvenGrant>

export interface NewGrant {
  readonly userId: UserId
  readonly organizationId: OrganizationId
  readonly clientId: string
  readonly clientName: string
  readonly clientHost: string
  readonly resource: string
  readonly limit: Limit
  readonly epoch: number
  readonly expiresAt: Date
  /** The sign-in of the person who gave it: the grant was proven as that one. */
  readonly givenIn: FamilyId
}

const Nothing = z.object({})
const Count = z.object({ count: z.int() })
const Ended = z.object({
  id: z.string(),
  organization_id: z.string().transform((id) => id as OrganizationId),
  client_name: z.string(),
})
export type EndedGrant = z.output<typeof Ended>

/** Of one person and client at one endpoint; one more ends the oldest. */
const MOST_ALIKE = 20

export async function addGrant(sql: SystemSql, grant: NewGrant): Promise<FamilyId> {
  const { userId, organizationId, clientId, clientName, clientHost, resource, limit, epoch, expiresAt, givenIn } = grant
  const id = newId('fam')
  await sql(Nothing)`
    insert into sign_ins (id, user_id, bound_to, client, expires_at, methods, proven_at, provider_id)
    select ${id}, ${userId}, ${organizationId}, ${clientId}, ${expiresAt}, coalesce(before.methods, '{}'),
           coalesce(before.proven_at, now()), before.provider_id
      from (select) grants left join sign_ins before on before.id = ${givenIn} and before.user_id = ${userId}`
  await sql(Nothing)`
    insert into oauth_grants (id, organization_id, user_id, client_id, client_name, client_host, resource, effect_limit, epoch)
    values (${id}, ${organizationId}, ${userId}, ${clientId}, ${clientName}, ${clientHost}, ${resource}, ${limit}, ${epoch})`
  await sql(Nothing)`
    update oauth_grants set ended_at = now()
     where id in (select id from oauth_grants
                   where user_id = ${userId} and client_id = ${clientId} and resource = ${resource} and ended_at is null
                   order by created_at desc, id desc offset ${MOST_ALIKE})`
  return id
}

/** A grant that stands. */
export async function findGrant(sql: SystemSql, id: string): Promise<ProvenGrant | undefined> {
  const rows = await sql(ProvenGrant)`
    select g.id, g.organization_id, g.user_id, g.client_id, g.client_name, g.client_host, g.resource, g.effect_limit,
           g.created_at, g.used_at, s.methods
      from oauth_grants g
      join sign_ins s on s.id = g.id and s.ended_at is null and s.expires_at > now()
      join users u on u.id = g.user_id and u.active and u.epoch = g.epoch
     where g.id = ${id} and g.ended_at is null`
  return rows[0]
}

/** The latest that a person gave that client for that endpoint, and that stands. */
export async function findLike(sql: SystemSql, like: { userId: UserId; clientId: string; resource: string }) {
  const { userId, clientId, resource } = like
  const rows = await sql(GrantRow)`
    select g.id, g.organization_id, g.user_id, g.client_id, g.client_name, g.client_host, g.resource, g.effect_limit,
           g.created_at, g.used_at
      from oauth_grants g
      join sign_ins s on s.id = g.id and s.ended_at is null and s.expires_at > now()
      join users u on u.id = g.user_id and u.active and u.epoch = g.epoch
     where g.user_id = ${userId} and g.client_id = ${clientId} and g.resource = ${resource} and g.ended_at is null
     order by g.created_at desc, g.id desc limit 1`
  return rows[0]
}

/** Its tokens were renewed: it lives on. */
export async function noteGrantUse(sql: SystemSql, id: string, expiresAt: Date): Promise<void> {
  await sql(Nothing)`update oauth_grants set used_at = now() where id = ${id}`
  await sql(Nothing)`update sign_ins set expires_at = ${expiresAt} where id = ${id} and ended_at is null`
}

/** Those of one person, everywhere; a page of them. */
/** @param organization the only one whose grants count; undefined for all */
export const countGrantsOf = async (sql: SystemSql, userId: UserId, organization?: OrganizationId): Promise<number> =>
  (
    await sql(Count)`
      select count(*)::int as count
        from oauth_grants g join sign_ins s on s.id = g.id and s.ended_at is null and s.expires_at > now()
       where g.user_id = ${userId} and g.ended_at is null
         and (${organization ?? null}::text is null or g.organization_id = ${organization ?? null})`
  )[0]?.count ?? 0

/** @param organization as above */
export const listGrantsOf = (
  sql: SystemSql,
  userId: UserId,
  { rowLimit, offset }: Part,
  organization?: OrganizationId,
) => sql(GrantRow)`
  select g.id, g.organization_id, g.user_id, g.client_id, g.client_name, g.client_host, g.resource, g.effect_limit,
         g.created_at, g.used_at
    from oauth_grants g join sign_ins s on s.id = g.id and s.ended_at is null and s.expires_at > now()
   where g.user_id = ${userId} and g.ended_at is null
     and (${organization ?? null}::text is null or g.organization_id = ${organization ?? null})
   order by g.created_at desc, g.id desc
   limit ${rowLimit} offset ${offset}`

/** Those of an organization's members. One that has run out is gone with the next cleaning. */
export const countGrants = async (sql: OrgSql): Promise<number> =>
  (await sql(Count)`select count(*)::int as count from oauth_grants where ended_at is null`)[0]?.count ?? 0

export const listGrants = (sql: OrgSql, { rowLimit, offset }: Part) => sql(GrantRow)`
  select id, organization_id, user_id, client_id, client_name, client_host, resource, effect_limit, created_at, used_at
    from oauth_grants where ended_at is null order by created_at desc, id desc limit ${rowLimit} offset ${offset}`

/** Undefined when there is none of that id that has not ended. `of` limits it to one person's. */
export async function endGrant(
  sql: OrgSql | SystemSql,
  id: string,
  of: UserId | undefined,
): Promise<EndedGrant | undefined> {
  const rows = await sql(Ended)`
    update oauth_grants set ended_at = now()
     where id = ${id} and ended_at is null and (${of ?? null}::text is null or user_id = ${of ?? null})
    returning id, organization_id, client_name`
  return rows[0]
}

/** Ends a user's grants in an organization that the user leaves: after a return, consent is requested again. */
export const endGrantsOf = async (sql: OrgSql, userId: UserId): Promise<unknown> =>
  sql(Nothing)`update oauth_grants set ended_at = now() where user_id = ${userId} and ended_at is null`

/** Sign-ins of clients that have run out or ended a while ago, and with them their grants and tokens. */
export const removeOldGrants = async (sql: SystemSql): Promise<unknown> =>
  sql(Nothing)`
    delete from sign_ins using oauth_grants g
     where sign_ins.id = g.id
       and (sign_ins.expires_at < now() - interval '1 day' or sign_ins.ended_at < now() - interval '1 day')`
