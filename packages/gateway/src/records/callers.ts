/** The recent callers of a connection's tools. */
import { z } from 'zod'
import type { OrgSql } from '../db/db.ts'

export const CallerRow = z.object({
  principal: z.string(),
  key_id: z.string().nullable(),
  calls: z.int(),
  last_at: z.date(),
})
export type CallerRow = z.output<typeof CallerRow>

/** Those of the last so many days, who called last first. A person shows under its own name, whichever key it used. */
export const listCallers = (
  sql: OrgSql,
  { connection, days, limit }: { connection: string; days: number; limit: number },
) =>
  sql(CallerRow)`
  select principal, max(key_id) as key_id, count(*)::int as calls, max(at) as last_at
    from records
   where at > now() - make_interval(days => ${days}::int) and kind = 'call' and connection = ${connection}
   group by principal
   order by max(at) desc, principal
   limit ${limit}`
