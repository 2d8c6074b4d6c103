/** The rules of an organization for the sign-ins of its members. */
import { Button, Group, NumberInput, Stack, Switch } from '@mantine/core'
import { changeSettings, getSettings, type OwnSettings } from '@toolway/contract/admin'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { z } from 'zod'
import { call } from '../../data/call.ts'
import { useMay, useOrganization } from '../../data/me.ts'
import { Problem } from '../../data/problem.ts'
import { ask } from '../../data/queries.ts'
import { texts } from '../../texts/texts.ts'
import { Allowed } from '../../ui/allowed.tsx'
import { Failed } from '../../ui/failed.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { sayDone } from '../../ui/say.tsx'
import { Section } from '../../ui/section.tsx'

const t = texts.secondFactor.rules

type Own = z.output<typeof OwnSettings>

export function SignInRules() {
  const organization = useOrganization()
  const found = useQuery(ask('settings', getSettings, { path: { organization } }))
  return <Loaded query={found}>{(own) => <Rules key={own.updated_at} own={own} />}</Loaded>
}

const numberOf = (value: number | string) => (value === '' ? null : Number(value))

function Rules({ own }: { own: Own }) {
  const organization = useOrganization()
  const queries = useQueryClient()
  const may = useMay('tenant_update')
  const [isRequired, setRequired] = useState(own.second_factor === 'required')
  const [hours, setHours] = useState<number | string>(own.sign_in_hours ?? '')
  const [minutes, setMinutes] = useState<number | string>(own.sign_in_idle_minutes ?? '')
  const save = useMutation({
    mutationFn: () =>
      call(changeSettings, {
        path: { organization },
        body: {
          second_factor: isRequired ? 'required' : 'optional',
          sign_in_hours: numberOf(hours),
          sign_in_idle_minutes: numberOf(minutes),
        },
      }),
    onSuccess: () => {
      sayDone(texts.settings.saved)
      return queries.invalidateQueries({ queryKey: ['settings'] })
    },
  })
  return (
    <Section title={t.title} hint={t.hint}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <Stack maw={560}>
          <Switch
            label={t.required}
            description={t.requiredHint}
            checked={isRequired}
            disabled={!may}
            onChange={(event) => setRequired(event.currentTarget.checked)}
          />
          <NumberInput
            label={t.hours}
            description={t.hoursHint}
            value={hours}
            onChange={setHours}
            min={1}
            max={8760}
            allowDecimal={false}
            disabled={!may}
          />
          <NumberInput
            label={t.minutes}
            description={t.minutesHint}
            value={minutes}
            onChange={setMinutes}
            min={5}
            max={525_600}
            allowDecimal={false}
            disabled={!may}
          />
          {save.error === null ? null : <Failed failure={Problem.of(save.error)} />}
          <Group>
            <Allowed may={may} why={texts.settings.cannot}>
              <Button type="submit" disabled={!may} loading={save.isPending}>
                {t.save}
              </Button>
            </Allowed>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}
