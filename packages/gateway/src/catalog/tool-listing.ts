/**
 * The view of one endpoint: the tools, prompts and resources of its connections under the names that clients see.
 *
 * A listing is built once for each change (`create-tool-listing.ts`) and read by every list and every call, so that what is not listed cannot be
 * called. It is immutable.
 */
import {
  DEFAULT_CONNECTOR,
  kindOf,
  reaches,
  type ConnectionId,
  type DiscoveryMode,
  type Effect,
  type EffectSource,
  type Hold,
  type Limit,
  type Naming,
  type ResolvedEffect,
  type Rule,
  type ToolFacts,
  type ToolPolicy,
  type ToolWords,
} from '@toolway/contract'
import {
  APPS,
  declares,
  eraOf,
  extensionsOf,
  isObject,
  joinName,
  NEWEST_LEGACY,
  TASKS,
  type HeaderParameter,
  type JsonObject,
  type Revision,
} from '@toolway/protocol'

import type { FileTools } from './file-tools.ts'
import { earlierNames } from './old-names.ts'
import type { FilePlace } from '../lib/file-places.ts'

/** One connection's catalog, as an endpoint offers it. */
export interface Offered {
  readonly connectionId: ConnectionId
  readonly alias: string
  /** The connection's name, as people gave it. */
  readonly title?: string
  /** Its kind, as rules name it. */
  readonly connector?: string
  readonly revision: Revision
  /** The state at the last contact, shown in search results. */
  readonly status?: string
  readonly server: JsonObject
  readonly capabilities: JsonObject
  readonly instructions: string | undefined
  readonly tools: readonly JsonObject[]
  readonly resources: readonly JsonObject[]
  readonly templates: readonly JsonObject[]
  readonly prompts: readonly JsonObject[]
  /** Of a native connector that the product itself has. */
  readonly vendor?: string | undefined
  /** Whether its server may want to know for whom a call is made. */
  readonly credentials?: boolean
  /** Seconds for one request. */
  readonly timeout?: number
  /** Whether a caller may have several accounts there, and name one. */
  readonly chooses?: boolean
  /** Whether the gateway checks the arguments of its tools, before anything is opened. */
  readonly checks?: boolean
  /** Whether a top-level null of an optional parameter counts as absent there. */
  readonly absentNulls?: boolean
  /** Whether what is sent to it and comes back is kept for its administrators. */
  readonly keepsPayloads?: boolean
  /** The names that were given to what would not have its own (`exposed_names`), by kind and the server's name. */
  readonly names?: GivenNames | undefined
}

export interface GivenNames {
  readonly tools: ReadonlyMap<string, string>
  readonly prompts: ReadonlyMap<string, string>
}

/** Where something that a client names really is. */
export interface Target {
  readonly connectionId: ConnectionId
  readonly alias: string
  readonly revision: Revision
  /** The kind of its connection, as rules name it. */
  readonly connector?: string | undefined
  /** Of a native connector that the product itself has. */
  readonly vendor?: string | undefined
  /** The upstream's own name or address of it. */
  readonly name: string
  readonly credentials?: boolean
  /** Seconds for one request. */
  readonly timeout?: number | undefined
  /** The effect of a call, where the item is a tool. */
  readonly effect?: Effect
  /** Its connection takes and gives stored files. */
  readonly usesFiles?: boolean
  /** A tool that may be called twice: it only reads, or a second call of the same changes nothing (ADR 0024). */
  readonly repeats?: boolean
}
export interface ToolTarget extends Target {
  readonly effect: Effect
  /** The source of the effect; absent where a tool is of the gateway itself. */
  readonly effectFrom?: EffectSource | undefined
  readonly headerParameters: readonly HeaderParameter[]
  readonly wraps: boolean
  /** Its server, a legacy one, runs it as a task and not otherwise (2025-11-25, tool-level negotiation). */
  readonly needsTask: boolean
  /** That it is held: whoever calls it is told so. */
  readonly held: Hold | undefined
  /** The rules that can speak of it; undefined where none can. */
  readonly policy: ToolPolicy | undefined
  /** The argument that names the account to act with, which the server knows nothing of. */
  readonly account: string | undefined
  /** The schemas by which the gateway checks arguments and results; undefined where the server alone checks them. */
  readonly checkedBy: CheckedBy | undefined
  /** Whether what is sent and what comes back is kept with the record. */
  readonly keepsPayload: boolean
  /** The places of its arguments that take a stored file; undefined where there are none. */
  readonly filePlaces?: readonly FilePlace[] | undefined
}

