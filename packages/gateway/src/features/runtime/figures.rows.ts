/** What only the database knows of an organization, or of the whole installation: counts, and the last backup. */
import { z } from 'zod'
import type { OrgSql, SystemSql } from '../../db/db.ts'
import { PLATFORM } from '../../records/records.ts'

const Counted = z.object({
  members: z.int(),
  keys: z.int(),
  sessions: z.int(),
  users: z.int(),
  total: z.int(),
  failed: z.int(),
  refused: z.int(),
})
export type Counted = z.output<typeof Counted>

/** Row-level security decides of what: an organization's own, or all there is. */
export async function countAll(sql: OrgSql | SystemSql): Promise<Counted> {
  const [row] = await sql(Counted)`
    select (select count(*) from members)::int as members, (select count(*) from keys)::int as keys,
           (select count(*) from sessions)::int as sessions, (select count(id) from users)::int as users,
           count(*)::int as total,
           (count(*) filter (where outcome in ('failed', 'tool_error')))::int as failed,
           (count(*) filter (where outcome = 'refused'))::int as refused
      from records where kind = 'call' and at > now() - interval '24 hours'`
  if (row === undefined) throw new Error('a count gave no row')
  return row
}

const LastBackup = z.object({ at: z.date() })

/** What only the database knows of the installation. */
export interface Figures {
  readonly counted: Counted
  readonly lastBackup: string | null
}
export const readFigures = async (sql: SystemSql): Promise<Figures> => ({
  counted: await countAll(sql),
  lastBackup: await lastBackup(sql),
})

/** The action is written out, so that the index of actions serves. */
async function lastBackup(sql: OrgSql | SystemSql): Promise<string | null> {
  const [row] = await sql(LastBackup)`
    select at from records where organization_id = ${PLATFORM} and method = 'backup.create' order by seq desc limit 1`
  return row?.at.toISOString() ?? null
}
