/**
 * The doors of the gateway's port, in order: the first one that matches a path answers the request. A new kind of address is a row
 * here, and the server stays as it is.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import type { Fault } from '@toolway/contract'
import type { EndpointPath } from '../snapshot/ports/endpoint.ts'
import { PROCESS_ROLES, type ProcessRole } from '../lib/process-roles.ts'
import { addressOf, endpointTemplate } from './addresses.ts'
import { consolePlaceOf } from './console/console-mcp.ts'
import type { EventSocket } from './events/event-socket.ts'
import type { FileAddress, FilesDoor } from './files/files-door.ts'
import type { SseDoor } from './persistent/sse-door.ts'
import type { WebSocketDoor } from './persistent/websocket-door.ts'
import type { McpDoor } from './mcp-door.ts'

import type { OAuthDoor } from './oauth/oauth-door.ts'
import { checkJsonType } from './request-head.ts'
import { createRest, type RestParts } from './rest.ts'
import type { ScimAddress, ScimDoor } from './scim/scim-door.ts'
import type { PolicyDoor } from './tools/policy-door.ts'
import { appProblem } from './tools/serve-apps.ts'
import { TEMPLATES } from './tools/tool-addresses.ts'
import type { ToolDoor } from './tools/tool-door.ts'

/** `Match` is what a door reads from a path, such as the endpoint that it names. */
export interface Door<Match extends NonNullable<unknown> = NonNullable<unknown>> {
  readonly name: string
  /** Absent: of every role. */
  readonly role?: ProcessRole
  /** The form of an error of the server itself, such as the limit of an address. */
  readonly errors: 'json-rpc' | 'problem'
  /** Whether the server answers a CORS preflight with 204; otherwise the door answers it. */
  readonly preflight: boolean
  /** Bodies of this method may come for as long as they come: the door itself gives up a sender that falls silent. */
  readonly longBodies?: 'PATCH'
  /** Pages of any origin may post a form here, and none of them reads the answer. */
  readonly anyOrigin?: true
  match(path: string, method: string | undefined): Match | undefined
  /** Looks at the media type of a request, before its Origin. Throws `request.media-type`. */
  checkType?(request: IncomingMessage): void
  /**
   * Whether a request is a call, which is taken in as far as there is room for it; absent: none of them is. Health, metrics,
   * administration and sign-in are not, so that they are answered while calls are shed (ADR 0112).
   */
  takesCalls?(match: Match, method: string | undefined): boolean
  /** Words a refusal of the server itself for the clients of this address; absent: as it is. */
  wordProblem?(match: Match, fault: Fault, problem: object): object
  /** The form of the address, by which requests are counted; absent where the answer says it (`path-templates.ts`). */
  template?(match: Match): string
  answer(request: IncomingMessage, response: ServerResponse, match: Match, path: string): void | Promise<unknown>
}

/** An address where requests become WebSocket connections. */
export interface SocketDoor {
  readonly name: string
  readonly role: ProcessRole
  /** May throw; the request is not upgraded then. */
  takes(request: IncomingMessage, path: string): boolean
  enter(request: IncomingMessage, socket: Duplex, head: Buffer, path: string): Promise<void>
}

export interface Doors {
  /** The last one matches every path. */
  readonly doors: readonly Door[]
  readonly sockets: readonly SocketDoor[]
  /** Whether it asks how the gateway is, and may: such a request waits for nothing and nobody, whatever the load (ADR 0111). */
  monitors(request: IncomingMessage, path: string): 'probe' | 'scrape' | undefined
}

