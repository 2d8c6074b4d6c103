/**
 * The record of a request while it is being made: what was learned by the time it ended, however it ended.
 *
 * Closing makes one counter, one log line and, for what reaches an upstream or was meant to, one record, all from the same
 * object. Closing never throws.
 */
import { randomUUID } from 'node:crypto'
import { newId, type Fault } from '@toolway/contract'
import type { Log } from '../lib/log.ts'
import type { Entry, Outcome } from '../records/records.ts'
import type { Standing } from './ports.ts'

export interface Trail {
  readonly correlationId: string
  /** Milliseconds on the process's own clock. */
  readonly begun: number
  bytesIn: number
  standing?: Standing
  /** Of the client. */
  address?: string | undefined
  method: string
  target?: string | undefined
  connection?: string | undefined
  eraClient?: string
  /** Whatever its method is called, it acts at an upstream. */
  recorded?: boolean
  /** The rule that spoke, and whether it only warned. */
  rule?: string
  warned?: boolean
  eraUpstream?: string
  client?: string
  outcome: Outcome
  fault?: Fault
  bytesOut: number
}

export interface TrailParts {
  readonly now: () => Date
  readonly log: Pick<Log, 'debug' | 'warn' | 'error'>
  /** Writes a line of level info whose facts are a JSON object already. */
  logLine(json: string): void
  count(method: string, outcome: Outcome, seconds: number): void
  refuse(code: string): void
  /** Keeps a record. */
  write(entry: Entry): void
}

export interface Trails {
  begin(bytesIn: number, correlationId?: string): Trail
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

export function createTrails({ now, log, logLine, count, refuse, write }: TrailParts): Trails {
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
    const recorded = (trail.recorded === true || RECORDED.has(trail.method)) && trail.standing !== undefined
    if (!recorded && fault === undefined) {
      log.debug(
        { request_id: trail.correlationId, method: trail.method.slice(0, 100), duration_ms: seconds * 1000 },
        'call',
      )
      return
    }
    // One object: what the log shows and what the database keeps cannot differ.
    const at = now()
    const entry = entryOf(trail, seconds, at)
    const json = JSON.stringify(entry)
    if (fault?.cause === undefined) logLine(json)
    else if (fault.code === 'internal') log.error({ ...entry, err: fault.cause }, 'call')
    else log.warn({ ...entry, err: fault.cause }, 'call')
    if (recorded) write(entry)
  }

  return {
    begin(bytesIn, correlationId) {
      return {
        correlationId: correlationOf(correlationId),
        begun: performance.now(),
        bytesIn,
        method: '',
        outcome: 'ok',
        bytesOut: 0,
      }
    },
    close(trail) {
      try {
        close(trail)
      } catch (thrown) {
        log.error({ err: thrown, request_id: trail.correlationId }, 'a trail could not be closed')
      }
    },
  }
}

const entryOf = (trail: Trail, seconds: number, at: Date): Entry => {
  const { standing, fault, outcome } = trail
  return {
    id: newId('rec', at.getTime()),
    timestamp: at.toISOString(),
    kind: 'call',
    org_id: standing?.organizationId,
    organization: standing?.organization,
    principal: standing?.principal.id,
    key_id: standing?.principal.keyId,
    toolset: standing?.toolset,
    connection: trail.connection ?? standing?.connection,
    method: storable(trail.method),
    tool_name: trail.target === undefined ? undefined : storable(trail.target),
    era_client: trail.eraClient,
    era_upstream: trail.eraUpstream,
    client: trail.client === undefined ? undefined : storable(trail.client),
    bytes_in: trail.bytesIn,
    bytes_out: trail.bytesOut,
    duration_ms: Math.round(seconds * 1e6) / 1000,
    outcome,
    code: fault?.code,
    decision: outcome === 'refused' ? 'refuse' : trail.warned === true ? 'warn' : 'allow',
    request_id: trail.correlationId,
    actor_type: standing?.principal.kind === 'user' ? 'user' : 'api_key',
    resource_type: undefined,
    resource_id: undefined,
    ip_address: trail.address,
    user_agent: undefined,
    detail: trail.rule === undefined ? undefined : { rule: trail.rule },
  }
}

const LONGEST = 300
/** Text of a client's choosing, as a database can hold it: bounded, no NUL, no half of a surrogate pair. */
const storable = (text: string): string => text.slice(0, LONGEST).toWellFormed().replaceAll('\0', '\ufffd')
