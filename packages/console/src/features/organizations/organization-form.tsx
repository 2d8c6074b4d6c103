/** The settings of an organization that the platform decides. */
import { Button, Checkbox, Group, NumberInput, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { changeOrganization, type Organization, type OrganizationChange } from '@toolway/contract/admin'
import { useState, type FormEvent } from 'react'
import { call } from '../../data/call.ts'
import { Problem } from '../../data/problem.ts'
import { texts } from '../../texts/texts.ts'
import { Failed } from '../../ui/failed.tsx'
import { sayDone } from '../../ui/say.tsx'

const MOST_RATE = 1_000_000

interface Fields {
  name: string
  description: string
  contact: string
  active: boolean
  rate: number | ''
  maxRate: number | ''
  processes: boolean
}

const fieldsOf = ({
  name,
  description,
  contact_email: contact,
  is_active: active,
  settings,
}: Organization): Fields => ({
  name,
  description: description ?? '',
  contact: contact ?? '',
  active,
  rate: settings.requests_per_minute ?? '',
  maxRate: settings.max_requests_per_minute ?? '',
  processes: settings.allow_processes ?? false,
})

const changeOf = (fields: Fields): OrganizationChange => ({
  name: fields.name.trim(),
  description: fields.description.trim() === '' ? null : fields.description.trim(),
  contact_email: fields.contact.trim() === '' ? null : fields.contact.trim(),
  is_active: fields.active,
  settings: {
    requests_per_minute: fields.rate === '' ? null : fields.rate,
    max_requests_per_minute: fields.maxRate === '' ? null : fields.maxRate,
    allow_processes: fields.processes ? true : null,
  },
})

const numberOf = (value: number | string): number | '' => (typeof value === 'number' ? value : '')

export function OrganizationForm({ organization }: { organization: Organization }) {
  const queries = useQueryClient()
  const [fields, setFields] = useState(() => fieldsOf(organization))
  const set = (change: Partial<Fields>) => setFields((before) => ({ ...before, ...change }))
  const t = texts.organizations
  const save = useMutation({
    mutationFn: () => call(changeOrganization, { path: { organization: organization.slug }, body: changeOf(fields) }),
    onSuccess: async ({ name }) => {
      await Promise.all(['organizations', 'me'].map((noun) => queries.invalidateQueries({ queryKey: [noun] })))
      sayDone(t.saved({ name }))
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={t.fields.name}
          required
          maxLength={100}
          data-autofocus
          value={fields.name}
          onChange={({ currentTarget }) => set({ name: currentTarget.value })}
        />
        <Textarea
          label={t.fields.description}
          autosize
          minRows={2}
          maxRows={6}
          maxLength={2_000}
          value={fields.description}
          onChange={({ currentTarget }) => set({ description: currentTarget.value })}
        />
        <TextInput
          label={t.fields.contact}
          type="email"
          maxLength={255}
          value={fields.contact}
          onChange={({ currentTarget }) => set({ contact: currentTarget.value })}
        />
        <Switch
          label={t.fields.active}
          description={t.fields.activeHint}
          checked={fields.active}
          onChange={({ currentTarget }) => set({ active: currentTarget.checked })}
        />
        <Rates fields={fields} set={set} />
        <Checkbox
          label={t.fields.processes}
          description={t.fields.processesHint}
          checked={fields.processes}
          onChange={({ currentTarget }) => set({ processes: currentTarget.checked })}
        />
        {save.error === null ? null : <Failed failure={Problem.of(save.error)} />}
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending}>
            {t.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function Rates({ fields, set }: { fields: Fields; set: (change: Partial<Fields>) => void }) {
  const t = texts.organizations
  const rate = { min: 1, max: MOST_RATE, allowDecimal: false, allowNegative: false, hideControls: true } as const
  return (
    <Group grow align="flex-start">
      <NumberInput
        label={t.fields.rate}
        description={t.fields.rateHint}
        value={fields.rate}
        onChange={(value) => set({ rate: numberOf(value) })}
        {...rate}
      />
      <NumberInput
        label={t.fields.maxRate}
        description={t.fields.rateHint}
        value={fields.maxRate}
        onChange={(value) => set({ maxRate: numberOf(value) })}
        {...rate}
      />
    </Group>
  )
}
