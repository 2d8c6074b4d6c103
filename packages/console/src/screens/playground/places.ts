/** Where a tool can be called: everything at once, one connection, one toolset. As a word for a choice, and back. */
import { listConnections, listToolsets } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useMay, useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import type { Endpoint } from '../../parts/call/endpoint.ts'
import { texts } from '../../texts/texts.ts'

export interface PlaceGroup {
  readonly group: string
  readonly items: { readonly value: string; readonly label: string }[]
}

export const ALL = 'all'

export const placeWord = ({ connection, toolset }: Pick<Endpoint, 'connection' | 'toolset'>): string =>
  connection !== undefined ? `connection:${connection}` : toolset !== undefined ? `toolset:${toolset}` : ALL

export function placeOf(word: string): Pick<Endpoint, 'connection' | 'toolset'> {
  const [kind, name] = word.split(':', 2)
  if (name === undefined) return { connection: undefined, toolset: undefined }
  return kind === 'connection' ? { connection: name, toolset: undefined } : { connection: undefined, toolset: name }
}

/** @param chosen what the address names, which is offered even where it is not listed */
export function usePlaces(chosen: Pick<Endpoint, 'connection' | 'toolset'>): PlaceGroup[] {
  const path = { organization: useOrganization() }
  const connections = useQuery(ask('connections', listConnections, { path, query: { limit: 200 } }))
  // Users who configure tools may list toolsets; others know their toolset by its address.
  const may = useMay('tool_configure')
  const toolsets = useQuery({ ...ask('toolsets', listToolsets, { path }), enabled: may })
  const t = texts.playground
  const groups = [
    {
      group: t.connections,
      items: (connections.data?.items ?? []).map(({ alias, title }) => ({
        value: placeWord({ connection: alias, toolset: undefined }),
        label: title,
      })),
    },
    {
      group: t.toolsets,
      items: (toolsets.data?.items ?? [])
        .filter(({ slug }) => slug !== 'default')
        .map(({ slug, title }) => ({ value: placeWord({ connection: undefined, toolset: slug }), label: title })),
    },
  ]
  const word = placeWord(chosen)
  const known = word === ALL || groups.some(({ items }) => items.some(({ value }) => value === word))
  const named = known ? [] : [{ value: word, label: chosen.connection ?? chosen.toolset ?? '' }]
  return [
    { group: t.everything, items: [{ value: ALL, label: t.all }, ...named] },
    ...groups.filter(({ items }) => items.length > 0),
  ]
}
