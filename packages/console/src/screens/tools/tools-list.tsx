/** The filter, the selection and the table of tools, and what can be done with those that are selected. */
import { Button, Checkbox, Group, Paper, Stack, Text } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import type { OrganizationTool } from '@toolway/contract/admin'
import type { UseQueryResult } from '@tanstack/react-query'
import { useCallback, useDeferredValue, useMemo, useState } from 'react'
import type { SetUrlState } from '../../data/url-state.ts'
import { texts } from '../../texts/texts.ts'
import { Empty } from '../../ui/empty.tsx'
import { LinkButton } from '../../ui/links.tsx'
import { count } from '../../ui/times.ts'
import { FilterBar } from './filter-bar.tsx'
import { shownTools, tokensOf, type ToolsState } from './tool-filter.ts'
import { ToolsTable } from './tools-table.tsx'
import { useSwitching } from './use-switching.ts'

interface ToolsListProps {
  readonly query: UseQueryResult<{ readonly items: readonly OrganizationTool[] }>
  /** Those that connections are offered by. */
  readonly everything: readonly OrganizationTool[] | undefined
  readonly state: ToolsState
  readonly set: SetUrlState<ToolsState>
}

const NONE: readonly OrganizationTool[] = []
const NOBODY: ReadonlySet<string> = new Set()
/** Milliseconds after a key until the address says what was typed. */
const ADDRESS_MS = 250

export function ToolsList({ query, everything = NONE, state, set }: ToolsListProps) {
  const [typed, setTyped] = useState(state.q)
  const remember = useDebouncedCallback((q: string) => set({ q }), ADDRESS_MS)
  const q = useDeferredValue(typed)
  const { effect, connection, state: plight, sort } = state
  const wanted = useMemo(() => ({ q, effect, connection, state: plight, sort }), [q, effect, connection, plight, sort])
  const tools = query.data?.items
  const shown = useMemo(() => (tools === undefined ? undefined : shownTools(tools, wanted)), [tools, wanted])
  const [selected, setSelected] = useState(NOBODY)
  const { set: switchTools, busy } = useSwitching()
  const onSwitch = useCallback((tool: OrganizationTool, on: boolean) => switchTools([tool], on), [switchTools])
  const onOpen = useCallback((tool: string) => set({ tool }, 'push'), [set])
  const onSelect = useCallback((name: string, on: boolean) => {
    setSelected((before) => {
      const next = new Set(before)
      if (on) next.add(name)
      else next.delete(name)
      return next
    })
  }, [])
  return (
    <Stack style={{ '--toolway-table-top': 'calc(var(--app-shell-header-height) + 50px)' }}>
      <FilterBar
        tools={everything}
        wanted={wanted}
        set={set}
        typed={typed}
        onType={(text) => {
          setTyped(text)
          remember(text)
        }}
      />
      <Selection
        tools={tools ?? NONE}
        shown={shown ?? NONE}
        selected={selected}
        busy={busy}
        onSelect={setSelected}
        onSwitch={switchTools}
      />
      <ToolsTable
        query={query}
        tools={shown}
        selected={selected}
        onSelect={onSelect}
        onSwitch={onSwitch}
        onOpen={onOpen}
        empty={<Nothing any={(tools?.length ?? 0) > 0} />}
      />
    </Stack>
  )
}

interface SelectionProps {
  readonly tools: readonly OrganizationTool[]
  readonly shown: readonly OrganizationTool[]
  readonly selected: ReadonlySet<string>
  readonly busy: boolean
  readonly onSelect: (names: ReadonlySet<string>) => void
  readonly onSwitch: (tools: readonly OrganizationTool[], on: boolean) => Promise<void>
}

function Selection({ tools, shown, selected, busy, onSelect, onSwitch }: SelectionProps) {
  const t = texts.tools
  const chosen = useMemo(() => tools.filter(({ joined_name: name }) => selected.has(name)), [tools, selected])
  const here = useMemo(() => shown.filter(({ joined_name: name }) => selected.has(name)).length, [shown, selected])
  if (tools.length === 0) return null
  return (
    <Paper withBorder px="md" py="xs" style={{ position: 'sticky', top: 'var(--app-shell-header-height)', zIndex: 2 }}>
      <Group justify="space-between" gap="xs" mih={32}>
        <Checkbox
          label={t.selectAll({ number: count(shown.length) })}
          checked={shown.length > 0 && here === shown.length}
          indeterminate={here > 0 && here < shown.length}
          onChange={({ currentTarget }) =>
            onSelect(currentTarget.checked ? new Set(shown.map(({ joined_name: name }) => name)) : NOBODY)
          }
        />
        {chosen.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t.shown({ number: count(shown.length), total: count(tools.length) })}
          </Text>
        ) : (
          <Group gap="xs">
            <Text size="sm" aria-live="polite">
              {t.selected({ number: count(chosen.length), tokens: count(tokensOf(chosen)) })}
            </Text>
            <Button size="xs" loading={busy} onClick={() => void onSwitch(chosen, true)}>
              {t.switchOn}
            </Button>
            <Button size="xs" loading={busy} variant="default" onClick={() => void onSwitch(chosen, false)}>
              {t.switchOff}
            </Button>
            <Button size="xs" variant="subtle" onClick={() => onSelect(NOBODY)}>
              {t.clear}
            </Button>
          </Group>
        )}
      </Group>
    </Paper>
  )
}

function Nothing({ any }: { any: boolean }) {
  const t = texts.tools
  if (any) return <Empty title={t.noneFit.title} hint={t.noneFit.hint} icon="search" />
  return (
    <Empty title={t.none.title} hint={t.none.hint} icon="tools">
      <LinkButton to="/connections/new">{t.none.action}</LinkButton>
    </Empty>
  )
}
