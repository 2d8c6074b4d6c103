/** A replay: begun by hand, since it reads a great deal; it can be stopped, and says for how long it has been at it. */
import { Button, Group, Loader, Text } from '@mantine/core'
import { replayPolicy, type PolicyDraft, type ReplayReport } from '@toolway/contract/admin'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { call } from '../../data/call.ts'
import { useOrganization } from '../../data/me.ts'
import { texts } from '../../texts/texts.ts'

export interface Replaying {
  readonly rules: readonly object[]
  readonly remove: readonly string[]
  readonly days: number
}

export function useReplay() {
  const organization = useOrganization()
  const stop = useRef<AbortController>(undefined)
  useEffect(() => () => stop.current?.abort(), [])
  const run = useMutation<ReplayReport, Error, Replaying>({
    mutationFn: ({ rules, remove, days }) => {
      stop.current = new AbortController()
      const draft = { rules, remove } as unknown as PolicyDraft
      return call(replayPolicy, { path: { organization }, body: { draft, days }, signal: stop.current.signal })
    },
  })
  const end = () => {
    stop.current?.abort()
    run.reset()
  }
  return { run, end }
}

export function Reading({ onStop }: { onStop: () => void }) {
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), 1_000)
    return () => clearInterval(timer)
  }, [])
  const t = texts.rules.replay
  return (
    <Group gap="sm" role="status">
      <Loader size="sm" aria-hidden />
      <Text size="sm">{t.reading({ seconds })}</Text>
      <Button size="xs" variant="default" onClick={onStop}>
        {t.stop}
      </Button>
    </Group>
  )
}
