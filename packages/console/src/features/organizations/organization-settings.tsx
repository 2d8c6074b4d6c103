/** The organization's own settings: its name, its request limit, and the calls that need approval before a tool runs. */
import { Button, Group, NumberInput, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { changeSettings, getSettings, type OwnSettings, type OwnSettingsChange } from '@toolway/contract/admin'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import type { z } from 'zod'
import { call } from '../../data/call.ts'
import { useMay, useOrganization } from '../../data/me.ts'
import { Problem } from '../../data/problem.ts'
import { ask } from '../../data/queries.ts'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { Allowed } from '../../ui/allowed.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Failed } from '../../ui/failed.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { sayDone } from '../../ui/say.tsx'
import { Section } from '../../ui/section.tsx'
import { count } from '../../ui/times.ts'
import { When } from '../../ui/when.tsx'

const t = texts.settings.organization

type Own = z.output<typeof OwnSettings>
type Change = z.input<typeof OwnSettingsChange>

export function OrganizationSettings() {
  const organization = useOrganization()
  const found = useQuery(ask('settings', getSettings, { path: { organization } }))
  return <Loaded query={found}>{(own) => <Form key={own.updated_at} own={own} />}</Loaded>
}

const wordsOf = ({ name, description, contact_email: email, requests_per_minute: rate, approvals }: Own) => ({
  name,
  description: description ?? '',
  email: email ?? '',
  rate: rate as number | string,
  approvals: approvals === 'none' ? ('off' as const) : approvals,
})
type Words = ReturnType<typeof wordsOf>

const changeOf = ({ name, description, email, rate, approvals }: Words, own: Own): Change => ({
  name: name.trim(),
  description: description.trim() === '' ? null : description,
  contact_email: email.trim() === '' ? null : email.trim(),
  // An unchanged limit is not sent, so that the installation's setting continues to apply.
  ...(rate === own.requests_per_minute ? {} : { requests_per_minute: Number(rate) }),
  approvals,
})

function faultsOf({ name, email, rate }: Words, most: number): { [Name in keyof Words]?: string } {
  const perMinute = Number(rate)
  return {
    ...(name.trim() === '' || name.trim().length > 100 ? { name: t.nameWrong } : {}),
    ...(email.trim() === '' || /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email.trim()) ? {} : { email: t.emailWrong }),
    ...(Number.isInteger(perMinute) && perMinute >= 1 && perMinute <= most
      ? {}
      : { rate: t.rateWrong({ most: count(most) }) }),
  }
}

function useSave(own: Own) {
  const organization = useOrganization()
  const queries = useQueryClient()
  const store = (body: Change) => call(changeSettings, { path: { organization }, body })
  const refetch = () => Promise.all(['settings', 'me'].map((noun) => queries.invalidateQueries({ queryKey: [noun] })))
  const undo = async () => {
    const { name, description, contact_email, requests_per_minute, approvals } = own
    try {
      await store({ name, description, contact_email, requests_per_minute, approvals })
      await refetch()
      sayDone(texts.settings.back)
    } catch (thrown) {
      sayProblem(thrown)
    }
  }
  return useMutation({
    mutationFn: store,
    onSuccess: () => {
      sayDone(texts.settings.saved, () => void undo())
      return refetch()
    },
  })
}

function Form({ own }: { own: Own }) {
  const [words, setWords] = useState(() => wordsOf(own))
  const may = useMay('tenant_update')
  const save = useSave(own)
  const most = own.max_requests_per_minute
  const faults = faultsOf(words, most)
  const put = (change: Partial<Words>) => setWords((before) => ({ ...before, ...change }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (Object.keys(faults).length === 0) save.mutate(changeOf(words, own))
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="lg">
        <About own={own} words={words} faults={faults} put={put} disabled={!may} />
        <Limits
          own={own}
          words={words}
          faults={faults}
          put={put}
          disabled={!may}
          onDefault={() => save.mutate({ requests_per_minute: null })}
        />
        {save.error === null ? null : <Failed failure={Problem.of(save.error)} />}
        <Group>
          <Allowed may={may} why={texts.settings.cannot}>
            <Button type="submit" disabled={!may} loading={save.isPending}>
              {texts.settings.save}
            </Button>
          </Allowed>
          <Text size="sm" c="dimmed">
            {t.changed} <When at={own.updated_at} />
          </Text>
        </Group>
      </Stack>
    </form>
  )
}

interface PartProps {
  readonly own: Own
  readonly words: Words
  readonly faults: { [Name in keyof Words]?: string }
  readonly put: (change: Partial<Words>) => void
  readonly disabled: boolean
}

function About({ own, words, faults, put, disabled }: PartProps) {
  return (
    <Section title={t.title} hint={t.hint}>
      <Stack maw={560}>
        <Facts facts={[[t.slug, <code key="slug">{own.slug}</code>]]} />
        <TextInput
          label={t.name}
          value={words.name}
          error={faults.name}
          disabled={disabled}
          onChange={({ currentTarget: { value: name } }) => put({ name })}
        />
        <Textarea
          label={t.description}
          autosize
          minRows={2}
          value={words.description}
          disabled={disabled}
          onChange={({ currentTarget: { value: description } }) => put({ description })}
        />
        <TextInput
          label={t.email}
          description={t.emailHint}
          type="email"
          value={words.email}
          error={faults.email}
          disabled={disabled}
          onChange={({ currentTarget: { value: email } }) => put({ email })}
        />
      </Stack>
    </Section>
  )
}

function Limits({ own, words, faults, put, disabled, onDefault }: PartProps & { readonly onDefault: () => void }) {
  const most = own.max_requests_per_minute
  return (
    <Section title={t.limits}>
      <Stack maw={560}>
        <Stack gap="xs" align="flex-start">
          <NumberInput
            w="100%"
            label={t.rate}
            description={t.rateHint({ most: count(most) })}
            value={words.rate}
            error={faults.rate}
            min={1}
            max={most}
            allowDecimal={false}
            disabled={disabled}
            onChange={(rate) => put({ rate })}
          />
          <Button size="xs" variant="default" disabled={disabled} onClick={onDefault}>
            {t.rateDefault}
          </Button>
        </Stack>
        <Select
          label={t.approvals}
          description={t.approvalsHint}
          data={Object.entries(t.approvalModes).map(([value, label]) => ({ value, label }))}
          value={words.approvals}
          allowDeselect={false}
          disabled={disabled}
          onChange={(next) => put({ approvals: next as Words['approvals'] })}
        />
        <Stack gap={0}>
          <Text size="sm" fw={600}>
            {t.processes}
          </Text>
          <Text size="sm">{own.allow_processes ? t.processesOn : t.processesOff}</Text>
          <Text size="xs" c="dimmed">
            {t.processesHint}
          </Text>
        </Stack>
      </Stack>
    </Section>
  )
}
