/** The filter, the selection and the table of tools, and what can be done with those that are selected. */
import { Button, Checkbox, Group, Paper, Stack, Text } from '@mantine/core'
import { listAllTools, type OrganizationTool } from '@toolway/contract/admin'
import { useMutation } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import type { z } from 'zod'
import { useOrganization } from '../../data/me.ts'
import { readAll, type Pages } from '../../data/pages.ts'
import type { SetUrlState } from '../../data/url-state.ts'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { Empty } from '../../ui/empty.tsx'
import { LinkButton } from '../../ui/links.tsx'
import { count } from '../../ui/times.ts'
import { FilterBar } from './filter-bar.tsx'
import { queryOf, tokensOf, type ToolsState } from './tool-filter.ts'
import { ToolsTable } from './tools-table.tsx'
import { useSwitching } from './use-switching.ts'

type ToolPage = z.output<(typeof listAllTools)['answer']>

interface ToolsListProps {
  readonly pages: Pages<ToolPage>
  readonly state: ToolsState
  readonly set: SetUrlState<ToolsState>
}

const NONE: readonly OrganizationTool[] = []
const NOBODY: ReadonlyMap<string, OrganizationTool> = new Map()

export function ToolsList({ pages, state, set }: ToolsListProps) {
  const tools = pages.data?.items
  // With the rows themselves: what is selected stays so when the filter shows others.
  const [selected, setSelected] = useState(NOBODY)
  const { set: switchTools, busy } = useSwitching()
  const onSwitch = useCallback((tool: OrganizationTool, on: boolean) => switchTools([tool], on), [switchTools])
  const onOpen = useCallback((tool: string) => set({ tool }, 'push'), [set])
  const onSelect = useCallback((tool: OrganizationTool, on: boolean) => {
    setSelected((before) => {
      const next = new Map(before)
      if (on) next.set(tool.joined_name, tool)
      else next.delete(tool.joined_name)
      return next
    })
  }, [])
  return (
    <Stack style={{ '--toolway-table-top': 'calc(var(--app-shell-header-height) + 50px)' }}>
      <FilterBar wanted={state} set={set} />
      <Selection
        page={pages.data}
        state={state}
        selected={selected}
        busy={busy || pages.isOld}
        onSelect={setSelected}
        onSwitch={switchTools}
      />
      <ToolsTable
        query={pages}
        page={pages.data}
        tools={tools}
        onMore={pages.onMore}
        selected={selected}
        onSelect={onSelect}
        onSwitch={onSwitch}
        onOpen={onOpen}
        empty={<Nothing any={(pages.data?.all ?? 0) > 0} />}
      />
    </Stack>
  )
}

interface SelectionProps {
  readonly page: ToolPage | undefined
  readonly state: ToolsState
  readonly selected: ReadonlyMap<string, OrganizationTool>
  readonly busy: boolean
  readonly onSelect: (tools: ReadonlyMap<string, OrganizationTool>) => void
  readonly onSwitch: (tools: readonly OrganizationTool[], on: boolean) => Promise<void>
}

/** All that fit the filter are selected, also those on pages that nobody has scrolled to: they are read first. */
function Selection({ page, state, selected, busy, onSelect, onSwitch }: SelectionProps) {
  const organization = useOrganization()
  const t = texts.tools
  const shown = page?.items ?? NONE
  const here = shown.filter(({ joined_name: name }) => selected.has(name)).length
  const { mutate, isPending } = useMutation({
    mutationFn: () => readAll(listAllTools, { path: { organization }, query: queryOf(state) }),
    onSuccess: (all) => onSelect(new Map(all.map((tool) => [tool.joined_name, tool]))),
    onError: sayProblem,
  })
  if (page === undefined || page.all === 0) return null
  const fresh = new Map(shown.map((tool) => [tool.joined_name, tool]))
  const chosen = [...selected.values()].map((tool) => fresh.get(tool.joined_name) ?? tool)
  const onSwitchChosen = async (on: boolean) => {
    await onSwitch(chosen, on)
    // How those stand that are on no loaded page is not known any more.
    if (chosen.some(({ joined_name: name }) => !fresh.has(name))) onSelect(NOBODY)
  }
  return (
    <Paper withBorder px="md" py="xs" style={{ position: 'sticky', top: 'var(--app-shell-header-height)', zIndex: 2 }}>
      <Group justify="space-between" gap="xs" mih={32}>
        <Checkbox
          label={t.selectAll({ number: count(page.total) })}
          checked={isPending || (shown.length > 0 && here === shown.length && selected.size >= page.total)}
          indeterminate={!isPending && here > 0 && selected.size < page.total}
          disabled={isPending || page.total === 0}
          onChange={({ currentTarget }) => (currentTarget.checked ? mutate() : onSelect(NOBODY))}
        />
        {chosen.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t.shown({ number: count(page.total), total: count(page.all) })}
          </Text>
        ) : (
          <Group gap="xs">
            <Text size="sm" aria-live="polite">
              {t.selected({ number: count(chosen.length), tokens: count(tokensOf(chosen)) })}
            </Text>
            <Button size="xs" loading={busy} onClick={() => void onSwitchChosen(true)}>
              {t.switchOn}
            </Button>
            <Button size="xs" loading={busy} variant="default" onClick={() => void onSwitchChosen(false)}>
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
