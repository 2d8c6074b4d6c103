/** The live log of a connection: its program's output, and the gateway's messages about it. */
import { Group, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import type { Connection, ConnectionLogLine } from '@toolway/contract/admin'
import { z } from 'zod'
import { useUrlState } from '../../../data/url-state.ts'
import { LogLines, saidIn } from '../../../parts/log/log-lines.tsx'
import { useLogLines } from '../../../parts/log/use-log-lines.ts'
import { texts } from '../../../texts/texts.ts'
import { StateBadge } from '../../../ui/badges.tsx'
import { CopyButton } from '../../../ui/copy.tsx'
import { Failed } from '../../../ui/failed.tsx'

const t = texts.connection.log
const SOURCES = ['all', 'process', 'gateway'] as const
const State = z.object({ source: z.enum(SOURCES).default('all') })

export function ConnectionLog({ connection }: { connection: Connection }) {
  const [{ source }, set] = useUrlState(State)
  const { lines, failure, live } = useLogLines(connection)
  const shown = (lines ?? []).filter((line) => source === 'all' || line.source === source)
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="sm">
        <Group gap="sm">
          <Title order={2}>{t.title}</Title>
          <StateBadge tone={live ? 'good' : 'busy'}>{live ? t.live : t.waiting}</StateBadge>
        </Group>
        <Group gap="sm">
          <SegmentedControl
            aria-label={t.show}
            value={source}
            data={SOURCES.map((value) => ({ value, label: t.sources[value] }))}
            onChange={(next) => set({ source: next })}
          />
          <CopyButton value={() => shown.map(textOf).join('\n')} label={t.copy} />
        </Group>
      </Group>
      {failure === undefined ? null : <Failed failure={failure} />}
      <LogLines lines={shown} busy={lines === undefined && failure === undefined} />
      <Text size="sm" c="dimmed">
        {t.hint}
      </Text>
    </Stack>
  )
}

const textOf = (line: ConnectionLogLine) => `${line.timestamp} ${line.source} ${line.level} ${saidIn(line)}`
