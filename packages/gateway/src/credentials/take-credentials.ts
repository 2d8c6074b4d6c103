/**
 * How credentials leave: taken out of the database in the transaction of whatever ends them, with what their authorization server is
 * to be told afterwards. It asks nobody; what it hands out is forgotten once that is said.
 */
import type { ConnectionId, CredentialId, OrganizationId, UserId } from '@toolway/contract'
import type { OrgSql, SystemSql } from '../db/db.ts'
import { BoundRow } from './renewal.ts'

export interface Ending {
  readonly connectionId?: ConnectionId | undefined
  readonly provider?: string | undefined
  /** Null: the organization's; undefined: everybody's. */
  readonly userId?: UserId | null | undefined
  readonly id?: CredentialId | undefined
  /** Undefined: of every organization that the transaction reaches. */
  readonly organizationId?: OrganizationId | undefined
}

/** Those that fit all that is said; saying nothing takes none. By its id, one that is for all connections to a vendor goes too. */
export const takeCredentials = (
  sql: OrgSql | SystemSql,
  { connectionId, provider, userId, id, organizationId }: Ending,
) => sql(BoundRow)`
  delete from credentials
   where ${connectionId !== undefined || provider !== undefined || userId !== undefined || id !== undefined}::boolean
     and (${connectionId ?? null}::text is null or connection_id = ${connectionId ?? null}
          or (${id !== undefined}::boolean and connection_id is null))
     and (${provider ?? null}::text is null or provider = ${provider ?? null})
     and (${userId === undefined}::boolean or user_id is not distinct from ${userId ?? null})
     and (${id ?? null}::text is null or id = ${id ?? null})
     and (${organizationId ?? null}::text is null or organization_id = ${organizationId ?? null})
  returning id, kind, provider, connection_id, user_id, account, version, scopes, sealed_access_token,
            sealed_refresh_token, authority, client_id, app_id, failures`
