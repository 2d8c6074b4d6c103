/** The operation that describes the endpoint of one connection, from what is in memory: no server is asked for it. */
import * as shapes from '@toolway/contract/admin'
import { findConnectionOf } from '../../operations/find-connection.ts'
import { operationServers, type OperationBase, type Served } from '../../operations/serve.ts'

const nameOf = ({ name, version }: Readonly<Record<string, unknown>>) =>
  typeof name === 'string' ? { name, version: typeof version === 'string' ? version : '' } : null

const { serveOrganization } = operationServers<OperationBase>()

export const endpointOperations: readonly Served<OperationBase>[] = [
  serveOrganization(shapes.findEndpoint, ({ parts, organization, params }) => {
    const { id, alias, title, enabled } = findConnectionOf(parts, organization.id, params['connection'] ?? '')
    const catalog = parts.snapshots.find({ id: organization.id })?.catalogs.get(id)
    return {
      ...{ tenant_slug: organization.slug, connector_id: id, connector: alias, title, enabled },
      path: `/api/v1/${organization.slug}/connectors/${alias}/mcp`,
      revision: catalog?.revision ?? null,
      server: nameOf(catalog?.server?.server ?? {}),
      tools: catalog?.tools?.length ?? 0,
      resources: catalog?.resources?.length ?? 0,
      prompts: catalog?.prompts?.length ?? 0,
    }
  }),
]
