/**
 * How an operation of the admin interface is carried out: its description from `contract`, and a function that is handed who
 * asks, what is addressed, and the only ways to the database that fit its permission.
 *
 * A change and its record are one transaction, because the function has no other way to change anything.
 */
import type { OrganizationId, Role, Rule } from '@toolway/contract'
import { NEEDS_PROOF, type Needs, type Operation } from '@toolway/contract/admin'
import type { z } from 'zod'
import type { Db, OrgSnapshotSql, OrgSql, SystemSql } from '../db/db.ts'
import type { Accounts } from '../identity/accounts.ts'
import type { Principal } from '../identity/principal.ts'
import type { OrganizationRow } from '../organizations/organizations.ts'
import { recordChange, type Actor, type Change } from '../records/change.ts'
import type { Vault } from '../vault/vault.ts'
import type { Origin } from '../lib/origin.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import type { ChangedRows } from '../snapshot/wanted-rows.ts'
import { refuseOldProof } from './recent-proof.ts'

/** The parts that every operation works with. A feature's operations may need more: the `Parts` of `Served`. */
export interface OperationBase {
  readonly db: Pick<Db, 'organization' | 'snapshot' | 'system'>
  readonly vault: Vault
  readonly accounts: Accounts
  readonly snapshots: {
    find(name: { id?: string; slug?: string }): Snapshot | undefined
    all(): readonly Snapshot[]
    /** Whole, or the rows that changed. */
    refresh(id: string, changed?: ChangedRows): Promise<void>
  }
  /** The rules of the platform that concern an organization, as they are in force. */
  platformRules(organization: Pick<OrganizationRow, 'id' | 'slug'>): readonly Rule[]
  /** Minutes for which a sign-in counts as recent. */
  readonly proofMinutes?: number | undefined
  /** Waits until every process of the port acts on a change; undefined where there is one process. Never throws. */
  readonly untilApplied?: ((organizationId: OrganizationId | undefined) => Promise<void>) | undefined
}

/** One request as its face learned it. */
export interface OperationCall {
  readonly principal: Principal | undefined
  readonly actor: Actor
  readonly params: Readonly<Record<string, string>>
  readonly query: unknown
  readonly body: unknown
  /** The interface that called the operation, stored as the origin of everything that the operation creates. */
  readonly origin: Origin
  /** Of the If-Match header, without its quotes. */
  readonly ifMatch?: string | undefined
  /** Of the request, by lower-case name. */
  readonly header: (name: string) => string | undefined
  /** Headers of the answer. */
  readonly head: { set(name: string, value: string): void; append(name: string, value: string): void }
  /** Aborted when the one who asks is gone. */
  readonly signal: AbortSignal
  /** Takes the records of a batch, which are stored together at its end; absent: each is stored with its change. */
  readonly batched?: ((change: PlacedChange) => void) | undefined
  /** Tells a client that follows an operation with `progress` how far it is; others hear nothing. */
  readonly progress?: ((value: unknown) => void) | undefined
}

interface OperationRequest<Op extends Operation, Parts> {
  readonly parts: Parts
  readonly actor: Actor
  readonly params: Readonly<Record<string, string>>
  readonly query: z.output<Op['query']>
  readonly body: z.output<Op['body']>
  readonly origin: Origin
  readonly ifMatch: string | undefined
  readonly header: OperationCall['header']
  readonly head: OperationCall['head']
  readonly signal: AbortSignal
  readonly progress: NonNullable<OperationCall['progress']>
}

export interface OrganizationRequest<Op extends Operation, Parts> extends OperationRequest<Op, Parts> {
  readonly principal: Principal
  readonly role: Role
  readonly organization: OrganizationRow
  /** Reads the organization that is addressed. */
  read<T>(work: (sql: OrgSql) => Promise<T>): Promise<T>
  /** As `read`: all reads see the organization as it was at the first one. */
  readSnapshot<T>(work: (sql: OrgSnapshotSql) => Promise<T>): Promise<T>
  /**
   * Changes the organization and writes the audit entry, in one transaction. `say` builds the entry from the result of `work`.
   */
  change<T>(say: (result: T) => Change | readonly Change[], work: (sql: OrgSql) => Promise<T>): Promise<T>
}

/** A change with the organization whose records it stands in; absent: the platform's. */
export type PlacedChange = Change & { readonly organizationId?: OrganizationId }

export interface PlatformRequest<Op extends Operation, Parts> extends OperationRequest<Op, Parts> {
  readonly principal: Principal
  readonly role: Role
  read<T>(work: (sql: SystemSql) => Promise<T>): Promise<T>
  /** Each record stands in the organization that `say` names, else in the platform's. */
  change<T>(
    say: (result: T) => PlacedChange | readonly PlacedChange[],
    work: (sql: SystemSql) => Promise<T>,
  ): Promise<T>
}

export type SignedInRequest<Op extends Operation, Parts> = Omit<PlatformRequest<Op, Parts>, 'role'>
export type AnonymousRequest<Op extends Operation, Parts> = Omit<PlatformRequest<Op, Parts>, 'role' | 'principal'>

/**
 * Returned by an operation that has changed rows of its organization, in place of its answer. Whoever serves the operation first reads
 * the changed rows into the snapshot and then calls `answer`, which reads the snapshot. A batch does neither: its changes apply when
 * its transaction ends.
 */
export class PendingChange<Answer> {
  /** Undefined: the whole organization is read anew. */
  readonly rows: ChangedRows | undefined
  readonly answer: () => Answer | Promise<Answer>

  constructor(answer: () => Answer | Promise<Answer>, rows?: ChangedRows) {
    this.answer = answer
    this.rows = rows
  }
}

