/** The settings of a connection, and the things that a change would end. */
import { Alert, Button, Group, NumberInput, Select, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { kindOf, REVISIONS } from '@toolway/contract'
import type { Connection } from '@toolway/contract/admin'
import { useState } from 'react'
import { Problem } from '../../../data/problem.ts'
import { useMe } from '../../../data/me.ts'
import { ChildAccessFields } from '../../../parts/child-access/child-access.tsx'
import { texts } from '../../../texts/texts.ts'
import { Allowed } from '../../../ui/allowed.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Section } from '../../../ui/section.tsx'
import { linesOf } from '../../../parts/child-access/access-draft.ts'
import { ConnectionAuthFields } from './connection-auth-fields.tsx'
import { ProgramAuthFields } from './connection-program-auth-fields.tsx'
import { changeOf, draftOf, endsOf, type Draft } from './connection-draft.ts'
import { useKept, useTellDirty, type Kept } from './connection-stored.ts'
import { ConnectionOwnForm } from './connection-own-form.tsx'
import { ConnectionPairs } from './connection-pairs.tsx'
import { ConnectionPayloads } from './connection-payloads.tsx'
import { useSave } from './connection-save.tsx'
import { tabsOf } from './connection-states.ts'
import { useWhyNot } from './connection-ways.tsx'

const t = texts.connection.settings

export function ConnectionSettings({ connection }: { connection: Connection }) {
  const { kept, setDirty } = useKept(connection)
  return (
    <Stack gap="lg">
      <Form key={kept.updated_at} connection={kept} onDirty={setDirty} />
      {tabsOf(connection).includes('document') ? null : <ConnectionOwnForm connection={connection} />}
      <ConnectionPayloads connection={connection} />
    </Stack>
  )
}

interface PartProps {
  readonly draft: Draft
  readonly put: (change: Partial<Draft>) => void
  readonly disabled: boolean
}

function Form({ connection, onDirty }: { connection: Connection; onDirty: Kept['setDirty'] }) {
  const whyNot = useWhyNot(connection, 'connector_update')
  const [draft, setDraft] = useState(() => draftOf(connection))
  const { save, conflict } = useSave(connection, () => onDirty(false))
  const change = changeOf(connection, draft)
  const dirty = Object.keys(change).length > 0
  const ends = endsOf(connection, change)
  const disabled = whyNot !== undefined
  const put = (some: Partial<Draft>) => setDraft({ ...draft, ...some })
  useTellDirty(dirty, onDirty)
  const part = { draft, put, disabled }
  return (
    <form
      aria-label={t.form}
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate(change)
      }}
    >
      <Stack gap="lg">
        {whyNot === undefined ? null : (
          <Alert color="blue" icon={<Icon name="lock" />} title={t.readOnly}>
            {whyNot}
          </Alert>
        )}
        <General {...part} />
        {connection.command === null ? <Address {...part} /> : <Program {...part} refused={refusedPath(save.error)} />}
        {draft.auth === undefined ? null : (
          <Section title={t.auth} hint={t.authHint}>
            {connection.command === null ? (
              <ConnectionAuthFields auth={draft.auth} disabled={disabled} onChange={(auth) => put({ auth })} />
            ) : (
              <ProgramAuthFields auth={draft.auth} disabled={disabled} onChange={(auth) => put({ auth })} />
            )}
          </Section>
        )}
        <Calls {...part} connector={connection.connector} />
        {ends.map((end) => (
          <Alert key={end} color="orange" icon={<Icon name="alert-triangle" />} title={t.ends[end].title}>
            {t.ends[end].hint}
          </Alert>
        ))}
        {conflict}
        <Group gap="sm">
          <Allowed may={!disabled} why={whyNot ?? ''}>
            <Button type="submit" disabled={disabled || !dirty} loading={save.isPending}>
              {t.save}
            </Button>
          </Allowed>
          {dirty ? (
            <Button variant="default" onClick={() => setDraft(draftOf(connection))}>
              {t.discard}
            </Button>
          ) : null}
        </Group>
      </Stack>
    </form>
  )
}

