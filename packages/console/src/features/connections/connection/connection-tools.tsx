/** The tools of one connection: what each does, which are on, and what keeps the others back. */
import { Button, Checkbox, Group, Select, Stack, Text } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { SHOWN_EFFECTS, visibleText } from '@toolway/contract'
import { listTools, type Connection, type Tool } from '@toolway/contract/admin'
import { useState } from 'react'
import { z } from 'zod'
import { useMay } from '../../../data/me.ts'
import { ask } from '../../../data/queries.ts'
import { useUrlState } from '../../../data/url-state.ts'
import { texts } from '../../../texts/texts.ts'
import { withBreaks } from '../../../ui/breaks.tsx'
import { StateBadge } from '../../../ui/badges.tsx'
import { EffectBadge, effectChoices } from '../../../ui/effect-badge.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { TextLink } from '../../../ui/links.tsx'
import { OptimisticSwitch } from '../../../ui/optimistic-switch.tsx'
import { column, Table } from '../../../ui/table.tsx'
import { SearchField } from '../../../ui/search-field.tsx'
import { useSwitches, type Switches } from './connection-switches.ts'
import { usePath } from './connection-ways.tsx'

const t = texts.connection.tools
const PAGE = 100
const State = z.object({
  search: z.string().max(100).default(''),
  effect: z.enum(['', ...SHOWN_EFFECTS]).default(''),
  on: z.enum(['', 'true', 'false']).default(''),
  offset: z.coerce.number().int().min(0).default(0),
})

export function ConnectionTools({ connection }: { connection: Connection }) {
  const may = useMay('tool_configure')
  if (!may) return <Empty title={t.label} hint={texts.connection.notYours} icon="lock" />
  return <ToolList connection={connection} />
}

function ToolList({ connection }: { connection: Connection }) {
  const path = usePath(connection)
  const [{ search, effect, on, offset }, set] = useUrlState(State)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const query = {
    limit: PAGE,
    offset,
    search: search === '' ? undefined : search,
    effect: effect === '' ? undefined : effect,
    enabled: on === '' ? undefined : on,
  }
  const tools = useQuery(ask('tools', listTools, { path, query }))
  const switches = useSwitches(connection)
  const filtered = search !== '' || effect !== '' || on !== ''
  const shown = tools.data?.items ?? []
  const choose = (name: string, is: boolean) =>
    setChosen((before) => new Set(is ? [...before, name] : [...before].filter((value) => value !== name)))
  const columns = [
    column<Tool>(
      t.tool,
      (tool) => <Named tool={tool} chosen={chosen.has(tool.name)} onChoose={(is) => choose(tool.name, is)} />,
      6,
    ),
    column<Tool>(t.effect, ({ effect: does, effect_from: from }) => <EffectBadge effect={does} from={from} />, 2),
    column<Tool>(t.state, (tool) => <Held tool={tool} />, 2),
    column<Tool>(t.on, (tool) => <OneSwitch tool={tool} switches={switches} />, 1),
  ]
  return (
    <Stack gap="md">
      <Filters />
      <Bulk
        connection={connection}
        switches={switches}
        chosen={shown.filter(({ name }) => chosen.has(name))}
        shown={shown}
        onChoose={(names) => setChosen(new Set(names))}
      />
      <Table
        label={t.label}
        query={tools}
        rowKey={({ name }) => name}
        onPage={(next) => set({ offset: String(next) })}
        empty={
          filtered ? (
            <Empty title={t.noneFound} icon="search">
              <Button variant="default" onClick={() => set({ search: '', effect: '', on: '', offset: undefined })}>
                {t.showAll}
              </Button>
            </Empty>
          ) : (
            <Empty title={t.none} hint={t.noneHint} icon="tools" />
          )
        }
        columns={columns}
      />
    </Stack>
  )
}

function Filters() {
  const [{ search, effect, on }, set] = useUrlState(State)
  const [typed, setTyped] = useState(search)
  const later = useDebouncedCallback((text: string) => set({ search: text, offset: undefined }), 250)
  return (
    <Group gap="sm" align="flex-end">
      <SearchField
        label={t.search}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          later(event.currentTarget.value)
        }}
        style={{ flex: '2 1 14rem' }}
      />
      <Select
        label={t.effect}
        data={[{ value: '', label: t.all }, ...effectChoices().map(([value, label]) => ({ value, label }))]}
        value={effect}
        allowDeselect={false}
        onChange={(next) => set({ effect: next as '', offset: undefined })}
        style={{ flex: '1 1 9rem' }}
      />
      <Select
        label={t.state}
        data={[
          { value: '', label: t.all },
          { value: 'true', label: t.isOn },
          { value: 'false', label: t.isOff },
        ]}
        value={on}
        allowDeselect={false}
        onChange={(next) => set({ on: next as '', offset: undefined })}
        style={{ flex: '1 1 9rem' }}
      />
    </Group>
  )
}

