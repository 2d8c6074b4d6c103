/** Imports: which connections were made together, so that they can be removed together. */
import { newId, type ImportId, type OrganizationId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql } from '../db/db.ts'

const ImportRow = z.object({ id: z.string().transform((id) => id as ImportId), source: z.string() })
export type ImportRow = z.output<typeof ImportRow>
const Made = z.object({ id: z.string() })

export interface NewImport {
  readonly organizationId: OrganizationId
  readonly source: string
  readonly aliases: readonly string[]
}

export async function addImport(sql: OrgSql, { organizationId, source, aliases }: NewImport): Promise<ImportId> {
  const id = newId('imp')
  const summary = JSON.stringify({ aliases })
  await sql(Made)`
    insert into imports (id, organization_id, source, summary) values (${id}, ${organizationId}, ${source}, ${summary})
    returning id`
  return id
}

/** The last one that was not undone, which is undone from now on. */
export async function undoLastImport(sql: OrgSql): Promise<ImportRow | undefined> {
  const [last] = await sql(ImportRow)`
    update imports set undone_at = now()
     where id = (select id from imports where undone_at is null order by created_at desc, id desc limit 1 for update)
    returning id, source`
  return last
}

/** Ids of the connections that are left of an import. */
export const listImported = async (sql: OrgSql, id: ImportId): Promise<string[]> =>
  (await sql(Made)`select id from connections where import_id = ${id} order by alias`).map((row) => row.id)
