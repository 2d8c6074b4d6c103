/** The record of a request, made of the facts that were noted about it. Pure; it holds no secret and no argument that may not be stored. */
import type { Fault } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import type { Entry, Outcome } from '../records/records.ts'
import type { AuditFacts, From } from './audit-facts.ts'
import { recordedError } from './record-error.ts'

/** How and when the request ended, and by which ids it is known. */
interface Ending extends Pick<Entry, 'outcome' | 'code'> {
  readonly id: string
  readonly at: Date
  readonly seconds: number
  /** Milliseconds by step; undefined for a request that has not ended. */
  readonly timings: JsonObject | undefined
  readonly correlationId: string
  readonly from: From
  readonly trace: { readonly id: string | undefined; readonly span: string | undefined }
}

export function entryOf(facts: AuditFacts, ending: Ending): Entry {
  const { requestContext, policy, target, client } = facts
  const { outcome, at, timings, trace } = ending
  const { address, userAgent } = ending.from
  const reasoned = withError(facts, outcome, detailOf(facts))
  const detail = facts.unsent ? { ...reasoned, sent: false } : reasoned
  return {
    id: ending.id,
    timestamp: at.toISOString(),
    kind: 'call',
    org_id: requestContext?.organizationId,
    organization: requestContext?.organization,
    principal: requestContext?.principal.id,
    key_id: requestContext?.principal.keyId,
    toolset: requestContext?.toolset,
    connection: facts.connection ?? requestContext?.connection,
    method: storable(facts.method),
    tool_name: target === undefined ? undefined : storable(target),
    era_client: facts.eraClient,
    era_upstream: facts.eraUpstream,
    client: client === undefined ? undefined : storable(client),
    bytes_in: facts.bytesIn,
    bytes_out: facts.bytesOut,
    duration_ms: Math.round(ending.seconds * 1e6) / 1000,
    outcome,
    code: ending.code,
    decision: outcome === 'refused' ? 'refuse' : policy?.warned === true ? 'warn' : 'allow',
    request_id: ending.correlationId,
    trace_id: trace.id,
    span_id: trace.span,
    actor_type: requestContext === undefined ? 'system' : ACTOR[requestContext.principal.kind],
    resource_type: undefined,
    resource_id: undefined,
    ip_address: address,
    user_agent: userAgent === undefined ? undefined : storable(userAgent),
    detail: timings === undefined ? detail : { ...detail, timings },
  }
}

const ACTOR = { user: 'user', key: 'api_key', operator: 'system' } as const satisfies Record<
  string,
  Entry['actor_type']
>

/** Failures say why, in words. Nothing is added to the others. */
function withError(
  { fault, errorText }: Pick<AuditFacts, 'fault' | 'errorText'>,
  outcome: Outcome,
  detail: Entry['detail'],
): Entry['detail'] {
  if (outcome === 'ok' || (fault === undefined && errorText === undefined)) return detail
  return { ...detail, error: recordedError(fault, errorText) }
}

const MOST_PLACES = 20

/** Where the arguments of a call do not fit. Their values stay out of the record. */
function placesOf({ data }: Fault): string[] {
  const errors = data?.['errors']
  const places = (Array.isArray(errors) ? (errors as { path?: unknown }[]) : []).map(({ path }) => path)
  return places.flatMap((path) => (typeof path === 'string' ? [storable(path)] : [])).slice(0, MOST_PLACES)
}

type DetailFacts = Pick<
  AuditFacts,
  | 'policy'
  | 'approval'
  | 'account'
  | 'overwritten'
  | 'mismatch'
  | 'fault'
  | 'givenFiles'
  | 'madeFiles'
  | 'connection'
  | 'target'
  | 'tool'
>

/** Each fact is rare, and most calls have none. */
function detailOf(facts: DetailFacts): Entry['detail'] {
  const { overwritten, mismatch, fault, givenFiles, madeFiles } = facts
  const invalid = fault?.code === 'arguments.invalid' ? placesOf(fault) : undefined
  const files = givenFiles === undefined && madeFiles === undefined ? undefined : filesOf(facts)
  const decided = files === undefined ? decisionOf(facts) : { ...decisionOf(facts), files }
  const tool = ownNameBeside(facts)
  if (overwritten === undefined && invalid === undefined && mismatch === undefined && tool === undefined) return decided
  return {
    ...decided,
    ...(tool === undefined ? {} : { tool }),
    ...(overwritten === undefined ? {} : { overwritten: [overwritten] }),
    ...(invalid === undefined ? {} : { invalid }),
    ...(mismatch === undefined ? {} : { misfit: mismatch }),
  }
}

/** The server's own name of a tool, where the caller used another one that it does not follow from. */
function ownNameBeside({ connection, target, tool }: DetailFacts): string | undefined {
  if (tool === undefined || target === tool || target === `${connection}__${tool}`) return undefined
  return storable(tool)
}

/** Which file went to the connection of the record, and which came from there. */
const filesOf = ({ givenFiles, madeFiles: made }: DetailFacts) => ({
  ...(givenFiles && {
    sent: givenFiles.map((file) => ({ ...file, name: storable(file.name), media_type: storable(file.media_type) })),
  }),
  ...(made && {
    stored: made.map((file) => ({ ...file, name: storable(file.name), media_type: storable(file.media_type) })),
  }),
})

function decisionOf({ policy, approval, account }: DetailFacts): Entry['detail'] {
  if (policy === undefined) return account === undefined ? undefined : { account }
  const { rule, changed, shadows, values, absent } = policy
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
