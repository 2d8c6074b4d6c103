/** One call in a transcript: what was asked for, what came while it ran, what it asks, how it ended. */
import { Button, Code, Group, List, Paper, Progress, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { texts } from '../../texts/texts.ts'
import { StateBadge, type Tone } from '../../ui/badges.tsx'
import { duration } from '../../ui/times.ts'
import type { JsonObject } from './mcp/wire.ts'
import { OutsideLink } from './outside-link.tsx'
import { AskedQuestion } from './question.tsx'
import { ResultView } from './result/result-view.tsx'
import type { Run } from './runs.ts'

export interface RunCardProps {
  readonly run: Run
  readonly onCancel: () => void
  readonly onAnswer: (answer: JsonObject) => void
  readonly onRead?: ((uri: string) => void) | undefined
  /** Further actions on the run. */
  readonly actions?: ReactNode
}

const TONES: Readonly<Record<Run['state'], Tone>> = { running: 'busy', done: 'good', failed: 'bad', cancelled: 'off' }

export function RunCard({ run, onCancel, onAnswer, onRead, actions }: RunCardProps) {
  const { state, question } = run
  const t = texts.call
  const ended = state !== 'running'
  return (
    <Paper withBorder p="md" component="article" aria-label={t.run({ tool: run.tool })}>
      <Stack gap="sm">
        <Group justify="space-between" gap="xs" align="flex-start">
          <Group gap="xs" style={{ minWidth: 0, flex: '1 1 12rem' }}>
            <Text fw={600} className="breakable">
              {run.tool}
            </Text>
            <StateBadge tone={question === undefined ? TONES[state] : 'warn'}>
              {question === undefined ? t.states[state] : t.waits}
            </StateBadge>
            <Text size="sm" c="dimmed">
              {run.ended === undefined ? t.eras[run.era] : `${t.eras[run.era]} · ${duration(run.ended - run.begun)}`}
            </Text>
          </Group>
          <Group gap="xs">
            {ended ? actions : null}
            {ended ? null : (
              <Button size="xs" variant="default" onClick={onCancel}>
                {t.stop}
              </Button>
            )}
          </Group>
        </Group>
        <Given value={run.arguments} />
        <Steps run={run} />
        {question === undefined ? null : (
          <AskedQuestion key={run.steps.length} question={question} onAnswer={onAnswer} />
        )}
        {state === 'done' || state === 'failed' ? <ResultView run={run} onRead={onRead} /> : null}
      </Stack>
    </Paper>
  )
}

function Given({ value }: { value: JsonObject }) {
  if (Object.keys(value).length === 0) return null
  const text = JSON.stringify(value)
  return (
    <Code className="breakable" style={{ whiteSpace: 'pre-wrap' }}>
      {text.length > 400 ? `${text.slice(0, 400)}…` : text}
    </Code>
  )
}

const SHOWN = 8

function Steps({ run: { steps: all, progress, state, question } }: { run: Run }) {
  // The current question is shown below in full.
  const steps =
    question === undefined
      ? all
      : all.slice(
          0,
          all.findLastIndex(({ kind }) => kind === 'asked'),
        )
  const { total } = progress ?? {}
  const share = progress === undefined || total === undefined || total <= 0 ? undefined : progress.progress / total
  const t = texts.call
  return (
    <Stack gap={4} aria-live="polite">
      {state === 'running' && share !== undefined ? (
        <Progress value={Math.min(100, share * 100)} aria-label={t.progress} size="sm" />
      ) : null}
      {steps.length > SHOWN ? (
        <Text size="sm" c="dimmed">
          {t.earlier({ count: steps.length - SHOWN })}
        </Text>
      ) : null}
      <List size="sm" spacing={2}>
        {steps.slice(-SHOWN).map(({ at, kind, text }, index) => (
          <List.Item key={`${at} ${index}`} className="breakable">
            <Text span size="sm" c="dimmed">
              {t.steps[kind]}
            </Text>{' '}
            <Said text={text} />
          </List.Item>
        ))}
      </List>
    </Stack>
  )
}

/** Text with its addresses as links. */
function Said({ text }: { text: string }) {
  const parts = text.split(/(https?:\/\/[^\s"'<>]+)/)
  if (parts.length === 1) return <>{text}</>
  // Parts of one text that never changes.
  return <>{parts.map((part, at) => (at % 2 === 0 ? part : <OutsideLink key={at} to={part} />))}</>
}
