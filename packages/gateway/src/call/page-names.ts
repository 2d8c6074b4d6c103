/**
 * The names by which a page of an MCP App calls its own server's tools and reads its own addresses, at an endpoint that lists them
 * under others (ADR 0122). Asked only for a name that the endpoint does not know; what it finds goes on under the listed name.
 *
 * A name is resolved to the one connection that has it among those whose page this client has read. What the caller may not see counts
 * as not there, both for the choice and for what a refusal says.
 */
import { Fault } from '@toolway/contract'
import { APPS, declares, isAppOnly, isForApps, isObject, type Json, type JsonObject } from '@toolway/protocol'
import type { OwnTool, Target } from '../catalog/tool-listing.ts'
import type { PageReader } from '../sessions/page-reads.ts'
import type { Answer } from '../upstreams/upstream.ts'
import type { CallParts } from './call-parts.ts'
import type { ClientRequest } from './request.ts'
import { isHidden } from './steps/visibility.ts'

/** Names in one refusal. */
const MOST_NAMED = 5

/** The listed name of the tool that a page means. Throws `tool.unknown`, or `tool.own-name` with the names that the caller is listed. */
export async function listedNameFor(request: ClientRequest, parts: CallParts, name: string): Promise<string> {
  const own = request.requestContext.toolListing.own.tools(name).filter((tool) => isForPageOf(request, tool))
  const found = await onlyRead(request, parts, own)
  if (found !== undefined) return found.name
  const listed = own.filter(({ target }) => target.held === undefined)
  if (listed.length === 0) throw new Fault('tool.unknown', { tool: name })
  throw new Fault('tool.own-name', { tool: name, names: namesOf(listed.map((tool) => tool.name)) })
}

/** Tools for the model alone are none that a host lets a page call; those for apps alone are there for hosts that show apps. */
function isForPageOf(request: ClientRequest, { definition, target }: OwnTool): boolean {
  const { capabilities } = request.mcpRequest.caller
  return isForApps(definition) && (!isAppOnly(definition) || declares(capabilities, APPS)) && !isHidden(target, request)
}

interface Reading {
  /** As the client wrote it: `ui://…`. */
  readonly uri: string
  read(target: Target): Promise<Answer>
}

/**
 * Reads an address of a page at a joined endpoint. An address that begins with the alias of a connection is that connection's, and a
 * page's own only where that connection's server does not have it.
 */
export async function readPage(request: ClientRequest, parts: CallParts, reading: Reading): Promise<Answer> {
  const exact = request.requestContext.toolListing.resource(reading.uri)
  if (exact === undefined) return readOwn(request, parts, reading, await ownAddress(request, parts, reading.uri))
  const answer = await reading.read(exact)
  if (!isMissing(answer)) return noted(request, parts, exact, answer)
  const own = await ownAddress(request, parts, reading.uri).catch(() => undefined)
  return own === undefined ? answer : readOwn(request, parts, reading, own)
}

/** A server's word that it has no such resource: the numbers of the legacy revisions and of 2026-07-28. */
const MISSING: ReadonlySet<number> = new Set([-32002, -32602])
const isMissing = (answer: Answer): boolean => 'error' in answer && MISSING.has(answer.error.code)

/** The page finds what it read under the address that it wrote. */
async function readOwn(request: ClientRequest, parts: CallParts, { uri, read }: Reading, own: Target): Promise<Answer> {
  const answer = noted(request, parts, own, await read(own))
  if ('error' in answer || !Array.isArray(answer.result['contents'])) return answer
  const joined = request.requestContext.toolListing.exposeUri(own.alias, uri)
  const contents = answer.result['contents'].map((item: Json) =>
    isObject(item) && item['uri'] === joined ? { ...item, uri } : item,
  )
  return { result: { ...answer.result, contents } }
}

/** Throws `resource.unknown`, or `resource.own-address` with the addresses that the endpoint lists. */
async function ownAddress(request: ClientRequest, parts: CallParts, uri: string): Promise<Target> {
  const { toolListing } = request.requestContext
  const { listed, targets } = toolListing.own.addresses(uri)
  const found = await onlyRead(
    request,
    parts,
    targets.map((target) => ({ target })),
  )
  if (found !== undefined) return found.target
  if (!listed) throw new Fault('resource.unknown', { uri }, { data: { uri } })
  const names = namesOf(targets.map(({ alias }) => toolListing.exposeUri(alias, uri)))
  throw new Fault('resource.own-address', { uri, names }, { data: { uri } })
}

function noted(request: ClientRequest, { pages }: CallParts, target: Target, answer: Answer): Answer {
  if ('result' in answer && hasPage(answer.result)) pages.note(readerOf(request), target.connectionId)
  return answer
}

const hasPage = ({ contents }: JsonObject): boolean =>
  Array.isArray(contents) && contents.some((item) => isObject(item) && isHtml(item['mimeType']))

/** Pictures and data of a page are no page. */
const isHtml = (mimeType: unknown): boolean => typeof mimeType !== 'string' || /html/i.test(mimeType)

/** The one whose connection's page this client has read, undefined where that is none or several. */
async function onlyRead<Found extends { readonly target: Target }>(
  request: ClientRequest,
  { pages }: CallParts,
  all: readonly Found[],
): Promise<Found | undefined> {
  if (all.length === 0) return undefined
  const reader = readerOf(request)
  const read = () => {
    const known = pages.of(reader)
    return all.filter(({ target }) => known.has(target.connectionId))
  }
  let found = read()
  const arrival = found.length === 0 ? pages.arrival(reader) : undefined
  if (arrival !== undefined) {
    await arrival
    found = read()
  }
  return found.length === 1 ? found[0] : undefined
}

/**
 * The client as far as its protocol tells it apart: its session, else caller, endpoint, registration and the name that the client
 * gives itself.
 */
function readerOf({ requestContext, mcpRequest, channel }: ClientRequest): PageReader {
  const { organizationId, owner, principal } = requestContext
  const name = mcpRequest.caller.client?.['name']
  return {
    organizationId,
    session: channel.session,
    name: JSON.stringify([owner, principal.client ?? '', typeof name === 'string' ? name : '']),
  }
}

const namesOf = (names: readonly string[]): string =>
  names.length > MOST_NAMED
    ? `${names.slice(0, MOST_NAMED).join(', ')} and ${names.length - MOST_NAMED} more`
    : names.join(', ')