function General({ draft, put, disabled }: PartProps) {
  return (
    <Section title={t.general}>
      <TextInput
        label={t.title}
        value={draft.title}
        required
        maxLength={100}
        disabled={disabled}
        onChange={(event) => put({ title: event.currentTarget.value })}
      />
      <Textarea
        label={t.description}
        value={draft.description}
        autosize
        minRows={2}
        maxLength={2000}
        disabled={disabled}
        onChange={(event) => put({ description: event.currentTarget.value })}
      />
    </Section>
  )
}

function Address({ draft, put, disabled }: PartProps) {
  const { user } = useMe()
  const platform = user?.platform_admin === true
  return (
    <Section title={t.where}>
      <TextInput
        label={t.url}
        type="url"
        value={draft.url}
        required
        disabled={disabled}
        onChange={(event) => put({ url: event.currentTarget.value })}
      />
      <Allowed may={platform} why={t.privateWhy}>
        <Switch
          label={t.private}
          description={t.privateHint}
          checked={draft.private}
          disabled={disabled || !platform}
          onChange={(event) => put({ private: event.currentTarget.checked })}
        />
      </Allowed>
      <ConnectionPairs
        label={t.headers}
        hint={t.headersHint}
        pairs={draft.pairs}
        disabled={disabled}
        onChange={(pairs) => put({ pairs })}
      />
    </Section>
  )
}

/** Shown at the field: the paths are far above the button. */
function refusedPath(thrown: Error | null): string | undefined {
  if (thrown === null) return undefined
  const { code, message } = Problem.of(thrown)
  return code === 'process.path' ? message : undefined
}

function Program({ draft, put, disabled, refused }: PartProps & { readonly refused: string | undefined }) {
  return (
    <Section title={t.program} hint={t.programHint}>
      <TextInput
        label={t.command}
        value={draft.command}
        required
        disabled={disabled}
        onChange={(event) => put({ command: event.currentTarget.value })}
      />
      <Textarea
        label={t.args}
        description={t.argsHint}
        value={draft.args}
        autosize
        minRows={2}
        disabled={disabled}
        onChange={(event) => put({ args: event.currentTarget.value })}
      />
      <ConnectionPairs
        label={t.environment}
        hint={t.environmentHint}
        pairs={draft.pairs}
        disabled={disabled}
        onChange={(pairs) => put({ pairs })}
      />
      <ChildAccessFields
        access={draft.access}
        args={linesOf(draft.args)}
        disabled={disabled}
        refused={refused}
        onChange={(access) => put({ access })}
      />
    </Section>
  )
}

function Calls({ draft, put, disabled, connector }: PartProps & Pick<Connection, 'connector'>) {
  const { speaksMcp, described } = kindOf(connector)
  return (
    <Section title={t.calls}>
      <NumberInput
        label={t.timeout}
        description={t.timeoutHint}
        value={draft.timeout}
        min={1}
        max={3600}
        disabled={disabled}
        onChange={(next) => put({ timeout: Number(next) })}
        maw={260}
      />
      {speaksMcp ? (
        <Select
          label={t.revision}
          description={t.revisionHint}
          data={[{ value: 'auto', label: t.auto }, ...REVISIONS]}
          value={draft.revision}
          allowDeselect={false}
          disabled={disabled}
          onChange={(next) => put({ revision: next as Draft['revision'] })}
          maw={360}
        />
      ) : null}
      {described ? (
        <Text size="sm" c="dimmed">
          {t.checksAlways}
        </Text>
      ) : (
        <Switch
          label={t.checks}
          description={t.checksHint}
          checked={draft.checks === 'arguments'}
          disabled={disabled}
          onChange={(event) => put({ checks: event.currentTarget.checked ? 'arguments' : 'none' })}
        />
      )}
    </Section>
  )
}
