/**
 * Figures for the benefit of discovery: the number of queries that find the intended tool, and the cost of the definitions of
 * five hundred tools to a model in each mode. Run it: `node test/load/discovery/figures.ts`.
 */
import type { ConnectionId } from '../../../packages/contract/src/index.ts'
import { meterOf } from '../../../packages/gateway/src/call/discovery/meter.ts'
import { createRanking, type Findable } from '../../../packages/gateway/src/catalog/search/ranking.ts'
import { createView } from '../../../packages/gateway/src/catalog/create-view.ts'
import { CONNECTORS, definitionOf, QUERIES } from './tools.ts'

const FIRST = 5

export interface Figures {
  readonly tools: number
  readonly queries: number
  /** Shares of the queries: what was meant is among the first five, or the very first. */
  readonly recall: number
  readonly first: number
  readonly missed: readonly string[]
  readonly tokens: Readonly<Record<string, number>>
  readonly listed: Readonly<Record<string, number>>
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
    indexMs: made - begun,
    queryMs: (asked - made) / QUERIES.length,
  }
}

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
    const view = createView(offered, true, { limit: 'execute', tool: () => true, whole: () => true, discovery })
    const meter = meterOf(view)
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
      ...missed.map((query) => `missed: ${query}`),
      '',
    ].join('\n'),
  )
}
