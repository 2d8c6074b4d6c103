/** The parts that operations on connections and their tools work with besides those of all operations, and the way to serve them. */
import type { ConnectionId, Fault, OrganizationId } from '@toolway/contract'
import type { Operation } from '@toolway/contract/admin'
import type { AdminCredentials } from '../../oauth/outgoing/admin-credentials.ts'
import { operationServers, type OperationBase } from '../../operations/serve.ts'
import type * as operations from '../../operations/serve.ts'
import type { CallStateParts } from './read-call-states.ts'

/** The parts that a connection is shown with. */
export interface ShownConnectionParts extends OperationBase {
  readonly connect: {
    /** The apps from which the state of a connection that uses a vendor's accounts is derived. */
    readonly apps: Pick<CallStateParts, 'vendorAuthority' | 'hasGlobalApp'>
  }
  readonly runtime: {
    /** Folders below which connections may allow paths; none: where the platform wants. */
    readonly roots: readonly string[]
  }
}

export interface ConnectionOperationParts extends ShownConnectionParts {
  readonly credentials: Pick<AdminCredentials, 'endIn' | 'ended'>
  /** Ask a connection now what it offers, and keep it; the fault, if it failed. Never throws, and never waits for ever. */
  sync(organizationId: OrganizationId, connectionId: ConnectionId): Promise<Fault | undefined>
}

export type Served = operations.Served<ConnectionOperationParts>
export type OrganizationRequest<Op extends Operation> = operations.OrganizationRequest<Op, ConnectionOperationParts>

export const { serveOrganization } = operationServers<ConnectionOperationParts>()
