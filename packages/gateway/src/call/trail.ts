/**
 * The record of a request while it is being made: what was learned by the time it ended, however it ended.
 *
 * Closing makes one counter, one log line and, for what reaches an upstream or was meant to, one record, all from the same
 * object. Closing never throws.
 */
import { randomUUID } from 'node:crypto'
import { Fault } from '@toolway/contract'
import type { Entry, Outcome } from '../records/records.ts'
import type { Standing } from './ports.ts'

export interface Trail {
  readonly correlationId: string
  readonly bytesIn: number
  standing?: Standing
  method: string
  target?: string | undefined
  connection?: string | undefined
  eraClient?: string
  eraUpstream?: string
  client?: string
  outcome: Outcome
  fault?: Fault
  bytesOut: number
}

export interface TrailParts {
  readonly now: () => Date
  readonly log: { info(facts: object, message: string): void; warn(facts: object, message: string): void; error(facts: object, message: string): void; debug(facts: object, message: string): void }
  count(method: string, outcome: Outcome, seconds: number): void
  refuse(code: string): void
  write(entry: Entry): void
}

export interface Trails {
  begin(bytesIn: number, correlationId?: string): Trail
  close(trail: Trail): void
}

/** What acts or reads at an upstream is on record; lists and pings are counted only. */
const RECORDED = new Set(['tools/call', 'resources/read', 'prompts/get'])
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
])
const CORRELATION_FORM = /^[\w.:-]{1,128}$/

/** An id of the caller's own choosing is kept when it is harmless, so that both sides' logs can be joined. */
export const correlationOf = (given: string | undefined): string =>
  given !== undefined && CORRELATION_FORM.test(given) ? given : randomUUID()

const begun = new WeakMap<Trail, number>()

export function createTrails({ now, log, count, refuse, write }: TrailParts): Trails {
  function close(trail: Trail): void {
    const durationUs = Math.round((performance.now() - (begun.get(trail) ?? performance.now())) * 1000)
    const { fault, standing } = trail
    count(COUNTED.has(trail.method) ? trail.method : 'other', trail.outcome, durationUs / 1e6)
    if (fault !== undefined) refuse(fault.code)
    const recorded = RECORDED.has(trail.method)
    const facts = {
      request_id: trail.correlationId,
      method: trail.method,
      tool_name: trail.target,
      connection: trail.connection,
      org_id: standing?.organizationId,
      organization: standing?.organization,
      principal: standing?.principal.id,
      duration_ms: durationUs / 1000,
      bytes_in: trail.bytesIn,
      bytes_out: trail.bytesOut,
      outcome: trail.outcome,
      code: fault?.code,
    }
    if (fault?.code === 'internal') log.error({ ...facts, err: fault.cause }, 'call')
    else if (fault?.cause !== undefined) log.warn({ ...facts, err: fault.cause }, 'call')
    else if (recorded || fault !== undefined) log.info(facts, 'call')
    else log.debug(facts, 'call')
    if (recorded && standing !== undefined) write(entryOf(trail, standing, durationUs, now()))
  }

  return {
    begin(bytesIn, correlationId) {
      const trail: Trail = { correlationId: correlationOf(correlationId), bytesIn, method: '', outcome: 'ok', bytesOut: 0 }
      begun.set(trail, performance.now())
      return trail
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

const entryOf = (trail: Trail, standing: Standing, durationUs: number, at: Date): Entry => ({
  organizationId: standing.organizationId,
  at,
  kind: 'call',
  principal: standing.principal.id,
  keyId: standing.principal.keyId,
  toolset: standing.toolset,
  connection: trail.connection ?? standing.connection,
  method: trail.method,
  target: trail.target,
  eraClient: trail.eraClient,
  eraUpstream: trail.eraUpstream,
  client: trail.client,
  bytesIn: trail.bytesIn,
  bytesOut: trail.bytesOut,
  durationUs,
  outcome: trail.outcome,
  code: trail.fault?.code,
  decision: trail.outcome === 'refused' ? 'refuse' : 'allow',
  correlationId: trail.correlationId,
})