export interface DoorParts extends RestParts {
  /** Undefined: all of them. */
  readonly roles?: readonly ProcessRole[] | undefined
  readonly mcp: McpDoor
  /** The same for the console, where browsers sign in. */
  readonly consoleMcp?: McpDoor | undefined
  /** Undefined where no session outlives a request: the stream and its messages are separate requests. */
  readonly sse: SseDoor | undefined
  readonly webSocket: WebSocketDoor
  /** Tools for clients that speak no MCP. */
  readonly tools?: ToolDoor | undefined
  /** Shows and reloads a policy file, if there is one. */
  readonly policy?: PolicyDoor | undefined
  /** Sends the events of an organization; undefined without a database, like `oauth`. */
  readonly eventSocket: EventSocket | undefined
  /** Takes and gives files at addresses of one transfer; undefined where none are kept. */
  readonly files?: FilesDoor | undefined
  /** Takes what identity providers say of people; undefined without a database. */
  readonly scim?: ScimDoor | undefined
  /** Serves the addresses of the authorization server. */
  readonly oauth: OAuthDoor | undefined
}

export function createDoors(parts: DoorParts): Doors {
  const { roles = PROCESS_ROLES } = parts
  const has = ({ role }: { readonly role?: ProcessRole }) => role === undefined || roles.includes(role)
  const listener = getRequestListener(createRest(restOf(parts, roles)).fetch, { overrideGlobalObjects: false })
  const rest: Door = {
    name: 'rest',
    errors: 'problem',
    preflight: false,
    match: () => true,
    answer: (request, response) => listener(request, response),
  }
  /** The page of a SAML provider posts its response here. */
  const providerForms: Door = {
    ...rest,
    name: 'provider-forms',
    anyOrigin: true,
    match: (path, method) =>
      method === 'POST' && /^\/sign-in\/provider\/[^/]+\/callback$/.test(path) ? true : undefined,
  }
  const optional = [
    filesDoor(parts),
    scimDoor(parts),
    oauthDoor(parts),
    consoleDoor(parts),
    toolDoor(parts),
    policyDoor(parts),
  ]
  return {
    doors: [
      mcpDoor(parts),
      sseDoor(parts, rest),
      ...optional.filter((door) => door !== undefined),
      providerForms,
      rest,
    ].filter(has),
    sockets: [eventSocketDoor(parts), webSocketDoor(parts)].filter((door) => door !== undefined).filter(has),
    monitors(request, path) {
      if (path === '/health' || path.startsWith('/health/')) return 'probe'
      return path === '/metrics' && parts.recalls(request.headers.authorization) ? 'scrape' : undefined
    },
  }
}

/** The addresses without a door of their own, as far as the roles have them. */
function restOf(parts: DoorParts, roles: readonly ProcessRole[]): RestParts {
  const [web, api] = [roles.includes('web'), roles.includes('api')]
  const { console, docs, pages, admin, connect, approvals } = parts
  return {
    ...parts,
    ...(web ? { console, docs, pages } : { console: undefined, docs: undefined, pages: undefined }),
    ...(api ? { admin, connect, approvals } : { admin: undefined, connect: undefined, approvals: undefined }),
  }
}

/** The first door that matches, and what it read from the path. */
export function doorFor(doors: readonly Door[], path: string, method: string | undefined) {
  for (const door of doors) {
    const match = door.match(path, method)
    if (match !== undefined) return { door, match }
  }
  throw new Error('The last door matches every path.')
}

const mcpDoor = ({ mcp }: DoorParts): Door<EndpointPath> => ({
  name: 'mcp',
  role: 'mcp',
  errors: 'json-rpc',
  preflight: true,
  match(path) {
    const address = addressOf(path)
    return address?.way === 'mcp' ? address.place : undefined
  },
  template: (endpoint) => endpointTemplate(endpoint, 'mcp'),
  checkType: checkJsonType,
  takesCalls: (_, method) => method === 'POST',
  answer: (request, response, endpoint) => mcp.answer(request, response, endpoint),
})

