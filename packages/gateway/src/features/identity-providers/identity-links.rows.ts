/** Rows of the identities that an account is linked to, as their person sees them, and of what came by a provider. */
import type { IdentityProviderId, OrganizationId, UserId } from '@toolway/contract'
import { MemberRole } from '@toolway/contract/admin'
import { z } from 'zod'
import type { SystemSql } from '../../db/db.ts'

const OwnLink = z.object({
  provider_id: z.string().transform((id) => id as IdentityProviderId),
  organization_id: z.string(),
  title: z.string(),
  enabled: z.boolean(),
  linked_at: z.date(),
  signed_in_at: z.date().nullable(),
})
export type OwnLink = z.output<typeof OwnLink>

export const listOwnLinks = (sql: SystemSql, userId: UserId) => sql(OwnLink)`
  select p.id as provider_id, p.organization_id, p.title, p.enabled, min(l.created_at) as linked_at,
         max(l.signed_in_at) as signed_in_at
    from identity_links l join identity_providers p on p.organization_id = l.organization_id and p.id = l.provider_id
   where l.user_id = ${userId}
   group by p.id, p.organization_id, p.title, p.enabled order by p.title, p.id`

const Ways = z.object({ is_local: z.boolean(), has_password: z.boolean(), has_passkey: z.boolean() })

/** Whether a provider of the environment signs the person in, and whether a password or a passkey does; the row is locked. A passkey alone signs nobody in whom a provider signs in. */
export const lockWays = async (sql: SystemSql, userId: UserId) =>
  (
    await sql(Ways)`
      select provider = 'local' as is_local,
             password is not null as has_password,
             exists (select from passkeys where user_id = ${userId}) as has_passkey
        from users where id = ${userId} for update`
  )[0]

const Id = z.object({ id: z.string() })

export const removeOwnLink = async (sql: SystemSql, userId: UserId, provider: IdentityProviderId): Promise<boolean> =>
  (
    await sql(Id)`
      delete from identity_links where user_id = ${userId} and provider_id = ${provider} returning subject as id`
  ).length > 0

const Membership = z.object({
  organization_id: z.string().transform((id) => id as OrganizationId),
  role: MemberRole,
})

export const listMembershipsBy = (sql: SystemSql, userId: UserId, source: string) => sql(Membership)`
  select organization_id, role from members where user_id = ${userId} and source = ${source} order by organization_id`

const GroupLeft = z.object({
  organization_id: z.string().transform((id) => id as OrganizationId),
  group_slug: z.string(),
})
export type GroupLeft = z.output<typeof GroupLeft>

/** The groups that the person has left by it. */
export const removeGroupsBy = (sql: SystemSql, userId: UserId, source: string) => sql(GroupLeft)`
  delete from group_members where user_id = ${userId} and source = ${source} returning organization_id, group_slug`

/** The sign-ins that were made with a provider; `but` goes on. */
export const endSignInsBy = (sql: SystemSql, userId: UserId, provider: IdentityProviderId, but: string) => sql(Id)`
  update sign_ins set ended_at = now(), ended_why = 'the account was unlinked from the identity provider'
   where user_id = ${userId} and provider_id = ${provider} and ended_at is null and id <> ${but} returning id`
