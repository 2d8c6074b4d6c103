/**
 * Making the view of one endpoint from its connections: its items under their names, and the lists of them for each protocol
 * revision, which are worked out on first use and kept.
 */
import { ANYBODY, type ToolWords } from '@toolway/contract'
import {
  adaptTool,
  declares,
  eraOf,
  isAppOnly,
  isObject,
  joinName,
  joinUri,
  MODERN,
  NEWEST_LEGACY,
  rewriteToolMeta,
  splitUri,
  TASKS,
  type JsonObject,
  type Revision,
} from '@toolway/protocol'
import { offerAccount } from './account-choice.ts'
import { hasBudget, narrowedOutput, readResultName, readResultTool, sharedSizes } from './budgets.ts'
import { fileToolDefinitions, fileToolsOf, type FileTools } from './file-tools.ts'
import { oldNames } from './old-names.ts'
import { createOwnNames } from './own-names.ts'
import { ordered } from './page.ts'
import { ruledDefinition } from './ruled-definition.ts'
import { renameTools, withToolWords } from './tool-words.ts'
import {
  collectPrompts,
  collectTools,
  limitOf,
  type Endpoint,
  type Listed,
  type ListedPrompt,
  type ListedTool,
} from './listing-items.ts'
import {
  targetOf,
  type Discovers,
  type ListKind,
  type Offered,
  type VisibilityFilter,
  type Selects,
  type Target,
  type ToolListing,
} from './tool-listing.ts'

const OPEN: VisibilityFilter = { tool: () => undefined, any: () => false }

const DIRECT: Discovers = { mode: 'direct', page: undefined, pins: () => false }

const ALL: Selects = { limit: 'execute', tool: () => true, whole: () => true }

const ownNameOf = ({ definition }: Listed) => String(definition['name'])

type WordsOf = (listed: Listed) => ToolWords | undefined

export function createToolListing(
  offered: readonly Offered[],
  joined: boolean,
  selects: Selects = ALL,
  visibilityFilter: VisibilityFilter = OPEN,
): ToolListing {
  const endpoint = { offered, joined, selects, visibilityFilter }
  const { words, naming = 'alias' } = selects
  const wordsOf: WordsOf | undefined =
    words && (({ from, definition }) => words(joinName(from.alias, String(definition['name']))))
  const collected = collectTools(endpoint)
  // Last, so that what an endpoint calls one tool changes the name of no other; a name that somebody saw still leads there.
  const renames = joined && (wordsOf !== undefined || naming !== 'alias')
  const before = renames ? renameTools(collected, { naming, wordsOf, ownName: ownNameOf }) : undefined
  const tools = before?.tools ?? collected
  const prompts = collectPrompts(endpoint)
  const old = oldNames(tools, joined)
  const policies = Array.from(tools.values(), ({ target }) => target.policy)
  const budgeted = policies.some(hasBudget)
  const readResult = budgeted ? readResultName(tools) : undefined
  const [only] = offered
  const limit = joined || only === undefined ? selects.limit : limitOf(selects, only.alias)
  const fileTools = fileToolsOf(tools, selects.keepsFiles === true ? selects.files : false, limit)
  return {
    joined,
    limit,
    discovery: selects.discovery ?? DIRECT,
    offered,
    varies: policies.some((policy) => policy?.varies === true),
    asks: policies.some((policy) => policy?.rules.some(({ action }) => action === 'approve') === true),
    readResult,
    fileTools,
    sizes: (connectionId) =>
      budgeted
        ? sharedSizes(
            Array.from(tools.values(), ({ target }) =>
              target.connectionId === connectionId ? target.policy : undefined,
            ),
          )
        : [],
    tool: (name) => (tools.get(name) ?? tools.get(before?.names.get(name) ?? old.get(name) ?? ''))?.target,
    prompt: (name) => prompts.get(name)?.target,
    resource: (uri) => findResource(endpoint, uri),
    own: createOwnNames(endpoint, tools),
    list: createLists(endpoint, { tools, prompts, readResult, fileTools, wordsOf }),
    whole: (alias) => selects.whole(alias),
    filtered: (alias) => visibilityFilter.any(alias),
    exposeUri: (alias, uri) => exposedUri(endpoint, alias, uri),
  }
}

