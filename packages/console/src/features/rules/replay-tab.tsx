/** Several changes at once on what happened: rules that would be on, rules that would be gone, and drafts as they stand in a file. */
import { Button, Group, JsonInput, MultiSelect, Paper, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Problem } from '../../data/problem.ts'
import { texts } from '../../texts/texts.ts'
import { Failed } from '../../ui/failed.tsx'
import { useRules } from './all-rules.ts'
import { draftOf, inState } from './draft.ts'
import { ReplayReport } from './replay-report.tsx'
import { Reading, useReplay } from './use-replay.tsx'

const DAYS = ['1', '7', '30', '90'] as const

/** A rule, a list of them, or `rules:`; undefined for anything else. */
function draftsIn(text: string): object[] | undefined {
  if (text.trim() === '') return []
  try {
    const value: unknown = JSON.parse(text)
    if (Array.isArray(value))
      return value.every((item) => typeof item === 'object' && item !== null) ? value : undefined
    if (typeof value !== 'object' || value === null) return undefined
    const { rules } = value as { rules?: unknown }
    return Array.isArray(rules) ? (rules as object[]) : [value]
  } catch {
    return undefined
  }
}

export function ReplayTab() {
  const rules = useRules().data ?? []
  const [on, setOn] = useState<string[]>([])
  const [gone, setGone] = useState<string[]>([])
  const [drafts, setDrafts] = useState('')
  const [days, setDays] = useState<string>('7')
  const { run, end } = useReplay()
  const written = draftsIn(drafts)
  const t = texts.rules.replay
  const begin = () =>
    run.mutate({
      rules: [
        ...rules.filter(({ id }) => on.includes(id)).map((rule) => inState(draftOf(rule), 'on')),
        ...(written ?? []),
      ],
      remove: rules.filter(({ id }) => gone.includes(id)).map(({ name }) => name),
      days: Number(days),
    })
  const optionsOf = (stored: typeof rules) => stored.map(({ id, name }) => ({ value: id, label: name }))
  return (
    <Stack gap="lg">
      <Text c="dimmed" maw={720}>
        {t.hint}
      </Text>
      <Paper withBorder p="md">
        <Stack gap="md">
          <MultiSelect
            label={t.turnOn}
            description={t.turnOnHint}
            data={optionsOf(rules.filter(({ state }) => state !== 'on'))}
            value={on}
            onChange={setOn}
            searchable
            nothingFoundMessage={t.noneOff}
          />
          <MultiSelect
            label={t.remove}
            data={optionsOf(rules.filter(({ state, scope }) => state === 'on' && scope !== 'platform'))}
            value={gone}
            onChange={setGone}
            searchable
            nothingFoundMessage={t.noneOn}
          />
          <JsonInput
            label={t.drafts}
            description={t.draftsHint}
            value={drafts}
            onChange={setDrafts}
            error={written === undefined ? t.draftsWrong : undefined}
            autosize
            minRows={3}
            maxRows={16}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          />
          <Group align="flex-end" gap="md">
            <Days value={days} onChange={setDays} />
            <Button onClick={begin} disabled={written === undefined || run.isPending}>
              {t.begin}
            </Button>
          </Group>
        </Stack>
      </Paper>
      {run.isPending ? <Reading onStop={end} /> : null}
      {run.error === null ? null : <Failed failure={Problem.of(run.error)} onRetry={begin} />}
      {run.data === undefined ? null : <ReplayReport report={run.data} />}
    </Stack>
  )
}

export function Days({ value, onChange }: { value: string; onChange: (days: string) => void }) {
  const t = texts.rules
  return (
    <Select
      label={t.replay.days}
      w={200}
      allowDeselect={false}
      data={DAYS.map((day) => ({ value: day, label: t.shadow.lastDays({ days: Number(day) }) }))}
      value={value}
      onChange={(chosen) => onChange(chosen ?? '7')}
    />
  )
}
