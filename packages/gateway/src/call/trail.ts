/**
 * The record of a request while it is being made: what was learned by the time it ended, however it ended.
 *
 * Closing makes one counter, one log line and, for what reaches an upstream or was meant to, one record, all from the same
 * object. Closing never throws.
 */
import { randomUUID } from 'node:crypto'
import { newId, type Fault } from '@toolway/contract'
import type { Log } from '../lib/log.ts'
import type { Intent } from '../records/outbox/writer.ts'
import { ENDED_BEFORE, type Entry, type Outcome } from '../records/records.ts'
import type { KeptPayload, Payload } from './payload.ts'
import type { PolicyTrace } from './policy/enforce.ts'
import type { RequestContext } from './ports.ts'
import { recordedError } from './record-error.ts'

/** The other end of a line, as its door sees it. */
export interface From {
  readonly address: string | undefined
  readonly userAgent: string | undefined
}

const NOWHERE: From = { address: undefined, userAgent: undefined }

export interface Trail {
  readonly correlationId: string
  /** Milliseconds on the process's own clock. */
  readonly begun: number
  bytesIn: number
  requestContext?: RequestContext
  method: string
  target?: string | undefined
  connection?: string | undefined
  eraClient?: string
  /** Whatever its method is called, it acts at an upstream. */
  recorded?: boolean
  /** What the rules said. */
  policy?: PolicyTrace
  /** An argument of the caller's that counted for nothing. */
  overwritten?: string
  /** In how many places the answer is not what its tool promises. */
  mismatch?: number
  /** Which account acted, and whose it is. */
  account?: ActingAccount
  /** Its server may have looked at it before it refused the credential: it is not sent again. */
  unsure?: boolean
  /** What its server said beside the answer, and was passed on. */
  notices?: { count: number; bytes: number }
  /** The server asked somebody something: it is under way there. */
  questioned?: boolean
  eraUpstream?: string
  client?: string
  readonly from: From
  /** What was written down before anything left: under which id, and where. */
  id?: Entry['id']
  intent?: Intent
  outcome: Outcome
  fault?: Fault
  /** What the tool or its server said of why it failed. */
  said?: string | undefined
  /** What is sent and what came back, where its connection keeps that. */
  payload?: Payload
  bytesOut: number
  /** Before anything leaves for an upstream: what goes on record is written down. Throws `record.unwritable`. */
  intend?(trail: Trail): void
}

/** The account that a call was made with, as it may be told. */
export interface ActingAccount {
  readonly account: string
  readonly owner: 'member' | 'organization' | 'caller'
  readonly name?: string
}

export interface TrailParts {
  readonly now: () => Date
  readonly log: Pick<Log, 'debug' | 'warn' | 'error'>
  /** Writes a line of level info whose facts are a JSON object already. */
  logLine(json: string): void
  count(method: string, outcome: Outcome, seconds: number): void
  refuse(code: string): void
  /** A rule that only watches would have done this. */
  shadow?(rule: string, would: string): void
  /** Writes down what remains of a call if nothing more is heard of it. Throws `record.unwritable`. */
  intend(entry: Entry): Intent
  /** Keeps a record; `json` is the same. */
  write(entry: Entry, json: string, intent: Intent | undefined): void
  /** Seals what is kept of a call besides its record; absent where nothing can be kept. */
  keepPayload?(payload: Payload, id: string): KeptPayload | undefined
  /** Hears of a refusal that is on no organization's record, as it is not known whose it is. */
  refuseStranger(entry: Entry): void
}

export interface Trails {
  begin(bytesIn: number, correlationId?: string, from?: From): Trail
  close(trail: Trail): void
}

/** What acts or reads at an upstream is on record; lists and pings are counted only. */
const RECORDED = new Set(['tools/call', 'resources/read', 'prompts/get', 'tasks/update', 'tasks/cancel'])
/** Methods a client made up are one label, or the counters would grow without bound. */
const COUNTED = new Set([
  ...RECORDED,
  'initialize',
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'completion/complete',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'subscriptions/listen',
  'tasks/get',
  'tasks/list',
  'tasks/result',
])
const CORRELATION_FORM = /^[\w.:-]{1,128}$/

export function createTrails(parts: TrailParts): Trails {
  const { now, log, logLine, count, refuse, write } = parts
  // Unique by the process's own random part; a counter costs a fifth of drawing randomness for each request.
  const process = randomUUID().slice(0, 18)
  let last = 0
  /** An id of the caller's own choosing is kept when it is harmless, so that both sides' logs can be joined. */
  const correlationOf = (given: string | undefined): string =>
    given !== undefined && CORRELATION_FORM.test(given) ? given : `${process}-${(++last).toString(36)}`

  function close(trail: Trail): void {
    const seconds = (performance.now() - trail.begun) / 1000
    const { fault } = trail
    count(COUNTED.has(trail.method) ? trail.method : 'other', trail.outcome, seconds)
    if (fault !== undefined) refuse(fault.code)
    for (const [rule, would] of Object.entries(trail.policy?.shadows ?? {})) parts.shadow?.(rule, would)
    const recorded = isRecorded(trail)
    if (!recorded && fault === undefined) {
      log.debug(
        { request_id: trail.correlationId, method: trail.method.slice(0, 100), duration_ms: seconds * 1000 },
        'call',
      )
      return
    }
    // One object: what the log shows and what the database keeps cannot differ.
    const at = now()
    const entry = entryOf(trail, seconds, at, { outcome: trail.outcome, code: fault?.code })
    const json = JSON.stringify(entry)
    if (fault?.cause === undefined) logLine(json)
    else if (fault.code === 'internal') log.error({ ...entry, err: fault.cause }, 'call')
    else log.warn({ ...entry, err: fault.cause }, 'call')
    if (recorded) {
      const whole = withPayload(trail, entry)
      write(whole, whole === entry ? json : JSON.stringify(whole), trail.intent)
    } else if (trail.requestContext === undefined) parts.refuseStranger(entry)
  }

  /** After the log line is made: what was sent and came back is in none. */
  function withPayload({ payload }: Trail, entry: Entry): Entry {
    const kept = payload === undefined ? undefined : parts.keepPayload?.(payload, entry.id)
    if (kept === undefined) return entry
    return { ...entry, detail: { ...entry.detail, payload: kept.hash }, payload: kept.sealed }
  }

  /** One for all trails: a closure for each would be paid by every request. */
  function intend(trail: Trail): void {
    if (trail.intent !== undefined || !isRecorded(trail)) return
    trail.intent = parts.intend(withPayload(trail, entryOf(trail, 0, now(), ENDED_BEFORE)))
  }

  return {
    begin(bytesIn, correlationId, from = NOWHERE) {
      return {
        correlationId: correlationOf(correlationId),
        begun: performance.now(),
        bytesIn,
        from,
        method: '',
        outcome: 'ok',
        bytesOut: 0,
        intend,
      }
    },
    close(trail) {
      try {
        close(trail)
      } catch (thrown) {
        log.error({ err: thrown, request_id: trail.correlationId }, 'an audit entry could not be written')
      }
    },
  }
}

