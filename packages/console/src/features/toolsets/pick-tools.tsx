/** The tools in a toolset, picked one by one, as shown, or by connection. The gateway finds and counts them. */
import { Button, Checkbox, Group, Select, Stack, Text } from '@mantine/core'
import { ALL_TOOLS, NO_TOOLS, SHOWN_EFFECTS, selects } from '@toolway/contract'
import { pickTools } from '@toolway/contract/admin'
import { useCallback, useMemo } from 'react'
import { z } from 'zod'
import { useOrganization } from '../../data/me.ts'
import { usePages } from '../../data/pages.ts'
import { useUrlState } from '../../data/url-state.ts'
import { PickOne } from '../../parts/picker/picker.tsx'
import { texts } from '../../texts/texts.ts'
import { effectChoices } from '../../ui/effect-badge.tsx'
import { Empty } from '../../ui/empty.tsx'
import { LinkButton } from '../../ui/links.tsx'
import { count } from '../../ui/times.ts'
import { TypedSearch } from '../../ui/typed-search.tsx'
import { Connections, Patterns } from './pick-connections.tsx'
import { PickTable } from './pick-table.tsx'
import { ToolEditor } from './tool-editor.tsx'
import type { Drafting } from './use-draft.ts'
import { selectionOf, useSelection, type SelectionChanges } from './use-selection.ts'

const Shown = z.object({
  q: z.string().default(''),
  effect: z.enum(['any', ...SHOWN_EFFECTS]).default('any'),
  in: z.enum(['any', 'in', 'out']).default('any'),
  /** Alias of the connection whose tools are shown. */
  connection: z.string().optional(),
  /** The name of the tool that is edited, by which rules know it. */
  tool: z.string().optional(),
})
type Filter = z.output<typeof Shown>
type Picked = z.output<(typeof pickTools)['answer']>

const filterOf = ({ q, effect, in: requested, connection }: Filter) => ({
  ...(q.trim() === '' ? {} : { search: q.trim() }),
  ...(effect === 'any' ? {} : { effect }),
  ...(connection === undefined ? {} : { connection }),
  ...(requested === 'any' ? {} : { selected: requested === 'in' }),
})

export function PickTools({ drafting }: { drafting: Drafting }) {
  const organization = useOrganization()
  const [state, set] = useUrlState(Shown)
  const { settings } = drafting.draft
  const filter = filterOf(state)
  const body = { ...filter, selection: selectionOf(settings) }
  const pages = usePages('tools', pickTools, { path: { organization }, body })
  const isIn = useMemo(() => selects(settings), [settings])
  const change = useSelection(drafting)
  const onEdit = useCallback((tool: string) => set({ tool }, 'push'), [set])
  const { data } = pages
  if (data?.chosen.of === 0) {
    const { title, hint, action } = texts.toolsets.noneYet
    return (
      <Empty title={title} hint={hint} icon="tools">
        <LinkButton to="/connections/new">{action}</LinkButton>
      </Empty>
    )
  }
  return (
    <Stack>
      <Chosen page={data} change={change} />
      <Connections settings={settings} change={change} />
      <Filters state={state} set={set} />
      <TakeShown page={data} filter={filter} change={change} old={pages.isOld} />
      <PickTable
        query={pages}
        total={data?.total}
        tools={data?.items}
        onMore={pages.onMore}
        settings={settings}
        isIn={isIn}
        onTake={change.one}
        onEdit={onEdit}
      />
      <Patterns settings={settings} />
      <ToolEditor name={state.tool} drafting={drafting} onClose={() => set({ tool: undefined })} />
    </Stack>
  )
}

interface ChosenProps {
  readonly page: Picked | undefined
  readonly change: SelectionChanges
}

/** How many tools are in, and buttons for all and none. */
function Chosen({ page, change }: ChosenProps) {
  const t = texts.toolsets.pick
  const { tools = 0, tokens = 0, of = 0 } = page?.chosen ?? {}
  return (
    <Group justify="space-between" gap="sm">
      <Text fw={600} aria-live="polite">
        {page === undefined ? null : t.chosen({ chosen: count(tools), total: count(of), tokens: count(tokens) })}
      </Text>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={() => change.put(ALL_TOOLS)}>
          {t.all}
        </Button>
        <Button size="xs" variant="default" onClick={() => change.put(NO_TOOLS)}>
          {t.none}
        </Button>
      </Group>
    </Group>
  )
}

interface FiltersProps {
  readonly state: Filter
  readonly set: (change: Partial<Filter>) => void
}

function Filters({ state, set }: FiltersProps) {
  return (
    <Group gap="sm" align="flex-end">
      <TypedSearch
        label={texts.tools.search}
        placeholder={texts.tools.searchHint}
        value={state.q}
        onSearch={(q) => set({ q })}
        style={{ flex: '3 1 14rem' }}
      />
      <PickOne
        kind="connections"
        label={texts.tools.connection}
        placeholder={texts.tools.any.connection}
        value={state.connection ?? null}
        clearable
        clearButtonProps={{ 'aria-label': texts.tools.any.connection }}
        onChange={(next) => set({ connection: next ?? undefined })}
        style={{ flex: '1 1 8.5rem' }}
      />
      <Select
        label={texts.tools.effect}
        value={state.effect}
        allowDeselect={false}
        data={[
          { value: 'any', label: texts.tools.any.effect },
          ...effectChoices().map(([value, label]) => ({ value, label })),
        ]}
        onChange={(next) => set({ effect: next as Filter['effect'] })}
        style={{ flex: '1 1 8.5rem' }}
      />
      <Select
        label={texts.toolsets.pick.in}
        value={state.in}
        allowDeselect={false}
        data={Object.entries(texts.toolsets.pick.ins).map(([value, label]) => ({ value, label }))}
        onChange={(next) => set({ in: next as Filter['in'] })}
        style={{ flex: '1 1 8.5rem' }}
      />
    </Group>
  )
}

interface TakeShownProps extends ChosenProps {
  readonly filter: ReturnType<typeof filterOf>
  /** Whether the counts are still those of another filter. */
  readonly old: boolean
}

/** One box that takes or drops all tools that fit the filter, on whichever page. */
function TakeShown({ page, filter, change, old }: TakeShownProps) {
  const t = texts.toolsets.pick
  const { total = 0, selected = 0 } = page ?? {}
  const all = total > 0 && selected === total
  return (
    <Group gap="xs">
      <Checkbox
        label={all ? t.dropShown({ number: count(total) }) : t.takeShown({ number: count(total) })}
        checked={all}
        indeterminate={selected > 0 && !all}
        disabled={total === 0 || old || change.busy}
        onChange={({ currentTarget: { checked } }) => change.many({ take: checked, filter })}
      />
    </Group>
  )
}
