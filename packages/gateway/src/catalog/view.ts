/**
 * What one endpoint offers: the tools, prompts and resources of its connections under the names that clients see.
 *
 * Built once for each change and read by every list and every call, so that what is not listed cannot be called. Immutable;
 * lists for each protocol revision are worked out on first use and kept.
 */
import type { ConnectionId } from '@toolway/contract'
import {
  adaptTool,
  eraOf,
  headerParameters,
  isObject,
  joinName,
  joinNameApart,
  joinUri,
  rewriteToolMeta,
  splitUri,
  wrapsOutput,
  type HeaderParameter,
  type JsonObject,
  type Revision,
} from '@toolway/protocol'

/** One connection's catalog, as an endpoint offers it. */
export interface Offered {
  readonly connectionId: ConnectionId
  readonly alias: string
  readonly revision: Revision
  /** Whether the upstream keeps a session for each of our clients, so that what it sends belongs to one of them. */
  readonly sessions: boolean
  readonly server: JsonObject
  readonly capabilities: JsonObject
  readonly instructions: string | undefined
  readonly tools: readonly JsonObject[]
  readonly resources: readonly JsonObject[]
  readonly templates: readonly JsonObject[]
  readonly prompts: readonly JsonObject[]
}

/** Where something that a client names really is. */
export interface Target {
  readonly connectionId: ConnectionId
  readonly alias: string
  readonly revision: Revision
  /** The upstream's own name or address of it. */
  readonly name: string
}
export interface ToolTarget extends Target {
  readonly headerParameters: readonly HeaderParameter[]
  readonly wraps: boolean
}

export type ListKind = 'tools' | 'resources' | 'templates' | 'prompts'

export interface View {
  /** Several connections under prefixed names, or one under its own. */
  readonly joined: boolean
  readonly offered: readonly Offered[]
  tool(name: string): ToolTarget | undefined
  prompt(name: string): Target | undefined
  /** Any address that can belong to a connection of this view, listed or made from a template. */
  resource(uri: string): Target | undefined
  list(kind: ListKind, revision: Revision): readonly JsonObject[]
  /** The address that a client of this view knows a connection's resource by. */
  exposeUri(alias: string, uri: string): string
}

/** What of its connections an endpoint takes. */
export interface Selects {
  tool(alias: string, joined: string): boolean
  /** Whether resources are in too. */
  whole(alias: string): boolean
}

const ALL: Selects = { tool: () => true, whole: () => true }

interface Listed {
  readonly from: Offered
  readonly definition: JsonObject
}

