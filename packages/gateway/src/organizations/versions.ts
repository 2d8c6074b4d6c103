/** How often what an organization offers was changed (ledger U-27): the database counts, once for each transaction. */
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../db/db.ts'

// A double holds every count exactly that this one reaches.
const VersionRow = z.object({ version: z.number() })

/** 0 where nothing was changed since it was made. */
export const findVersion = async (sql: OrgSql): Promise<number> =>
  (await sql(VersionRow)`select version::float8 as version from organization_versions`)[0]?.version ?? 0

const VersionOfRow = VersionRow.extend({ organization_id: z.string() })

/** The same for these organizations; those without a count are left out. */
export async function findVersionsOf(
  sql: SystemSql,
  organizations: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await sql(VersionOfRow)`
    select organization_id, version::float8 as version from organization_versions
     where organization_id = any(${organizations}::text[])`
  return new Map(rows.map(({ organization_id: id, version }) => [id, version]))
}
