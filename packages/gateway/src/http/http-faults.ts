/** How the HTTP door words a fault: as a JSON-RPC error for MCP, as problem+json (RFC 9457) for everything else. */
import { type Fault, type FaultCode } from '@toolway/contract'
import { RETRY_SECONDS } from '../db/unreachable.ts'
import type { Era, ErrorBody, Failure, Id } from '@toolway/protocol'

/** Before a request is admitted, HTTP says how it went; afterwards JSON-RPC does, in a 200, but for what 2026-07-28 names. */
const HTTP_PHASES = new Set(['receive', 'identify', 'place', 'admit'])
const NO_METHOD = -32601
const CAPABILITY = -32021

export function statusOf(fault: Fault, era: Era): number {
  if (HTTP_PHASES.has(fault.row.phase)) return fault.row.http
  return era === 'modern' ? statusOfError(fault.row.rpc) : 200
}

/** The status of an error that an upstream gave, towards a modern client (specification 2026-07-28, transports). */
export const statusOfError = (code: number): number => (code === NO_METHOD ? 404 : code === CAPABILITY ? 400 : 200)

const NOT_FOUND = new Set(['NOT_FOUND', 'TOOL_NOT_FOUND'])

/** Faults that MCP tells in a 200 have another status where HTTP alone says how it went. */
function problemStatusOf({ row: { http, word } }: Fault): number {
  if (http >= 400) return http
  return NOT_FOUND.has(word) ? 404 : 400
}

/** Errors of our own stand outside the range that 2026-07-28 keeps for itself and for what came before it. */
const LEGACY_OWN = [-32003, -32002, -32001]
const MODERN_OFFSET = 1000
const numberOf = (code: number, era: Era) =>
  era === 'modern' && LEGACY_OWN.includes(code) ? code + MODERN_OFFSET : code

/** Seconds. */
const RETRY_AFTER: Partial<Record<FaultCode, number>> = {
  'gateway.draining': 1,
  'gateway.not-ready': 1,
  'session.limit': 5,
  'gateway.busy': 1,
  'tools.not-ready': 1,
  'database.unavailable': RETRY_SECONDS,
  'database.interrupted': RETRY_SECONDS,
}

/** Whole seconds after which the same request may be let through, where the fault knows it (RFC 9110, section 10.2.3). */
export function retryAfterOf(fault: Fault): number | undefined {
  if (fault.row.http === 429 || fault.code === 'connection.busy') return Number(fault.facts['seconds'])
  return RETRY_AFTER[fault.code]
}

export function errorOf(fault: Fault, era: Era, correlationId: string): ErrorBody {
  const { word, rpc, retry, phase } = fault.row
  const retryAfter = retryAfterOf(fault)
  return {
    code: numberOf(rpc, era),
    message: fault.message,
    data: {
      ...(fault.data as Record<string, never> | undefined),
      code: word,
      fault: fault.code,
      phase,
      mend: fault.mend,
      retryable: retry,
      ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
      correlation_id: correlationId,
    },
  }
}

export const failureOf = (id: Id | undefined, error: ErrorBody): Failure =>
  id === undefined ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id, error }

/** RFC 9457: type, title, status and detail, with the mend and the id to ask about. */
export const problemOf = (fault: Fault, correlationId: string) => ({
  type: `urn:toolway:fault:${fault.code}`,
  title: fault.row.word,
  status: problemStatusOf(fault),
  detail: fault.message,
  mend: fault.mend,
  code: fault.code,
  phase: fault.row.phase,
  ...(retryAfterOf(fault) === undefined ? {} : { retry_after: retryAfterOf(fault) }),
  correlation_id: correlationId,
})

/**
 * A fault as an answer over HTTP. Every door that says problem+json takes status and body from here, so that the two agree
 * (RFC 9457, section 3.1.2).
 */
export function problemAnswer(fault: Fault, correlationId: string) {
  const problem = problemOf(fault, correlationId)
  return { status: problem.status, type: 'application/problem+json', headers: headersOf(fault), problem } as const
}

/** The headers that belong to a fault, whatever body it is worded in. */
export function headersOf(fault: Fault): Record<string, string> {
  const headers: Record<string, string> = {}
  const retryAfter = retryAfterOf(fault)
  if (fault.row.http === 401) headers['www-authenticate'] = 'Bearer realm="toolway"'
  if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter)
  return headers
}
