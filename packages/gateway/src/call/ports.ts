/**
 * Interfaces of the gateway's parts that the verbs of a call use, and of the input from an HTTP handler. They are small, so that
 * tests can stay small.
 */
import type {
  ConnectionId,
  ConnectionSettings,
  Fault,
  Facts,
  GivenFile,
  OrganizationId,
  PrincipalFacts,
  Role,
  Rule,
} from '@toolway/contract'
import type { McpRequest, HeaderReader, JsonObject, Notification, Request } from '@toolway/protocol'
import type { Signer } from '../catalog/page.ts'
import type { ToolTarget, ToolListing } from '../catalog/tool-listing.ts'
import type { ConnectionRow } from '../connections/connections.ts'
import type { Principal } from '../identity/identify.ts'
import type { BoundStates } from './questions/bound-states.ts'
import type { RuleRate } from '../limits/limits.ts'
import type { TaskBook } from './tasks/task-book.ts'
import type { FileStore } from '../files/file-store.ts'
import type { Actor } from '../records/change.ts'
import type { ResultStore } from '../results/result-store.ts'
import type { PageReads } from '../sessions/page-reads.ts'
import type { Session } from '../sessions/sessions.ts'
import type { Exceptions } from '../upstreams/http/exceptions.ts'
import type { ReadApart } from '../upstreams/openapi/document/read-apart.ts'
import type { ServerPlaces } from '../upstreams/server-places.ts'
import type { Answer, BrokeredUse, OpenedCredential, Upstream } from '../upstreams/upstream.ts'

/** The endpoint that an address names. Absent parts are given by the key, else by the default. */
export interface EndpointPath {
  readonly organization?: string
  readonly toolset?: string
  readonly connection?: string
}

/** The facts of a request that are known before its message is read. */
export interface Inbound {
  readonly place: EndpointPath
  readonly authorization: string | undefined
  /** The address of the member that it says to call for; only a trusted key's word counts. */
  readonly onBehalfOf?: string | undefined
}

/** How much may be asked. Each throws, or rejects with, a `limit.…` fault; a promise only where there is something to wait for. */
export interface CallLimits {
  request(principal: string, organization: string, perMinute: number | undefined): Promise<void> | undefined
  connection(id: string, alias: string): Promise<void> | undefined
  /** One call under all of these rules, or under none: each names who shares its budget. */
  rules(rates: readonly RuleRate[]): Promise<void> | undefined
}

/** For which call a credential is opened. */
export interface CredentialAsking {
  readonly organizationId: OrganizationId
  readonly connectionId: ConnectionId
  readonly principal: Principal
  /** The account that the caller named. */
  readonly account: string | undefined
  /** The token that the caller brought for this call. */
  readonly brought: string | undefined
}

/** A credential as one call uses it. */
export interface OpenCredential {
  readonly id: string
  /** Grows with each renewal. */
  readonly version: number
  /** The account's name among those of its owner, and at the provider where that is known. */
  readonly account: string
  readonly name: string | undefined
  readonly owner: 'member' | 'organization' | 'caller'
  readonly headers: Readonly<Record<string, string>>
  /** For a program: the variables that hold it. */
  readonly environment?: Readonly<Record<string, string>>
  /** A broker keeps it: its user there, and the account that is meant. */
  readonly brokered?: BrokeredUse
}

/** An account that a caller may use, without its secret. */
export interface AccountOf extends Pick<OpenCredential, 'id' | 'account' | 'name' | 'owner'> {
  /** Why it serves nobody until a person connects it again. */
  readonly problem: string | undefined
}

/** The credentials of an organization's connections (ledger U-24). Promises only where something has to be waited for. */
export interface CallCredentials {
  /**
   * The credential of the call: pass-through, else the caller's own, else the shared one; undefined where the connection wants
   * none. Throws `credential.*`: without one, `credential.needed` with a link for this caller and this connection.
   */
  open(asking: CredentialAsking): OpenCredential | undefined | Promise<OpenCredential | undefined>
  /**
   * The server refused it, or refused to be asked without one: what is to be used instead, renewed at most once for all who ask.
   * Throws `credential.needed` where only a person can help.
   */
  refused(
    asking: CredentialAsking,
    used: OpenCredential | undefined,
    challenge: string | undefined,
    status: number,
  ): Promise<OpenCredential>
  /** The accounts that a caller may name, the default first; empty where there is no choice. */
  accounts(asking: Pick<CredentialAsking, 'organizationId' | 'connectionId' | 'principal'>): readonly string[]
  /** The caller's own accounts of one connection and those it shares, the default first. */
  accountsOf(
    asking: Pick<CredentialAsking, 'organizationId' | 'connectionId' | 'principal'>,
  ): Promise<readonly AccountOf[]>
  /** Resolves to true when a credential that serves is there, and to false when the signal comes before. */
  credentialArrived(asking: CredentialAsking, signal: AbortSignal): Promise<boolean>
}

