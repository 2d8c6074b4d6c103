/** What a connection's program says, and what the gateway says of it, as it is said. */
import { Box, Button, Group, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import type { Connection, ConnectionLogLine } from '@toolway/contract/admin'
import { useEffect, useRef } from 'react'
import { z } from 'zod'
import { useUrlState } from '../../../data/url-state.ts'
import { texts } from '../../../texts/texts.ts'
import { StateBadge } from '../../../ui/badges.tsx'
import { CopyButton } from '../../../ui/copy.tsx'
import { Failed } from '../../../ui/failed.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { useLogLines } from './connection-log-lines.ts'

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
      <Lines lines={shown} busy={lines === undefined && failure === undefined} />
      <Text size="sm" c="dimmed">
        {t.hint}
      </Text>
    </Stack>
  )
}

/** Stays at its end while one is there, and where one reads otherwise. */
function Lines({ lines, busy }: { lines: readonly ConnectionLogLine[]; busy: boolean }) {
  const box = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  useEffect(() => {
    if (box.current !== null && atEnd.current) box.current.scrollTop = box.current.scrollHeight
  })
  const toEnd = () => box.current?.scrollTo({ top: box.current.scrollHeight })
  return (
    <>
      <Box
        ref={box}
        role="log"
        aria-label={t.title}
        aria-busy={busy}
        tabIndex={0}
        ff="monospace"
        fz="sm"
        p="sm"
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          atEnd.current = scrollHeight - scrollTop - clientHeight < 24
        }}
        style={{
          border: '1px solid var(--mantine-color-default-border)',
          borderRadius: 8,
          background: 'var(--mantine-color-body)',
          height: 320,
          overflow: 'auto',
        }}
      >
        {lines.length === 0 && !busy ? (
          <Text size="sm" c="dimmed">
            {t.none}
          </Text>
        ) : null}
        {lines.map((line, at) => (
          <OneLine key={`${line.timestamp} ${at}`} line={line} />
        ))}
      </Box>
      {lines.length > 12 ? (
        <Group justify="flex-end">
          <Button size="xs" variant="subtle" leftSection={<Icon name="chevron-down" size={14} />} onClick={toEnd}>
            {t.toEnd}
          </Button>
        </Group>
      ) : null}
    </>
  )
}

const COLORS: Readonly<Record<string, string>> = {
  warn: 'var(--mantine-color-orange-text)',
  error: 'var(--mantine-color-red-text)',
}

function OneLine({ line }: { line: ConnectionLogLine }) {
  const { timestamp, level, source } = line
  return (
    <Box style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
      <Text span inherit c="dimmed">
        <time dateTime={timestamp}>{clock(timestamp)}</time> {t.from[source]}{' '}
      </Text>
      <span style={{ color: COLORS[level] }}>{saidIn(line)}</span>
    </Box>
  )
}

const clock = (timestamp: string) => new Date(timestamp).toLocaleTimeString()

const saidIn = ({ message, tool, outcome, code, problem, duration_ms: took }: ConnectionLogLine): string =>
  [message, tool, outcome, code, problem, took === null ? null : t.took(took)].filter((one) => one !== null).join(' · ')

const textOf = (line: ConnectionLogLine) => `${line.timestamp} ${line.source} ${line.level} ${saidIn(line)}`
