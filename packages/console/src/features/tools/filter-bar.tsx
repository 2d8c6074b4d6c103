/** The filters of the table of tools; all of them are in the address. */
import { Button, Group, Select } from '@mantine/core'
import type { SetUrlState } from '../../data/url-state.ts'
import { effectChoices } from '../../ui/effect-badge.tsx'
import { texts } from '../../texts/texts.ts'
import { isFiltered, type ToolsState, type ToolFilter } from './tool-filter.ts'
import { PickOne } from '../../parts/picker/picker.tsx'
import { TypedSearch } from '../../ui/typed-search.tsx'

const ANY = 'any'

export interface FilterBarProps {
  readonly wanted: ToolFilter
  readonly set: SetUrlState<ToolsState>
}

export function FilterBar({ wanted, set }: FilterBarProps) {
  const t = texts.tools
  return (
    <Group gap="sm" align="flex-end">
      <TypedSearch
        value={wanted.q}
        onSearch={(q) => set({ q })}
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
      <PickOne
        kind="connections"
        label={t.connection}
        placeholder={t.any.connection}
        value={wanted.connection ?? null}
        clearable
        clearButtonProps={{ 'aria-label': t.any.connection }}
        onChange={(connection) => set({ connection: connection ?? undefined })}
        style={{ flex: '1 1 9.5rem' }}
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
      {isFiltered(wanted) ? (
        <Button
          variant="subtle"
          onClick={() => set({ q: undefined, effect: undefined, connection: undefined, state: undefined })}
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
