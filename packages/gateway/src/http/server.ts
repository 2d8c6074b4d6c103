/**
 * The HTTP server. It counts the client's address, checks Host, media type and Origin (ADR 0096), and hands the request to the
 * first door of the table (`doors.ts`) that matches the path. No request is served under a host name that is not the gateway's.
 */
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Fault, type FaultCode } from '@toolway/contract'
import { createBuckets, type LocalBuckets } from '../limits/buckets.ts'
import type { Limits } from '../limits/limits.ts'
import { answerBusy, answerProblem, answerRpcError } from './answer-fault.ts'
import type { Clients } from './client-address.ts'
import { allowOrigin } from './cors.ts'
import { doorFor, type Door, type Doors, type SocketDoor } from './doors.ts'
import { checkRepeated, type Guard } from './guard.ts'
import type { Health } from './health.ts'
import type { TakeIn } from './intake/take-in.ts'
import { templateOf } from './path-templates.ts'
import { onceClosed } from './streams/unread-answers.ts'
import { pathOf, targetOf, type Target } from './request-target.ts'
import { answerUnread, slowAnswer } from './unread-request.ts'

export interface ServerParts extends Doors {
  readonly guard: Guard
  readonly clients: Clients
  readonly limits: Pick<Limits, 'address'>
  /** Whether clients reach the gateway by https. */
  readonly https: boolean
  readonly health: Pick<Health, 'draining'>
  refused(code: FaultCode): void
  /** An answer has ended. */
  answered(method: string, template: string, status: number, seconds: number): void
  readonly newCorrelationId: () => string
  /** Takes in calls as far as there is room for them; absent: all of them. */
  readonly takeIn?: TakeIn | undefined
}

/**
 * Slow senders of headers and bodies are cut off, which Node checks at each interval. Idle connections are kept for proxies that
 * keep them too. Milliseconds.
 */
const TIMES = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 5_000,
}

/** A year, for this host name alone: subdomains are not the gateway's to decide about (RFC 6797). */
const HSTS = 'max-age=31536000'
/** Scrapes of one address that do not count against its limit. A minute. */
const SCRAPES = 600

