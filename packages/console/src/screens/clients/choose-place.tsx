/** The choice of the tools that the client gets: all, those of a toolset, or those of one connection. */
import { Text } from '@mantine/core'
import { listToolsets } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useMay, useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { PickMixed } from '../../parts/picker/picker.tsx'
import { texts } from '../../texts/texts.ts'
import type { McpEndpoint } from './place.ts'
import { Part } from './part.tsx'

const ALL = 'all'
/** It is all of them, under another address. */
const SUPPLIED = 'default'

interface ChoosePlaceProps {
  readonly place: McpEndpoint
  readonly onChoose: (place: McpEndpoint) => void
}

export function ChoosePlace({ place, onChoose }: ChoosePlaceProps) {
  const organization = useOrganization()
  const path = { organization }
  const mayList = useMay('tool_configure')
  const toolsets = useQuery({ ...ask('toolsets', listToolsets, { path }), enabled: mayList })
  const t = texts.clients.place
  const known = (toolsets.data?.items ?? []).filter(({ slug }) => slug !== SUPPLIED)
  const named = place.kind === 'toolset' && known.every(({ slug }) => slug !== place.toolset) ? [place.toolset] : []
  const fixed = [
    { group: '', items: [{ value: ALL, label: t.all }] },
    {
      group: t.toolsets,
      items: [
        ...known.map(({ slug, title, tools }) => ({ value: `t ${slug}`, label: t.toolset({ title, tools }) })),
        ...named.map((slug) => ({ value: `t ${slug}`, label: slug })),
      ],
    },
  ]
  return (
    <Part title={t.title}>
      <PickMixed
        label={t.label}
        value={valueOf(place)}
        labelOf={(value) => value.slice(2)}
        fixed={fixed}
        sources={[{ kind: 'connections', group: t.connections, wordOf: (alias) => `c ${alias}` }]}
        onChange={(value) => onChoose(placeIn(value))}
      />
      <Text size="sm" c="dimmed">
        {t.hints[place.kind]}
      </Text>
    </Part>
  )
}

const valueOf = (place: McpEndpoint): string =>
  place.kind === 'all' ? ALL : place.kind === 'toolset' ? `t ${place.toolset}` : `c ${place.connection}`

function placeIn(value: string): McpEndpoint {
  const [kind, name = ''] = value.split(' ')
  if (kind === 't') return { kind: 'toolset', toolset: name }
  return kind === 'c' ? { kind: 'connection', connection: name } : { kind: 'all' }
}
