/** The records of an organization as a test looks at them: the newest first, without what chains them. */
import { z } from 'zod'
import type { OrgSql } from '../db/db.ts'

const RecordRow = z.object({
  id: z.string(),
  at: z.date(),
  kind: z.string(),
  principal: z.string(),
  toolset: z.string().nullable(),
  connection: z.string().nullable(),
  method: z.string(),
  target: z.string().nullable(),
  bytes_in: z.number(),
  bytes_out: z.number(),
  duration_us: z.number(),
  outcome: z.string(),
  code: z.string().nullable(),
  decision: z.string(),
  correlation_id: z.string(),
})

export const listRecords = (sql: OrgSql, { limit }: { limit: number }) => sql(RecordRow)`
  select id, at, kind, principal, toolset, connection, method, target, bytes_in, bytes_out, duration_us, outcome, code,
         decision, correlation_id
    from records order by at desc, id desc limit ${limit}`
