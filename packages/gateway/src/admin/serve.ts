/**
 * How an operation of the admin interface is carried out: its description from `contract`, and a function that is handed who
 * asks, what is addressed, and the only ways to the database that fit its permission.
 *
 * A change and its record are one transaction, because the function has no other way to change anything.
 */
import type { RevealSecret } from '../oauth/outgoing/ports.ts'
import type { ConnectionId, Fault, OrganizationId, Role, UserId } from '@toolway/contract'
import type { Needs, Operation } from '@toolway/contract/admin'
import type { z } from 'zod'
import type { Db, OrgSnapshotSql, OrgSql, SystemSql } from '../db/db.ts'
import type { Accounts } from '../identity/accounts.ts'
import type { Principal } from '../identity/principal.ts'
import type { OrganizationRow } from '../organizations/organizations.ts'
import { recordChange, type Actor, type Change } from '../records/change.ts'
import type { Vault } from '../vault/vault.ts'
import type { ListPreviews } from '../call/list-preview.ts'
import type { Snapshot } from '../snapshot/snapshot.ts'
import type { AgentQueue } from './agent/agent-queue.ts'
import type { AdminApprovals } from './approvals/admin-approvals.ts'
import type { AdminFiles } from './files/admin-files.ts'
import type { AdminConnect } from './oauth/admin-connect.ts'
import type { AdminCredentials } from './accounts/admin-credentials.ts'
import type { EventFeed } from '../jobs/event-feed.ts'
import type { KeepCheckpoints } from '../jobs/keep-checkpoints.ts'
import type { SendWebhook } from '../jobs/send-webhook.ts'
import type { ChangedRows } from '../jobs/wanted-rows.ts'
import type { Tracer } from '../telemetry/tracing/tracer.ts'
import type { Upstreams } from '../upstreams/upstreams.ts'
import type { Enrolment } from './people/enrolment.ts'
import type { SignIn, WebCookies } from './people/sign-in.ts'
import type { Runtime } from './runtime/runtime.ts'

/** Gateway dependencies of the operations. */
export interface AdminParts {
  readonly db: Db
  readonly vault: Vault
  readonly accounts: Accounts
  readonly signIn: SignIn
  readonly enrolment: Enrolment
  readonly web: WebCookies
  /** Throws `sign-in.limit` after too many that did not. */
  passwordFits(actor: Actor, user: UserId, password: string): Promise<boolean>
  /** Throws `body.shape` for one that is too short or too long. */
  hashPassword(password: string): Promise<string>
  /** Makes this process ask the database anew for every key; other processes hear of a change from the database. */
  forgetKeys(): void
  readonly snapshots: {
    find(name: { id?: string; slug?: string }): Snapshot | undefined
    all(): readonly Snapshot[]
    /** Whole, or the rows that changed. */
    refresh(id: string, changed?: ChangedRows): Promise<void>
  }
  /** Waits until every process of the port acts on a change; undefined where there is one process. Never throws. */
  readonly inForce?: ((organizationId: OrganizationId | undefined) => Promise<void>) | undefined
  readonly rules: {
    /** Have every organization see the rules as they are now. */
    refresh(): Promise<void>
  }
  /** Ask a connection now what it offers, and keep it; the fault, if it failed. Never throws, and never waits for ever. */
  sync(organizationId: OrganizationId, connectionId: ConnectionId): Promise<Fault | undefined>
  /** Default rate limit of an organization, where none is set for it. */
  readonly requestsPerMinute: number
  readonly checkpoints: Pick<KeepCheckpoints, 'sign' | 'trust' | 'fingerprints'>
  /** Payloads of calls that are stored besides their records, and for how many days; 0: none are stored. */
  readonly payloads: { readonly days: number; open(sealed: Buffer, id: string): string }
  /** The address of a trace, with `{trace_id}` in it; undefined: records do not link to traces. */
  readonly traceUrl: string | undefined
  /** Ways to connect an account. */
  readonly connect: AdminConnect
  /** Credentials for upstream servers. */
  readonly credentials: AdminCredentials
  readonly runtime: Runtime
  /** Where clients reach this gateway, without a slash at its end. */
  publicUrl(): string
  readonly events: Pick<EventFeed, 'follow'>
  readonly sendWebhook: SendWebhook
  readonly approvals: AdminApprovals
  readonly previewList: ListPreviews
  /** Undefined: no files are kept here. */
  readonly files: AdminFiles | undefined
  readonly agent: {
    readonly queue: AgentQueue
    readonly upstreams: Pick<Upstreams, 'openApart'>
    readonly reveal: RevealSecret
    /** Where this gateway's own tools are reached from this machine. */
    proxyUrl(): string
    /** Undefined where no traces are exported. */
    readonly tracer: Tracer | undefined
  }
}

/** The faces that call operations, as rows keep it. */
export type Origin = 'administration' | 'command line' | 'file'

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

export interface OrganizationRequest<Op extends Operation, Parts = AdminParts> extends OperationRequest<Op, Parts> {
  readonly principal: Principal
  readonly role: Role
  readonly organization: OrganizationRow
  /** See the organization that is addressed. */
  look<T>(work: (sql: OrgSql) => Promise<T>): Promise<T>
  /** As `look`: all reads see the organization as it was at the first one. */
  lookAtSnapshot<T>(work: (sql: OrgSnapshotSql) => Promise<T>): Promise<T>
  /**
   * Changes the organization and writes the audit entry, in one transaction. `say` builds the entry from the result of `work`.
   */
  change<T>(say: (result: T) => Change | readonly Change[], work: (sql: OrgSql) => Promise<T>): Promise<T>
}

