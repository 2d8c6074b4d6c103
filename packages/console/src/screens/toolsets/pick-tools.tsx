/** The tools in a toolset, picked one by one, as shown, or by connection. */
import { Button, Checkbox, Group, Select, Stack, Text } from '@mantine/core'
import { SHOWN_EFFECTS, shownEffectOf } from '@toolway/contract'
import { type OrganizationTool } from '@toolway/contract/admin'
import type { UseQueryResult } from '@tanstack/react-query'
import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { z } from 'zod'
import { useUrlState } from '../../data/url-state.ts'
import { effectChoices } from '../../ui/effect-badge.tsx'
import { texts } from '../../texts/texts.ts'
import { Empty } from '../../ui/empty.tsx'
import { LinkButton } from '../../ui/links.tsx'
import { count } from '../../ui/times.ts'
import { SearchField } from '../../ui/search-field.tsx'
import { Connections, Patterns } from './pick-connections.tsx'
import { PickTable } from './pick-table.tsx'
import { ALL, drop, NONE, selects, take, type Selected } from './selection.ts'
import { ToolEditor } from './tool-editor.tsx'
import type { Drafting } from './use-draft.ts'

const Shown = z.object({
  q: z.string().default(''),
  effect: z.enum(['any', ...SHOWN_EFFECTS]).default('any'),
  in: z.enum(['any', 'in', 'out']).default('any'),
  /** Alias of the connection whose tools are shown. */
  connection: z.string().optional(),
  tool: z.string().optional(),
})

interface PickToolsProps {
  readonly query: UseQueryResult<{ readonly items: readonly OrganizationTool[] }>
  readonly drafting: Drafting
}

const NO_TOOLS: readonly OrganizationTool[] = []

export function PickTools({ query, drafting }: PickToolsProps) {
  const [state, set] = useUrlState(Shown)
  const [typed, setTyped] = useState(state.q)
  const { settings } = drafting.draft
  const tools = query.data?.items ?? NO_TOOLS
  const isIn = useMemo(() => selects(settings), [settings])
  const shown = useShown(tools, isIn, state, typed)
  const select = useSelect(drafting, tools)
  const onTake = useCallback(
    (tool: OrganizationTool, on: boolean) =>
      select((before, known) => (on ? take(before, [tool], known) : drop(before, [tool]))),
    [select],
  )
  const onEdit = useCallback((tool: string) => set({ tool }, 'push'), [set])
  if (query.data !== undefined && tools.length === 0) {
    const { title, hint, action } = texts.toolsets.noneYet
    return (
      <Empty title={title} hint={hint} icon="tools">
        <LinkButton to="/connections/new">{action}</LinkButton>
      </Empty>
    )
  }
  return (
    <Stack>
      <Chosen tools={tools} isIn={isIn} select={select} />
      <Connections tools={tools} isIn={isIn} select={select} />
      <Filters tools={tools} state={state} set={set} typed={typed} setTyped={setTyped} />
      <TakeShown shown={shown} isIn={isIn} select={select} />
      <PickTable
        query={query}
        tools={query.data === undefined ? undefined : shown}
        settings={settings}
        isIn={isIn}
        onTake={onTake}
        onEdit={onEdit}
      />
      <Patterns settings={settings} />
      <ToolEditor
        tool={tools.find(({ rule_name: name }) => name === state.tool)}
        drafting={drafting}
        onClose={() => set({ tool: undefined })}
      />
    </Stack>
  )
}

type Filter = z.output<typeof Shown>
type IsIn = (tool: OrganizationTool) => boolean
type SelectTools = (change: (before: Selected, known: readonly OrganizationTool[]) => Selected) => void

