/** The toolset that a new key is bound to: the supplied ones and those of the organization, or every one. */
import { Select } from '@mantine/core'
import { listToolsets } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useMay } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { texts } from '../../texts/texts.ts'

interface KeyToolsetProps {
  readonly organization: string
  readonly value: string | undefined
  readonly onChange: (toolset: string | undefined) => void
}

export function KeyToolset({ organization, value, onChange }: KeyToolsetProps) {
  const may = useMay('tool_configure')
  const toolsets = useQuery({ ...ask('toolsets', listToolsets, { path: { organization } }), enabled: may })
  const t = texts.keys.make
  if (!may) return null
  return (
    <Select
      label={t.toolset}
      description={t.toolsetHint}
      placeholder={t.everyToolset}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
      data={(toolsets.data?.items ?? []).map(({ slug, title }) => ({ value: slug, label: `${title} (${slug})` }))}
      clearable
    />
  )
}
