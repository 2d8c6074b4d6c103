/**
 * Methods that the gateway does not know, forwarded to the one server of an endpoint that speaks an extension.
 *
 * Refused unless all of this holds: the endpoint is one connection, taken whole; its server announces an extension that the
 * gateway does not serve itself; and the method is in no namespace of the core. A method that could do the same as `tools/call`
 * must not bypass a toolset that selects tools, a switch or a rule (ADR 0012, 0020).
 */
import { Fault, reaches } from '@toolway/contract'
import { speaksExtension, targetOf, type Offered } from '../catalog/tool-listing.ts'
import { forward } from './forward.ts'
import type { Answer } from '../upstreams/upstream.ts'
import type { CallParts } from './call-parts.ts'
import type { ClientRequest } from './request.ts'

/** A core method of any revision, however it is written: servers in the field are lenient. */
const CORE = new Set([
  'completion',
  'elicitation',
  'initialize',
  'logging',
  'notifications',
  'ping',
  'prompts',
  'resources',
  'roots',
  'rpc',
  'sampling',
  'server',
  'subscriptions',
  'tasks',
  'tools',
])
/** Of an extension that stands in a core namespace (Skills extension, SEP-2640). */
const KNOWN = new Set(['resources/directory/read'])
const FORM = /^[A-Za-z][A-Za-z0-9_.$-]*(\/[A-Za-z0-9_.$-]+)+$/
const LONGEST = 128

export function askExtension(request: ClientRequest, parts: CallParts): Promise<Answer> {
  const { requestContext, mcpRequest, audit } = request
  const { method, params } = mcpRequest
  const { toolListing, principal } = requestContext
  // The effect of such a method is unknown, which counts as writing.
  const offered =
    reaches(principal.limit, 'write') && reaches(toolListing.limit, 'write') ? extensionServer(toolListing) : undefined
  if (offered === undefined || !isForeign(method)) throw new Fault('method.unknown', { method })
  audit.note({ recorded: true })
  return forward({ ...request, parts, target: targetOf(offered, { name: '' }), params })
}

interface Endpoint {
  readonly joined: boolean
  readonly offered: readonly Offered[]
  whole(alias: string): boolean
  filtered(alias: string): boolean
}

function extensionServer({ joined, offered, whole, filtered }: Endpoint): Offered | undefined {
  const [only] = offered
  if (joined || only === undefined || !whole(only.alias) || filtered(only.alias)) return undefined
  return speaksExtension(only) ? only : undefined
}

function isForeign(method: string): boolean {
  if (method.length > LONGEST || !FORM.test(method)) return false
  const [namespace = ''] = method.split('/', 1)
  return KNOWN.has(method) || !CORE.has(namespace.toLowerCase())
}
