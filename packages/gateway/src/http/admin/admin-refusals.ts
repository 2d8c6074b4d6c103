/**
 * Records a refused operation: the actor, the operation, the organization and the fault.
 *
 * Each refusal of an identified principal is recorded; those of unauthenticated callers are counted, see `records/refusals.ts`.
 * An error in the request itself (its schema, a name that is taken) is not a refusal.
 */
import { Fault, type FaultCode, type OrganizationId } from '@toolway/contract'
import type { Operation } from '@toolway/contract/admin'
import type { Principal } from '../../identity/principal.ts'
import { actorTypeOf, entryOfChange } from '../../records/change.ts'
import type { Entry } from '../../records/records.ts'
import type { Client } from '../client-address.ts'

export interface AdminRefusalParts {
  write(entry: Entry): void
  /** Of callers whom nobody knows. */
  refuseStranger(entry: Entry): void
}

/** The facts about a request that were known when it was refused. */
export interface Learned {
  readonly client: Client
  readonly correlationId: string
  readonly userAgent: string | undefined
  principal?: Principal
  organizationId?: OrganizationId | undefined
}

const REFUSALS = new Set(['identify', 'place', 'admit'])

/** On record already, with more to say, where they are found out. */
const TOLD: ReadonlySet<FaultCode> = new Set([
  'login.wrong',
  'login.provider',
  'login.old',
  'password.wrong',
  'code.unknown',
  'setup.done',
])

/** A wait that is asked for is counted by its limit, and is no refusal of anything; but guesses at sign-in are. */
const isRefusal = ({ row, code }: Fault): boolean =>
  code === 'login.limit' || (REFUSALS.has(row.phase) && row.http !== 429 && row.http < 500 && !TOLD.has(code))

export function createAdminRefusals({ write, refuseStranger }: AdminRefusalParts) {
  return (thrown: unknown, { id }: Operation, learned: Learned): void => {
    const fault = Fault.of(thrown)
    if (!isRefusal(fault)) return
    const { principal, client, organizationId, correlationId, userAgent } = learned
    const actor = {
      id: principal?.id ?? 'anonymous',
      type: actorTypeOf(principal),
      keyId: principal?.keyId,
      address: client.address,
      userAgent,
      correlationId,
    }
    const change = { action: id, resource: 'operation', id, outcome: 'refused', code: fault.code } as const
    const entry = entryOfChange(actor, organizationId, change)
    if (principal === undefined) refuseStranger(entry)
    else write(entry)
  }
}