export function createServer(parts: ServerParts, times = TIMES): Server {
  const options = {
    ...times,
    // Node has one limit for all requests, and a body may take longer at some doors: `dispatch` limits the others.
    requestTimeout: 0,
    shouldUpgradeCallback: (request: IncomingMessage) => socketFor(parts, request) !== undefined,
  }
  const scrapes = createBuckets({ now: () => performance.now(), most: 1_000 })
  const limited = { ...parts, bodyTimeout: times.requestTimeout, scrapes }
  const server = createHttpServer(options, (request, response) => {
    // The client reconnects, and a load balancer may send it elsewhere.
    if (parts.health.draining) response.shouldKeepAlive = false
    // A client that disconnects while it is answered is not an error of the gateway.
    response.on('error', () => {})
    Promise.resolve(receive(limited, request, response)).catch((thrown: unknown) => {
      if (!response.headersSent) answerProblem(response, Fault.of(thrown), parts.newCorrelationId())
      else response.destroy()
    })
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    answerUnread(error, socket, times.headersTimeout, parts.newCorrelationId),
  )
  server.on('upgrade', (request, socket, head) => {
    const path = pathOf(request.url ?? '/')
    const door = parts.sockets.find((socketDoor) => socketDoor.takes(request, path))
    if (door === undefined) return void socket.destroy()
    door.enter(request, socket, head, path).catch(() => socket.destroy())
  })
  return server
}

interface LimitedParts extends ServerParts {
  /** Milliseconds in which a body has to end. */
  readonly bodyTimeout: number
  /** By address, in memory alone. */
  readonly scrapes: LocalBuckets
}

/** The client's address is counted before the request is looked at, so that every kind of flood is limited (ledger U-22). */
function receive(parts: LimitedParts, request: IncomingMessage, response: ServerResponse): void | Promise<unknown> {
  const target = targetOf(request.url ?? '/')
  const path = pathOf(target.origin)
  const client = parts.clients.of(request)
  const measured: Measured = { template: undefined }
  const begun = performance.now()
  onceClosed(response, () =>
    parts.answered(
      request.method ?? '',
      measured.template ?? templateOf(response),
      response.statusCode,
      (performance.now() - begun) / 1000,
    ),
  )
  if (parts.https || client.secure) response.setHeader('strict-transport-security', HSTS)
  try {
    const counting = isFree(parts, request, path, client.network) ? undefined : parts.limits.address(client.network)
    if (counting !== undefined)
      return counting.then(
        () => dispatch(parts, request, response, target, measured),
        (thrown: unknown) => turnAway(parts, request, response, Fault.of(thrown)),
      )
  } catch (thrown) {
    return turnAway(parts, request, response, Fault.of(thrown))
  }
  return dispatch(parts, request, response, target, measured)
}

/** Probes come often, from one address, and are answered from memory, like a number of scrapes: the shared count is not asked. */
function isFree({ monitors, scrapes }: LimitedParts, request: IncomingMessage, path: string, network: string): boolean {
  const kind = monitors(request, path)
  return kind === 'probe' || (kind === 'scrape' && scrapes.take(network, SCRAPES, 1) === 0)
}

/** The form of the address, once its door is known. */
interface Measured {
  template: string | undefined
}

function dispatch(
  parts: LimitedParts,
  request: IncomingMessage,
  response: ServerResponse,
  target: Target,
  measured: Measured,
): void | Promise<unknown> {
  const { origin } = request.headers
  const path = pathOf(target.origin)
  const { door, match } = doorFor(parts.doors, path, request.method)
  try {
    guardHost(parts.guard, request, target)
    const fault = typeFault(door, request)
    if (fault !== undefined) return refuseType(parts, request, response, { door, fault })
    if (door.anyOrigin !== true) parts.guard.checkOrigin(request.headers.host, origin)
  } catch (thrown) {
    return answerProblem(response, Fault.of(thrown), parts.newCorrelationId())
  }
  if (origin !== undefined && door.anyOrigin !== true) allowOrigin(request, response, origin)
  measured.template = door.template?.(match)
  if (door.preflight && request.method === 'OPTIONS') return void response.writeHead(204).end()
  const answer = () => {
    if (door.longBodies === undefined || door.longBodies !== request.method)
      limitBody(request, response, { door, patience: parts.bodyTimeout, newCorrelationId: parts.newCorrelationId })
    return door.answer(request, response, match, path)
  }
  if (parts.takeIn === undefined || door.takesCalls?.(match, request.method) !== true) return answer()
  return parts.takeIn({
    request,
    response,
    answer,
    refuse: (fault) => refuseCall(parts, response, { door, match, fault }),
  })
}

/** Refuses a call that is not taken in: its body is not read and no audit record is made. Whoever left is told nothing. */
function refuseCall(
  { newCorrelationId }: Pick<ServerParts, 'newCorrelationId'>,
  response: ServerResponse,
  { door, match, fault }: { readonly door: Door; readonly match: NonNullable<unknown>; readonly fault: Fault },
): void {
  if (response.destroyed) return
  const correlationId = newCorrelationId()
  if (door.errors === 'json-rpc') return answerBusy(response, fault, correlationId)
  response.setHeader('x-correlation-id', correlationId)
  answerProblem(response, fault, correlationId, (problem) => door.wordProblem?.(match, fault, problem) ?? problem)
}

/**
 * Throws `request.repeated` or `request.host`. An authority in the request target is checked and then removed, so that no later reader
 * takes it another way.
 */
function guardHost(guard: Guard, request: IncomingMessage, { origin, authority }: Target): void {
  checkRepeated(request.rawHeaders)
  guard.checkHost(request.headers.host, authority, request.socket)
  if (authority !== undefined) request.url = origin
}

/** Throws `request.repeated`, `request.host` or `request.origin`. */
function guardRequest(guard: Guard, request: IncomingMessage, target: Target): void {
  guardHost(guard, request, target)
  guard.checkOrigin(request.headers.host, request.headers.origin)
}

function typeFault(door: Door, request: IncomingMessage): Fault | undefined {
  try {
    door.checkType?.(request)
    return undefined
  } catch (thrown) {
    return Fault.of(thrown)
  }
}

/** The media type is judged before the Origin (ledger S3-MCP-14): a page that may not read answers cannot read this one either. */
function refuseType(
  { guard, newCorrelationId }: Pick<ServerParts, 'guard' | 'newCorrelationId'>,
  request: IncomingMessage,
  response: ServerResponse,
  { door, fault }: { readonly door: Door; readonly fault: Fault },
): void {
  const { host, origin } = request.headers
  try {
    guard.checkOrigin(host, origin)
    if (origin !== undefined) allowOrigin(request, response, origin)
  } catch {
    // It is refused in either case.
  }
  const correlationId = newCorrelationId()
  response.setHeader('x-correlation-id', correlationId)
  const answer = door.errors === 'json-rpc' ? answerRpcError : answerProblem
  answer(response, fault, correlationId)
}

/** Refuses a request above the limit of its address: no body is read and no audit record is made, only a count. */
function turnAway(parts: ServerParts, request: IncomingMessage, response: ServerResponse, fault: Fault): void {
  parts.refused(fault.code)
  const correlationId = parts.newCorrelationId()
  const { origin } = request.headers
  const target = targetOf(request.url ?? '/')
  try {
    guardRequest(parts.guard, request, target)
    // A page that may read other answers may read this one.
    if (origin !== undefined) allowOrigin(request, response, origin)
  } catch {
    // The request is refused in either case, and the limit is the more useful error.
  }
  const { door } = doorFor(parts.doors, pathOf(target.origin), request.method)
  const answer = door.errors === 'json-rpc' ? answerRpcError : answerProblem
  answer(response, fault, correlationId)
}

/** The door that may upgrade this request. Any other request is answered as the HTTP request that it also is: 403, 404, 503. */
function socketFor({ guard, sockets }: ServerParts, request: IncomingMessage): SocketDoor | undefined {
  try {
    const target = targetOf(request.url ?? '/')
    const path = pathOf(target.origin)
    const door = sockets.find((socket) => socket.takes(request, path))
    if (door !== undefined) guardRequest(guard, request, target)
    return door
  } catch {
    return undefined
  }
}

interface BodyLimit {
  readonly door: Pick<Door, 'errors'>
  /** Milliseconds from now. */
  readonly patience: number
  readonly newCorrelationId: () => string
}

/**
 * Cuts off a request whose body does not end in time, as Node does for all requests of a server alike. Requests without a body cost
 * nothing here.
 */
function limitBody(request: IncomingMessage, response: ServerResponse, limit: BodyLimit): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  if (encoding === undefined && (length === undefined || length === '0')) return
  const timer = setTimeout(() => {
    const { socket } = request
    if (request.complete || socket.destroyed) return
    if (!response.headersSent) socket.write(slowAnswer(limit.door.errors, limit.patience, limit.newCorrelationId()))
    socket.destroySoon()
  }, limit.patience)
  timer.unref()
  request.once('close', () => clearTimeout(timer))
}
