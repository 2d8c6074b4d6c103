/** Where a tool can be called: everything at once, one connection, one toolset. As a word for a choice, and back. */
import { listToolsets } from '@toolway/contract/admin'
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

/** The places of which there are few; connections are found by typing. */
export function useFixedPlaces(): PlaceGroup[] {
  const path = { organization: useOrganization() }
  // Users who configure tools may list toolsets; others know their toolset by its address.
  const may = useMay('tool_configure')
  const toolsets = useQuery({ ...ask('toolsets', listToolsets, { path }), enabled: may })
  const t = texts.playground
  const items = (toolsets.data?.items ?? [])
    .filter(({ slug }) => slug !== 'default')
    .map(({ slug, title }) => ({ value: placeWord({ connection: undefined, toolset: slug }), label: title }))
  return [
    { group: t.everything, items: [{ value: ALL, label: t.all }] },
    ...(items.length === 0 ? [] : [{ group: t.toolsets, items }]),
  ]
}
