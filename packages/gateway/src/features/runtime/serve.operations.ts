/** The parts that operations on the runtime work with, and the ways to serve them. */
import type { Operation } from '@toolway/contract/admin'
import { operationServers, type OperationBase } from '../../operations/serve.ts'
import type * as operations from '../../operations/serve.ts'
import type { ShownConnectionParts } from '../connections/index.ts'
import type { Runtime } from './runtime.ts'

export interface RuntimeParts extends OperationBase {
  readonly runtime: Runtime
  /** The apps from which the states of connections are derived. */
  readonly connect: ShownConnectionParts['connect']
}

export type Served = operations.Served<RuntimeParts>
export type OrganizationRequest<Op extends Operation> = operations.OrganizationRequest<Op, RuntimeParts>

export const { serveOrganization, servePlatform } = operationServers<RuntimeParts>()
