/** The parts that operations on integrations work with besides those on connections, which carry them out, and the way to serve them. */
import type { Operation } from '@toolway/contract/admin'
import type { AdminCredentials } from '../../oauth/outgoing/admin-credentials.ts'
import type { ConnectRequestLinks } from '../../oauth/outgoing/flows/connect-links.ts'
import type { Flows } from '../../oauth/outgoing/flows/flows.ts'
import { operationServers } from '../../operations/serve.ts'
import type * as operations from '../../operations/serve.ts'
import type { ConnectionOperationParts } from '../connections/index.ts'

export interface IntegrationParts extends ConnectionOperationParts {
  readonly connect: ConnectionOperationParts['connect'] & {
    readonly links: Pick<ConnectRequestLinks, 'make'>
    readonly flows: Pick<Flows, 'begin'>
  }
  readonly credentials: ConnectionOperationParts['credentials'] & Pick<AdminCredentials, 'keep' | 'end'>
}

export type Served = operations.Served<IntegrationParts>
export type ServedOfConnections = operations.Served<ConnectionOperationParts>
export type OrganizationRequest<Op extends Operation> = operations.OrganizationRequest<Op, IntegrationParts>

export const { serveOrganization } = operationServers<IntegrationParts>()
