/**
 * The HTTP handler of MCP: every revision at one address (Streamable HTTP, specifications 2025-03-26 to 2026-07-28).
 *
 * A request is admitted, then its body is read, its era is told from the message, and the function of that era answers it
 * (`mcp/answer-modern.ts`, `mcp/answer-legacy.ts`). `call/` decides what a call is and what it may do. The identity is checked before
 * the body: the body of an unidentified client is not read.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault } from '@toolway/contract'
import { idOf, isResponse, parseJson, readMessage, type Era, type Json } from '@toolway/protocol'
import type { Admit } from '../call/admit.ts'
import { isModern } from '../call/dispatch.ts'
import type { EndpointPath } from '../snapshot/ports/endpoint.ts'
import type { AuditEntryBuilder, AuditLog } from '../call/audit-entry.ts'
import type { CallIntake } from '../limits/call-intake.ts'
import type { Limits } from '../limits/limits.ts'
import { placeOf } from './intake/take-in.ts'
import { createAbandoned } from './mcp/abandoned.ts'
import { answerLegacy } from './mcp/answer-legacy.ts'
import { answerModern } from './mcp/answer-modern.ts'
import { answerBatch, endSession, openStream } from './mcp/legacy-session.ts'
import { createBatch } from './mcp/mcp-batch.ts'
import { restoreSession, type McpAnswerParts, type HttpExchange } from './mcp/http-exchange.ts'
import { arrivedSlowly, readBody, textOf } from './body.ts'
import type { Clients } from './client-address.ts'
import { countUnknownEndpoint } from './count-unknown-endpoint.ts'
import { refuse } from './refuse.ts'
import {
  accepts,
  correlationOf,
  clientOriginOf,
  headerOf,
  hasSessionForm,
  onBehalfIn,
  prefersStream,
} from './request-head.ts'

export interface McpDoorParts extends Omit<McpAnswerParts, 'answerBatch' | 'abandoned'> {
  readonly admit: Admit
  readonly auditLog: AuditLog
  readonly clients: Clients
  readonly limits: Pick<Limits, 'unknown'>
  /** The Authorization that a request counts as; unsaid, it is the one in its header. Throws for who may not come in. */
  readonly authorize?: (request: IncomingMessage) => Promise<string | undefined>
  /** Bytes that a body may have. */
  readonly bodyLimit: number
  readonly intake?: Pick<CallIntake, 'begin'> | undefined
}

export interface McpDoor {
  answer(request: IncomingMessage, response: ServerResponse, place: EndpointPath): Promise<void>
}

type DoorParts = McpDoorParts & McpAnswerParts

export function createMcpDoor(parts: McpDoorParts): McpDoor {
  const door: DoorParts = { ...parts, abandoned: createAbandoned(), answerBatch: createBatch(parts) }
  return {
    async answer(request, response, place) {
      const audit = door.auditLog.begin(0, correlationOf(request), clientOriginOf(request, door.clients))
      try {
        const exchange = await admitted(door, { request, response, place, audit })
        await (request.method === 'POST' ? post(door, exchange) : serveSession(door, exchange))
      } catch (thrown) {
        const fault = await countUnknownEndpoint(thrown, door.limits)
        refuse({ response, audit, fault, id: undefined, era: 'legacy', challenge: door.challenge })
      } finally {
        audit.close()
      }
    },
  }
}

interface Arrival {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly place: EndpointPath
  readonly audit: AuditEntryBuilder
}

/** The request with its caller and its place. Nothing of its body is read yet. */
async function admitted(door: DoorParts, { request, response, place, audit }: Arrival): Promise<HttpExchange> {
  response.setHeader('x-correlation-id', audit.correlationId)
  if (door.draining.aborted) throw new Fault('gateway.draining')
  const header = headerOf(request)
  // Whether it lives is told to its owner alone, who is not known yet.
  if (!hasSessionForm(header)) throw new Fault('session.unknown')
  const onBehalfOf = onBehalfIn(request)
  const authorization = door.authorize === undefined ? request.headers.authorization : await door.authorize(request)
  const inbound = { place, authorization, onBehalfOf }
  const requestContext = await door.admit(inbound)
  audit.note({ requestContext })
  placeOf(request)?.admitted(requestContext.organizationId)
  return {
    inbound,
    request,
    response,
    header,
    prefersStream: prefersStream(request.headers.accept),
    requestContext,
    audit,
  }
}

async function serveSession(door: DoorParts, exchange: HttpExchange): Promise<void> {
  const { method = '?' } = exchange.request
  if (method !== 'GET' && method !== 'DELETE')
    throw new Fault('request.method', { method, allowed: 'POST, GET, DELETE' })
  await restoreSession(door, exchange)
  return method === 'GET' ? openStream(door, exchange) : endSession(door, exchange)
}

async function post(door: DoorParts, exchange: HttpExchange): Promise<void> {
  const { request, audit } = exchange
  const { accept } = request.headers
  if (!accepts(accept, 'application/json') && !accepts(accept, 'text/event-stream'))
    throw new Fault('request.not-acceptable')
  const body = await readBody(request, door.bodyLimit)
  audit.note({ bytesIn: body.length })
  if (arrivedSlowly(audit.begun)) await door.admit(exchange.inbound)
  const value = parseJson(textOf(body))
  await (Array.isArray(value) ? answerBatch(door, exchange, value) : answerMessage(door, exchange, value))
}

/** What is wrong with the message is worded in its era, with its id as far as it can be read. */
async function answerMessage(door: DoorParts, exchange: HttpExchange, value: Json): Promise<void> {
  let era: Era = 'legacy'
  try {
    const message = readMessage(value)
    if (isResponse(message) || !isModern(message, exchange.header)) return await answerLegacy(door, exchange, message)
    era = 'modern'
    await answerModern(door, exchange, message)
  } catch (thrown) {
    const { response, audit } = exchange
    refuse({ response, audit, fault: Fault.of(thrown), id: idOf(value), era, challenge: door.challenge })
  }
}
