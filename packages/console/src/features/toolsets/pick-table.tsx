/** The tools that a toolset can have, each with whether it is in and what it is called there. */
import { Box, Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { type PickableTool, reaches, type ToolsetSettings, visibleText } from '@toolway/contract'
import type { OrganizationTool } from '@toolway/contract/admin'
import { memo, useMemo } from 'react'
import { texts } from '../../texts/texts.ts'
import { withBreaks } from '../../ui/breaks.tsx'
import { StateBadge } from '../../ui/badges.tsx'
import { EffectBadge } from '../../ui/effect-badge.tsx'
import { Empty } from '../../ui/empty.tsx'
import { column, Table } from '../../ui/table.tsx'
import { count } from '../../ui/times.ts'
import { countLocks } from './locks.ts'
import { wordsOf } from './tool-words.ts'

interface PickTableProps {
  readonly query: { readonly error: Error | null; readonly isFetching: boolean; refetch(): unknown }
  /** Of all pages. */
  readonly total: number | undefined
  readonly onMore: (() => void) | undefined
  readonly tools: readonly OrganizationTool[] | undefined
  readonly settings: ToolsetSettings
  readonly isIn: (tool: PickableTool) => boolean
  readonly onTake: (tool: OrganizationTool, on: boolean) => void
  readonly onEdit: (name: string) => void
}

export const PickTable = memo(function PickTable(props: PickTableProps) {
  const { query, total, onMore, tools, settings, isIn, onTake, onEdit } = props
  const t = texts.toolsets.pick
  const columns = useMemo(
    () => [
      column<OrganizationTool>(
        t.columns.tool,
        (tool) => <Tool tool={tool} settings={settings} taken={isIn(tool)} onTake={onTake} />,
        6,
      ),
      column<OrganizationTool>(
        t.columns.effect,
        ({ effect, effect_from: from }) => <EffectBadge effect={effect} from={from} />,
        2,
      ),
      column<OrganizationTool>(t.columns.tokens, ({ tokens }) => count(tokens), 1),
      column<OrganizationTool>(t.columns.words, (tool) => <There tool={tool} settings={settings} />, 3, {
        plain: true,
      }),
      column<OrganizationTool>(
        t.edit,
        ({ rule_name: name, joined_name: joined }) => (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t.editOf({ name: joined })}
            onClick={() => onEdit(name)}
          >
            {t.edit}
          </Button>
        ),
        2,
        { plain: true },
      ),
    ],
    [settings, isIn, onTake, onEdit, t],
  )
  const { noneFit } = texts.tools
  return (
    <Table
      label={t.table}
      query={{ ...query, data: tools && { items: tools, total } } as never}
      onMore={onMore}
      rowKey={({ rule_name: name }: OrganizationTool) => name}
      columns={columns}
      empty={<Empty title={noneFit.title} hint={noneFit.hint} icon="search" />}
    />
  )
})

interface ToolProps extends Pick<PickTableProps, 'settings' | 'onTake'> {
  readonly tool: OrganizationTool
  readonly taken: boolean
}

function Tool({ tool, settings, taken, onTake }: ToolProps) {
  const name = wordsOf(settings, tool.rule_name)?.name
  return (
    <Group wrap="nowrap" gap="sm" align="flex-start">
      <Checkbox
        checked={taken}
        onChange={({ currentTarget }) => onTake(tool, currentTarget.checked)}
        aria-label={texts.toolsets.pick.take({ name: tool.joined_name })}
        mt={2}
      />
      <Box style={{ minWidth: 0 }}>
        <Text fw={600} className="breakable">
          {withBreaks(name ?? tool.joined_name)}
        </Text>
        <Text size="sm" c="dimmed" lineClamp={1}>
          {name === undefined ? visibleText(tool.title ?? tool.description ?? '') : tool.joined_name}
        </Text>
      </Box>
    </Group>
  )
}

function There({ tool, settings }: { tool: OrganizationTool; settings: ToolsetSettings }) {
  const words = wordsOf(settings, tool.rule_name)
  const locks = countLocks(settings, tool.rule_name)
  const { limit = 'execute', limits = {} } = settings
  const t = texts.toolsets.pick
  return (
    <Stack gap={4} align="flex-start">
      {reaches(limit, tool.effect) && reaches(limits[tool.alias] ?? 'execute', tool.effect) ? null : (
        <StateBadge tone="warn">{t.limited}</StateBadge>
      )}
      {words?.name === undefined ? null : <StateBadge tone="plain">{t.renamed}</StateBadge>}
      {words?.title === undefined && words?.description === undefined ? null : (
        <StateBadge tone="plain">{t.reworded}</StateBadge>
      )}
      {locks === 0 ? null : <StateBadge tone="plain">{t.locks({ number: locks })}</StateBadge>}
    </Stack>
  )
}
