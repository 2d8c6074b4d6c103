/** What the verbs of a call need from the parts of the house, and what a door hands them. Small, so that tests are. */
import type { ConnectionId, OrganizationId, Role } from '@toolway/contract'
import type { HeaderReader, JsonObject, Notification, Request } from '@toolway/protocol'
import type { View } from '../catalog/view.ts'
import type { Principal } from '../identity/identify.ts'
import type { BoundStates } from './questions/bound-states.ts'
import type { TaskBook } from './tasks/task-book.ts'
import type { Session } from '../sessions/sessions.ts'
import type { Answer, Upstream } from '../upstreams/upstream.ts'

/** Which endpoint an address names. Absent parts mean: as the key says, else the default. */
export interface Place {
  readonly organization?: string
  readonly toolset?: string
  readonly connection?: string
}

/** What a door learned of a request before anybody looked at its message. */
export interface Inbound {
  readonly place: Place
  readonly authorization: string | undefined
  /** The address of the member that it says to call for; only a trusted key's word counts. */
  readonly onBehalfOf?: string | undefined
}

/** How much may be asked. Each throws, or rejects with, a `limit.…` fault; a promise only where there is something to wait for. */
export interface CallLimits {
  request(principal: string, organization: string, perMinute: number | undefined): Promise<void> | undefined
  connection(id: string, alias: string): Promise<void> | undefined
}

/** Who stands where: identified, placed, and what is offered there. */
export interface Standing {
  readonly principal: Principal
  /** What it is in this organization. */
  readonly role: Role
  readonly organizationId: OrganizationId
  readonly organization: string
  /** What the organization has settled for itself, else as the gateway's settings say. */
  readonly requestsPerMinute: number | undefined
  readonly limits: CallLimits
  /** Bytes of text that the result of a tool may have. */
  readonly resultLimit: number
  /** The slug of the toolset, or the alias of the one connection, for records. */
  readonly toolset: string | undefined
  readonly connection: string | undefined
  /** Names endpoint and principal: sessions and cursors are bound to it. */
  readonly owner: string
  readonly view: View
  /** Whether a connection belongs to this endpoint, as it is by now or as it was before the last change. */
  sees(connectionId: ConnectionId): boolean
  upstream(connectionId: ConnectionId): Upstream
  /** The endpoint as it stands by now, for whoever stays; undefined when there is none any more. */
  now(): Pick<Standing, 'view' | 'upstream'> | undefined
  /** Calls that wait for their client. */
  readonly parked: ParkedCalls
  readonly states: BoundStates
  readonly tasks: TaskBook
}

/** One request's line back to its client, as the door and the era allow. */
export interface Line {
  readonly signal: AbortSignal
  readonly session: Session | undefined
  /** Undefined where there are no headers to check. */
  readonly header: HeaderReader | undefined
  /** Whether the client can be asked anything on this line: it has a session, and takes a stream. */
  readonly asks: boolean
  notify(notification: Notification): void
  /** Put a question to the client and wait for its answer; an error where it cannot be asked. */
  question(question: Request): Promise<Answer>
  /** The server closed its stream before its answer, to go on later: the client's may be closed too. */
  readonly pause?: (() => void) | undefined
}

/** What the server's exchange is given to speak to whichever round's client is there. */
export interface Ears {
  readonly signal: AbortSignal
  onNotification(notification: Notification): void
  onQuestion(question: Request): Promise<Answer>
}

export interface Round {
  readonly principal: string
  /** Stands for method and params: only the very same request can go on. */
  readonly digest: string
  readonly line: Line
  readonly params: JsonObject
}

export interface ParkedCalls {
  /** The first round starts the call; later ones, by their `requestState`, go on with it. */
  round(round: Round, start: (ears: Ears) => Promise<Answer>): Promise<Word>
  readonly size: number
  close(): void
}

/** What a round ends with: the server's answer, or what the client is to answer first. */
export type Word = Answer | { readonly question: JsonObject }

export type { Answer, Session, Upstream, View }