/** The credentials of the gateway's own requests (lists, checks, streams): the shared credential, else a member's that serves. */
export interface OwnCredentials {
  open(
    organizationId: OrganizationId,
    connectionId: ConnectionId,
  ): OpenedCredential | undefined | Promise<OpenedCredential | undefined>
  /** The server refused it: whether there is a newer one now. Never throws. */
  refused(
    organizationId: OrganizationId,
    connectionId: ConnectionId,
    used: OpenedCredential | undefined,
    challenge: string | undefined,
    status: number,
  ): Promise<boolean>
  /** Told after each change of credentials of the organization, until the returned function is called. */
  watch(organizationId: OrganizationId, onChange: () => void): () => void
  /** The versions of the credentials of a connection that serve, by id. Asks the database. */
  versions(organizationId: OrganizationId, connectionId: ConnectionId): Promise<ReadonlyMap<string, number>>
}

export interface DocumentReach {
  /** With addresses in full. */
  readonly settings: ConnectionSettings
  /** Those of its document that may be private. */
  readonly privateOrigins: readonly string[]
  readonly exceptions: Exceptions
}

/** The OpenAPI documents of connections, read as their settings say. Throws `openapi.*`. */
export interface Documents {
  read(connection: ConnectionRow, reach: DocumentReach): Promise<ReadApart>
}

/** The facts of a request before its message is read: the caller, the endpoint, and what the endpoint offers. */
export interface RequestContext {
  readonly principal: Principal
  /** The caller's role in this organization. */
  readonly role: Role
  /** The same, as rules see it. */
  who(): PrincipalFacts
  readonly organizationId: OrganizationId
  readonly organization: string
  /** How often what the organization offers was changed; the same in every gateway. */
  readonly version: number
  /** The organization's own limit, else that of the gateway's settings. */
  readonly requestsPerMinute: number | undefined
  /** The slug of the toolset, or the alias of the one connection, for records. */
  readonly toolset: string | undefined
  readonly connection: string | undefined
  /** Names endpoint and principal: sessions and cursors are bound to it. */
  readonly owner: string
  readonly toolListing: ToolListing
  /** Whether a connection belongs to this endpoint, as it is by now or as it was before the last change. */
  sees(connectionId: ConnectionId): boolean
  upstream(connectionId: ConnectionId): Upstream
  /** The endpoint as it stands by now, for whoever stays; undefined when there is none any more. */
  now(): Pick<RequestContext, 'toolListing' | 'upstream'> | undefined
}

/** An operation of the gateway itself, called as a tool. */
export interface Operating {
  readonly operation: string
  readonly given: JsonObject
  readonly principal: Principal
  /** The slug of the organization that the endpoint is of. */
  readonly organization: string
  readonly correlationId: string
  /** The client's end of the connection, for the record of a change. */
  readonly from: { readonly address: string | undefined; readonly userAgent: string | undefined }
  readonly signal: AbortSignal
}

/** The parts that calls work with: one of each for the whole gateway, put together by its composition. */
export interface CallParts {
  readonly signer: Signer
  readonly limits: CallLimits
  readonly places: Pick<ServerPlaces, 'take' | 'leave'>
  /** Levels of nesting that arguments may have. */
  readonly argumentDepth: number
  /** Members of objects in arguments, all in all. */
  readonly argumentMembers: number
  /** Whether servers receive the baggage that a caller sends along with its trace context. */
  readonly passesBaggage: boolean
  /** Bytes of text that the result of a tool may have. */
  readonly resultLimit: number
  /** Bytes of text from which on the whole of a cut result is a file, and up to which Composio's answers are passed on whole. */
  readonly fileFrom: number
  /** Carries out an operation of the gateway itself; undefined where there are none. Throws its faults. */
  readonly operate?: ((operating: Operating) => Promise<unknown>) | undefined
  /** Calls that wait for their client. */
  readonly suspended: SuspendedCalls
  readonly states: BoundStates
  /** Undefined where no credentials are kept. */
  readonly credentials: CallCredentials | undefined
  readonly authElicitation: AuthElicitation
  readonly tasks: TaskBook
  readonly pages: PageReads
  /** Where what does not fit is kept; undefined where nothing is. */
  readonly results: Pick<ResultStore, 'keep' | 'find' | 'seconds'> | undefined
  /** Undefined where no files are kept. */
  readonly files: FileStore | undefined
  /** Undefined where nobody could be asked: what needs an approval is then refused. */
  readonly approvals: Approvals | undefined
}

