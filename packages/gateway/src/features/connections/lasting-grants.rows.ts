/** Standing grants for the tools of a connection, which end with a change of what they were given for. */
import { z } from 'zod'
import type { OrgSql } from '../../db/db.ts'

const Id = z.object({ id: z.string() })

export const endLastingGrants = (sql: OrgSql, connectionId: string) =>
  sql(Id)`delete from lasting_grants where connection_id = ${connectionId} returning id`
