/**
 * The live other end of a connection, whatever it speaks and however it is reached: what one may ask of it.
 *
 * An upstream holds no caller. Everything that belongs to a caller travels with the ask, and what a server sends while it
 * answers goes to that ask's own event sink: nothing is ever handed to "the last active" one.
 */
import type { LoadedVendor, ResourceCall } from './native/loaded-vendor.ts'
import type { Caller, HeaderParameter, JsonObject, Notification, Revision } from '@toolway/protocol'
import type { Answer, CredentialHeaders, ListKind, ServerInfo, SessionRequest } from '@toolway/protocol/client'
import type { RetryLimits } from '@toolway/protocol/retry'
import type { CallerFiles } from './caller-files.ts'
import type { Exceptions } from './http/exceptions.ts'
import type { ReadApart } from './openapi/document/read-apart.ts'

export type { Answer, ListKind, ServerInfo }

/** A legacy client's session at our door. Its upstream sessions are its own, and end with it. */
export interface SessionRef {
  readonly id: string
  readonly caller: Caller
  /** It is no client's but a principal's, for what that one made at the server: nobody says when it ends. */
  readonly ofPrincipal?: boolean
}

/** The credential of a request at the server, besides the connection's own headers. */
export interface OpenedCredential extends CredentialHeaders {
  /** Owner of the credential, where it is known. */
  readonly owner?: 'member' | 'organization' | 'caller'
  /** Grows with each renewal. */
  readonly version?: number
  /** For a program: the variables that hold it. */
  readonly environment?: Readonly<Record<string, string>>
  /** A broker keeps the account: its user there, and the account that was named. */
  readonly brokered?: BrokeredUse
}

/** The user at a broker of accounts, and the account that was named. */
export interface BrokeredUse {
  readonly user: string
  readonly account: string | undefined
}

/** Where a credential comes from whenever something is opened that lasts: a renewed token counts from then on. */
export interface CredentialSource {
  open(): OpenedCredential | undefined | Promise<OpenedCredential | undefined>
  /** The server refused it: whether there is a newer one now. Never throws. */
  refused(used: OpenedCredential | undefined, challenge: string | undefined, status: number): Promise<boolean>
  /** Told whenever credentials may have changed or ended, until the returned function is called. */
  watch?(onChange: () => void): () => void
  /** The versions of the credentials that serve now, by id. */
  versions?(): Promise<ReadonlyMap<string, number>>
}

export interface Ask extends SessionRequest {
  readonly session: SessionRef | undefined
  /**
   * The owner of a request without a session: a session with a legacy server is never shared between two owners, nor between two
   * sets of capabilities.
   */
  readonly owner: string
  readonly headerParameters: readonly HeaderParameter[]
  readonly credential?: OpenedCredential | undefined
  /** Correlation id of this call in all logs; for upstreams that support it. */
  readonly correlationId?: string | undefined
  /** Random, and the same for all attempts of this call; for upstreams that tell a repetition by it. */
  readonly callId?: string | undefined
  /** The address of the member for whom a trusted key calls. */
  readonly onBehalf?: string | undefined
  /** Carries out an operation of the gateway itself for this caller. Throws its faults. */
  readonly operate?: (operation: string, value: JsonObject) => Promise<unknown>
  /** The stored files of the caller; absent where none are kept, and for servers that know nothing of them. */
  readonly files?: CallerFiles | undefined
  /** A person approved this very call. */
  readonly approved?: boolean
  /** It goes in the legacy era to a server that is known as a modern one; rejects with OtherEraMissing where it speaks none. */
  readonly asLegacy?: true
}

/** A call of a tool before anything is opened for it. */
export interface Reviewing {
  /** As its caller knows it, and as its server does. */
  readonly tool: string
  readonly name: string
  readonly arguments: JsonObject
  readonly correlationId: string | undefined
  readonly onBehalf: string | undefined
}

/** An item that a server describes and that is not offered here. */
export interface LeftOut {
  readonly name: string
  /** A sentence for an operator, without a full stop. */
  readonly reason: string
}

/** Times in milliseconds. `mostWait`: the longest wait that a server may ask for. */
export interface UpstreamRetries extends RetryLimits {
  readonly mostWait: number
}

/** A member, as a broker of accounts may know it. */
export interface BrokeredMember {
  readonly id: string
  readonly email: string | undefined
}

/** An account that a broker keeps for a user. */
export interface BrokeredAccount {
  /** Its id at the broker, and the app that it is of. */
  readonly id: string
  readonly app: string
  /** Its name in calls. */
  readonly account: string
  /** When it was connected, as ISO 8601; undefined where that is not told. */
  readonly since: string | undefined
  /** Why it serves nobody until its user connects it again. */
  readonly problem: string | undefined
}

