/**
 * Figures for the benefit of discovery: the number of queries that find the intended tool, and the cost of the definitions of
 * five hundred tools to a model in each mode. Run it: `node test/load/discovery/figures.ts`.
 */
import type { ConnectionId } from '../../../packages/contract/src/index.ts'
import { meterOf } from '../../../packages/gateway/src/call/discovery/meter.ts'
import { createRanking, type Findable } from '../../../packages/gateway/src/catalog/search/ranking.ts'
import { createToolListing } from '../../../packages/gateway/src/catalog/create-tool-listing.ts'
import { TIER_PAGE } from '../../../packages/gateway/src/call/discovery/own-tools.ts'
import { tokensOf } from '../../../packages/gateway/src/lib/tokens.ts'
import { CONNECTORS, definitionOf, QUERIES } from './tools.ts'

const FIRST = 5

export interface Way {
  readonly rounds: number
  readonly tokens: number
}

export interface Figures {
  readonly tools: number
  readonly queries: number
  /** Shares of the queries: what was meant is among the first five, or the very first. */
  readonly recall: number
  readonly first: number
  readonly missed: readonly string[]
  readonly tokens: Readonly<Record<string, number>>
  readonly listed: Readonly<Record<string, number>>
  /** The share of the queries whose connection is among those of the first five tools that fit. */
  readonly connectionRecall: number
  /** From the question to the call that was meant, by mode: requests, and tokens that a model reads. Medians over the queries. */
  readonly ways: Readonly<Record<'direct' | 'two-tier' | 'search', Way>>
  readonly indexMs: number
  readonly queryMs: number
}

export function measureDiscovery(): Figures {
  const findable: Findable[] = CONNECTORS.flatMap(({ alias, tools }) =>
    tools.map((tool) => ({
      name: `${alias}__${tool.name}`,
      own: tool.name,
      alias,
      definition: { ...definitionOf(tool) } as Findable['definition'],
    })),
  )
  const begun = performance.now()
  const ranking = createRanking(findable)
  const made = performance.now()
  const places = QUERIES.map(({ query, wanted }) => ranking.find(query).findIndex((name) => wanted.includes(name)))
  const asked = performance.now()
  const within = (most: number) => places.filter((place) => place !== -1 && place < most).length / QUERIES.length
  const { tools, tokens, listed } = costs()
  const aliasOf = (name: string) => name.split('__', 1)[0]
  const apps = QUERIES.filter(({ query, wanted }) => {
    const found = new Set(ranking.find(query).slice(0, FIRST).map(aliasOf))
    return wanted.some((name) => found.has(aliasOf(name)))
  })
  return {
    tools,
    queries: QUERIES.length,
    recall: within(FIRST),
    first: within(1),
    missed: QUERIES.filter((_, at) => (places[at] ?? -1) === -1 || (places[at] ?? 0) >= FIRST).map(
      ({ query }) => query,
    ),
    tokens,
    listed,
    connectionRecall: apps.length / QUERIES.length,
    ways: waysOf(findable, places, tokens),
    indexMs: made - begun,
    queryMs: (asked - made) / QUERIES.length,
  }
}

/** A model that chooses the right connection, and reads pages until the tool is there; one that searches, and reads what was found. */
function waysOf(findable: readonly Findable[], places: readonly number[], tokens: Readonly<Record<string, number>>) {
  const ordered = findable.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const tiers = QUERIES.map(({ wanted }): Way => {
    const own = ordered.filter(({ alias }) => wanted.some((name) => name.startsWith(`${alias}__`)))
    const pages =
      Math.floor(
        Math.max(
          0,
          own.findIndex(({ name }) => wanted.includes(name)),
        ) / TIER_PAGE,
      ) + 1
    const read = own.slice(0, pages * TIER_PAGE).map(({ definition }) => definition)
    return { rounds: pages + 1, tokens: (tokens['two-tier'] ?? 0) + tokensOf(read) }
  })
  const searches = QUERIES.map(({ wanted }, at): Way => {
    const found = places[at] ?? -1
    // A tool that is not among the first is asked for once more in other words.
    const rounds = found !== -1 && found < FIRST ? 2 : 3
    const read = findable.filter(({ name }) => wanted.includes(name)).slice(0, 1)
    const size = tokensOf(read.map(({ definition }) => definition)) * FIRST
    return { rounds, tokens: (tokens['search'] ?? 0) + size * (rounds - 1) }
  })
  const middle = (all: readonly Way[]): Way => ({
    rounds: median(all.map(({ rounds }) => rounds)),
    tokens: median(all.map((way) => way.tokens)),
  })
  return { direct: { rounds: 1, tokens: tokens['direct'] ?? 0 }, 'two-tier': middle(tiers), search: middle(searches) }
}

const median = (all: readonly number[]): number => all.toSorted((one, other) => one - other)[all.length >> 1] ?? 0

function costs() {
  const offered = CONNECTORS.map(({ alias, title, tools }) => ({
    connectionId: `con_${alias}` as ConnectionId,
    alias,
    revision: '2026-07-28' as const,
    server: { name: alias, title },
    capabilities: { tools: {} },
    instructions: undefined,
    tools: tools.map((tool) => ({ ...definitionOf(tool) }) as Findable['definition']),
    resources: [],
    templates: [],
    prompts: [],
  }))
  const listed: Record<string, number> = {}
  for (const mode of ['direct', 'paged', 'two-tier', 'search'] as const) {
    const discovery = { mode, page: undefined, pins: () => false }
    const toolListing = createToolListing(offered, true, {
      limit: 'execute',
      tool: () => true,
      whole: () => true,
      discovery,
    })
    const meter = meterOf(toolListing)
    listed[mode] = meter.listed
    if (mode === 'search') return { tools: meter.tools, tokens: meter.definition_tokens, listed }
  }
  throw new Error('there is no such mode')
}

if (import.meta.main) {
  const { missed, ...figures } = measureDiscovery()
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`
  process.stdout.write(
    [
      `${figures.tools} tools, ${figures.queries} queries`,
      `recall@${FIRST}: ${percent(figures.recall)}, at once: ${percent(figures.first)}`,
      `index: ${figures.indexMs.toFixed(1)} ms, query: ${figures.queryMs.toFixed(2)} ms`,
      ...Object.entries(figures.tokens).map(
        ([mode, tokens]) => `${mode}: about ${tokens} tokens, ${figures.listed[mode]} tools listed`,
      ),
      `the right connection among the first ${FIRST}: ${percent(figures.connectionRecall)}`,
      ...Object.entries(figures.ways).map(
        ([mode, { rounds, tokens }]) =>
          `${mode}: ${rounds} requests to the call, about ${tokens} tokens read (medians)`,
      ),
      ...missed.map((query) => `missed: ${query}`),
      '',
    ].join('\n'),
  )
}
