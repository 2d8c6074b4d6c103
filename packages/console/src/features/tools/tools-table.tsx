/** The tools that fit, to be selected, switched and opened. Only rows near the window are in the document. */
import { Anchor, Checkbox, Group, Text, Tooltip } from '@mantine/core'
import type { OrganizationTool } from '@toolway/contract/admin'
import { memo, useMemo, type ReactNode } from 'react'
import { visibleText } from '@toolway/contract'
import { texts } from '../../texts/texts.ts'
import { withBreaks } from '../../ui/breaks.tsx'
import { StateBadge, type Tone } from '../../ui/badges.tsx'
import { EffectBadge } from '../../ui/effect-badge.tsx'
import { TextLink } from '../../ui/links.tsx'
import { OptimisticSwitch } from '../../ui/optimistic-switch.tsx'
import { column, Table } from '../../ui/table.tsx'
import { count } from '../../ui/times.ts'

export interface ToolsTableProps {
  readonly query: { readonly error: Error | null; readonly isFetching: boolean; refetch(): unknown }
  /** The counts, of all pages. */
  readonly page: { readonly total: number } | undefined
  /** Undefined while nothing has come yet. */
  readonly tools: readonly OrganizationTool[] | undefined
  readonly onMore: (() => void) | undefined
  readonly selected: ReadonlyMap<string, OrganizationTool>
  readonly empty: ReactNode
  readonly onSelect: (tool: OrganizationTool, on: boolean) => void
  readonly onSwitch: (tool: OrganizationTool, on: boolean) => Promise<void>
  readonly onOpen: (name: string) => void
}

export const ToolsTable = memo(function ToolsTable(props: ToolsTableProps) {
  const { query, page, tools, onMore, selected, empty, onSelect, onSwitch, onOpen } = props
  const t = texts.tools
  const columns = useMemo(
    () => [
      column<OrganizationTool>(
        t.columns.tool,
        (tool) => <Name tool={tool} selected={selected.has(tool.joined_name)} onSelect={onSelect} onOpen={onOpen} />,
        7,
      ),
      column<OrganizationTool>(
        t.columns.effect,
        ({ effect, effect_from: from }) => <EffectBadge effect={effect} from={from} />,
        2,
      ),
      // That a tool is on is what its switch says.
      column<OrganizationTool>(t.columns.state, (tool) => (tool.hidden_by === null ? null : <State {...tool} />), 2),
      column<OrganizationTool>(t.columns.tokens, ({ tokens }) => count(tokens), 1),
      column<OrganizationTool>(
        t.columns.on,
        (tool) => (
          <OptimisticSwitch
            size="sm"
            checked={tool.enabled}
            onSet={(on) => onSwitch(tool, on)}
            aria-label={t.toggle({ name: tool.joined_name })}
            style={{ display: 'inline-block', verticalAlign: 'middle' }}
          />
        ),
        1,
      ),
    ],
    [selected, onSelect, onSwitch, onOpen, t],
  )
  return (
    <Table
      label={t.list}
      choice="tools"
      query={{ ...query, data: tools && { items: tools, total: page?.total } } as never}
      onMore={onMore}
      rowKey={({ joined_name: name }: OrganizationTool) => name}
      columns={columns}
      empty={empty}
    />
  )
})

interface NameProps extends Pick<ToolsTableProps, 'onSelect' | 'onOpen'> {
  readonly tool: OrganizationTool
  readonly selected: boolean
}

function Name({ tool, selected, onSelect, onOpen }: NameProps) {
  const { joined_name: name, title, description, marks } = tool
  const t = texts.tools
  const about = visibleText(title ?? description ?? '')
  return (
    <Group wrap="nowrap" gap="sm" align="center">
      <Checkbox
        size="xs"
        checked={selected}
        onChange={({ currentTarget }) => onSelect(tool, currentTarget.checked)}
        aria-label={t.select({ name })}
      />
      <div className="one-line" style={{ flex: 1 }}>
        <Anchor component="button" type="button" className="row-link" onClick={() => onOpen(name)}>
          {withBreaks(visibleText(name))}
        </Anchor>
        <Text size="sm" c="dimmed" component="span" className="aside" title={about}>
          {about}
        </Text>
        {marks.length === 0 ? null : (
          <Tooltip label={marks.map((mark) => t.marks[mark]).join(' ')} multiline maw={360}>
            <Text size="xs" c="dimmed" component="span" style={{ flexShrink: 0 }}>
              {t.warnings({ number: marks.length })}
            </Text>
          </Tooltip>
        )}
      </div>
    </Group>
  )
}

const TONES: Readonly<Record<NonNullable<OrganizationTool['hidden_by']>, Tone>> = {
  connection: 'off',
  switch: 'off',
  hold: 'warn',
  rule: 'bad',
}

export function State({ hidden_by: by, rule }: Pick<OrganizationTool, 'hidden_by' | 'rule'>) {
  const t = texts.tools
  return (
    <>
      <StateBadge tone={by === null ? 'good' : TONES[by]}>{by === null ? t.states.on : t.hidden[by]}</StateBadge>
      {rule === null ? null : (
        <Text size="xs" lineClamp={2}>
          <TextLink to={`/rules/${encodeURIComponent(rule.id)}`}>{t.rule({ reason: rule.reason })}</TextLink>
        </Text>
      )}
    </>
  )
}
