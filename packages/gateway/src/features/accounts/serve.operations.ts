/** The parts that operations on accounts work with besides those of all operations, and the ways to serve them. */
import type { Operation } from '@toolway/contract/admin'
import type { AdminCredentials } from '../../oauth/outgoing/admin-credentials.ts'
import { operationServers, type OperationBase } from '../../operations/serve.ts'
import type * as operations from '../../operations/serve.ts'
import type { AdminConnect } from './admin-connect.ts'

export interface AccountParts extends OperationBase {
  /** Ways to connect an account. */
  readonly connect: AdminConnect
  /** Credentials for upstream servers. */
  readonly credentials: AdminCredentials
}

export type Served = operations.Served<AccountParts>
export type OrganizationRequest<Op extends Operation> = operations.OrganizationRequest<Op, AccountParts>

export const { serveOrganization, serveSignedIn, serveAnyone } = operationServers<AccountParts>()
