/** The facts of a request that its audit entry is made of, by the concern that notes them. Facts are undefined until they are known. */
import type { Fault, GivenFile } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import type { Outcome } from '../records/records.ts'
import type { Payload } from './payload.ts'
import type { PolicyTrace } from './policy/enforce.ts'
import type { RequestContext } from '../snapshot/ports/request-context.ts'

/** The client's end of a connection, as its door sees it. */
export interface From {
  readonly address: string | undefined
  readonly userAgent: string | undefined
}

/** Noted by the doors. */
export interface ArrivalFacts {
  readonly requestContext: RequestContext | undefined
  readonly method: string
  readonly eraClient: string | undefined
  readonly client: string | undefined
  readonly bytesIn: number
  readonly bytesOut: number
}

/** Noted by the verb of the method and by the sending. */
export interface TargetFacts {
  readonly target: string | undefined
  readonly connection: string | undefined
  /** The kind of its connection, the vendor of a native one of the product's, and the name that its tool has there. */
  readonly kind: string | undefined
  readonly vendor: string | undefined
  readonly tool: string | undefined
  readonly eraUpstream: string | undefined
  /** The tool is one that its caller may see. */
  readonly found: boolean
  /** The request acts at an upstream, whatever its method is called. */
  readonly recorded: boolean
}

/** Noted by the steps of a call. */
export interface StepFacts {
  readonly policy: PolicyTrace | undefined
  /** The approval that the call used or waits for. */
  readonly approval: string | undefined
  /** The argument of the caller's that the gateway wrote over. */
  readonly overwritten: string | undefined
  /** The number of places in which the result does not fit its schema. */
  readonly mismatch: number | undefined
  /** The arguments and the result, where the connection keeps them. */
  readonly payload: Payload | undefined
  /** The files that the arguments refer to, and those that the call stored. */
  readonly givenFiles: readonly GivenFile[] | undefined
  readonly madeFiles: readonly MadeFile[] | undefined
}

/** A file that a call stored. */
export type MadeFile = Omit<GivenFile, 'place'>

/** Noted while the request is with its upstream. */
export interface SendingFacts {
  readonly account: ActingAccount | undefined
  /** The server may have carried the request out before it refused the credential: the request is not sent again. */
  readonly mayHaveActed: boolean
  /** The request ended while it waited for a place at its server: nothing of it was sent. */
  readonly unsent: boolean
  /** The server put a question to somebody: the request is under way there. */
  readonly questioned: boolean
  /** The notifications of the server that were passed on beside the answer. */
  readonly notifications: { readonly count: number; readonly bytes: number }
}

/** Noted when the request has ended. */
export interface EndFacts {
  readonly outcome: Outcome
  readonly fault: Fault | undefined
  /** The error text of the tool or of its server. */
  readonly errorText: string | undefined
  /** The result, where spans hold content. */
  readonly traced: JsonObject | undefined
}

export interface AuditFacts extends ArrivalFacts, TargetFacts, StepFacts, SendingFacts, EndFacts {}

/** An audit entry, as far as it is read for these facts. */
export interface Noted<Name extends keyof AuditFacts> {
  readonly facts: Pick<AuditFacts, Name>
}

/** The account that a call was made with, as it may be told. */
export interface ActingAccount {
  readonly account: string
  readonly owner: 'member' | 'organization' | 'caller'
  readonly name?: string
}

/** Facts of which nothing is known yet. */
export const NO_FACTS: AuditFacts = {
  requestContext: undefined,
  method: '',
  eraClient: undefined,
  client: undefined,
  bytesIn: 0,
  bytesOut: 0,
  target: undefined,
  connection: undefined,
  kind: undefined,
  vendor: undefined,
  tool: undefined,
  eraUpstream: undefined,
  found: false,
  recorded: false,
  policy: undefined,
  approval: undefined,
  overwritten: undefined,
  mismatch: undefined,
  payload: undefined,
  givenFiles: undefined,
  madeFiles: undefined,
  account: undefined,
  mayHaveActed: false,
  unsent: false,
  questioned: false,
  notifications: { count: 0, bytes: 0 },
  outcome: 'ok',
  fault: undefined,
  errorText: undefined,
  traced: undefined,
}