/** The tools that the filters leave. */
function useShown(
  tools: readonly OrganizationTool[],
  isIn: IsIn,
  { effect, in: wanted, connection }: Filter,
  typed: string,
) {
  const q = useDeferredValue(typed).trim().toLowerCase()
  return useMemo(
    () =>
      tools.filter(
        (tool) =>
          (effect === 'any' || shownEffectOf(tool) === effect) &&
          (connection === undefined || tool.alias === connection) &&
          (wanted === 'any' || isIn(tool) === (wanted === 'in')) &&
          (q === '' ||
            [tool.joined_name, tool.title, tool.description].some((text) => text?.toLowerCase().includes(q))),
      ),
    [tools, effect, wanted, connection, isIn, q],
  )
}

/** Changes the selection. The function stays the same, because the table is made once: it reads the latest draft when called. */
function useSelect(drafting: Drafting, tools: readonly OrganizationTool[]): SelectTools {
  const latest = useRef({ drafting, tools })
  useEffect(() => {
    latest.current = { drafting, tools }
  })
  return useCallback((change) => {
    const { drafting: now, tools: known } = latest.current
    const { connections: _, ...rest } = now.draft.settings
    now.set({ ...rest, ...change(now.draft.settings, known) })
  }, [])
}

interface SelectionProps {
  readonly isIn: IsIn
  readonly select: SelectTools
}

/** How many tools are in, and buttons for all and none. */
function Chosen({ tools, isIn, select }: SelectionProps & { readonly tools: readonly OrganizationTool[] }) {
  const t = texts.toolsets.pick
  const chosen = useMemo(() => tools.filter(isIn), [tools, isIn])
  const tokens = chosen.reduce((sum, tool) => sum + tool.tokens, 0)
  return (
    <Group justify="space-between" gap="sm">
      <Text fw={600} aria-live="polite">
        {t.chosen({ chosen: count(chosen.length), total: count(tools.length), tokens: count(tokens) })}
      </Text>
      <Group gap="xs">
        <Button size="xs" variant="default" onClick={() => select(() => strip(ALL))}>
          {t.all}
        </Button>
        <Button size="xs" variant="default" onClick={() => select(() => strip(NONE))}>
          {t.none}
        </Button>
      </Group>
    </Group>
  )
}

interface FiltersProps {
  readonly tools: readonly OrganizationTool[]
  readonly state: Filter
  readonly set: (change: Partial<Filter>) => void
  readonly typed: string
  readonly setTyped: (text: string) => void
}

function Filters({ tools, state, set, typed, setTyped }: FiltersProps) {
  // The connection of the address is among them even after it was removed: the field shows why no tool is listed.
  const aliases = useMemo(
    () =>
      [
        ...new Set([...tools.map(({ alias }) => alias), ...(state.connection === undefined ? [] : [state.connection])]),
      ].toSorted(),
    [tools, state.connection],
  )
  return (
    <Group gap="sm" align="flex-end">
      <SearchField
        label={texts.tools.search}
        placeholder={texts.tools.searchHint}
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        onBlur={() => set({ q: typed })}
        style={{ flex: '3 1 14rem' }}
      />
      <Select
        label={texts.tools.connection}
        placeholder={texts.tools.any.connection}
        value={state.connection ?? null}
        data={aliases}
        searchable
        clearable
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

/** One box that takes or drops all tools that are shown. */
function TakeShown({ shown, isIn, select }: SelectionProps & { readonly shown: readonly OrganizationTool[] }) {
  const t = texts.toolsets.pick
  const all = shown.every(isIn)
  return (
    <Group gap="xs">
      <Checkbox
        label={all ? t.dropShown({ number: count(shown.length) }) : t.takeShown({ number: count(shown.length) })}
        checked={shown.length > 0 && all}
        indeterminate={shown.some(isIn) && !all}
        disabled={shown.length === 0}
        onChange={({ currentTarget: { checked } }) =>
          select((before, known) => (checked ? take(before, shown, known) : drop(before, shown)))
        }
      />
    </Group>
  )
}

/** A list of connections does not outlive what was said of all tools. */
const strip = ({ include, exclude }: Selected): Selected => ({ include: [...include], exclude: [...exclude] })
