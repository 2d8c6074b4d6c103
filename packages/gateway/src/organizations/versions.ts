/** How often what an organization offers was changed (ledger U-27): the database counts, once for each transaction. */
import { z } from 'zod'
import type { OrgSql } from '../db/db.ts'

// A double holds every count exactly that this one reaches.
const VersionRow = z.object({ version: z.number() })

/** 0 where nothing was changed since it was made. */
export const findVersion = async (sql: OrgSql): Promise<number> =>
  (await sql(VersionRow)`select version::float8 as version from organization_versions`)[0]?.version ?? 0
