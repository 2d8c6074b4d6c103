/**
 * The addresses of the authorization server: what it tells about itself, what clients ask of it, and registration.
 *
 * The page for persons is `consent-door.ts`'s. Requests for oidc-provider are shown to it as they came to the public address,
 * whatever stands in between; nothing that a proxy's client says of that is believed.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault } from '@toolway/contract'
import type { SigningKey } from '../../identity/access-tokens.ts'
import type { AuthorizationServer } from '../../oauth/authorization-server.ts'
import type { Endpoints } from '../../oauth/endpoints.ts'
import {
  keySet,
  PATHS,
  PROTECTED_RESOURCE,
  resourceMetadata,
  SERVER_METADATA,
  serverMetadata,
} from '../../oauth/metadata.ts'
import type { Registered } from '../../oauth/registration.ts'
import type { Actor } from '../../records/change.ts'
import { readBody, textOf } from '../body.ts'
import type { Clients } from '../client-address.ts'
import type { ConsentDoor } from './consent-door.ts'
import { PAGE_HEADERS } from '../pages/page.ts'
import { isJsonType } from '../request-head.ts'
import { retryAfterOf } from '../http-faults.ts'

export interface OAuthDoorParts {
  readonly endpoints: Endpoints
  readonly server: Pick<AuthorizationServer, 'answer'>
  readonly consent: ConsentDoor
  keys(): readonly SigningKey[]
  register(input: unknown, actor: Actor, from: string): Promise<Registered>
  readonly clients: Clients
  actorOf(request: IncomingMessage, id: string): Actor
  page(request: IncomingMessage, problem: Fault | string): Promise<Response>
  onError(thrown: unknown): void
}

export interface OAuthDoor {
  takes(path: string): boolean
  answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<void>
}

const BODY_LIMIT_BYTES = 32 * 1024
/** Metadata changes with the settings only. */
const PUBLIC = { 'cache-control': 'public, max-age=300', 'access-control-allow-origin': '*' }
const PRIVATE = { 'cache-control': 'no-store' }
const MACHINE = new Set<string>([PATHS.token, PATHS.revoke])
const OURS = new Set<string>([PATHS.authorize, PATHS.token, PATHS.revoke, PATHS.register, PATHS.keys])

export function createOAuthDoor(parts: OAuthDoorParts): OAuthDoor {
  return {
    takes: (path) =>
      OURS.has(path) ||
      path.startsWith(`${PATHS.authorize}/`) ||
      path.startsWith(`${PATHS.consent}/`) ||
      [PROTECTED_RESOURCE, ...SERVER_METADATA].some((name) => path === name || path.startsWith(`${name}/`)),
    async answer(request, response, path) {
      if (request.method === 'OPTIONS') return void response.writeHead(204).end()
      try {
        await answer(parts, request, response, path)
      } catch (thrown) {
        await writeOAuthFault(parts, request, response, Fault.of(thrown), path)
      }
    },
  }
}

const prefixOf = ({ endpoints }: OAuthDoorParts) => new URL(endpoints.base()).pathname.replace(/\/$/, '')

/**
 * Returns the part of a well-known path that follows its name, below the public address or beside it (RFC 8414, section 3.1).
 */
function restOf(parts: OAuthDoorParts, path: string, name: string): string {
  const rest = path.slice(name.length)
  const prefix = prefixOf(parts)
  return rest === prefix || rest.startsWith(`${prefix}/`) ? rest.slice(prefix.length) : rest
}

function protectedResource(
  parts: OAuthDoorParts,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): void {
  const rest = restOf(parts, path, PROTECTED_RESOURCE)
  const resource = parts.endpoints.resourceAt(rest === '' || rest === '/' ? '/mcp' : rest, request.headers.host)
  if (resource === undefined) throw new Fault('address.unknown', { path })
  sendJson(response, 200, resourceMetadata(parts.endpoints.base(), resource), PUBLIC)
}

/** Clients of 2025-03-26 may take the MCP endpoint itself for the issuer, so it is answered for as well. */
function metadata(parts: OAuthDoorParts, response: ServerResponse, path: string, name: string): void {
  const rest = restOf(parts, path, name).replace(/\/$/, '')
  if (rest !== '' && parts.endpoints.resourceAt(rest, undefined) === undefined)
    throw new Fault('address.unknown', { path })
  sendJson(response, 200, serverMetadata(parts.endpoints.base()), PUBLIC)
}

