/** The filters of the table of tools; all of them are in the address. */
import { Button, Group, Select } from '@mantine/core'
import type { OrganizationTool } from '@toolway/contract/admin'
import { useMemo } from 'react'
import type { SetUrlState } from '../../data/url-state.ts'
import { effectChoices } from '../../ui/effect-badge.tsx'
import { texts } from '../../texts/texts.ts'
import { isFiltered, type ToolsState, type ToolFilter } from './tool-filter.ts'
import { SearchField } from '../../ui/search-field.tsx'

const ANY = 'any'

export interface FilterBarProps {
  readonly tools: readonly OrganizationTool[]
  readonly wanted: ToolFilter
  readonly set: SetUrlState<ToolsState>
  /** The current text of the field; the address follows a moment later. */
  readonly typed: string
  readonly onType: (text: string) => void
}

export function FilterBar({ tools, wanted, set, typed, onType }: FilterBarProps) {
  const t = texts.tools
  const aliases = useMemo(() => [...new Set(tools.map(({ alias }) => alias))].toSorted(), [tools])
  return (
    <Group gap="sm" align="flex-end">
      <SearchField
        value={typed}
        onChange={({ currentTarget }) => onType(currentTarget.value)}
        label={t.search}
        placeholder={t.searchHint}
        style={{ flex: '3 1 14rem' }}
      />
      <Pick
        label={t.effect}
        value={wanted.effect}
        any={t.any.effect}
        options={effectChoices()}
        onChange={(effect) => set({ effect: effect as ToolsState['effect'] })}
      />
      <Pick
        label={t.connection}
        value={wanted.connection}
        any={t.any.connection}
        options={aliases.map((alias) => [alias, alias])}
        onChange={(connection) => set({ connection })}
      />
      <Pick
        label={t.state}
        value={wanted.state}
        any={t.any.state}
        options={Object.entries(t.states)}
        onChange={(state) => set({ state: state as ToolsState['state'] })}
      />
      <Pick
        label={t.sort}
        value={wanted.sort}
        options={Object.entries(t.sorts)}
        onChange={(sort) => set({ sort: sort as ToolsState['sort'] })}
      />
      {isFiltered({ ...wanted, q: typed }) ? (
        <Button
          variant="subtle"
          onClick={() => {
            onType('')
            set({ q: undefined, effect: undefined, connection: undefined, state: undefined })
          }}
        >
          {t.clearFilter}
        </Button>
      ) : null}
    </Group>
  )
}

interface PickProps {
  readonly label: string
  readonly value: string | undefined
  readonly any?: string
  readonly options: readonly (readonly [string, string])[]
  readonly onChange: (value: string | undefined) => void
}

function Pick({ label, value, any, options, onChange }: PickProps) {
  const data = options.map(([option, name]) => ({ value: option, label: name }))
  return (
    <Select
      label={label}
      value={value ?? ANY}
      data={any === undefined ? data : [{ value: ANY, label: any }, ...data]}
      onChange={(next) => onChange(next === ANY || next === null ? undefined : next)}
      allowDeselect={false}
      searchable={options.length > 12}
      style={{ flex: '1 1 9.5rem' }}
    />
  )
}
