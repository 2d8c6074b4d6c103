/** A call to think about: which tool, who, where, with which arguments. */
import { Button, Group, JsonInput, Select, SimpleGrid, Stack } from '@mantine/core'
import { useState } from 'react'
import { texts } from '../../texts/texts.ts'
import { PickOne, PickText } from '../../parts/picker/picker.tsx'
import { useNamesOf } from '../../data/names.ts'
import { useToolsetNames } from './names.ts'

export interface ThoughtOf {
  readonly tool: string
  readonly as: string
  readonly key: string
  readonly toolset: string
  /** JSON; empty: as far as can be told without any. */
  readonly arguments: string
}

export const NOTHING: ThoughtOf = { tool: '', as: '', key: '', toolset: '', arguments: '' }

export interface ExplainFormProps {
  readonly initial: ThoughtOf
  readonly busy: boolean
  readonly onAsk: (call: ThoughtOf) => void
}

/** Undefined where it is not an object in JSON. */
export function argumentsIn(text: string): Record<string, never> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as never) : undefined
  } catch {
    return undefined
  }
}

export function ExplainForm({ initial, busy, onAsk }: ExplainFormProps) {
  const [form, setForm] = useState(initial)
  const toolsets = useToolsetNames()
  const nameOf = useNamesOf([form.key])
  const set = (change: Partial<ThoughtOf>) => setForm({ ...form, ...change })
  const wrong = form.arguments.trim() !== '' && argumentsIn(form.arguments) === undefined
  const t = texts.rules.explain
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!wrong && form.tool !== '') onAsk(form)
      }}
    >
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
          <PickText
            kind="tools"
            label={t.tool}
            description={t.toolHint}
            value={form.tool}
            onChange={(tool) => set({ tool })}
            required
            withAsterisk={false}
          />
          <Choice
            label={t.toolset}
            hint={t.toolsetHint}
            value={form.toolset}
            data={toolsets}
            onChange={(toolset) => set({ toolset })}
          />
          <PickOne
            kind="members"
            label={t.as}
            description={t.asHint}
            placeholder={texts.rules.any}
            clearable
            clearButtonProps={{ 'aria-label': texts.rules.clearOf({ filter: t.as }) }}
            value={form.as === '' ? null : form.as}
            onChange={(chosen) => set({ as: chosen ?? '' })}
          />
          <PickOne
            kind="keys"
            label={t.key}
            description={t.keyHint}
            placeholder={texts.rules.any}
            labelOf={nameOf}
            clearable
            clearButtonProps={{ 'aria-label': texts.rules.clearOf({ filter: t.key }) }}
            value={form.key === '' ? null : form.key}
            onChange={(chosen) => set({ key: chosen ?? '' })}
          />
        </SimpleGrid>
        <JsonInput
          label={t.arguments}
          description={t.argumentsHint}
          value={form.arguments}
          onChange={(text) => set({ arguments: text })}
          error={wrong ? t.argumentsWrong : undefined}
          autosize
          minRows={2}
          maxRows={12}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        />
        <Group>
          <Button type="submit" loading={busy} disabled={form.tool === ''}>
            {t.ask}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly hint: string
  readonly value: string
  readonly data: readonly { value: string; label: string }[]
  readonly onChange: (value: string) => void
}

function Choice({ label, hint, value, data, onChange }: ChoiceProps) {
  return (
    <Select
      label={label}
      description={hint}
      placeholder={texts.rules.any}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': texts.rules.clearOf({ filter: label }) }}
      nothingFoundMessage={texts.palette.nothing}
      data={[...data]}
      value={value === '' ? null : value}
      onChange={(chosen) => onChange(chosen ?? '')}
    />
  )
}