async function registration(parts: OAuthDoorParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!isJsonType(request.headers['content-type'])) throw new Fault('request.media-type')
  let client: unknown
  try {
    client = JSON.parse(textOf(await readBody(request, BODY_LIMIT_BYTES)))
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.code !== 'request.not-json') throw thrown
    return sendJson(
      response,
      400,
      { error: 'invalid_client_metadata', error_description: 'the body is not JSON' },
      PRIVATE,
    )
  }
  const { status, body, retryAfter } = await parts.register(
    client,
    parts.actorOf(request, 'oauth client'),
    parts.clients.of(request).network,
  )
  sendJson(response, status, body, retryAfter === undefined ? PRIVATE : { ...PRIVATE, 'retry-after': `${retryAfter}` })
}

/** As it came to the public address. */
function present(parts: OAuthDoorParts, request: IncomingMessage): void {
  const { protocol, host } = new URL(parts.endpoints.base())
  delete request.headers['x-forwarded-host']
  request.headers['x-forwarded-proto'] = protocol.slice(0, -1)
  request.headers.host = host
  Object.assign(request, { originalUrl: `${prefixOf(parts)}${request.url ?? '/'}` })
}

function allow(request: IncomingMessage, ...methods: string[]): void {
  const { method = '?' } = request
  if (!methods.includes(method)) throw new Fault('request.method', { method, allowed: methods.join(', ') })
}

async function answer(
  parts: OAuthDoorParts,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<void> {
  const name = SERVER_METADATA.find((known) => path === known || path.startsWith(`${known}/`))
  if (path.startsWith(PROTECTED_RESOURCE) || name !== undefined || path === PATHS.keys) {
    allow(request, 'GET', 'HEAD')
    if (name !== undefined) return metadata(parts, response, path, name)
    if (path === PATHS.keys) return sendJson(response, 200, keySet(parts.keys()), PUBLIC)
    return protectedResource(parts, request, response, path)
  }
  if (path === PATHS.register) {
    allow(request, 'POST')
    return registration(parts, request, response)
  }
  const forConsent = path.startsWith(`${PATHS.consent}/`)
  allow(request, ...(forConsent ? ['GET', 'POST'] : MACHINE.has(path) ? ['POST'] : ['GET']))
  present(parts, request)
  // The library would answer with a script that posts to the client's address.
  if (path === PATHS.authorize && otherModes(request.url ?? ''))
    return sendPage(response, await parts.page(request, 'response_mode: only "query" is supported.'))
  if (forConsent) return sendPage(response, await parts.consent.answer(request, response, path))
  for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value)
  return parts.server.answer(request, response)
}

/** Programs of OAuth read the words of RFC 6749, section 5.2; users get a page. */
async function writeOAuthFault(
  parts: OAuthDoorParts,
  request: IncomingMessage,
  response: ServerResponse,
  fault: Fault,
  path: string,
): Promise<void> {
  if (fault.row.http >= 500) parts.onError(fault.cause ?? fault)
  if (response.headersSent) return void response.destroy()
  const { http, word } = fault.row
  const retryAfter = retryAfterOf(fault)
  if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter))
  if (fault.code === 'request.method') response.setHeader('allow', String(fault.facts['allowed']))
  if (path.startsWith(PATHS.authorize) || path.startsWith(`${PATHS.consent}/`))
    return sendPage(response, await parts.page(request, fault))
  const error = http === 503 ? 'temporarily_unavailable' : http >= 500 ? 'server_error' : 'invalid_request'
  sendJson(response, http, { error, error_description: fault.message, code: word }, PRIVATE)
}

const otherModes = (url: string): boolean =>
  new URLSearchParams(url.split('?').slice(1).join('?')).getAll('response_mode').some((mode) => mode !== 'query')

/** Cookies that oidc-provider has put on the answer stay on it. */
async function sendPage(response: ServerResponse, page: Response): Promise<void> {
  for (const [name, value] of page.headers) response.setHeader(name, value)
  response.writeHead(page.status).end(await page.text())
}

function sendJson(
  response: ServerResponse,
  status: number,
  value: object,
  headers: Readonly<Record<string, string>>,
): void {
  const body = JSON.stringify(value)
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers })
    .end(body)
}