type Answer<Op extends Operation> = z.input<Op['answer']> | Response
type Result<Op extends Operation> = Answer<Op> | PendingChange<Answer<Op>>
type Run<Asks, Op extends Operation> = (request: Asks) => Promise<Result<Op>> | Result<Op>

interface OperationScope {
  readonly organization: OrganizationRow | undefined
  readonly role: Role | undefined
}

/**
 * An operation with what carries it out. `organization` and `role` are there where its `needs` asks for them. `Parts`: what a feature's
 * operations work with besides the parts of all.
 */
export interface Served<Parts extends OperationBase> {
  readonly operation: Operation
  run(parts: Parts, call: OperationCall, scope: OperationScope): unknown
  /**
   * Changes what the operation changes, and makes no answer of it: for a batch, whose transaction is not at its end. Absent: it cannot
   * be part of a batch.
   */
  change?(parts: Parts, call: OperationCall, scope: OperationScope): Promise<void>
}

const changes = ({ method, reads, harmless }: Operation): boolean => method !== 'GET' && !reads && !harmless

function toServe<Op extends Operation, Asks, Parts extends OperationBase>(
  operation: Op,
  of: Needs['of'],
  run: Run<Asks, Op>,
  make: (parts: Parts, call: OperationCall, scope: OperationScope) => object,
): Served<Parts> {
  if (operation.needs.of !== of) throw new Error(`${operation.id} is described as needing ${operation.needs.of}`)
  const needsProof = NEEDS_PROOF.has(operation.id)
  const runHandler = (parts: Parts, call: OperationCall, scope: OperationScope) => {
    const proceed = () => handle(parts, call, scope)
    return needsProof ? refuseOldProof(parts, call.principal).then(proceed) : proceed()
  }
  const handle = (parts: Parts, call: OperationCall, scope: OperationScope) => {
    const { actor, params, query, body, origin, ifMatch, header, head, signal, progress = () => {} } = call
    const request = { parts, actor, params, query, body, origin, ifMatch, header, head, signal, progress }
    return run({ ...request, ...make(parts, call, scope) } as Asks)
  }
  return {
    operation,
    run(parts, call, scope) {
      const running = runHandler(parts, call, scope)
      const { untilApplied } = parts
      const { organization } = scope
      if (!changes(operation)) return running
      return Promise.resolve(running).then(async (result) => {
        if (!(result instanceof PendingChange))
          return untilApplied === undefined ? result : untilApplied(organization?.id).then(() => result)
        if (organization !== undefined) await parts.snapshots.refresh(organization.id, result.rows)
        const answer = await result.answer()
        await untilApplied?.(organization?.id)
        return answer
      })
    },
    async change(parts, call, scope) {
      await runHandler(parts, call, scope)
    },
  }
}

const systemWays = ({ db }: OperationBase, { actor, batched }: OperationCall) => ({
  read: (work: (sql: SystemSql) => Promise<unknown>) => db.system(work),
  change: (
    say: (result: unknown) => PlacedChange | readonly PlacedChange[],
    work: (sql: SystemSql) => Promise<unknown>,
  ) =>
    db.system(async (sql) => {
      const result = await work(sql)
      for (const placed of [say(result)].flat()) {
        const { organizationId, ...change } = placed
        if (batched === undefined) await recordChange(sql, actor, organizationId, change)
        else batched(placed)
      }
      return result
    }),
})

/**
 * The ways to serve operations that work with `Parts`. A function that is handed a request can reach the database only in the way that
 * the operation's permission allows.
 */
export const operationServers = <Parts extends OperationBase>() => ({
  /** For operations with `inOrganization(…)`. */
  serveOrganization: <Op extends Operation>(op: Op, run: Run<OrganizationRequest<Op, Parts>, Op>): Served<Parts> =>
    toServe(op, 'organization', run, ({ db }, { principal, actor, batched }, { organization, role }) => {
      if (principal === undefined || organization === undefined || role === undefined)
        throw new Error('an operation of an organization was called without an organization')
      return {
        principal,
        role,
        organization,
        read: (work: (sql: OrgSql) => Promise<unknown>) => db.organization(organization.id, work),
        readSnapshot: (work: (sql: OrgSnapshotSql) => Promise<unknown>) => db.snapshot(organization.id, work),
        change: (say: (result: unknown) => Change | readonly Change[], work: (sql: OrgSql) => Promise<unknown>) =>
          db.organization(organization.id, async (sql) => {
            const result = await work(sql)
            for (const change of [say(result)].flat())
              if (batched === undefined) await recordChange(sql, actor, organization.id, change)
              else batched(change)
            return result
          }),
      }
    }),

  /** For operations with `platform(…)`. */
  servePlatform: <Op extends Operation>(op: Op, run: Run<PlatformRequest<Op, Parts>, Op>): Served<Parts> =>
    toServe(op, 'platform', run, (parts, asking, { role }) => {
      if (asking.principal === undefined || role === undefined)
        throw new Error('a platform operation was called without a caller')
      return { principal: asking.principal, role, ...systemWays(parts, asking) }
    }),

  /** For operations with `signedIn`. They may touch only the principal's own data, because no other check protects it. */
  serveSignedIn: <Op extends Operation>(op: Op, run: Run<SignedInRequest<Op, Parts>, Op>): Served<Parts> =>
    toServe(op, 'signed-in', run, (parts, asking) => {
      if (asking.principal === undefined)
        throw new Error('an operation for signed-in callers was called without a caller')
      return { principal: asking.principal, ...systemWays(parts, asking) }
    }),

  /** For operations with `anyone`. */
  serveAnyone: <Op extends Operation>(op: Op, run: Run<AnonymousRequest<Op, Parts>, Op>): Served<Parts> =>
    toServe(op, 'anyone', run, systemWays),
})
