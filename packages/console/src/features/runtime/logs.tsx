/** The log of the gateway that answers, live, by level and connection. */
import { Badge, Box, Button, Group, Paper, Select, SimpleGrid, Stack, Text } from '@mantine/core'
import type { LogLine } from '@toolway/contract/admin'
import { useEffect, useRef, useState } from 'react'
import { z } from 'zod'
import { useLog, type FollowedLog } from '../../data/log.ts'
import { useUrlState } from '../../data/url-state.ts'
import { locale } from '../../texts/locale.ts'
import { useNamesOf } from '../../data/names.ts'
import { PickOne } from '../../parts/picker/picker.tsx'
import { texts } from '../../texts/texts.ts'
import { StateBadge, type Tone } from '../../ui/badges.tsx'
import { CodeBlock, CopyButton } from '../../ui/copy.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Section } from '../../ui/section.tsx'
import { duration } from '../../ui/times.ts'

const t = texts.runtime.logs
const LEVELS = ['debug', 'info', 'warn', 'error'] as const

const State = z.object({
  level: z.enum(LEVELS).default('info'),
  connection: z.string().optional(),
  paused: z.literal('true').optional(),
})

export function Logs() {
  const [{ level, connection, paused }, set] = useUrlState(State)
  const log = useLog({ level, connector_id: connection }, paused !== undefined)
  const nameOf = useNamesOf([connection, ...log.lines.map((line) => line.connector_id)])
  return (
    <Section title={t.title} hint={t.hint} bare>
      <Stack>
        <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm">
          <Select
            label={t.level}
            data={LEVELS.map((value) => ({ value, label: t.levels[value] }))}
            value={level}
            allowDeselect={false}
            onChange={(next) => set({ level: next ?? undefined })}
          />
          <PickOne
            kind="connections by id"
            label={t.connection}
            labelOf={nameOf}
            placeholder={t.any}
            value={connection ?? null}
            onChange={(next) => set({ connection: next ?? undefined })}
            clearable
            clearButtonProps={{ 'aria-label': texts.close }}
          />
        </SimpleGrid>
        <Group gap="sm">
          <Following log={log} paused={paused !== undefined} />
          <Button
            size="xs"
            variant="default"
            leftSection={<Icon name={paused === undefined ? 'player-pause' : 'player-play'} size={14} />}
            onClick={() => set({ paused: paused === undefined ? 'true' : undefined })}
          >
            {paused === undefined ? t.pause : t.resume}
          </Button>
          <CopyButton value={() => log.lines.map(textOf).join('\n')} label={t.copy} />
        </Group>
        {log.dropped ? <Text size="sm">{t.dropped}</Text> : null}
        <Lines lines={log.lines} nameOf={nameOf} />
      </Stack>
    </Section>
  )
}

const TONES: Readonly<Record<FollowedLog['state'], Tone>> = { waiting: 'busy', live: 'good', broken: 'warn' }

function Following({ log: { state }, paused }: { log: FollowedLog; paused: boolean }) {
  if (paused) return <StateBadge tone="off">{t.paused}</StateBadge>
  return <StateBadge tone={TONES[state]}>{t[state]}</StateBadge>
}

/** So near to its end, in pixels, one reads the newest lines: they are kept in sight. */
const NEAR = 40

interface LinesProps {
  readonly lines: readonly LogLine[]
  /** The title of a connection that this organization has. */
  readonly nameOf: (connection: string) => string | undefined
}

function Lines({ lines, nameOf }: LinesProps) {
  const box = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  useEffect(() => {
    if (lines.length > 0 && atEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight
  }, [lines])
  return (
    <Paper
      withBorder
      p="xs"
      ref={box}
      role="region"
      aria-label={t.lines}
      tabIndex={0}
      style={{ height: 'min(60vh, 40rem)', overflow: 'auto' }}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        atEnd.current = scrollHeight - scrollTop - clientHeight < NEAR
      }}
    >
      {lines.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t.empty}
        </Text>
      ) : (
        lines.map((line, at) => (
          <Line
            key={`${line.timestamp} ${at}`}
            line={line}
            name={line.connector_id === null ? undefined : nameOf(line.connector_id)}
          />
        ))
      )}
    </Paper>
  )
}

const COLOURS: Readonly<Record<string, string>> = { error: 'red', warn: 'orange', info: 'blue' }

function Line({ line, name }: { line: LogLine; name: string | undefined }) {
  const { timestamp, level, message, tenant_slug: organization, duration_ms: took, facts } = line
  const [opened, setOpened] = useState(false)
  return (
    <Box component="details" fz="sm" py={2} onToggle={({ currentTarget: { open } }) => setOpened(open)}>
      <Box component="summary" className="breakable" style={{ cursor: 'pointer' }}>
        <Text span size="xs" c="dimmed" ff="monospace" mr={8}>
          <time dateTime={timestamp}>{clock(new Date(timestamp))}</time>
        </Text>
        <Badge size="sm" variant="light" color={COLOURS[level] ?? 'gray'} radius="sm" mr={8}>
          {level}
        </Badge>
        {message} {typeof facts['tool_name'] === 'string' ? <strong>{facts['tool_name']}</strong> : null}
        <Text span size="xs" c="dimmed" ml={8}>
          {[organization, name, took === null ? undefined : `${t.took} ${duration(took)}`]
            .filter((word) => word !== null && word !== undefined)
            .join(' · ')}
        </Text>
      </Box>
      {opened ? <CodeBlock label={message}>{JSON.stringify(line, undefined, 2)}</CodeBlock> : null}
    </Box>
  )
}

const clock = (at: Date): string =>
  Number.isNaN(at.getTime()) ? '' : new Intl.DateTimeFormat(locale, { timeStyle: 'medium', hour12: false }).format(at)

const textOf = (line: LogLine): string => JSON.stringify(line)