/** The audit entry of a call, for parts that may end the call with a question. */
export interface CallAudit {
  readonly correlationId: string
  /** The fault that the client is told as a question. */
  refuse(fault: Fault): void
  note(facts: { readonly approval: string }): void
}

/** One call that rules want somebody's approval for. Nothing has been opened or sent. */
export interface ApprovalAsking {
  readonly organizationId: OrganizationId
  readonly organization: string
  readonly principal: Principal
  readonly facts: Facts
  readonly mcpRequest: McpRequest
  readonly channel: ClientChannel
  readonly target: ToolTarget
  readonly audit: CallAudit
  /** As they would be sent: after clamps and locks. */
  readonly arguments: JsonObject
  /** The files that these arguments refer to. */
  readonly files: readonly GivenFile[]
  /** The account that the caller named. */
  readonly account: string | undefined
  /** All that ask for one; each has to be satisfied. */
  readonly rules: readonly Rule<'approve'>[]
}

/** A request about a task that stands for a call that waits for an approval. */
export interface TaskAsking {
  readonly requestContext: RequestContext
  readonly mcpRequest: McpRequest
  readonly channel: ClientChannel
  readonly actor: Actor
  /** A fault as the result of a tool. */
  word(fault: Fault): JsonObject
}

export interface ApprovalTasks {
  /** Undefined for what is no task of ours. `run` makes the call, once it is granted. */
  task(asking: TaskAsking, run: (params: JsonObject) => Promise<Answer>): Promise<Answer | undefined>
}

export interface Approvals extends ApprovalTasks {
  /** The call that used that grant ended with a question to its client: the answer to it goes on with the same grant. */
  asks(organizationId: OrganizationId, approval: string): Promise<void>
  /**
   * Undefined once the call may be made, by a grant that is then used up; else what the client is to be answered for now (a
   * question, a task). Throws `approval.required` where the client is to come back with the very same call, `approval.denied`
   * and `approval.expired`.
   */
  settle(asking: ApprovalAsking): Promise<Answer | undefined>
}

/** One request's line back to its client, as the door and the era allow. */
export interface ClientChannel {
  readonly signal: AbortSignal
  readonly session: Session | undefined
  /** Undefined where there are no headers to check. */
  readonly header: HeaderReader | undefined
  /** Whether the client can be asked anything on this line: it has a session, and takes a stream. */
  readonly asks: boolean
  /** The token of the server's own kind that came with the request, for this request alone (ledger S3-OAU-07). */
  readonly brought?: string | undefined
  notify(notification: Notification): void
  /** Put a question to the client and wait for its answer; an error where it cannot be asked. */
  question(question: Request): Promise<Answer>
  /** The server closed its stream before its answer, to go on later: the client's may be closed too. */
  readonly pause?: (() => void) | undefined
}

/** The channel by which a server's exchange reaches the client of the current round. */
export interface EventSink {
  readonly signal: AbortSignal
  onNotification(notification: Notification): void
  onQuestion(question: Request): Promise<Answer>
}

export interface Round {
  readonly principal: string
  /** Stands for method and params: only the very same request can go on. */
  readonly digest: string
  readonly channel: ClientChannel
  readonly params: JsonObject
}

export interface SuspendedCalls {
  /** The first round starts the call; later ones, by their `requestState`, go on with it. */
  round(round: Round, start: (eventSink: EventSink) => Promise<Answer>): Promise<Word>
  readonly size: number
  close(): void
}

/** One call that met the fault, or comes back after it did. */
export interface ResumableCall {
  readonly mcpRequest: McpRequest
  readonly channel: ClientChannel
  readonly params: JsonObject
  readonly asking: CredentialAsking
  readonly alias: string
  /** Stands for method and params: a state is good for the very same request only. */
  readonly digest: string
  /** Whether it can be sent again without having acted before. */
  readonly goesOn: boolean
  /** Hears the fault for which the call ends with a question of ours or with our error. */
  readonly audit: Pick<CallAudit, 'refuse'>
}

export interface AuthElicitation {
  /**
   * A modern client's retry after a question of ours: waits a moment for the account, and gives the params as they were before the
   * question. Throws `state.unknown`, and `credential.declined` where its person does not want to.
   */
  resume(going: ResumableCall): Promise<JsonObject>
  /**
   * The client's next question or notification; undefined once the account is connected and the call is to be repeated, which is
   * allowed `turn` times. Rethrows errors that connecting an account does not resolve.
   */
  ask(going: ResumableCall, thrown: unknown, turn: number): Promise<Answer | undefined>
  close(): void
}

/** The end of a round: the server's answer, or the client's next question. */
export type Word = Answer | { readonly question: JsonObject }

export type { Answer, Session, Upstream, ToolListing }
