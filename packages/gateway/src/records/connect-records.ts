/** How a way to an authorization server ended, by the name under which whoever began asks: records know it, whichever gateway ended it. */
import { z } from 'zod'
import type { SystemSql } from '../db/db.ts'

const Ended = z.object({ outcome: z.string(), detail: z.record(z.string(), z.unknown()).nullable() })
export type EndedWay = z.output<typeof Ended>

/** Undefined as long as it is under way, and five minutes after it ended. */
export async function findEndedWay(sql: SystemSql, session: string): Promise<EndedWay | undefined> {
  const [row] = await sql(Ended)`
    select outcome, detail from records
     where method = 'credential.connect' and at > now() - interval '5 minutes' and detail ->> 'session' = ${session}
     order by id desc limit 1`
  return row
}
