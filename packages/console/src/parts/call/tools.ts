/** The tools of an endpoint as a client lists them, and the client that lists and calls them. */
import { effectOf, statesEffect, toolEffectIn, WANTS_EFFECTS, type Effect, type EffectSource } from '@toolway/contract'
import { queryOptions } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { createMcpClient } from './mcp/client.ts'
import type { Abilities, Era, McpClient } from './mcp/exchange.ts'
import { isObject, type JsonObject } from './mcp/wire.ts'
import { consoleAddress, type Endpoint } from './endpoint.ts'

export interface ListedTool {
  readonly name: string
  readonly title: string | undefined
  readonly description: string | undefined
  readonly effect: Effect
  /** Whose word the effect is: it is the one that rules and approvals go by, whatever its server claims. */
  readonly effectFrom: EffectSource
  /** The effect that its server claims, which decides nothing. */
  readonly claimed: Effect
  readonly inputSchema: JsonObject
}

export const ALL_ABILITIES: Abilities = { forms: true, pages: true, tasks: true }
/** A browser loads the first of tens of thousands of tools; a connection or a toolset has to be chosen to find the others. */
const MOST_PAGES = 100

export interface Listing {
  readonly tools: readonly ListedTool[]
  /** The tools that are not here: none, those of pages on their way, or more than are loaded here. */
  readonly rest: 'none' | 'coming' | 'left'
}

/** The tools that a client sees there, from the first page on; read again when one of them changes. */
export const toolsAt = (endpoint: Endpoint, era: Era) =>
  queryOptions({
    queryKey: ['tools', endpoint.organization, 'listed', endpoint, era],
    // Comparing tens of thousands of tools with those of before would take longer than drawing them.
    structuralSharing: false,
    queryFn: async ({ signal, client: queries, queryKey }): Promise<Listing> => {
      const client = createMcpClient(consoleAddress(endpoint), era, ALL_ABILITIES)
      // A list that is read anew stays whole until then.
      const isFirst = (queries.getQueryData<Listing>(queryKey)?.rest ?? 'coming') === 'coming'
      try {
        return await listTools(client, signal, (tools) => {
          if (isFirst) queries.setQueryData<Listing>(queryKey, { tools, rest: 'coming' })
        })
      } finally {
        client.close()
      }
    },
  })

/** @param onSome hears of the tools so far after 1, 2, 4, 8 … pages */
async function listTools(
  client: McpClient,
  signal: AbortSignal,
  onSome: (tools: readonly ListedTool[]) => void,
): Promise<Listing> {
  const tools: ListedTool[] = []
  let cursor: string | undefined
  for (let page = 1; page <= MOST_PAGES; page++) {
    const params = { ...(cursor === undefined ? {} : { cursor }), _meta: { [WANTS_EFFECTS]: true } }
    const result = await client.request('tools/list', params, { signal })
    if (Array.isArray(result['tools'])) tools.push(...result['tools'].filter(isObject).map(listed))
    cursor = typeof result['nextCursor'] === 'string' ? result['nextCursor'] : undefined
    if (cursor === undefined) return { tools, rest: 'none' }
    if (Number.isInteger(Math.log2(page))) onSome([...tools])
  }
  return { tools, rest: 'left' }
}

/** A tool of the gateway's own is of no connection; its annotations are the gateway's word. */
const ownEffect = (annotations: unknown) =>
  ({ effect: effectOf(annotations), from: statesEffect(annotations) ? 'connector' : 'unknown' }) as const

function listed({ name, title, description, annotations, inputSchema, _meta: meta }: JsonObject): ListedTool {
  const { effect, from } = toolEffectIn(meta) ?? ownEffect(annotations)
  const hinted = isObject(annotations) ? annotations['title'] : undefined
  return {
    name: String(name),
    title: [title, hinted].find((item) => typeof item === 'string'),
    description: typeof description === 'string' ? description : undefined,
    effect,
    effectFrom: from,
    claimed: effectOf(annotations),
    inputSchema: isObject(inputSchema) ? inputSchema : {},
  }
}

/** The clients of endpoints: one for each, era and abilities, for as long as its screen is there. */
export function useMcpClients(): (endpoint: Endpoint, era: Era, abilities?: Abilities) => McpClient {
  const [clients] = useState(() => new Map<string, McpClient>())
  useEffect(
    () => () => {
      for (const client of clients.values()) client.close()
      clients.clear()
    },
    [clients],
  )
  return (endpoint, era, abilities = ALL_ABILITIES) => {
    const address = consoleAddress(endpoint)
    const key = JSON.stringify([address, era, abilities])
    const client = clients.get(key) ?? createMcpClient(address, era, abilities)
    clients.set(key, client)
    return client
  }
}
