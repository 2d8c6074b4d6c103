/** The operations of the administration: what they work with besides what all operations have, and the ways to serve them. */
import type { AdminConnect } from '../features/accounts/index.ts'
import type { Runtime } from '../features/runtime/index.ts'
import type { Operation } from '@toolway/contract/admin'
import { serving, type OperationBase } from '../operations/serve.ts'
import type * as operations from '../operations/serve.ts'

/** The parts that operations of the administration work with. */
export interface AdminParts extends OperationBase {
  readonly connect: Pick<AdminConnect, 'apps'>
  readonly runtime: Runtime
}

export type Served = operations.Served<AdminParts>
export type OrganizationRequest<Op extends Operation> = operations.OrganizationRequest<Op, AdminParts>

export const { serveOrganization, servePlatform, serveSignedIn, serveAnyone } = serving<AdminParts>()
