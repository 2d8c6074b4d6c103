/**
 * Tools for clients that speak no MCP: each request becomes `tools/list` or `tools/call` (`serve-tools.ts`) and takes the same way as
 * any other (`call/dispatch.ts`), with the same key, tool listing, rules, limits and audit record (ledger U-10).
 *
 * A result is answered with 200, also where the tool failed, so that a model reads why; a refused request is answered with
 * problem+json. If the reason is a server that takes no more requests for now, `Retry-After` says when to call again.
 *
 * A client that prefers an event stream gets the progress of its call as MCP notifications, and the result or the problem as the
 * last event (ledger S0-DSC-07).
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault } from '@toolway/contract'
import type { Inbound } from '../../snapshot/ports/endpoint.ts'
import type { AuditEntryBuilder, AuditLog } from '../../call/audit-entry.ts'
import type { Limits } from '../../limits/limits.ts'
import type { Clients } from '../client-address.ts'
import { countUnknownEndpoint } from '../count-unknown-endpoint.ts'
import type { Challenge } from '../oauth/challenge.ts'
import { placeOf } from '../intake/take-in.ts'
import { createReply, type Reply } from '../mcp/reply.ts'
import { correlationOf, clientOriginOf, onBehalfIn, prefersStream } from '../request-head.ts'
import { problemAnswer, retryAfterOf } from '../http-faults.ts'
import { cutUnread } from '../streams/unread-answers.ts'
import { CALL, LIST, type ServeParts } from './ask-tools.ts'
import { appProblem } from './serve-apps.ts'
import { serve } from './serve-tools.ts'
import { toolAddressOf, type ToolAddress } from './tool-addresses.ts'

export interface ToolDoorParts extends ServeParts {
  readonly auditLog: AuditLog
  readonly clients: Clients
  readonly limits: Pick<Limits, 'unknown'>
  readonly challenge: Challenge
  /** Aborted when the gateway drains. */
  readonly draining: AbortSignal
  /** The key whose tools the document at the root shows to whoever brings none; undefined: to nobody. */
  readonly publicKey: string | undefined
}

export interface ToolDoor {
  addressOf(path: string): ToolAddress | undefined
  answer(request: IncomingMessage, response: ServerResponse, address: ToolAddress): Promise<void>
}

export function createToolDoor(parts: ToolDoorParts): ToolDoor {
  const { admit, auditLog, clients, limits, challenge, draining, flat, publicKey } = parts

  async function receive(
    request: IncomingMessage,
    response: ServerResponse,
    address: ToolAddress,
    { audit, reply }: { audit: AuditEntryBuilder; reply: Reply },
  ) {
    if (draining.aborted) throw new Fault('gateway.draining')
    audit.note({ method: address.method === 'GET' || address.way === 'mcp list' ? LIST : CALL })
    if (request.method !== address.method && !(request.method === 'HEAD' && address.method === 'GET'))
      throw new Fault('request.method', { method: request.method ?? '?', allowed: address.method })
    const { authorization = isPublic(address) ? `Bearer ${publicKey}` : undefined } = request.headers
    const inbound: Inbound = { place: address.place, authorization, onBehalfOf: onBehalfIn(request) }
    const requestContext = await admit(inbound)
    audit.note({ requestContext })
    placeOf(request)?.admitted(requestContext.organizationId)
    const exchange = { request, response, address, requestContext, inbound, audit, reply }
    const { body, status = 200, headers = {} } = await serve(parts, exchange)
    const bytesOut =
      reply.streams && body !== undefined
        ? reply.end(body, status)
        : writeAnswer(response, {
            status,
            type: 'application/json',
            body,
            headers: { ...linkOf(audit.facts.fault), ...laterIn(audit), ...headers },
          })
    audit.note({ bytesOut })
  }

  const isPublic = ({ way, base }: ToolAddress) => publicKey !== undefined && way === 'openapi' && base === ''

  async function answerOne(request: IncomingMessage, response: ServerResponse, address: ToolAddress): Promise<void> {
    const audit = auditLog.begin(0, correlationOf(request), clientOriginOf(request, clients))
    response.setHeader('x-correlation-id', audit.correlationId)
    const streams = address.method === 'POST' && prefersStream(request.headers.accept)
    const reply = createReply(response, { accepts: streams, prefersStream: streams, headers: {} })
    try {
      await receive(request, response, address, { audit, reply })
    } catch (thrown) {
      const fault = audit.fail(await countUnknownEndpoint(thrown, limits))
      const challenged = challenge(fault, request)
      const answer = problemAnswer(fault, audit.correlationId)
      const headers = {
        ...answer.headers,
        ...linkOf(fault),
        ...(challenged === undefined ? {} : { 'www-authenticate': challenged }),
        ...(fault.code === 'request.method' ? { allow: String(fault.facts['allowed']) } : {}),
      }
      const { status, type } = answer
      const body = appProblem(address.way, fault, answer.problem)
      audit.note({
        bytesOut: reply.isStreaming()
          ? reply.end(body, status)
          : writeAnswer(response, { status, type, body, headers }),
      })
    } finally {
      audit.close()
    }
  }

  return { addressOf: (path) => toolAddressOf(path, flat), answer: answerOne }
}

/**
 * The page on which a person approves the call or connects an account, where a fault of the gateway names one: the texts of a result may
 * come from a server, a header does not.
 */
function linkOf(fault: Fault | undefined): Readonly<Record<string, string>> {
  const link = URL.parse(String(fault?.facts['link'] ?? ''))
  return link !== null && /^https?:$/.test(link.protocol) ? { 'x-toolway-link': link.href } : {}
}

/** When a call that was answered with a fault may be made again, for clients that read the header (RFC 9110, section 10.2.3). */
function laterIn({ facts: { fault } }: AuditEntryBuilder): Readonly<Record<string, string>> {
  const seconds = fault === undefined ? undefined : retryAfterOf(fault)
  return seconds === undefined ? {} : { 'retry-after': String(seconds) }
}

interface Said {
  readonly status: number
  readonly type: string
  /** Undefined where the status says it all. */
  readonly body: object | undefined
  readonly headers: Readonly<Record<string, string>>
}

function writeAnswer(response: ServerResponse, { status, type, body, headers }: Said): number {
  if (response.destroyed || response.headersSent) return 0
  const text = body === undefined ? '' : JSON.stringify(body)
  const size = Buffer.byteLength(text)
  response
    .writeHead(status, {
      ...(body === undefined ? {} : { 'content-type': type, 'content-length': size }),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    })
    .end(text)
  cutUnread(response)
  return size
}
