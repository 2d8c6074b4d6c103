/** The operation on alerts: what people of an organization had to know in the last 90 days. */
import { permits } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import { countAlerts, listAlerts } from './list-alerts.rows.ts'
import { alertOf } from './show-alert.ts'
import { pageAt, partOf } from '../../lib/page.ts'
import { operationServers, type OperationBase, type Served } from '../../operations/serve.ts'

const { serveOrganization } = operationServers<OperationBase>()

export const alertOperations: readonly Served<OperationBase>[] = [
  serveOrganization(shapes.listAlerts, async ({ read, query, role, principal }) => {
    const { kind, connection_id: connectionId } = query
    const { rowLimit, offset } = partOf(query)
    const userId = permits(role, 'connector_update') ? undefined : (principal.userId ?? null)
    const filter = { kind, connectionId, userId }
    const [rows, total] = await read(
      async (sql) =>
        [await listAlerts(sql, filter, { limit: rowLimit, offset }), await countAlerts(sql, filter)] as const,
    )
    return pageAt(rows, { query, start: offset, total }, alertOf)
  }),
]