/** A server that keeps the accounts of users and their tokens, which are never here (ledger S0-CMP-04). */
export interface AccountBroker {
  /** The name of its user; undefined where it has none for that caller. */
  userOf(member: BrokeredMember | undefined): string | undefined
  /** Whether a caller names the account. Otherwise the broker takes that of the tool's app. */
  readonly named: boolean
  /** The accounts of a user, those that serve first. `anew`: ask now, whatever is known. Throws `upstream.*`. */
  accounts(user: string, anew?: boolean): readonly BrokeredAccount[] | Promise<readonly BrokeredAccount[]>
  /** The address at which the user connects an account, and comes back from. Throws `upstream.*` and `connector.*`. */
  link(user: string, app: string | undefined, callback: string): Promise<string>
  /** The secret by which the server signs its events; undefined where none is set, and then none is taken. */
  readonly webhookSecret?: string | undefined
  /** The accounts of a user, or of everybody, are asked for anew. */
  forget(user?: string): void
  /** False where the user has no such account. */
  remove(user: string, id: string): Promise<boolean>
}

/** A call that is one of several that a tool makes. */
export interface InnerCall {
  readonly tool: string
  readonly arguments: JsonObject
}

/** A call of a tool that calls other tools of its connection. */
export interface InnerCalls {
  readonly calls: readonly InnerCall[]
  /** The result of the call, from theirs in the same order. */
  gather(results: readonly JsonObject[]): JsonObject
}

export interface Upstream {
  /** Where its server keeps the accounts of users. */
  readonly broker?: AccountBroker
  /**
   * The calls that a call of this tool stands for, which the gateway makes itself, each under its own rules and record; undefined for a
   * tool that calls no others. Throws `params.shape`.
   */
  readonly innerCalls?: (tool: string, value: JsonObject) => InnerCalls | undefined
  /** Milliseconds that one ask may take with all its repeats; absent where nothing is asked again. */
  readonly patience?: number
  /** Results are passed on whole up to the size from which on a result becomes a file. */
  readonly direct?: true
  /** How often a read that failed is asked again, and how long is waited; absent: as servers of MCP are. */
  readonly retries?: UpstreamRetries
  /** Connect if need be, and tell who is there. Throws `upstream.*` faults. */
  introduce(signal: AbortSignal): Promise<ServerInfo>
  ask(ask: Ask): Promise<Answer>
  /**
   * Look at a call that the schema allows: whether it names only what its server knows. Undefined where there is nothing to look at.
   * Rejects with `arguments.invalid`, and with `metadata.unavailable` where it cannot be told.
   */
  readonly review?: (request: Reviewing) => Promise<void> | undefined
  /** The call of a tool that reads a resource, where that is what its server does; undefined for an unknown address. */
  readonly callFor?: (uri: string) => Promise<ResourceCall | undefined>
  /** Returns the items that the server describes and that are not offered, as of the last fetch. */
  readonly leftOut?: () => readonly LeftOut[]
  /**
   * Call back whenever the server says that a list changed, until the signal; comes back by itself after a break. `missed`: it said
   * nothing that was heard, but may have while the stream was broken.
   */
  watch(onChange: (kind: ListKind, missed: boolean) => void, signal: AbortSignal): void
  /**
   * Hear updates of resources and states of tasks, until the signal; comes back by itself after a break, and then says that
   * all of it may have changed. Resolves, when it is in force or after a moment, to what the server honours.
   */
  listen(hearing: Hearing): Promise<Honoured>
  /** Sends a legacy client's notification about itself to the server's session held for it, if there is one. */
  tell(whose: Pick<Ask, 'session' | 'owner' | 'caller'>, notification: Notification): void
  /**
   * Checks that the server answers, with the smallest request of its era; false where no process is running that could be asked.
   * Throws `upstream.*` faults. A stale session is opened anew, and a child that hangs is ended.
   */
  check(signal: AbortSignal): Promise<boolean>
  /**
   * Whether requests may go in the other era than the remembered one: `possible` until the server refuses it, `pinned` where the
   * connection is set to one revision. Absent for what has one era.
   */
  readonly otherEra?: () => 'possible' | 'pinned' | 'none'
  /** Marks the remembered era as possibly wrong: it is detected again, unless it is pinned. */
  doubt(): void
  /** A downstream session is gone: end what was held for it. */
  forget(session: string): void
  /** The processes that run for it here, the one that everybody shares first; absent where it is not started here. */
  readonly processes?: () => readonly ProcessState[]
  /** End them; they are started again when they are needed. */
  readonly stop?: () => Promise<void>
  /** End those of one caller's own that nobody used for so many milliseconds; how many those are. */
  readonly endUnused?: (idle: number) => number
  close(): Promise<void>
}

/** How a process is that is started here. Times are in milliseconds. */
export interface ProcessState {
  /** `error`: it failed too often and is not started any more. */
  readonly status: 'starting' | 'running' | 'stopped' | 'error' | 'restarting'
  readonly pid: number | undefined
  /** It serves one caller, and not everybody. */
  readonly ofOneCaller: boolean
  readonly startedAt: number | undefined
  readonly checkedAt: number | undefined
  readonly usedAt: number | undefined
  /** Calls and listeners that it has now; undefined where that is not counted. */
  readonly uses: number | undefined
  /** In a row. */
  readonly failures: number
  /** Why it is not there, in words that hold nothing of what it said. */
  readonly problem: string | undefined
}