/** A tool of an endpoint, found by the name that its server gives it. */
export interface OwnTool {
  /** The name under which the endpoint lists it. */
  readonly name: string
  readonly definition: JsonObject
  readonly target: ToolTarget
}

/** Servers with pages of apps, by what they call their tools and addresses themselves. */
export interface OwnNames {
  tools(name: string): readonly OwnTool[]
  /** The connections that list this address, or all with pages where `listed` is false because none does. */
  addresses(uri: string): { readonly listed: boolean; readonly targets: readonly Target[] }
}

/** A tool as its server defines it, to check calls of it by. */
export interface CheckedBy {
  readonly definition: JsonObject
  /** Whether a top-level null of an optional parameter counts as absent. */
  readonly absentNulls: boolean
}

export type ListKind = 'tools' | 'resources' | 'templates' | 'prompts'

export interface ToolListing {
  /** Several connections under prefixed names, or one under its own. */
  readonly joined: boolean
  /** How far its tools reach: what reaches farther is neither listed nor found. */
  readonly limit: Limit
  readonly discovery: Discovers
  readonly offered: readonly Offered[]
  /** Whether two callers can be shown different tools: whoever lists asks the rules for each. */
  readonly varies: boolean
  /** Whether a call may have to wait for somebody's approval. */
  readonly asks: boolean
  /** The name of the gateway's own tool to read what was cut; undefined where no rule cuts results. */
  readonly readResult: string | undefined
  /** The names of the gateway's own tools for files. */
  readonly fileTools: FileTools
  /** The rules about the size of results of a connection's tools, whichever of them gave one. */
  sizes(connectionId: ConnectionId): readonly Rule<'size'>[]
  tool(name: string): ToolTarget | undefined
  prompt(name: string): Target | undefined
  /** Any address that can belong to a connection of this view, listed or made from a template. */
  resource(uri: string): Target | undefined
  /** The own names of tools and addresses of servers with pages of apps, for names that are not found otherwise. */
  readonly own: OwnNames
  /** In the servers' order, or by name where it is longer than a page. `apps`: tools for apps alone are in too. */
  list(kind: ListKind, revision: Revision, apps?: boolean): readonly JsonObject[]
  /** Whether everything of a connection belongs to this endpoint. */
  whole(alias: string): boolean
  /** Whether any of its tools could be kept back by name: then nothing may pass that has no name. */
  filtered(alias: string): boolean
  /** The address that a client of this view knows a connection's resource by. */
  exposeUri(alias: string, uri: string): string
}

/** How clients of an endpoint come to its tools; carried out by the verbs that list and call. */
export interface Discovers {
  readonly mode: DiscoveryMode
  readonly page: number | undefined
  pins(joined: string): boolean
}

/** The parts of its connections that an endpoint takes. */
export interface Selects {
  readonly limit: Limit
  /** Absent: all are listed. */
  readonly discovery?: Discovers
  /** Absent: `alias`. */
  readonly naming?: Naming
  /** A narrower limit of one connection. */
  limitOf?(alias: string): Limit
  tool(alias: string, joined: string): boolean
  /** Whether resources are in too. */
  whole(alias: string): boolean
  /** Whether files are kept; and whether the toolset wants their tools listed, where it says so. */
  readonly keepsFiles?: boolean
  readonly files?: boolean | undefined
  /** A tool's name and description at that endpoint; by its joined name. */
  readonly words?: (joined: string) => ToolWords | undefined
}