export function createView(offered: readonly Offered[], joined: boolean, selects: Selects = ALL): View {
  const tools = new Map<string, Listed & { target: ToolTarget }>()
  const prompts = new Map<string, Listed & { target: Target }>()
  const exposeUri = (alias: string, uri: string) => (joined ? joinUri(alias, uri) : uri)

  for (const from of offered) {
    for (const definition of from.tools) {
      const parameters = headerParameters(definition['inputSchema'])
      const name = nameFor(tools, from, definition)
      // A tool whose header marks are wrong may not be offered (specification 2026-07-28, custom headers).
      if (name === undefined || parameters === undefined) continue
      const target = { ...targetOf(from, definition), headerParameters: parameters, wraps: wrapsOutput(definition) }
      tools.set(name, { from, definition, target })
    }
    for (const definition of from.prompts) {
      const name = nameFor(prompts, from, definition)
      if (name !== undefined) prompts.set(name, { from, definition, target: targetOf(from, definition) })
    }
  }

  function nameFor(taken: ReadonlyMap<string, Listed>, from: Offered, { name }: JsonObject): string | undefined {
    if (typeof name !== 'string') return undefined
    const full = joinName(from.alias, name)
    if (!selects.tool(from.alias, full)) return undefined
    let free = joined ? full : name
    for (let apart = name; ; apart += '\u0000') {
      const holder = taken.get(free)
      if (holder === undefined) return free
      // What a server lists twice is one thing; nobody's name is ever given to another.
      if (holder.from === from && holder.definition['name'] === name) return undefined
      free = joinNameApart(from.alias, apart)
    }
  }

  const kept = new Map<string, readonly JsonObject[]>()
  function list(kind: ListKind, revision: Revision): readonly JsonObject[] {
    const key = `${kind} ${revision}`
    const held = kept.get(key)
    if (held !== undefined) return held
    const made = make(kind, revision)
    kept.set(key, made)
    return made
  }

  function make(kind: ListKind, revision: Revision): JsonObject[] {
    if (kind === 'tools') {
      return Array.from(tools, ([name, { from, definition }]) => ({
        ...rewriteToolMeta(adaptTool(definition, from.revision, revision), (uri) => exposeUri(from.alias, uri)),
        name,
      }))
    }
    if (kind === 'prompts') return Array.from(prompts, ([name, { definition }]) => ({ ...definition, name }))
    const member = kind === 'resources' ? 'uri' : 'uriTemplate'
    const listed = new Map<string, JsonObject>()
    for (const from of offered.filter(({ alias }) => selects.whole(alias))) {
      for (const item of from[kind]) {
        const address = item[member]
        if (typeof address !== 'string') continue
        const exposed = exposeUri(from.alias, address)
        // A cursor names an item by its address, so no address may stand twice.
        if (!listed.has(exposed)) listed.set(exposed, { ...item, [member]: exposed })
      }
    }
    return [...listed.values()]
  }

  function resource(uri: string): Target | undefined {
    const split = joined ? splitUri(uri) : { alias: offered[0]?.alias, uri }
    const from = offered.find(({ alias }) => alias === split?.alias)
    if (
      from === undefined ||
      split === undefined ||
      !selects.whole(from.alias) ||
      !isObject(from.capabilities['resources'])
    )
      return undefined
    return { connectionId: from.connectionId, alias: from.alias, revision: from.revision, name: split.uri }
  }

  return {
    joined,
    offered,
    tool: (name) => tools.get(name)?.target,
    prompt: (name) => prompts.get(name)?.target,
    resource,
    list,
    exposeUri,
  }
}

const targetOf = ({ connectionId, alias, revision }: Offered, { name }: JsonObject): Target => ({
  connectionId,
  alias,
  revision,
  name: String(name),
})

/** Extensions that pass through without any state of ours. */
const STATELESS_EXTENSIONS = new Set(['io.modelcontextprotocol/ui'])

/** What an endpoint may announce to a client of that revision: what its servers can do *and* the gateway relays. */
export function capabilitiesOf({ offered }: View, revision: Revision): JsonObject {
  const era = eraOf(revision)
  const sameEra = offered.filter((from) => eraOf(from.revision) === era)
  const anyHas = (list: readonly Offered[], name: string) =>
    list.some(({ capabilities }) => isObject(capabilities[name]))
  const capabilities: JsonObject = {}
  if (anyHas(offered, 'tools') || offered.some(({ tools }) => tools.length > 0))
    capabilities['tools'] = { listChanged: true }
  if (anyHas(offered, 'prompts')) capabilities['prompts'] = { listChanged: true }
  if (anyHas(offered, 'resources')) {
    const subscribes = offered.some(
      ({ sessions, revision, capabilities: { resources } }) =>
        (sessions || (era === 'modern' && eraOf(revision) === 'modern')) &&
        isObject(resources) &&
        resources['subscribe'] === true,
    )
    capabilities['resources'] = { listChanged: true, ...(subscribes ? { subscribe: true } : {}) }
  }
  if (anyHas(offered, 'completions')) capabilities['completions'] = {}
  if (
    anyHas(
      sameEra.filter(({ sessions }) => sessions || era === 'modern'),
      'logging',
    )
  )
    capabilities['logging'] = {}
  const extensions = extensionsOf(sameEra)
  if (Object.keys(extensions).length > 0) capabilities['extensions'] = extensions
  return capabilities
}

function extensionsOf(offered: readonly Offered[]): JsonObject {
  const all = offered.flatMap(({ capabilities: { extensions } }) =>
    isObject(extensions) ? Object.entries(extensions) : [],
  )
  return Object.fromEntries(all.filter(([name]) => STATELESS_EXTENSIONS.has(name)))
}

/** The servers' instructions, each under a heading where there are several. */
export function instructionsOf({ offered, joined }: View): string | undefined {
  const parts = offered.flatMap(({ alias, instructions }) =>
    instructions === undefined ? [] : [joined ? `## ${alias}\n\n${instructions}` : instructions],
  )
  return parts.length === 0 ? undefined : parts.join('\n\n')
}
