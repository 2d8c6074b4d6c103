/** Lines of a connection's log, the newest at the end. */
import { Box, Button, Group, Text } from '@mantine/core'
import type { ConnectionLogLine } from '@toolway/contract/admin'
import { useEffect, useRef } from 'react'
import { locale } from '../../texts/locale.ts'
import { texts } from '../../texts/texts.ts'
import { Icon } from '../../ui/icon.tsx'
import { duration } from '../../ui/times.ts'

const t = texts.connection.log

export interface LogLinesProps {
  readonly lines: readonly ConnectionLogLine[]
  /** They are still being asked for. */
  readonly busy: boolean
  /** Pixels. */
  readonly height?: number
}

/** Stays at its end while one is there, and where one reads otherwise. */
export function LogLines({ lines, busy, height = 320 }: LogLinesProps) {
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
          height,
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

const clock = (timestamp: string) => new Date(timestamp).toLocaleTimeString(locale)

export const saidIn = ({ message, tool, outcome, code, problem, duration_ms: took }: ConnectionLogLine): string =>
  [message, tool, outcome, code, problem, took === null ? null : duration(took)]
    .filter((item) => item !== null)
    .join(' · ')