/** Settings of single tools, the same at every endpoint. */
export interface VisibilityFilter {
  /**
   * Switched off, held for review, or neither, by the server's own name. A held tool has the effect that was stated when it was
   * accepted; one that was never accepted is off, as if it did not exist.
   */
  tool(alias: string, name: string): 'off' | (Hold & { readonly effect: Effect }) | undefined
  /** The rules that can speak of a tool; absent where there are none. */
  policy?(tool: ToolFacts, schema: unknown): ToolPolicy | undefined
  /**
   * The resolved effect of a tool; `accepted` is the effect stated when it was accepted, where it is held for review. Undefined
   * for connections that are not known here, whose servers are not trusted.
   */
  effect?(alias: string, definition: JsonObject, accepted: Effect | undefined): ResolvedEffect | undefined
  /** Whether anything is said of a connection's tools. */
  any(alias: string): boolean
}

export const targetOf = (
  { connectionId, alias, revision, connector, vendor, credentials = false, timeout }: Offered,
  { name }: { readonly name?: JsonObject[string] },
): Target => ({ connectionId, alias, revision, connector, vendor, name: String(name), credentials, timeout })

/** The category that a contract or an API description gives a tool. */
const CATEGORY = 'dev.toolway/category'

/** Empty where nothing is said. */
export function categoryOf({ _meta: meta }: JsonObject): string {
  const category = isObject(meta) ? meta[CATEGORY] : undefined
  return typeof category === 'string' ? category : ''
}

/** A tool as rules see it. */
export function toolFacts(
  alias: string,
  connector: string | undefined,
  definition: JsonObject,
  { effect, from }: ResolvedEffect,
): ToolFacts {
  const own = String(definition['name'])
  const earlier = earlierNames(connector, definition)
  return {
    name: own,
    joined: joinName(alias, own),
    connection: alias,
    connector: connector ?? DEFAULT_CONNECTOR,
    effect,
    effectFrom: from,
    // A category counts where the gateway itself reads the description; `_meta` of an MCP server moves no rule.
    category: kindOf(connector)?.described === true ? categoryOf(definition) : '',
    ...(earlier.length === 0
      ? {}
      : { others: { derived: earlier.map((name) => joinName(alias, name)), earlier, chosen: [] } }),
  }
}

/** Whether the server of a connection keeps tasks, in the way of its era. */
export function keepsTasks({ revision, capabilities }: Pick<Offered, 'revision' | 'capabilities'>): boolean {
  if (eraOf(revision) === 'modern') return declares(capabilities, TASKS)
  const { tasks } = capabilities
  return isObject(tasks)
}

/** Whether it runs calls of tools as tasks. */
const runsTasks = (offered: Offered): boolean => {
  if (eraOf(offered.revision) === 'modern') return keepsTasks(offered)
  const { tasks } = offered.capabilities
  const requests = isObject(tasks) ? tasks['requests'] : undefined
  return isObject(requests) && isObject(requests['tools']) && isObject(requests['tools']['call'])
}

/** Extensions that the gateway serves itself, at every endpoint. */
const OWN_EXTENSIONS = new Set([APPS, TASKS])

/** Whether a server announces an extension that only itself can serve. */
export const speaksExtension = ({ capabilities }: Pick<Offered, 'capabilities'>): boolean =>
  Object.keys(extensionsOf(capabilities)).some((name) => !OWN_EXTENSIONS.has(name)) ||
  (isObject(capabilities['experimental']) && Object.keys(capabilities['experimental']).length > 0)

/**
 * The capabilities that an endpoint announces to a client of that revision: those that its servers have *and* the gateway relays.
 */