const exposedUri = ({ joined }: Endpoint, alias: string, uri: string): string => (joined ? joinUri(alias, uri) : uri)

function findResource({ offered, joined, selects }: Endpoint, uri: string): Target | undefined {
  const split = joined ? splitUri(uri) : { alias: offered[0]?.alias, uri }
  const from = offered.find(({ alias }) => alias === split?.alias)
  if (
    from === undefined ||
    split === undefined ||
    !selects.whole(from.alias) ||
    !isObject(from.capabilities['resources'])
  )
    return undefined
  return targetOf(from, { name: split.uri })
}

/** The named items of an endpoint. */
interface Items {
  readonly tools: ReadonlyMap<string, ListedTool>
  readonly prompts: ReadonlyMap<string, ListedPrompt>
  readonly readResult: string | undefined
  readonly fileTools: FileTools
  readonly wordsOf: WordsOf | undefined
}

/** The member that names an item of each list. */
const MEMBERS = { tools: 'name', prompts: 'name', resources: 'uri', templates: 'uriTemplate' } as const

function createLists(endpoint: Endpoint, items: Items): ToolListing['list'] {
  const answers = new Map<string, readonly JsonObject[]>()
  return (kind, revision, apps = true) => {
    const key = `${kind} ${revision} ${apps}`
    const known = answers.get(key)
    if (known !== undefined) return known
    const made = ordered(makeList(endpoint, items, kind, { revision, apps }), MEMBERS[kind])
    answers.set(key, made)
    return made
  }
}

function makeList(endpoint: Endpoint, items: Items, kind: ListKind, listing: Listing): JsonObject[] {
  if (kind === 'tools') return listTools(endpoint, items, listing)
  if (kind === 'prompts') return Array.from(items.prompts, ([name, { definition }]) => ({ ...definition, name }))
  return listAddresses(endpoint, kind)
}

/** `apps`: tools for apps alone are in the list, too. */
interface Listing {
  readonly revision: Revision
  readonly apps: boolean
}

function listTools(
  endpoint: Endpoint,
  { tools, readResult, fileTools, wordsOf }: Items,
  { revision, apps }: Listing,
): JsonObject[] {
  const ours = [...(readResult === undefined ? [] : [readResultTool(readResult)]), ...fileToolDefinitions(fileTools)]
  const own = ours.map((definition) => adaptTool(definition, MODERN, revision))
  const theirs = [...tools].flatMap(([name, { from, definition, target }]) => {
    // A held tool is listed to nobody.
    if (target.held !== undefined || (!apps && isAppOnly(definition))) return []
    const { policy } = target
    const named = withToolWords(definition, wordsOf?.({ from, definition }))
    const promised = narrowedOutput(defineTool(from, named, revision), policy)
    const defined = rewriteToolMeta(promised, (uri) => exposedUri(endpoint, from.alias, uri))
    const ruled = policy?.varies === false ? ruledDefinition(defined, policy, ANYBODY) : defined
    return ruled === undefined ? [] : [{ ...offerAccount(ruled, target.account), name }]
  })
  return [...theirs, ...own]
}

function listAddresses(endpoint: Endpoint, kind: 'resources' | 'templates'): JsonObject[] {
  const member = MEMBERS[kind]
  const listed = new Map<string, JsonObject>()
  for (const from of endpoint.offered.filter(({ alias }) => endpoint.selects.whole(alias)))
    for (const item of from[kind]) {
      const address = item[member]
      if (typeof address !== 'string') continue
      const exposed = exposedUri(endpoint, from.alias, address)
      // A cursor names an item by its address, so no address may stand twice.
      if (!listed.has(exposed)) listed.set(exposed, { ...item, [member]: exposed })
    }
  return [...listed.values()]
}

/** A tool as that revision lists it; at a modern server with tasks, any call may become one if its client asks for it. */
function defineTool(from: Offered, definition: JsonObject, revision: Revision): JsonObject {
  const adapted = adaptTool(definition, from.revision, revision)
  const mayBeTask =
    revision === NEWEST_LEGACY && eraOf(from.revision) === 'modern' && declares(from.capabilities, TASKS)
  return mayBeTask ? { ...adapted, execution: { taskSupport: 'optional' } } : adapted
}
