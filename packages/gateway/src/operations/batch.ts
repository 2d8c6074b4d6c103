/**
 * Several operations in one transaction: all of them or none, with their records stored together at the end. No answers are made, and no
 * snapshot is read anew: whoever has a snapshot reads it when the transaction has ended.
 */
import type { Operation } from '@toolway/contract/admin'
import type { OrgSql, SystemSql } from '../db/db.ts'
import type { OrganizationRow } from '../organizations/organizations.ts'
import { entryOfChange } from '../records/change.ts'
import { storeRecords, type Entry } from '../records/records.ts'
import type { Caller } from './carry-out.ts'
import { readInput, refuseUnstorable } from './read-input.ts'
import type { OperationBase, OperationCall, PlacedChange, Served } from './serve.ts'

/** The parts of an operation that a batch does not bring: it knows its transaction and has no snapshots. */
export type BatchParts<Parts extends OperationBase> = Omit<Parts, 'db' | 'snapshots' | 'untilApplied'> &
  Pick<OperationBase, 'db'>

/** The input of an operation as a face has it. */
export interface BatchInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export interface Batch {
  /** Carries out the change of an operation. Throws what the operation throws, and then nothing of the batch is stored. */
  change(operation: Operation, input: BatchInput): Promise<void>
  /** The answer of an operation that changes nothing. */
  read(operation: Operation, input: BatchInput): Promise<unknown>
  /** Stores the record of a change that no operation makes. */
  record(change: PlacedChange): void
}

interface Transaction<Sql extends OrgSql | SystemSql> {
  readonly sql: Sql
  readonly db: OperationBase['db']
  readonly organization: OrganizationRow | undefined
}

const noSnapshots: OperationBase['snapshots'] = {
  find: () => undefined,
  all: () => [],
  refresh: () => Promise.resolve(),
}

async function within<Parts extends OperationBase, Sql extends OrgSql | SystemSql, T>(
  operations: readonly Served<Parts>[],
  { actor, principal, origin }: Caller,
  parts: BatchParts<Parts>,
  { sql, db, organization }: Transaction<Sql>,
  work: (batch: Batch, sql: Sql) => Promise<T>,
): Promise<T> {
  const entries: Entry[] = []
  const own = { ...parts, db, snapshots: noSnapshots, untilApplied: undefined } as unknown as Parts
  const addressed = { organization, role: 'platform_admin' } as const
  const record = ({ organizationId = organization?.id, detail, ...change }: PlacedChange) => {
    entries.push(entryOfChange(actor, organizationId, { ...change, detail: { ...detail, origin } }))
  }
  const prepare = (operation: Operation, { params = {}, query = {}, body }: BatchInput) => {
    const served = operations.find((item) => item.operation.id === operation.id)
    if (served?.change === undefined) throw new Error(`the operation ${operation.id} cannot be part of a batch`)
    refuseUnstorable({ params, query })
    const call: OperationCall = {
      ...{ principal, actor, origin, params, ...readInput(operation, { query, body }) },
      header: () => undefined,
      head: { set() {}, append() {} },
      signal: new AbortController().signal,
      batched: record,
    }
    return { served, call }
  }
  const result = await work(
    {
      async change(operation, input) {
        const { served, call } = prepare(operation, input)
        await served.change?.(own, call, addressed)
      },
      async read(operation, input) {
        const { served, call } = prepare(operation, input)
        return await served.run(own, call, addressed)
      },
      record,
    },
    sql,
  )
  if (entries.length > 0) await storeRecords(sql, entries)
  return result
}

export interface Batches<Parts extends OperationBase> {
  readonly operations: readonly Served<Parts>[]
  readonly parts: BatchParts<Parts>
  readonly caller: Caller
}

const never = () => Promise.reject(new Error('an operation of a batch reached beyond its transaction'))

/** Operations of one organization. */
export const inOrganizationBatch = <Parts extends OperationBase, T>(
  { operations, parts, caller }: Batches<Parts>,
  organization: OrganizationRow,
  work: (batch: Batch, sql: OrgSql) => Promise<T>,
): Promise<T> =>
  parts.db.organization(organization.id, (sql) => {
    const db: OperationBase['db'] = {
      organization: (id, work) => (id === organization.id ? work(sql) : never()),
      snapshot: never,
      system: never,
    }
    return within(operations, caller, parts, { sql, db, organization }, work)
  })

/** Operations of the platform. */
export const inPlatformBatch = <Parts extends OperationBase, T>(
  { operations, parts, caller }: Batches<Parts>,
  work: (batch: Batch, sql: SystemSql) => Promise<T>,
): Promise<T> =>
  parts.db.system((sql) => {
    const db: OperationBase['db'] = { organization: never, snapshot: never, system: (work) => work(sql) }
    return within(operations, caller, parts, { sql, db, organization: undefined }, work)
  })