export function capabilitiesOf(toolListing: ToolListing, revision: Revision): JsonObject {
  const { offered, joined, limit, whole, filtered, asks, discovery, readResult, fileTools } = toolListing
  const era = eraOf(revision)
  const sameEra = offered.filter((from) => eraOf(from.revision) === era)
  const anyHas = (list: readonly Offered[], name: string) =>
    list.some(({ capabilities }) => isObject(capabilities[name]))
  const capabilities: JsonObject = {}
  if (anyHas(offered, 'tools') || offered.some(({ tools }) => tools.length > 0))
    capabilities['tools'] = { listChanged: true }
  if (anyHas(offered, 'prompts')) capabilities['prompts'] = { listChanged: true }
  // Apps are resources of the gateway's own, and so is what was cut of results.
  const own =
    readResult !== undefined ||
    fileTools.download !== undefined ||
    (joined && discovery.mode === 'two-tier' && offered.length > 0)
  if (anyHas(offered, 'resources') || own) {
    const subscribes = offered.some(
      ({ capabilities: { resources } }) => isObject(resources) && resources['subscribe'] === true,
    )
    capabilities['resources'] = { listChanged: true, ...(subscribes ? { subscribe: true } : {}) }
  }
  if (anyHas(offered, 'completions')) capabilities['completions'] = {}
  if (anyHas(sameEra, 'logging')) capabilities['logging'] = {}
  const [only] = offered
  // The effect of an extension's methods is unknown, which counts as writing.
  const passes = !joined && only !== undefined && whole(only.alias) && !filtered(only.alias) && reaches(limit, 'write')
  const extensions = announcedExtensions(offered, passes ? only : undefined, era === 'modern')
  if (Object.keys(extensions).length > 0) capabilities['extensions'] = extensions
  if (passes && isObject(only.capabilities['experimental']))
    capabilities['experimental'] = only.capabilities['experimental']
  // A call that waits for an approval is a task of the gateway's own.
  if (asks && era === 'modern') capabilities['extensions'] = { ...asObject(capabilities['extensions']), [TASKS]: {} }
  const tasks = revision === NEWEST_LEGACY ? announcedTasks(offered) : undefined
  if (tasks !== undefined) capabilities['tasks'] = tasks
  return capabilities
}

/**
 * Apps and tasks are served at every endpoint, in both eras; others pass where one server speaks for itself. Joined, an unknown
 * extension names things that only its own messages know how to name, so it is not offered there (ADR 0012).
 */
function announcedExtensions(offered: readonly Offered[], only: Offered | undefined, modern: boolean): JsonObject {
  const announced: JsonObject = { ...(only === undefined ? {} : extensionsOf(only.capabilities)) }
  delete announced[TASKS]
  for (const { capabilities } of offered) {
    const apps = extensionsOf(capabilities)[APPS]
    if (apps !== undefined) announced[APPS] ??= apps
  }
  if (modern && offered.some(runsTasks)) announced[TASKS] = {}
  return announced
}

/** The tasks of 2025-11-25: what the servers of that form have, and all of it where the gateway stands in for a modern one. */
function announcedTasks(offered: readonly Offered[]): JsonObject | undefined {
  const forms = offered.filter(keepsTasks).map((from) => {
    const { tasks } = from.capabilities
    return eraOf(from.revision) === 'legacy' && isObject(tasks) ? tasks : EMULATED
  })
  return forms.length === 0 ? undefined : forms.reduce(mergeForms)
}

const EMULATED: JsonObject = { list: {}, cancel: {}, requests: { tools: { call: {} } } }

const mergeForms = (form: JsonObject, other: JsonObject): JsonObject => ({
  ...form,
  ...other,
  ...(isObject(form['requests']) ? { requests: { ...form['requests'], ...asObject(other['requests']) } } : {}),
})
const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {})

/** The servers' instructions, each under a heading where there are several. */
export function instructionsOf({ offered, joined }: ToolListing): string | undefined {
  const parts = offered.flatMap(({ alias, instructions }) =>
    instructions === undefined ? [] : [joined ? `## ${alias}\n\n${instructions}` : instructions],
  )
  return parts.length === 0 ? undefined : parts.join('\n\n')
}
