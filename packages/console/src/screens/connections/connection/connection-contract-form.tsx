/** What can be set of a contract backend: which functions become tools, how long contracts are used, and what is told to it. */
import { Button, Group, NumberInput, Select, SimpleGrid, Switch, TagsInput, Textarea, TextInput } from '@mantine/core'
import type { ContractWords } from '@toolway/contract'
import type { Connection } from '@toolway/contract/admin'
import { useState } from 'react'
import { texts } from '../../../texts/texts.ts'
import { Allowed } from '../../../ui/allowed.tsx'
import { Section } from '../../../ui/section.tsx'
import { aliasesIn, aliasLines, contractChange } from './connection-contract-words.ts'
import { useKept, useTellDirty, type Kept } from './connection-kept.ts'
import { useSave } from './connection-save.tsx'
import { useWhyNot } from './connection-ways.tsx'

const t = texts.connection.contract
const EXPOSES = ['agent', 'procedure', 'all'] as const
const TIMES = [
  ['contracts_for', 1, 86_400],
  ['facets_for', 1, 86_400],
  ['stale_for', 0, 604_800],
] as const
const SWITCHES = ['side_effects', 'on_behalf', 'checks_facets'] as const

export function ConnectionContractForm({ connection }: { connection: Connection }) {
  const { kept, setDirty } = useKept(connection)
  if (kept.contract === null) return null
  return <Form key={kept.updated_at} connection={kept} contract={kept.contract} onDirty={setDirty} />
}

interface FormProps {
  readonly connection: Connection
  readonly contract: ContractWords
  readonly onDirty: Kept['setDirty']
}

function Form({ connection, contract, onDirty }: FormProps) {
  const whyNot = useWhyNot(connection, 'connector_update')
  const [draft, setDraft] = useState(contract)
  const [aliases, setAliases] = useState(aliasLines(contract.aliases ?? {}))
  const { save, conflict } = useSave(connection, () => onDirty(false))
  const disabled = whyNot !== undefined
  const put = (some: ContractWords) => setDraft({ ...draft, ...some })
  const change = contractChange(contract, { ...draft, aliases: aliasesIn(aliases) })
  const dirty = Object.keys(change).length > 0
  useTellDirty(dirty, onDirty)
  return (
    <form
      aria-label={t.title}
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate({ contract: change })
      }}
    >
      <Section title={t.title} hint={whyNot}>
        {conflict}
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <TextInput
            label={t.organization}
            description={t.organizationHint}
            value={draft.organization ?? ''}
            disabled={disabled}
            onChange={(event) => put({ organization: event.currentTarget.value })}
          />
          <Select
            label={t.exposes}
            description={t.exposesHint}
            data={EXPOSES.map((value) => ({ value, label: t.profiles[value] }))}
            value={draft.exposes ?? 'agent'}
            allowDeselect={false}
            disabled={disabled}
            onChange={(next) => put({ exposes: next as (typeof EXPOSES)[number] })}
          />
        </SimpleGrid>
        {SWITCHES.map((name) => (
          <Switch
            key={name}
            label={t.switches[name].label}
            description={t.switches[name].hint}
            checked={draft[name] ?? false}
            disabled={disabled}
            onChange={(event) => put({ [name]: event.currentTarget.checked })}
          />
        ))}
        <TagsInput
          label={t.allows}
          description={t.allowsHint}
          value={[...(draft.allows ?? [])]}
          disabled={disabled}
          onChange={(allows) => put({ allows })}
        />
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          {TIMES.map(([name, min, max]) => (
            <NumberInput
              key={name}
              label={t.times[name]}
              min={min}
              max={max}
              value={draft[name] ?? min}
              disabled={disabled}
              onChange={(next) => put({ [name]: Number(next) })}
            />
          ))}
        </SimpleGrid>
        <Textarea
          label={t.aliases}
          description={t.aliasesHint}
          value={aliases}
          autosize
          minRows={2}
          disabled={disabled}
          onChange={(event) => setAliases(event.currentTarget.value)}
        />
        <Group>
          <Allowed may={!disabled} why={whyNot ?? ''}>
            <Button type="submit" disabled={disabled || !dirty} loading={save.isPending}>
              {texts.connection.settings.save}
            </Button>
          </Allowed>
        </Group>
      </Section>
    </form>
  )
}
