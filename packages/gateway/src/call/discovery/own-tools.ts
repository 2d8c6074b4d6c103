/**
 * The tools of the gateway's own by which clients come to the others: which there are, and how they are told.
 *
 * Two tiers: `alias__list_tools` and `alias__execute_tool` for each connection, as the source system had them (ledger S0-PKG-13).
 * Search: one that finds, one that describes, one that calls. A server's tool of such a name is not listed, and is called by ours.
 */
import type { Limit } from '@toolway/contract'
import { adaptTool, MODERN, type JsonObject, type Revision } from '@toolway/protocol'
import type { Offered, ToolListing } from '../../catalog/tool-listing.ts'

export type OwnTool =
  | { readonly kind: 'search' }
  | { readonly kind: 'describe' }
  | { readonly kind: 'call' }
  | { readonly kind: 'list'; readonly from: Offered }
  | { readonly kind: 'execute'; readonly from: Offered }

const SEARCH: Readonly<Record<string, OwnTool>> = {
  search_tools: { kind: 'search' },
  describe_tool: { kind: 'describe' },
  call_tool: { kind: 'call' },
}
const TIERS = { list: '__list_tools', execute: '__execute_tool' } as const

/** The tool of ours that a name means at an endpoint. */
export function ownTool({ discovery: { mode }, offered }: ToolListing, name: unknown): OwnTool | undefined {
  if (typeof name !== 'string') return undefined
  if (mode === 'search') return Object.hasOwn(SEARCH, name) ? SEARCH[name] : undefined
  if (mode !== 'two-tier') return undefined
  for (const kind of ['list', 'execute'] as const) {
    if (!name.endsWith(TIERS[kind])) continue
    const from = offered.find(({ alias }) => name === `${alias}${TIERS[kind]}`)
    return from === undefined ? undefined : { kind, from }
  }
  return undefined
}

/** Finds and tells; nothing leaves the gateway. */
const LOOKS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
/** A tool that calls others has the effect of the most powerful of them. */
const acts = (limit: Limit) => ({
  readOnlyHint: limit === 'read',
  destructiveHint: limit === 'execute',
  idempotentHint: false,
  openWorldHint: true,
})

const object = (properties: JsonObject, required: string[] = []): JsonObject => ({
  type: 'object',
  properties,
  ...(required.length === 0 ? {} : { required }),
  additionalProperties: false,
})
const text = (description: string): JsonObject => ({ type: 'string', description })
const ARGUMENTS = { type: 'object', description: 'Arguments of the tool, as its input schema defines them.' }

/** Short, because two-tier lists say it once for each connection; what a tool has is said by the answer itself. */
const FOUND = object(
  {
    tools: { type: 'array', items: { type: 'object', required: ['name', 'description', 'effect', 'connection'] } },
    total: { type: 'integer' },
    nextCursor: { type: 'string' },
  },
  ['tools', 'total'],
)

export const MOST_FOUND = 50
export const FOUND_AT_FIRST = 10
/** Tools on a page of one connection's (ledger S0-DSC-03). */
export const TIER_PAGE = 20

export interface Telling {
  readonly toolListing: ToolListing
  readonly revision: Revision
  /** Whether clients of that revision may ask for a task. */
  readonly tasks: boolean
}

export function searchTools({ toolListing, revision, tasks }: Telling): JsonObject[] {
  const apps = toolListing.offered.map(({ alias }) => alias).join(', ')
  return [
    {
      name: 'search_tools',
      title: 'Search tools',
      description: `Find tools by what they do. Start here: the other tools are not listed. Connected: ${cut(apps, LONGEST_APPS)}.`,
      inputSchema: object(
        {
          query: text('The task in a few words: "send an email", "open issues of a repository".'),
          limit: { type: 'integer', minimum: 1, maximum: MOST_FOUND, default: FOUND_AT_FIRST },
          effect: { enum: ['read', 'write', 'destructive'], description: 'Only tools that do this.' },
        },
        ['query'],
      ),
      outputSchema: FOUND,
      annotations: LOOKS,
    },
    {
      name: 'describe_tool',
      title: 'Describe a tool',
      description: 'The full definition of one tool that search_tools found: its input, its output and what it does.',
      inputSchema: object({ name: text('The name as search_tools returned it.') }, ['name']),
      outputSchema: object({ tool: { type: 'object' }, effect: { type: 'string' }, connection: { type: 'string' } }, [
        'tool',
        'effect',
        'connection',
      ]),
      annotations: LOOKS,
    },
    {
      name: 'call_tool',
      title: 'Call a tool',
      description: 'Call one tool that search_tools found, with the arguments that its input schema requires.',
      inputSchema: object({ name: text('The name as search_tools returned it.'), arguments: ARGUMENTS }, ['name']),
      annotations: acts(toolListing.limit),
      ...mayBeTask(tasks),
    },
  ].map((definition) => adaptTool(definition, MODERN, revision))
}

/** The pair of one connection, which has so many tools for this caller. */
export const tierTools = ({ toolListing, revision, tasks }: Telling, from: Offered, count: number): JsonObject[] =>
  [
    {
      name: `${from.alias}${TIERS.list}`,
      title: `Tools of ${from.alias}`,
      description: `List the ${count} tools of ${from.alias}${aboutOf(from)}. Call one with ${from.alias}${TIERS.execute}, or by its own name.`,
      inputSchema: object({
        filter: text('Words to search for.'),
        category: text('Only tools in this category.'),
        cursor: text('nextCursor of the previous response.'),
      }),
      outputSchema: FOUND,
      annotations: LOOKS,
    },
    {
      name: `${from.alias}${TIERS.execute}`,
      title: `Call a tool of ${from.alias}`,
      description: `Call one tool of ${from.alias} that ${from.alias}${TIERS.list} listed.`,
      inputSchema: object({ tool: text('The name as it was listed.'), arguments: ARGUMENTS }, ['tool']),
      annotations: acts(toolListing.limit),
      ...mayBeTask(tasks),
    },
  ].map((definition) => adaptTool(definition, MODERN, revision))

/** In the words of 2025-11-25; `adaptTool` takes what is said in the modern era as it is. */
const mayBeTask = (tasks: boolean): JsonObject => (tasks ? { execution: { taskSupport: 'optional' } } : {})

/** A server's description of itself in one line. */
export function aboutOf({ server }: Offered): string {
  const { title, description } = server
  const about = [description, title].find((input) => typeof input === 'string' && input.trim() !== '')
  return typeof about === 'string' ? ` (${cut(about.trim(), LONGEST_ABOUT)})` : ''
}

const LONGEST_ABOUT = 120
const LONGEST_APPS = 600

export const cut = (input: string, longest: number): string =>
  input.length <= longest ? input : `${input.slice(0, longest - 1).trimEnd()}…`