type PlacedChange = Change & { readonly organizationId?: OrganizationId }

export interface PlatformRequest<Op extends Operation, Parts = AdminParts> extends OperationRequest<Op, Parts> {
  readonly principal: Principal
  readonly role: Role
  look<T>(work: (sql: SystemSql) => Promise<T>): Promise<T>
  /** Each record stands in the organization that `say` names, else in the platform's. */
  change<T>(
    say: (result: T) => PlacedChange | readonly PlacedChange[],
    work: (sql: SystemSql) => Promise<T>,
  ): Promise<T>
}

export type SignedInRequest<Op extends Operation> = Omit<PlatformRequest<Op>, 'role'>
export type AnonymousRequest<Op extends Operation> = Omit<PlatformRequest<Op>, 'role' | 'principal'>

type Given<Op extends Operation> = z.input<Op['answer']> | Response
type Run<Asks, Op extends Operation> = (asked: Asks) => Promise<Given<Op>> | Given<Op>

/**
 * An operation with what carries it out. `organization` and `role` are there where its `needs` asks for them. `Parts`: what a feature's
 * operations work with besides those of all.
 */
export interface Served<Parts extends AdminParts = AdminParts> {
  readonly operation: Operation
  run(
    parts: Parts,
    asking: OperationCall,
    place: { organization: OrganizationRow | undefined; role: Role | undefined },
  ): unknown
}

type OperationOf = Operation

const changes = ({ method, reads, harmless }: Operation): boolean => method !== 'GET' && !reads && !harmless

function toServe<Op extends OperationOf, Asks, Parts extends AdminParts>(
  operation: Op,
  of: Needs['of'],
  run: Run<Asks, Op>,
  make: (
    parts: Parts,
    asking: OperationCall,
    place: { organization: OrganizationRow | undefined; role: Role | undefined },
  ) => object,
): Served<Parts> {
  if (operation.needs.of !== of) throw new Error(`${operation.id} is described as needing ${operation.needs.of}`)
  return {
    operation,
    run(parts, asking, place) {
      const { actor, params, query, body, origin, ifMatch, header, head, signal, progress = () => {} } = asking
      const given = run({
        parts,
        actor,
        params,
        query,
        body,
        origin,
        ifMatch,
        header,
        head,
        signal,
        progress,
        ...make(parts, asking, place),
      } as Asks)
      const { inForce } = parts
      if (inForce === undefined || !changes(operation)) return given
      return Promise.resolve(given).then((answer) => inForce(place.organization?.id).then(() => answer))
    },
  }
}

/** For operations with `inOrganization(…)`. */
export const serveOrganization = <Op extends OperationOf, Parts extends AdminParts = AdminParts>(
  op: Op,
  run: Run<OrganizationRequest<Op, Parts>, Op>,
): Served<Parts> =>
  toServe(op, 'organization', run, ({ db }, { principal, actor }, { organization, role }) => {
    if (principal === undefined || organization === undefined || role === undefined)
      throw new Error('an operation of an organization was asked without one')
    return {
      principal,
      role,
      organization,
      look: (work: (sql: OrgSql) => Promise<unknown>) => db.organization(organization.id, work),
      lookAtSnapshot: (work: (sql: OrgSnapshotSql) => Promise<unknown>) => db.snapshot(organization.id, work),
      change: (say: (result: unknown) => Change | readonly Change[], work: (sql: OrgSql) => Promise<unknown>) =>
        db.organization(organization.id, async (sql) => {
          const result = await work(sql)
          for (const change of [say(result)].flat()) await recordChange(sql, actor, organization.id, change)
          return result
        }),
    }
  })

const systemWays = ({ db }: AdminParts, { actor }: OperationCall) => ({
  look: (work: (sql: SystemSql) => Promise<unknown>) => db.system(work),
  change: (
    say: (result: unknown) => PlacedChange | readonly PlacedChange[],
    work: (sql: SystemSql) => Promise<unknown>,
  ) =>
    db.system(async (sql) => {
      const result = await work(sql)
      for (const { organizationId, ...change } of [say(result)].flat())
        await recordChange(sql, actor, organizationId, change)
      return result
    }),
})

/** For operations with `platform(…)`. */
export const servePlatform = <Op extends OperationOf, Parts extends AdminParts = AdminParts>(
  op: Op,
  run: Run<PlatformRequest<Op, Parts>, Op>,
): Served<Parts> =>
  toServe(op, 'platform', run, (parts, asking, { role }) => {
    if (asking.principal === undefined || role === undefined)
      throw new Error('a platform operation was asked by nobody')
    return { principal: asking.principal, role, ...systemWays(parts, asking) }
  })

/** For operations with `signedIn`. They may touch only the principal's own data, because no other check protects it. */
export const serveSignedIn = <Op extends OperationOf>(op: Op, run: Run<SignedInRequest<Op>, Op>): Served =>
  toServe(op, 'signed-in', run, (parts, asking) => {
    if (asking.principal === undefined) throw new Error('an operation for whoever has signed in was asked by nobody')
    return { principal: asking.principal, ...systemWays(parts, asking) }
  })

/** For operations with `anyone`. */
export const serveAnyone = <Op extends OperationOf>(op: Op, run: Run<AnonymousRequest<Op>, Op>): Served =>
  toServe(op, 'anyone', run, systemWays)
