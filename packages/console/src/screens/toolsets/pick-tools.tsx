/** Which tools are in a toolset: one by one, those that are shown, or a connection at a time. */
import { Button, Checkbox, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { type OrganizationTool } from '@toolway/contract/admin'
import type { UseQueryResult } from '@tanstack/react-query'
import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { z } from 'zod'
import { useUrlState } from '../../data/url-state.ts'
import { texts } from '../../texts/texts.ts'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LinkButton } from '../../ui/links.tsx'
import { count } from '../../ui/times.ts'
import { Connections, Patterns } from './pick-connections.tsx'
import { PickTable } from './pick-table.tsx'
import { ALL, drop, NONE, selects, take, type Selected } from './selection.ts'
import { ToolEditor } from './tool-editor.tsx'
import type { Drafting } from './use-draft.ts'

const Shown = z.object({
  q: z.string().default(''),
  effect: z.enum(['any', 'read', 'write', 'destructive']).default('any'),
  in: z.enum(['any', 'in', 'out']).default('any'),
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
  const q = useDeferredValue(typed).trim().toLowerCase()
  const { settings } = drafting.draft
  const tools = query.data?.items ?? NO_TOOLS
  const isIn = useMemo(() => selects(settings), [settings])
  const chosen = useMemo(() => tools.filter(isIn), [tools, isIn])
  const { effect, in: wanted } = state
  const shown = useMemo(
    () =>
      tools.filter(
        (tool) =>
          (effect === 'any' || tool.effect === effect) &&
          (wanted === 'any' || isIn(tool) === (wanted === 'in')) &&
          (q === '' ||
            [tool.joined_name, tool.title, tool.description].some((text) => text?.toLowerCase().includes(q))),
      ),
    [tools, effect, wanted, isIn, q],
  )
  // The table is made once: it asks for what stands now, when something is clicked.
  const latest = useRef({ drafting, tools })
  useEffect(() => {
    latest.current = { drafting, tools }
  })
  const select = useCallback((change: (before: Selected, known: readonly OrganizationTool[]) => Selected) => {
    const { drafting: now, tools: known } = latest.current
    const { connections: _, ...rest } = now.draft.settings
    now.set({ ...rest, ...change(now.draft.settings, known) })
  }, [])
  const onTake = useCallback(
    (tool: OrganizationTool, on: boolean) =>
      select((before, known) => (on ? take(before, [tool], known) : drop(before, [tool]))),
    [select],
  )
  const onEdit = useCallback((tool: string) => set({ tool }, 'push'), [set])
  const t = texts.toolsets
  if (query.data !== undefined && tools.length === 0)
    return (
      <Empty title={t.noneYet.title} hint={t.noneYet.hint} icon="tools">
        <LinkButton to="/connections/new">{t.noneYet.action}</LinkButton>
      </Empty>
    )
  const tokens = chosen.reduce((sum, tool) => sum + tool.tokens, 0)
  return (
    <Stack>
      <Group justify="space-between" gap="sm">
        <Text fw={600} aria-live="polite">
          {t.pick.chosen(count(chosen.length), count(tools.length), count(tokens))}
        </Text>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={() => select(() => strip(ALL))}>
            {t.pick.all}
          </Button>
          <Button size="xs" variant="default" onClick={() => select(() => strip(NONE))}>
            {t.pick.none}
          </Button>
        </Group>
      </Group>
      <Connections tools={tools} isIn={isIn} select={select} />
      <Group gap="sm" align="flex-end">
        <TextInput
          label={texts.tools.search}
          placeholder={texts.tools.searchHint}
          value={typed}
          leftSection={<Icon name="search" size={16} />}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          onBlur={() => set({ q: typed })}
          style={{ flex: '3 1 14rem' }}
        />
        <Select
          label={texts.tools.effect}
          value={effect}
          allowDeselect={false}
          data={[
            { value: 'any', label: texts.tools.any.effect },
            ...Object.entries(texts.effects).map(([value, label]) => ({ value, label })),
          ]}
          onChange={(next) => set({ effect: next as typeof effect })}
          style={{ flex: '1 1 8.5rem' }}
        />
        <Select
          label={t.pick.in}
          value={wanted}
          allowDeselect={false}
          data={Object.entries(t.pick.ins).map(([value, label]) => ({ value, label }))}
          onChange={(next) => set({ in: next as typeof wanted })}
          style={{ flex: '1 1 8.5rem' }}
        />
      </Group>
      <Group gap="xs">
        <Checkbox
          label={(shown.every(isIn) ? t.pick.dropShown : t.pick.takeShown)(count(shown.length))}
          checked={shown.length > 0 && shown.every(isIn)}
          indeterminate={shown.some(isIn) && !shown.every(isIn)}
          disabled={shown.length === 0}
          onChange={({ currentTarget: { checked } }) =>
            select((before, known) => (checked ? take(before, shown, known) : drop(before, shown)))
          }
        />
      </Group>
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

/** A list of connections does not outlive what was said of all tools. */
const strip = ({ include, exclude }: Selected): Selected => ({ include: [...include], exclude: [...exclude] })
