/** Lists connections with credentials and whether these are valid: the state of a connection, described for users. */
import type { ConnectionId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql } from '../db/db.ts'

export const ConnectionCredentials = z.object({
  connection_id: z.string().transform((id) => id as ConnectionId),
  oauth: z.boolean(),
  key: z.boolean(),
  /** Some of them, and none that serves. */
  lost: z.boolean(),
})
export type ConnectionCredentials = z.output<typeof ConnectionCredentials>

/** Of these connections. */
export const listCredentialsOf = (sql: OrgSql, ids: readonly string[]) => sql(ConnectionCredentials)`
  select connection_id, bool_or(kind = 'oauth') as oauth, bool_or(kind = 'key') as key,
         bool_or(problem is not null or has_expired) and not bool_or(problem is null and not has_expired and active) as lost
    from (select connection_id, kind, problem, active,
                 coalesce(expires_at <= now() and sealed_refresh_token is null, false) as has_expired
            from credentials where connection_id = any(${ids}::text[])) every
   group by connection_id`