interface BulkProps {
  readonly connection: Connection
  readonly switches: Switches
  readonly chosen: readonly Tool[]
  readonly shown: readonly Tool[]
  readonly onChoose: (names: readonly string[]) => void
}

function Bulk({ connection, switches, chosen, shown, onChoose }: BulkProps) {
  const all = shown.length > 0 && chosen.length === shown.length
  return (
    <Group justify="space-between" gap="sm">
      <Checkbox
        label={chosen.length === 0 ? t.choose : t.chosen({ count: chosen.length })}
        checked={all}
        indeterminate={chosen.length > 0 && !all}
        disabled={shown.length === 0}
        onChange={() => onChoose(all ? [] : shown.map(({ name }) => name))}
      />
      {chosen.length > 0 ? (
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            disabled={switches.busy}
            onClick={() => void switches.several(chosen, true)}
          >
            {t.chosenOn}
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={switches.busy}
            onClick={() => void switches.several(chosen, false)}
          >
            {t.chosenOff}
          </Button>
        </Group>
      ) : (
        <Group gap="xs">
          <Text size="sm" c="dimmed">
            {connection.tools_enabled ? t.laterOn : t.laterOff}
          </Text>
          <Group gap="xs" wrap="nowrap">
            <Button size="xs" variant="default" disabled={switches.busy} onClick={() => switches.all(true)}>
              {t.allOn}
            </Button>
            <Button size="xs" variant="default" disabled={switches.busy} onClick={() => switches.all(false)}>
              {t.allOff}
            </Button>
          </Group>
        </Group>
      )}
    </Group>
  )
}

function Named({ tool, chosen, onChoose }: { tool: Tool; chosen: boolean; onChoose: (is: boolean) => void }) {
  const mayCall = useMay('tool_call')
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <Checkbox
        checked={chosen}
        aria-label={t.chooseOne({ name: tool.name })}
        mt={2}
        onChange={(event) => onChoose(event.currentTarget.checked)}
      />
      <Stack gap={2} style={{ minWidth: 0 }}>
        {mayCall && tool.enabled && tool.hidden_by === null ? (
          <TextLink to="/playground" search={{ tool: tool.joined_name }}>
            {tool.name}
          </TextLink>
        ) : (
          <Text className="breakable">{withBreaks(tool.name)}</Text>
        )}
        <Text size="sm" c="dimmed" lineClamp={2} className="breakable">
          {visibleText(tool.description ?? tool.title ?? t.noDescription)}
        </Text>
      </Stack>
    </Group>
  )
}

/** The reason why a tool is not listed, and the approval that it needs before it runs. */
function Held({ tool: { hidden_by: hidden, rule, approval } }: { tool: Tool }) {
  return (
    <Stack gap={4} align="flex-start">
      {hidden === null ? (
        <StateBadge tone="good">{t.offered}</StateBadge>
      ) : (
        <StateBadge tone={hidden === 'hold' ? 'warn' : 'off'}>{t.hidden[hidden]}</StateBadge>
      )}
      {hidden === 'hold' ? (
        <TextLink to="." search={{ tab: 'changes' }}>
          {t.lookAtIt}
        </TextLink>
      ) : null}
      {rule === null ? null : (
        <Text size="sm" className="breakable">
          {t.rule({ action: rule.action, reason: rule.reason })}
        </Text>
      )}
      {approval === 'none' ? null : (
        <Text size="sm" c="dimmed">
          {t.approvals[approval]}
        </Text>
      )}
    </Stack>
  )
}

function OneSwitch({ tool, switches }: { tool: Tool; switches: Switches }) {
  return (
    <OptimisticSwitch
      checked={tool.enabled}
      disabled={switches.busy}
      aria-label={t.switchOne({ name: tool.name })}
      onSet={(on) => switches.several([tool], on)}
    />
  )
}
