/** When a new key ends: after some days, on a day that is chosen, or never. */
import { Select, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { texts } from '../../texts/texts.ts'

const LIVES = ['30', '90', '365', 'date', 'never'] as const
const DAY_MS = 86_400_000

export interface Ends {
  /** Days; `date`: on that day. */
  readonly after: (typeof LIVES)[number]
  /** `2027-02-20`; its end, in the time of the browser. */
  readonly on: string
}

/** Undefined: it does not end. */
export function endOf({ after, on }: Ends, now = Date.now()): Date | undefined {
  if (after === 'never') return undefined
  return after === 'date' ? new Date(`${on}T23:59:59`) : new Date(now + Number(after) * DAY_MS)
}

/** As an input of the type `date` has it. */
const dayOf = (at: Date): string =>
  [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-')

export function KeyEnd({ value, onChange }: { value: Ends; onChange: (ends: Ends) => void }) {
  const t = texts.keys.make
  const [today] = useState(() => dayOf(new Date()))
  return (
    <Stack gap="xs">
      <Select
        label={t.life}
        value={value.after}
        onChange={(after) => onChange({ ...value, after: after ?? 'never' })}
        data={LIVES.map((life) => ({ value: life, label: t.lives[life] }))}
        allowDeselect={false}
      />
      {value.after === 'date' ? (
        <TextInput
          type="date"
          label={t.lastDay}
          value={value.on}
          onChange={(event) => onChange({ ...value, on: event.currentTarget.value })}
          min={today}
          required
        />
      ) : null}
    </Stack>
  )
}
