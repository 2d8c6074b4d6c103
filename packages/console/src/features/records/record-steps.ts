/**
 * The way of one call, in order, as its record tells it: what each step learned, and where it ended.
 *
 * A record keeps how long each kind of step took (`timingsOf`), not at which moment each was: of those only the first and the last have
 * a time.
 */
import { FAULTS, type FaultPhase } from '@toolway/contract'
import type { AuditEvent } from '@toolway/contract/admin'
import { mendOf } from '../../ui/mend.ts'
import { localized, localizedOr } from '../../texts/gateway-words.ts'

export type StepName = 'received' | 'identified' | 'found' | 'decided' | 'opened' | 'answered'

export interface Step {
  readonly name: StepName
  /** Where it is on record. */
  readonly at?: Date
  /** Milliseconds since the call began, where that is on record. */
  readonly after?: number
  /** The facts of the step, as recorded. */
  readonly facts: Readonly<Record<string, string | number>>
  /** `ended`: the call came no further. */
  readonly state: 'done' | 'ended'
}

/** In which step a fault of each phase arises. */
const STEP_OF: Readonly<Record<FaultPhase, StepName>> = {
  receive: 'received',
  identify: 'identified',
  place: 'identified',
  admit: 'identified',
  find: 'found',
  decide: 'decided',
  check: 'decided',
  open: 'opened',
  start: 'opened',
  run: 'answered',
  shape: 'answered',
}

export const faultOf = (code: string | null): (typeof FAULTS)[keyof typeof FAULTS] | undefined =>
  code !== null && Object.hasOwn(FAULTS, code) ? FAULTS[code as keyof typeof FAULTS] : undefined

export interface RecordError {
  readonly by: 'tool' | 'gateway'
  readonly says: string | undefined
  /** Without blanks that nobody filled in. */
  readonly mend: string | undefined
}

/** Why it ended so, as far as the record says it. */
export function errorOf({ code, details }: Pick<AuditEvent, 'code' | 'details'>): RecordError {
  const { by, says, mend } = record(details['error'])
  const known = typeof mend === 'string' ? mend : faultOf(code)?.mend
  const filled = known === undefined ? undefined : fillFrom(known, details)
  const isTool = by === 'tool'
  return {
    by: isTool ? 'tool' : 'gateway',
    // A tool's own words stay as they are.
    says: typeof says !== 'string' ? undefined : isTool ? says : localized(says),
    mend: localizedOr(mendOf({ code, mend: filled })),
  }
}

/** Undefined where the record does not know what stands in a blank: half a sentence helps nobody. */
function fillFrom(mend: string, details: AuditEvent['details']): string | undefined {
  const filled = mend.replaceAll(/\{(\w+)\}/g, (blank, name: string) => {
    const value = details[name]
    return typeof value === 'string' ? value : blank
  })
  return /\{\w+\}/.test(filled) ? undefined : filled
}

export const isCall = ({ resource_type: type, details }: AuditEvent): boolean =>
  'duration_ms' in details && (type === null || ['tool', 'resource', 'prompt', 'task'].includes(type))

const only = (facts: Readonly<Record<string, unknown>>): Step['facts'] =>
  Object.fromEntries(
    Object.entries(facts).filter(([, value]) => typeof value === 'string' || typeof value === 'number'),
  ) as Step['facts']

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

export function stepsOf(event: AuditEvent): Step[] {
  const { details, timestamp, outcome, resource_id: target } = event
  const end = new Date(timestamp)
  const lasted = typeof details['duration_ms'] === 'number' ? details['duration_ms'] : 0
  const policy = record(details['policy'])
  const account = record(details['account'])
  const decision = outcome === 'refused' ? undefined : details['decision']
  const all: readonly Omit<Step, 'state'>[] = [
    {
      name: 'received',
      at: new Date(end.getTime() - lasted),
      facts: only({
        from: event.ip_address,
        client: details['client'],
        revision: details['era_client'],
        bytes: details['bytes_in'],
      }),
    },
    {
      name: 'identified',
      facts: only({ caller: event.actor_id, key: details['key_id'], toolset: details['toolset'] }),
    },
    { name: 'found', facts: only({ tool: target, connection: details['connection'] }) },
    { name: 'decided', facts: only({ decision, rule: details['rule'], approval: policy['approval'] }) },
    {
      name: 'opened',
      facts: only({ account: account['account'], owner: account['owner'], revision: details['era_upstream'] }),
    },
    { name: 'answered', after: lasted, facts: only({ outcome, code: event.code, bytes: details['bytes_out'] }) },
  ]
  const phase = faultOf(event.code)?.phase
  const last = phase === undefined ? 'answered' : STEP_OF[phase]
  const until = all.findIndex(({ name }) => name === last)
  return all.slice(0, until + 1).map((step, at) => {
    const ended = phase !== undefined && at === until
    if (!ended) return { ...step, state: 'done' }
    return { ...step, after: lasted, facts: { ...step.facts, ...only({ code: event.code }) }, state: 'ended' }
  })
}

/** The order of the steps; of those that are entered again, when they first are. */
const TIMED = ['identify', 'policy', 'approval', 'record', 'credential', 'queue', 'upstream', 'result'] as const

/** Milliseconds. */
export interface Timing {
  readonly step: (typeof TIMED)[number]
  /** Since the call began. */
  readonly from: number
  readonly took: number
}

/** Nothing for a record of before steps were timed. */
export function timingsOf({ details }: Pick<AuditEvent, 'details'>): Timing[] {
  const timings = record(details['timings'])
  let from = 0
  return TIMED.flatMap((step) => {
    const took = timings[step]
    if (typeof took !== 'number') return []
    const timing = { step, from, took }
    from += took
    return [timing]
  })
}

/** The endpoint and the name by which a tool was called, as the playground takes them; undefined for what is no call of a tool. */
export function callAt({ action, resource_id: tool, details }: Pick<AuditEvent, 'action' | 'resource_id' | 'details'>) {
  const { connection, toolset } = details
  if (action !== 'tools/call' || tool === null || typeof connection !== 'string') return undefined
  // At the endpoint of a connection its alias stands in place of a toolset.
  if (toolset === connection) return { tool, connection }
  return typeof toolset === 'string' && toolset !== 'default' ? { tool, toolset } : { tool }
}

/** Of the arguments those that rules looked at: the others are not on record. */
export function argumentsOf({ details }: AuditEvent) {
  const { values, absent, changed } = record(details['policy'])
  return {
    values: record(values) as Readonly<Record<string, string | number | boolean | null>>,
    absent: Array.isArray(absent) ? (absent as readonly string[]) : [],
    changed: Array.isArray(changed) ? (changed as readonly string[]) : [],
  }
}
