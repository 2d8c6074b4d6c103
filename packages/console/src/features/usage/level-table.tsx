/** One row for each connection; each leads to the connection. */
import { Group, Text } from '@mantine/core'
import type { LevelWindow, ServiceLevels } from '@toolway/contract/admin'
import { texts } from '../../texts/texts.ts'
import { Icon } from '../../ui/icon.tsx'
import { TextLink } from '../../ui/links.tsx'
import { column, Table } from '../../ui/table.tsx'
import { count } from '../../ui/times.ts'
import { isMissed, percentRoundedDown, time } from './level-words.ts'

const t = texts.serviceLevels

type Row = ServiceLevels['connections'][number]

export function LevelTable({ levels, window }: { levels: ServiceLevels; window: LevelWindow }) {
  const { connections, target } = levels
  const of = ({ windows }: Row) => windows[window]
  const query = {
    data: { items: connections },
    error: null,
    isFetching: false,
    refetch: () => Promise.reject(new Error()),
  }
  return (
    <Table<Row>
      label={t.connections}
      query={query}
      rowKey={({ name }) => name}
      columns={[
        column(t.columns.connection, ({ name }) => <TextLink to={`/connections/${name}`}>{name}</TextLink>, 4),
        column(t.columns.availability, (row) => <Availability row={row} window={window} target={target} />, 3),
        column(t.columns.p95, (row) => time(of(row).p95_ms), 2),
        column(t.columns.budget, (row) => percentRoundedDown(of(row).budget_left, 0), 2),
        column(t.columns.calls, (row) => count(of(row).calls), 2),
        column(t.columns.failed, (row) => count(of(row).failed), 2),
      ]}
      empty={t.nothing.title}
    />
  )
}

/** A missed target is said by a mark and its words, not by colour alone. */
function Availability({ row, window, target }: { row: Row; window: LevelWindow; target: number }) {
  const level = row.windows[window]
  if (!isMissed(level, target)) return <>{percentRoundedDown(level.availability)}</>
  return (
    <Group gap={4} wrap="nowrap">
      <Icon name="flag" size={14} />
      <Text span size="sm" fw={600}>
        {percentRoundedDown(level.availability)}
      </Text>
      <Text span size="xs" c="dimmed">
        {t.missed}
      </Text>
    </Group>
  )
}
