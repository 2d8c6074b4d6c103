/** The cells of key tables: the masked text of a key, its reach, its expiry, and the client that used it. */
import { Badge, Group, Stack, Text } from '@mantine/core'
import type { Limit } from '@toolway/contract'
import type { Key, SeenClient } from '@toolway/contract/admin'
import { useState } from 'react'
import { texts } from '../../texts/texts.ts'
import { StateBadge } from '../../ui/badges.tsx'
import { exactDay, exactTime, relativeDays } from '../../ui/times.ts'
import { column, type Column } from '../../ui/table.tsx'
import { When } from '../../ui/when.tsx'

/** Its beginning and its end, so that two can be told apart. */
export const shownPart = ({ prefix, hint }: Pick<Key, 'prefix' | 'hint'>): string => `${prefix ?? ''}…${hint}`

export function KeyName({ row }: { row: Key }) {
  return (
    <Stack gap={0}>
      <Group gap="xs">
        <Text fw={600} className="breakable">
          {row.name}
        </Text>
        {row.trusted ? (
          <StateBadge tone={row.trust_waits ? 'warn' : 'plain'}>
            {row.trust_waits ? texts.keys.trustWaits : texts.keys.trusted}
          </StateBadge>
        ) : null}
      </Group>
      <Text size="sm" c="dimmed" ff="monospace" className="breakable">
        {shownPart(row)}
      </Text>
    </Stack>
  )
}

export function LimitBadge({ limit }: { limit: Limit }) {
  return (
    <Badge variant="light" color={limit === 'read' ? 'teal' : limit === 'write' ? 'orange' : 'red'} tt="none">
      {texts.keys.limits[limit]}
    </Badge>
  )
}

/** The reach of a key: its role where it is not a member's own, its limit, its toolset. */
export function Reach({ row }: { row: Key }) {
  const t = texts.keys
  return (
    <Stack gap={2} align="flex-start">
      <LimitBadge limit={row.limit} />
      <Text size="sm" c="dimmed" className="breakable">
        {[
          ...(row.user_id === null ? [texts.roles[row.scope]] : []),
          row.toolset === null ? t.everyToolset : t.toolset({ slug: row.toolset }),
        ].join(', ')}
      </Text>
    </Stack>
  )
}

export function Ends({ row: { expires_at: at } }: { row: Key }) {
  const t = texts.keys
  const [now] = useState(Date.now)
  if (at === null) return <>{t.never}</>
  const end = new Date(at)
  if (end.getTime() > now)
    return (
      <Stack gap={0}>
        <time dateTime={end.toISOString()} title={exactTime(end)}>
          {exactDay(end)}
        </time>
        <Text size="sm" c="dimmed">
          {relativeDays(end, now)}
        </Text>
      </Stack>
    )
  return <StateBadge tone="bad">{t.ended}</StateBadge>
}

export function LastUse({ row, seen }: { row: Key; seen: readonly SeenClient[] }) {
  const last = seen.find(({ key_id }) => key_id === row.id)
  return (
    <Stack gap={0}>
      <span>
        <When at={laterOf(row.last_used_at, last?.seen_at ?? null)} never={texts.keys.unused} />
      </span>
      {last === undefined || last.client === null ? null : (
        <Text size="sm" c="dimmed" className="breakable">
          {texts.keys.from({ client: last.client.name })}
        </Text>
      )}
    </Stack>
  )
}

/** The use of a key is written once in a minute, and a client that was seen at once. */
const laterOf = (first: string | null, other: string | null): string | null =>
  first === null || (other !== null && other > first) ? other : first

/** The columns that every table of keys has. */
export const keyColumns = (seen: readonly SeenClient[]): Column<Key>[] => {
  const t = texts.keys.columns
  return [
    column<Key>(t.key, (row) => <KeyName row={row} />, 4, { plain: true, sort: 'name' }),
    column<Key>(t.reach, (row) => <Reach row={row} />, 3),
    column<Key>(t.ends, (row) => <Ends row={row} />, 2, { sort: 'expires_at' }),
    column<Key>(t.used, (row) => <LastUse row={row} seen={seen} />, 2, { sort: 'last_used_at' }),
  ]
}
