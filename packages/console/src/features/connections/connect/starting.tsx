/** A server is being asked for the first time: for how long, what its program says meanwhile, and in the end why it failed. */
import { Button, Group, Loader, Paper, Stack, Text, Title } from '@mantine/core'
import type { Connection } from '@toolway/contract/admin'
import { useEffect, useState, type ReactNode } from 'react'
import type { Problem } from '../../../data/problem.ts'
import { LogLines } from '../../../parts/log/log-lines.tsx'
import { useLogLines } from '../../../parts/log/use-log-lines.ts'
import { texts } from '../../../texts/texts.ts'
import { Failed, type Failure } from '../../../ui/failed.tsx'
import { startMendOf } from './start-mend.ts'
import type { Finish } from './use-finish.ts'

const t = texts.connect.start
/** A server that answers at once needs no word about waiting. Seconds. */
const SOON_SECONDS = 2

export interface StartingProps {
  readonly finish: Finish
  readonly isProgram: boolean
  readonly onRetry: () => void
  /** Further actions for a failure. */
  readonly children?: ReactNode
}

export function Starting({ finish, isProgram, onRetry, children }: StartingProps) {
  const { busy, failure, made } = finish
  if (!busy && failure === undefined) return null
  return (
    <Stack gap="md" maw={720}>
      {busy ? (
        <Waiting key={finish.since} {...{ finish, isProgram }} />
      ) : failure === undefined ? null : isProgram ? (
        <Failed failure={mended(failure)} onRetry={onRetry}>
          {children}
        </Failed>
      ) : (
        <Failed failure={failure}>{children}</Failed>
      )}
      {isProgram && made !== undefined ? <Log made={made} title={busy ? t.log : t.logEnd} /> : null}
    </Stack>
  )
}

/** A program's connection is opened by its start, and its log is on this screen. */
function mended({ message, phase, code, mend, correlationId, asked, status }: Problem): Failure {
  const setting = startMendOf(message)
  const isStart = phase === 'open' || phase === 'start'
  return {
    ...{ message, correlationId, asked, status },
    phase: isStart ? 'start' : phase,
    ...(setting === undefined && !isStart ? { code, mend } : { mend: setting ?? t.mends.log }),
  }
}

function Waiting({ finish: { since, made, cancel }, isProgram }: Pick<StartingProps, 'finish' | 'isProgram'>) {
  const seconds = useSecondsSince(since)
  const [ending, setEnding] = useState(false)
  if (!isProgram && seconds < SOON_SECONDS) return null
  const title = ending ? t.ending : isProgram ? (made === undefined ? t.adding : t.starting) : t.asking
  return (
    <Paper withBorder p="md">
      <Stack gap="xs">
        <Group justify="space-between" gap="sm">
          <Group gap="sm" role="status">
            <Loader size="sm" />
            <Title order={2} size="h3">
              {title}
            </Title>
          </Group>
          <Group gap="sm">
            <Text c="dimmed" role="timer" aria-label={t.elapsed}>
              {t.seconds({ seconds })}
            </Text>
            <Button
              variant="default"
              disabled={ending}
              onClick={() => {
                setEnding(true)
                cancel()
              }}
            >
              {texts.cancel}
            </Button>
          </Group>
        </Group>
        <Text size="sm" c="dimmed">
          {isProgram ? t.startingHint : t.askingHint}
        </Text>
      </Stack>
    </Paper>
  )
}

function useSecondsSince(since: number): number {
  const [now, setNow] = useState(since)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return Math.max(0, Math.round((now - since) / 1_000))
}

function Log({ made, title }: { made: Connection; title: string }) {
  const { lines, failure } = useLogLines(made)
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {title}
      </Title>
      {failure === undefined ? (
        <LogLines lines={lines ?? []} busy={lines === undefined} height={220} />
      ) : (
        <Failed failure={failure} />
      )}
    </Stack>
  )
}
