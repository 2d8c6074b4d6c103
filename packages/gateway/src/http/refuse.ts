/** A refusal over HTTP, as every MCP door words it: a JSON-RPC error with the status and the headers that belong to it. */
import type { ServerResponse } from 'node:http'
import type { Fault } from '@toolway/contract'
import type { Era, Failure } from '@toolway/protocol'
import type { AuditEntryBuilder } from '../call/audit-entry.ts'
import type { Challenge } from './oauth/challenge.ts'
import { createReply, type Reply } from './mcp/reply.ts'
import { prefersStream } from './request-head.ts'
import { errorOf, failureOf, headersOf, statusOf } from './http-faults.ts'

export interface Refusal {
  readonly response: ServerResponse
  readonly audit: AuditEntryBuilder
  readonly fault: Fault
  /** Of the request, as far as it could be read. */
  readonly id: Failure['id']
  readonly era: Era
  readonly challenge: Challenge
  /** The reply that has begun already, if one has. */
  readonly reply?: Reply
}

/** Notes the fault on the audit, too. Says nothing to a client that is gone. */
export function refuse({ response, audit, fault, id, era, challenge, reply }: Refusal): void {
  audit.fail(fault)
  // A client that is away can fetch a reply that a session's stream has begun.
  if (response.destroyed && reply?.isStreaming() !== true) return
  const { correlationId } = audit
  const headers: Record<string, string> = { 'x-correlation-id': correlationId, ...headersOf(fault) }
  const challenged = challenge(fault, response.req)
  if (challenged !== undefined) headers['www-authenticate'] = challenged
  if (fault.code === 'request.method') headers['allow'] = String(fault.facts['allowed'])
  if (fault.code === 'stream.ended') headers['allow'] = 'POST, GET, DELETE'
  const way =
    reply?.isStreaming() === true
      ? reply
      : createReply(response, { accepts: false, prefersStream: prefersStream(response.req.headers.accept), headers })
  audit.note({ bytesOut: way.end(failureOf(id, errorOf(fault, era, correlationId)), statusOf(fault, era)) })
}