/** The subscriptions of one listener, in the server's own names. */
export interface Hearing {
  /** In whose session with a legacy server it is heard: the same that the same client's asks go to. */
  readonly session: SessionRef | undefined
  readonly owner: string
  readonly caller: Caller
  readonly uris: readonly string[]
  readonly tasks: readonly string[]
  /** True to receive all other notifications to that session that belong to none of its calls. */
  readonly beside?: boolean
  /** Its credential; absent: the connection's own. */
  readonly credential?: CredentialSource | undefined
  readonly signal: AbortSignal
  onNotification(notification: Notification): void
  /** The upstream is closed: nothing is heard any more. */
  onEnd(): void
}

/** The part of the subscriptions that is in force. */
export interface Honoured {
  readonly uris: readonly string[]
  readonly tasks: readonly string[]
}

/** The owner of what the gateway asks for itself: its lists, and whether a server is there. */
export const GATEWAY = 'catalog'

/** How an upstream is reached, as the verb that opens it has learned it. */
export interface Reach {
  readonly connectionId: string
  /** Absent where it belongs to none. */
  readonly organizationId?: string | undefined
  readonly alias: string
  /** Seconds for one request. */
  readonly timeout: number
  /** A pin or a remembered verdict; undefined means: find out. */
  readonly revision: Revision | undefined
  readonly pinned: boolean
  /** For what the gateway itself asks there; absent where the connection takes no credentials. */
  readonly credential?: CredentialSource | undefined
}

/** A reach with what one kind of upstream adds to it. */
export interface ReachOf<Wire> extends Reach {
  readonly wire: Wire
}

/** An address that requests are sent to. */
export interface RemoteTarget {
  readonly url: string
  readonly private: boolean
  /** Private addresses that the organization allows. */
  readonly exceptions?: Exceptions
  readonly headers: Readonly<Record<string, string>>
}

/** A program that is started. */
export interface ProcessTarget {
  readonly command: string
  readonly args: readonly string[]
  /** As lists show them, with secrets masked. */
  readonly shownArgs?: readonly string[]
  /** Programs besides the command that must be in PATH. */
  readonly programs?: readonly string[]
  /** Its reach besides its own folder; if unsaid, the public network. */
  readonly network?: 'public' | 'listed' | 'none' | 'host'
  readonly allowHosts?: readonly string[]
  readonly allowPaths?: readonly string[]
  /** The slug of its organization. */
  readonly organization?: string
  /** A program of this product, started by its own code and by no connection: it is not confined. */
  readonly own?: true
  readonly environment: Record<string, string>
}

/** A REST server whose operations a document describes. */
export interface OpenApiTarget extends RemoteTarget {
  /** Where a credential goes that is no header: the one that it comes in, in small letters, and what stands before it there. */
  readonly key:
    | { readonly in: 'query' | 'cookie'; readonly name: string; readonly header: string; readonly prefix: string }
    | undefined
  /** Its document, read. Throws `openapi.*`. */
  readonly load: () => Promise<ReadApart>
}

/** A vendor whose tools the product has. */
export interface NativeTarget extends RemoteTarget {
  /** The name of the vendor, as people know it. */
  readonly title: string
  /** The vendor's own address. Where `url` is another, all requests go there. */
  readonly own: string
  /** The header that a credential comes in, in small letters, and what stands before it there. */
  readonly key: { readonly header: string; readonly prefix: string }
  /** Its tools, loaded when they are first needed. */
  readonly load: () => Promise<LoadedVendor>
}

/**
 * n8n, whose workflows are tools. `webhooks`: the address before `/webhook/`, with the headers that go there; the others go to the API
 * alone. Times in milliseconds.
 */
export interface N8nTarget extends RemoteTarget {
  readonly tag: string
  readonly webhooks: RemoteTarget
  readonly listedFor: number
}

/** Composio, which keeps the accounts of users. Times in milliseconds. */
export interface ComposioTarget extends RemoteTarget {
  readonly way: 'rest' | 'session' | 'mcp'
  readonly toolkits: readonly string[]
  readonly server: string | undefined
  /** Where MCP servers of one app are. */
  readonly servers: Pick<RemoteTarget, 'url' | 'private'>
  readonly users: 'email' | 'id'
  readonly defaultUser: string | undefined
  readonly listedFor: number
  readonly webhookSecret: string | undefined
}

/** Settings of a contract backend. Times are in milliseconds. */
export interface ContractTerms {
  /** The organization as the backend knows it. */
  readonly organization: string
  readonly contractsFor: number
  readonly facetsFor: number
  readonly staleFor: number
  readonly onBehalf: boolean
  readonly exposes: 'agent' | 'procedure' | 'all'
  readonly sideEffects: boolean
  readonly allows: readonly string[]
  readonly aliases: Readonly<Record<string, string>>
  /** Whether filters are looked at before a call. */
  readonly facets: boolean
}
export type ContractTarget = RemoteTarget & ContractTerms