const ACTOR = { user: 'user', key: 'api_key', operator: 'system' } as const satisfies Record<
  string,
  Entry['actor_type']
>

const isRecorded = (trail: Trail): boolean =>
  trail.requestContext !== undefined && (trail.recorded === true || RECORDED.has(trail.method))

const entryOf = (
  trail: Trail,
  seconds: number,
  at: Date,
  { outcome, code }: Pick<Entry, 'outcome' | 'code'>,
): Entry => {
  const { requestContext, from } = trail
  return {
    id: (trail.id ??= newId('rec', at.getTime())),
    timestamp: at.toISOString(),
    kind: 'call',
    org_id: requestContext?.organizationId,
    organization: requestContext?.organization,
    principal: requestContext?.principal.id,
    key_id: requestContext?.principal.keyId,
    toolset: requestContext?.toolset,
    connection: trail.connection ?? requestContext?.connection,
    method: storable(trail.method),
    tool_name: trail.target === undefined ? undefined : storable(trail.target),
    era_client: trail.eraClient,
    era_upstream: trail.eraUpstream,
    client: trail.client === undefined ? undefined : storable(trail.client),
    bytes_in: trail.bytesIn,
    bytes_out: trail.bytesOut,
    duration_ms: Math.round(seconds * 1e6) / 1000,
    outcome,
    code,
    decision: outcome === 'refused' ? 'refuse' : trail.policy?.warned === true ? 'warn' : 'allow',
    request_id: trail.correlationId,
    actor_type: requestContext === undefined ? 'system' : ACTOR[requestContext.principal.kind],
    resource_type: undefined,
    resource_id: undefined,
    ip_address: from.address,
    user_agent: from.userAgent === undefined ? undefined : storable(from.userAgent),
    detail: withError(trail, outcome, detailOf(trail)),
  }
}

/** Failures say why, in words. Nothing is made of the others. */
function withError({ fault, said }: Trail, outcome: Outcome, detail: Entry['detail']): Entry['detail'] {
  if (outcome === 'ok' || (fault === undefined && said === undefined)) return detail
  return { ...detail, error: recordedError(fault, said) }
}

interface Facts {
  readonly policy?: Trail['policy'] | undefined
  readonly account?: Trail['account'] | undefined
  readonly overwritten?: string | undefined
  readonly mismatch?: number | undefined
  readonly fault?: Fault | undefined
}

const MOST_PLACES = 20

/** Where the arguments of a call do not fit; what stands there is nobody's business. */
function placesOf({ data }: Fault): string[] {
  const errors = data?.['errors']
  const places = (Array.isArray(errors) ? (errors as { path?: unknown }[]) : []).map(({ path }) => path)
  return places.flatMap((path) => (typeof path === 'string' ? [storable(path)] : [])).slice(0, MOST_PLACES)
}

/** Each fact is rare, and most calls have none. */
function detailOf({ policy, account, overwritten, mismatch, fault }: Facts): Entry['detail'] {
  const invalid = fault?.code === 'arguments.invalid' ? placesOf(fault) : undefined
  if (overwritten !== undefined || invalid !== undefined || mismatch !== undefined)
    return {
      ...detailOf({ policy, account }),
      ...(overwritten === undefined ? {} : { overwritten: [overwritten] }),
      ...(invalid === undefined ? {} : { invalid }),
      ...(mismatch === undefined ? {} : { misfit: mismatch }),
    }
  if (policy === undefined) return account === undefined ? undefined : { account }
  const { rule, changed, shadows, approval, values, absent } = policy
  const said = {
    ...(changed && { changed }),
    ...(shadows && { shadows }),
    ...(approval && { approval }),
    ...(values && { values }),
    ...(absent && { absent }),
  }
  const detail = {
    ...(rule === undefined ? {} : { rule }),
    ...(Object.keys(said).length === 0 ? {} : { policy: said }),
    ...(account === undefined ? {} : { account }),
  }
  return Object.keys(detail).length === 0 ? undefined : detail
}

const LONGEST = 300
/** Text of a client's choosing, as a database can hold it: bounded, no NUL, no half of a surrogate pair. */
const storable = (text: string): string => text.slice(0, LONGEST).toWellFormed().replaceAll('\0', '\ufffd')
