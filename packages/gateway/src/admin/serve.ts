/** The operations of the administration: what they work with besides what all operations have, and the ways to serve them. */
import type { KeepCheckpoints } from '../jobs/keep-checkpoints.ts'
import type { AdminConnect } from '../features/accounts/index.ts'
import type { Runtime } from '../features/runtime/index.ts'
import type { Operation } from '@toolway/contract/admin'
import { serving, type OperationBase } from '../operations/serve.ts'
import type * as operations from '../operations/serve.ts'

/** The parts that operations of the administration work with. */
export interface AdminParts extends OperationBase {
  readonly checkpoints: Pick<KeepCheckpoints, 'sign' | 'trust' | 'fingerprints'>
  /** Payloads of calls that are stored besides their records, and for how many days; 0: none are stored. */
  readonly payloads: { readonly days: number; open(sealed: Buffer, id: string): string }
  /** The address of a trace, with `{trace_id}` in it; undefined: records do not link to traces. */
  readonly traceUrl: string | undefined
  readonly connect: Pick<AdminConnect, 'apps'>
  readonly runtime: Runtime
}

export type Served = operations.Served<AdminParts>
export type OrganizationRequest<Op extends Operation> = operations.OrganizationRequest<Op, AdminParts>

export const { serveOrganization, servePlatform, serveSignedIn, serveAnyone } = serving<AdminParts>()
