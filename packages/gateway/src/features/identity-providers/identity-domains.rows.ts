/** Rows of the domains whose addresses an organization decides over, once it has proven that they are its own. */
import type { OrganizationId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../../db/db.ts'

export const DomainRow = z.object({
  organization_id: z.string().transform((id) => id as OrganizationId),
  domain: z.string(),
  challenge: z.string(),
  proven_at: z.date().nullable(),
  proven_by: z.string().nullable(),
  enforced: z.boolean(),
  break_glass: z.string().nullable(),
})
export type DomainRow = z.output<typeof DomainRow>

export const listDomains = (sql: OrgSql) => sql(DomainRow)`
  select organization_id, domain, challenge, proven_at, proven_by, enforced, break_glass from identity_domains order by domain`

export const findDomain = async (sql: OrgSql, domain: string): Promise<DomainRow | undefined> =>
  (
    await sql(DomainRow)`
      select organization_id, domain, challenge, proven_at, proven_by, enforced, break_glass from identity_domains where domain = ${domain}`
  )[0]

/** The organization that has proven the domain. */
export const findProvenDomain = async (sql: SystemSql, domain: string): Promise<DomainRow | undefined> =>
  (
    await sql(DomainRow)`
      select organization_id, domain, challenge, proven_at, proven_by, enforced, break_glass
        from identity_domains where domain = ${domain} and proven_at is not null`
  )[0]

export const isProvenFor = async (sql: SystemSql, organizationId: string, domain: string): Promise<boolean> =>
  (await findProvenDomain(sql, domain))?.organization_id === organizationId

const Domain = z.object({ domain: z.string() })

/** Adds the domain, or sets whether it is enforced. */
export const putDomain = (
  sql: OrgSql,
  {
    organization_id: organizationId,
    domain,
    challenge,
    enforced,
    break_glass: breakGlass,
  }: Omit<DomainRow, 'proven_at' | 'proven_by'>,
) => sql(Domain)`
  insert into identity_domains (organization_id, domain, challenge, enforced, break_glass)
  values (${organizationId}, ${domain}, ${challenge}, ${enforced}, ${breakGlass})
  on conflict (organization_id, domain) do update set enforced = excluded.enforced, break_glass = excluded.break_glass
  returning domain`

/** Throws the database's fault for a duplicate where another organization has proven the domain. */
export const proveDomain = (
  sql: SystemSql,
  { organization_id: organizationId, domain }: Pick<DomainRow, 'organization_id' | 'domain'>,
  by: string,
) => sql(DomainRow)`
  update identity_domains set proven_at = now(), proven_by = ${by}
   where organization_id = ${organizationId} and domain = ${domain}
  returning organization_id, domain, challenge, proven_at, proven_by, enforced, break_glass`

export const removeDomain = async (sql: OrgSql, domain: string): Promise<boolean> =>
  (await sql(Domain)`delete from identity_domains where domain = ${domain} returning domain`).length > 0

/** Whether any address leads to the provider of an organization. */
export const hasLeadingDomain = async (sql: SystemSql): Promise<boolean> =>
  (
    await sql(Domain)`
      select d.domain from identity_domains d
       where d.proven_at is not null
         and exists (select from identity_providers p where p.organization_id = d.organization_id and p.enabled) limit 1`
  ).length > 0

/** The domain belongs to another organization now. */
export const endProof = (sql: SystemSql, { organization_id: organizationId, domain }: DomainRow) => sql(Domain)`
  update identity_domains set proven_at = null, proven_by = null, enforced = false
   where organization_id = ${organizationId} and domain = ${domain} returning domain`
