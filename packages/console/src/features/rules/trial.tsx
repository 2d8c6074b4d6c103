/** A rule before it bites: one call explained as if it were on, and the calls on record judged with it. */
import { Button, Group, Paper, Stack, Tabs, Text, Title } from '@mantine/core'
import { explainPolicy, type Explanation as Told } from '@toolway/contract/admin'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../data/call.ts'
import { useOrganization } from '../../data/me.ts'
import { Problem } from '../../data/problem.ts'
import { texts } from '../../texts/texts.ts'
import { Failed } from '../../ui/failed.tsx'
import { inState, nameFor, type Draft } from './draft.ts'
import { bodyOf } from './explain-tab.tsx'
import { ExplainForm, NOTHING, type ThoughtOf } from './explain-form.tsx'
import { Explanation } from './explanation.tsx'
import { ReplayReport } from './replay-report.tsx'
import { Days } from './replay-tab.tsx'
import { Reading, useReplay } from './use-replay.tsx'

export interface TrialProps {
  readonly draft: Draft
  /** The name that it has in force, where it has another now. */
  readonly before: string | undefined
  readonly isReadable: boolean
  /** The first tool that it speaks of. */
  readonly tool: string | undefined
}

export function Trial({ draft, before, isReadable, tool }: TrialProps) {
  const t = texts.rules.edit
  const named = { ...draft, name: draft.name || nameFor(draft), reason: draft.reason || t.noReason }
  const change = {
    rules: [inState(named, 'on')],
    remove: before === undefined || before === named.name ? [] : [before],
  }
  return (
    <Paper withBorder p="md">
      <Stack gap="md">
        <div>
          <Title order={2}>{t.trial}</Title>
          <Text size="sm" c="dimmed">
            {t.trialHint}
          </Text>
        </div>
        <Tabs defaultValue="explain" keepMounted={false}>
          <Tabs.List mb="md">
            <Tabs.Tab value="explain">{t.explainOne}</Tabs.Tab>
            <Tabs.Tab value="replay">{t.replayIt}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="explain">
            {isReadable ? (
              <ExplainIt key={tool} change={change} tool={tool} />
            ) : (
              <Text c="dimmed">{t.finishFirst}</Text>
            )}
          </Tabs.Panel>
          <Tabs.Panel value="replay">
            {isReadable ? <ReplayIt change={change} /> : <Text c="dimmed">{t.finishFirst}</Text>}
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </Paper>
  )
}

interface Change {
  readonly rules: readonly object[]
  readonly remove: readonly string[]
}

function ExplainIt({ change, tool }: { change: Change; tool: string | undefined }) {
  const organization = useOrganization()
  const run = useMutation<Told, Error, ThoughtOf>({
    mutationFn: (thought) =>
      call(explainPolicy, { path: { organization }, body: { ...bodyOf(thought), draft: change as never } }),
  })
  return (
    <Stack gap="lg">
      <ExplainForm initial={{ ...NOTHING, tool: tool ?? '' }} busy={run.isPending} onAsk={run.mutate} />
      {run.error === null ? null : <Failed failure={Problem.of(run.error)} />}
      {run.data === undefined ? null : <Explanation told={run.data} />}
    </Stack>
  )
}

function ReplayIt({ change }: { change: Change }) {
  const [days, setDays] = useState('7')
  const { run, end } = useReplay()
  const begin = () => run.mutate({ ...change, days: Number(days) })
  const t = texts.rules.replay
  return (
    <Stack gap="lg">
      <Group align="flex-end" gap="md">
        <Days value={days} onChange={setDays} />
        <Button onClick={begin} disabled={run.isPending}>
          {t.begin}
        </Button>
      </Group>
      {run.isPending ? <Reading onStop={end} /> : null}
      {run.error === null ? null : <Failed failure={Problem.of(run.error)} onRetry={begin} />}
      {run.data === undefined ? null : <ReplayReport report={run.data} />}
    </Stack>
  )
}
