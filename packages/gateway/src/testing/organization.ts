/** An organization for a test, with nothing in it. */
import type { Db } from '../db/db.ts'
import { ensureOrganization, type OrganizationRow } from '../organizations/organizations.ts'

export const addTestOrganization = (db: Db, slug: string): Promise<OrganizationRow> =>
  db.system((sql) => ensureOrganization(sql, slug, undefined, 'test'))
