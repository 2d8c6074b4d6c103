/** Saying what happened to a connection where no row says it by having changed; the database tells the rest by itself. */
import type { ConnectionId, OrganizationId } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql } from '../db/db.ts'

export const tellTested = (sql: OrgSql, organizationId: OrganizationId, connectionId: ConnectionId) =>
  sql(z.object({ told: z.string() }))`
    select tell_integration(${organizationId}, ${connectionId}, 'tested')::text as told`
