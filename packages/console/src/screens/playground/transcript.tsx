/** The calls of this visit, the newest at the bottom, where it is looked at when it begins. */
import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { RunCard } from '../../parts/call/run-card.tsx'
import type { Run, Runs } from '../../parts/call/runs.ts'
import { texts } from '../../texts/texts.ts'
import { Empty } from '../../ui/empty.tsx'
import { Compare } from './compare.tsx'

export interface TranscriptProps {
  readonly runs: Runs
  readonly shown: readonly Run[]
  readonly onAgain: (run: Run) => void
  readonly onRead: (run: Run, uri: string) => void
}

export function Transcript({ runs, shown, onAgain, onRead }: TranscriptProps) {
  const [first, setFirst] = useState<number>()
  const [second, setSecond] = useState<number>()
  const bottom = useBottom(shown)
  const t = texts.playground
  const [left, right] = [first, second].map((id) => shown.find((run) => run.id === id))
  const compare = (id: number) => {
    if (first === undefined) setFirst(id)
    else if (first === id) setFirst(undefined)
    else setSecond(id)
  }
  const words = (id: number) => (first === undefined ? t.compare : first === id ? t.stopComparing : t.compareWith)
  if (shown.length === 0) return <Empty title={t.nothing} hint={t.nothingHint} icon="player-play" />
  return (
    <Stack gap="md" component="section" aria-label={t.transcript}>
      <Group justify="space-between">
        <Title order={2}>{t.transcript}</Title>
        <Button size="xs" variant="default" onClick={() => runs.clear()}>
          {t.clear}
        </Button>
      </Group>
      {shown.map((run) => (
        <RunCard
          key={run.id}
          run={run}
          onCancel={() => runs.cancel(run.id)}
          onAnswer={(answer) => runs.answer(run.id, answer)}
          onRead={(uri) => onRead(run, uri)}
          actions={
            <>
              {run.method === 'tools/call' ? (
                <Button size="xs" variant="default" onClick={() => onAgain(run)}>
                  {t.again}
                </Button>
              ) : null}
              {shown.length > 1 && run.result !== undefined ? (
                <Button size="xs" variant="default" onClick={() => compare(run.id)} aria-pressed={first === run.id}>
                  {words(run.id)}
                </Button>
              ) : null}
            </>
          }
        />
      ))}
      {first === undefined || second !== undefined ? null : (
        <Text size="sm" c="dimmed" role="status">
          {t.comparing}
        </Text>
      )}
      <div ref={bottom} />
      {left === undefined || right === undefined ? null : (
        <Compare
          left={left}
          right={right}
          onClose={() => {
            setFirst(undefined)
            setSecond(undefined)
          }}
        />
      )}
    </Stack>
  )
}

/** Scrolls to the run that started, asked or ended last; runs that were there when the screen opened cause no scrolling. */
function useBottom(shown: readonly Run[]) {
  const bottom = useRef<HTMLDivElement>(null)
  const last = shown.at(-1)
  const mark = last === undefined ? '' : `${last.id} ${last.state} ${last.question !== undefined}`
  const before = useRef(mark)
  useEffect(() => {
    if (before.current !== mark) bottom.current?.scrollIntoView({ block: 'nearest' })
    before.current = mark
  }, [mark])
  return bottom
}