/** The two addresses of HTTP+SSE (2024-11-05). */
const sseDoor = ({ sse }: DoorParts, rest: Door): Door<{ place: EndpointPath; way: 'sse' | 'messages' }> => ({
  name: 'sse',
  role: 'mcp',
  errors: 'json-rpc',
  preflight: true,
  match(path) {
    const { way, place } = addressOf(path) ?? {}
    return place === undefined || way === undefined || way === 'mcp' ? undefined : { way, place }
  },
  template: ({ place, way }) => endpointTemplate(place, way),
  takesCalls: ({ way }, method) => way === 'messages' && method === 'POST',
  answer: (request, response, { place, way }, path) =>
    sse === undefined ? rest.answer(request, response, true, path) : sse.answer(request, response, place, way),
})

const filesDoor = ({ files }: DoorParts): Door<FileAddress> | undefined =>
  files && {
    name: 'files',
    role: 'api',
    errors: 'problem',
    preflight: false,
    longBodies: 'PATCH',
    match: (path) => files.addressOf(path),
    template: () => '/files/{address}',
    answer: (request, response, address) => files.answer(request, response, address),
  }

const scimDoor = ({ scim }: DoorParts): Door<ScimAddress> | undefined =>
  scim && {
    name: 'SCIM',
    role: 'api',
    errors: 'problem',
    preflight: false,
    match: (path) => scim.addressOf(path),
    template: () => '/scim/v2/{organization}/*',
    answer: (request, response, address) => scim.answer(request, response, address),
  }

const oauthDoor = ({ oauth }: DoorParts): Door | undefined =>
  oauth && {
    name: 'oauth',
    role: 'api',
    errors: 'problem',
    preflight: false,
    match: (path) => oauth.takes(path) || undefined,
    template: () => '/oauth/*',
    answer: (request, response, _, path) => oauth.answer(request, response, path),
  }

const consoleDoor = ({ consoleMcp }: DoorParts): Door<EndpointPath> | undefined =>
  consoleMcp && {
    name: 'console MCP',
    role: 'api',
    errors: 'problem',
    preflight: false,
    match: consolePlaceOf,
    template: () => '/api/v1/console/{organization}/mcp',
    checkType: checkJsonType,
    takesCalls: (_, method) => method === 'POST',
    answer: (request, response, endpoint) => consoleMcp.answer(request, response, endpoint),
  }

const toolDoor = ({ tools }: DoorParts): Door<NonNullable<ReturnType<ToolDoor['addressOf']>>> | undefined =>
  tools && {
    name: 'tools',
    role: 'mcp',
    errors: 'problem',
    preflight: true,
    match(path, method) {
      const address = tools.addressOf(path)
      // A path of one part may be a page; only a request with a body is for a tool.
      return address?.way === 'flat call' && method === 'GET' ? undefined : address
    },
    template: ({ place, way }) => endpointTemplate(place, TEMPLATES[way]),
    takesCalls: () => true,
    wordProblem: ({ way }, fault, problem) => appProblem(way, fault, problem),
    answer: (request, response, address) => tools.answer(request, response, address),
  }

const policyDoor = ({ policy }: DoorParts): Door | undefined =>
  policy && {
    name: 'policy',
    role: 'mcp',
    errors: 'problem',
    preflight: true,
    match: (path) => policy.takes(path) || undefined,
    template: () => '/policy/*',
    answer: (request, response, _, path) => policy.answer(request, response, path),
  }

const eventSocketDoor = ({ eventSocket }: DoorParts): SocketDoor | undefined =>
  eventSocket && {
    name: 'events',
    role: 'api',
    takes: (request, path) => eventSocket.takes(request, path),
    enter: (request, socket, head) => eventSocket.enter(request, socket, head),
  }

const webSocketDoor = ({ webSocket }: DoorParts): SocketDoor => ({
  name: 'WebSocket',
  role: 'mcp',
  takes: (request, path) => webSocket.takes(request) && addressOf(path)?.way === 'mcp',
  enter: (request, socket, head, path) => webSocket.enter(request, socket, head, addressOf(path)?.place ?? {}),
})
