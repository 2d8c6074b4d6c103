/** Rows of identity providers, and of who somebody is at one. Secrets are sealed. */
import { newId, type IdentityProviderId, type OrganizationId, type UserId } from '@toolway/contract'
import { MemberRole, ProviderSettings } from '@toolway/contract/admin'
import { z } from 'zod'
import type { OrgSql, Sql, SystemSql } from '../../db/db.ts'

export const ProviderRow = z.object({
  organization_id: z.string(),
  id: z.string().transform((id) => id as IdentityProviderId),
  slug: z.string(),
  title: z.string(),
  settings: z.record(z.string(), z.unknown()),
  sealed_secret: z.instanceof(Buffer).nullable(),
  private: z.boolean(),
  enabled: z.boolean(),
  origin: z.string(),
  signed_in_at: z.date().nullable(),
  last_problem: z.string().nullable(),
  failed_at: z.date().nullable(),
})
export type ProviderRow = z.output<typeof ProviderRow>

export const settingsOf = ({ settings }: Pick<ProviderRow, 'settings'>): ProviderSettings =>
  ProviderSettings.parse(settings)

const readProviders = (sql: Sql, { owner, id, slug }: { owner?: string; id?: string; slug?: string }) => sql(
  ProviderRow,
)`
  select organization_id, id, slug, title, settings, sealed_secret, private, enabled, origin, signed_in_at, last_problem, failed_at
    from identity_providers
   where (${owner ?? null}::text is null or organization_id = ${owner ?? null})
     and (${id ?? null}::text is null or id = ${id ?? null})
     and (${slug ?? null}::text is null or slug = ${slug ?? null})
   order by slug`

export const listProviders = (sql: OrgSql | SystemSql, owner: string) => readProviders(sql, { owner })

export const findProvider = async (sql: OrgSql | SystemSql, owner: string, slug: string) =>
  (await readProviders(sql, { owner, slug }))[0]

export const findProviderById = async (sql: SystemSql, id: string) => (await readProviders(sql, { id }))[0]

const Id = z.object({ id: z.string() })

export type NewProvider = Pick<
  ProviderRow,
  'organization_id' | 'id' | 'slug' | 'title' | 'sealed_secret' | 'private' | 'enabled' | 'origin'
> & { readonly settings: ProviderSettings }

/** Adds the provider, or makes the one of that slug the same. */
export const putProvider = (sql: OrgSql | SystemSql, provider: NewProvider) => sql(Id)`
  insert into identity_providers (organization_id, id, slug, title, settings, sealed_secret, private, enabled, origin)
  values (${provider.organization_id}, ${provider.id}, ${provider.slug}, ${provider.title}, ${JSON.stringify(provider.settings)},
          ${provider.sealed_secret}, ${provider.private}, ${provider.enabled}, ${provider.origin})
  on conflict (organization_id, slug) do update
     set title = excluded.title, settings = excluded.settings, sealed_secret = excluded.sealed_secret,
         private = excluded.private, enabled = excluded.enabled, origin = excluded.origin, updated_at = now()
  returning id`

export const removeProvider = async (sql: OrgSql | SystemSql, owner: string, slug: string): Promise<boolean> =>
  (await sql(Id)`delete from identity_providers where organization_id = ${owner} and slug = ${slug} returning id`)
    .length > 0

export const newProviderId = (): IdentityProviderId => newId('idp')

/** Every few seconds is enough: all who arrive at nine o'clock would wait for this row. */
export const noteProviderSignIn = (sql: SystemSql, id: IdentityProviderId) => sql(Id)`
  update identity_providers set signed_in_at = now(), last_problem = null, failed_at = null
   where id = ${id} and (last_problem is not null or signed_in_at is null or signed_in_at < now() - interval '5 seconds')
  returning id`

/** `failed_at` is the time of the first of several failures in a row. */
export const noteProviderProblem = (sql: SystemSql, id: IdentityProviderId, problem: string) => sql(Id)`
  update identity_providers set last_problem = ${problem}, failed_at = coalesce(failed_at, now()) where id = ${id} returning id`

const Link = z.object({ user_id: z.string().transform((id) => id as UserId) })

