/**
 * Checks the parameters with which a browser returns from an authorization server, before any request is made: the state, and the
 * cookie of the browser that began the flow. A mismatch changes nothing and is reported with its reason.
 */
import { createHash } from 'node:crypto'
import { Fault } from '@toolway/contract'
import { takeFlow, whyNot, type FlowRow } from '../../../credentials/flows.ts'
import type { Db } from '../../../db/db.ts'

/** Why, in words of ours that are safe in an address: the sentence belongs to the page (`WHYS`). */
export type Why = keyof typeof WHYS
export const WHYS = {
  late: 'signing in took longer than ten minutes',
  spent: 'the link works only once and was already used',
  foreign: 'sign-in started in another browser, or this browser did not store the cookie',
  unknown: 'no sign-in was in progress',
  nothing: 'the code or the state is missing from the response',
  address: 'the URL of the connection changed in the meantime, and an account is valid for one URL only',
  kind: 'the authentication of the connection changed in the meantime',
  member: 'the user who started it is no longer allowed to',
  connected:
    'an account is connected already, and it is not known whether this is the same one, so nothing was replaced; reconnect that account, or disconnect it first',
  gone: 'the connection no longer exists, or no longer uses accounts',
  client: 'the authorization server refused the client or the access that it requested',
  unreachable: 'the authorization server cannot be reached; try again in a moment',
  malformed: 'the authorization server sent an invalid response',
} as const

export class FlowProblem extends Error {
  /**
   * `missing_code`, `missing_state`, `invalid_state`, `token_exchange_failed` (ledger S2-OAU-11), or the vendor's own, which is to be
   * escaped wherever it is shown.
   */
  readonly error: string
  readonly why: Why
  readonly fault: Fault
  /** The flow that failed, where it is known. */
  readonly flow: FlowRow | undefined

  constructor(error: string, why: Why, fault: Fault = refusedFor(why), flow?: FlowRow) {
    super(fault.message, { cause: fault })
    this.error = error
    this.why = why
    this.fault = fault
    this.flow = flow
  }
}

export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

/**
 * Two ways at once, in two tabs, have a cookie each. It tells the state to nobody. Over https no other host of our domain can set it
 * (`__Host-`): whoever could would have somebody else finish a way that they began themselves.
 */
export const cookieNameOf = (state: string, secure: boolean): string =>
  `${secure ? '__Host-' : ''}toolway_flow_${sha256(`cookie ${state}`).toString('hex').slice(0, 16)}`

export const refusedFor = (why: Why): Fault => new Fault('flow.refused', { problem: WHYS[why] })

export interface OAuthCallback {
  readonly answer: URLSearchParams
  /** The address that was asked for, without its query. */
  readonly redirectUri: string
  cookie(name: string): string | undefined
}

/** The flow, which nobody can take again. Throws FlowProblem. */
export async function consumeCallback(
  db: Pick<Db, 'system'>,
  { answer, redirectUri, cookie }: OAuthCallback,
  secure: boolean,
): Promise<FlowRow> {
  const states = answer.getAll('state')
  const [state = ''] = states
  if (!answer.has('code') && !answer.has('error')) throw new FlowProblem('missing_code', 'nothing')
  if (state === '') throw new FlowProblem('missing_state', 'nothing')
  if (states.length > 1) throw new FlowProblem('invalid_state', 'unknown')
  const stateHash = sha256(state)
  const browser = cookie(cookieNameOf(state, secure))
  const browserHash = browser === undefined ? undefined : sha256(browser)
  const flow = await db.system((sql) => takeFlow(sql, { stateHash, browserHash, redirectUri }))
  if (flow !== undefined) return flow
  throw new FlowProblem('invalid_state', await db.system((sql) => whyNot(sql, stateHash)))
}