type LinkProvider = Pick<ProviderRow, 'organization_id' | 'id'>

export const findLink = async (sql: SystemSql, provider: LinkProvider, subject: string): Promise<UserId | undefined> =>
  (
    await sql(Link)`
      select user_id from identity_links
       where organization_id = ${provider.organization_id} and provider_id = ${provider.id} and subject = ${subject}`
  )[0]?.user_id

export interface NewLink {
  readonly provider: LinkProvider
  readonly subject: string
  readonly userId: UserId
}

/** False where somebody is linked to that subject already. */
export const addLink = async (sql: SystemSql, { provider, subject, userId }: NewLink): Promise<boolean> =>
  (
    await sql(Link)`
      insert into identity_links (organization_id, provider_id, subject, user_id)
      values (${provider.organization_id}, ${provider.id}, ${subject}, ${userId})
      on conflict do nothing returning user_id`
  ).length > 0

export const noteLinkUsed = (sql: SystemSql, provider: LinkProvider, subject: string) => sql(Link)`
  update identity_links set signed_in_at = now()
   where organization_id = ${provider.organization_id} and provider_id = ${provider.id} and subject = ${subject} returning user_id`

/** Forgets who is who at the provider, whose settings lead to another one now; sign-ins end by a trigger. */
export const removeLinks = (sql: OrgSql | SystemSql, provider: LinkProvider) => sql(Link)`
  delete from identity_links where organization_id = ${provider.organization_id} and provider_id = ${provider.id} returning user_id`

const Membership = z.object({ role: MemberRole, source: z.string(), active: z.boolean() })

export const findMembership = async (sql: SystemSql, organizationId: OrganizationId, userId: UserId) =>
  (
    await sql(Membership)`
      select role, source, active from members where organization_id = ${organizationId} and user_id = ${userId}`
  )[0]

/** The role and the source of a membership that came by a provider. */
export const setMembership = (sql: SystemSql, { organizationId, userId, role, source }: NewMembership) => sql(
  Membership,
)`
  update members set role = ${role}, source = ${source}, updated_at = now()
   where organization_id = ${organizationId} and user_id = ${userId} returning role, source, active`

export interface NewMembership {
  readonly organizationId: OrganizationId
  readonly userId: UserId
  readonly role: MemberRole
  readonly source: string
}

/** The membership with its keys, and what the person allowed OAuth clients there. */
export async function removeMembershipIn(
  sql: SystemSql,
  organizationId: OrganizationId,
  userId: UserId,
): Promise<void> {
  await sql(
    Link,
  )`delete from members where organization_id = ${organizationId} and user_id = ${userId} returning user_id`
  await sql(Link)`
    update oauth_grants set ended_at = now()
     where organization_id = ${organizationId} and user_id = ${userId} and ended_at is null returning user_id`
}

const Slugs = z.object({ group_slug: z.string() })

/**
 * The groups that a provider puts a member into, and no others of this source. Groups that are not there are left out. How many have
 * changed.
 */
export async function setProvidedGroups(
  sql: SystemSql,
  { organizationId, userId, source }: Omit<NewMembership, 'role'>,
  groups: readonly string[],
): Promise<number> {
  const added = await sql(Slugs)`
    insert into group_members (organization_id, group_slug, user_id, source)
    select organization_id, slug, ${userId}, ${source} from groups
     where organization_id = ${organizationId} and slug = any(${[...groups]}::text[])
    on conflict do nothing returning group_slug`
  const removed = await sql(Slugs)`
    delete from group_members
     where organization_id = ${organizationId} and user_id = ${userId} and source = ${source}
       and group_slug <> all(${[...groups]}::text[])
    returning group_slug`
  return added.length + removed.length
}

const TitleRow = z.object({ id: z.string(), title: z.string() })

/** The titles of these providers, by id. */
export const listProviderTitles = async (
  sql: SystemSql,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> =>
  new Map(
    ids.length === 0
      ? []
      : (await sql(TitleRow)`select id, title from identity_providers where id = any(${[...ids]}::text[])`).map(
          ({ id, title }) => [id, title],
        ),
  )
