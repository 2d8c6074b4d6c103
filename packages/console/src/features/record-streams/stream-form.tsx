/** Adds a record stream, or changes one. Secrets are written and never shown; a destination is changed together with them. */
import { Checkbox, PasswordInput, Select, Stack, Textarea, TextInput } from '@mantine/core'
import {
  destinationKind,
  DESTINATIONS,
  type DestinationField,
  type DestinationSecret,
  type RecordStream,
} from '@toolway/contract/admin'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMay } from '../../data/me.ts'
import { PrivateNetwork } from '../../parts/destination/private-network.tsx'
import { FormFoot } from '../../parts/form/form-foot.tsx'
import { useWords } from '../../parts/form/use-words.ts'

import { texts } from '../../texts/texts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { sayDone } from '../../ui/say.tsx'
import type { StreamCalls } from './stream-owner.ts'
import { destinationOf, faultsOf, firstOf, secretsOf, wordsOf, type StreamWords } from './stream-words.ts'

const t = texts.recordStreams

interface FormProps {
  /** `new`, an id, or nothing. */
  readonly open: string | undefined
  readonly streams: readonly RecordStream[]
  readonly calls: StreamCalls
  readonly onClose: () => void
  /** A webhook was made, with this secret. */
  readonly onMade: (secret: string) => void
}

export function StreamForm({ open, streams, calls, onClose, onMade }: FormProps) {
  const stream = streams.find(({ id }) => id === open)
  const shown = open === 'new' || stream !== undefined
  return (
    <Dialog opened={shown} onClose={onClose} title={stream === undefined ? t.add : t.change}>
      {shown ? <Fields key={open} calls={calls} stream={stream} onClose={onClose} onMade={onMade} /> : null}
    </Dialog>
  )
}

interface FieldsProps extends Pick<FormProps, 'calls' | 'onClose' | 'onMade'> {
  readonly stream: RecordStream | undefined
}

function useSave({ stream, calls, onClose, onMade }: FieldsProps, mayPrivate: boolean) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (words: StreamWords): Promise<string | null> => {
      const { name, alerts, from } = words
      const common = { name: name.trim(), alerts, ...(mayPrivate ? { private: words.private } : {}) }
      const target = words.anew ? { destination: destinationOf(words), secrets: secretsOf(words) } : {}
      if (stream === undefined) {
        const body = { ...common, from, destination: destinationOf(words), secrets: secretsOf(words) }
        return (await calls.add(body)).secret
      }
      await calls.change(stream.id, { ...common, ...target })
      return null
    },
    onSuccess: async (secret) => {
      await queries.invalidateQueries({ queryKey: ['record-streams'] })
      if (secret !== null) return onMade(secret)
      sayDone(t.saved)
      onClose()
    },
  })
}

function Fields(props: FieldsProps) {
  const { stream } = props
  const mayPrivate = useMay('tenant_update', 'platform')
  const save = useSave(props, mayPrivate)
  const { words, faults, put, submit } = useWords(() => wordsOf(stream), faultsOf, save.mutate)
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label={t.name}
          value={words.name}
          error={faults['name']}
          maxLength={100}
          data-autofocus
          onChange={({ currentTarget: { value: name } }) => put({ name })}
        />
        {stream === undefined ? null : (
          <Checkbox
            label={t.withDestination}
            description={t.secretKept}
            checked={words.anew}
            onChange={({ currentTarget: { checked: anew } }) => put({ anew })}
          />
        )}
        {words.anew ? <Destination words={words} faults={faults} put={put} /> : null}
        {stream === undefined ? (
          <Select
            label={t.from}
            data={Object.entries(t.froms).map(([value, label]) => ({ value, label }))}
            value={words.from}
            allowDeselect={false}
            onChange={(from) => put({ from: from === 'start' ? 'start' : 'now' })}
          />
        ) : null}
        <Checkbox
          label={t.alerts}
          checked={words.alerts}
          onChange={({ currentTarget: { checked: alerts } }) => put({ alerts })}
        />
        <PrivateNetwork
          may={mayPrivate}
          words={t}
          checked={words.private}
          onChange={(checked) => put({ private: checked })}
        />
        <FormFoot verb={t.save} sending={save} onClose={props.onClose} />
      </Stack>
    </form>
  )
}

interface DestinationProps {
  readonly words: StreamWords
  readonly faults: Readonly<Record<string, string>>
  readonly put: (change: Partial<StreamWords>) => void
}

function Destination({ words: { kind, fields, secret: text }, faults, put }: DestinationProps) {
  const { form } = destinationKind(kind)
  return (
    <>
      <Select
        label={t.kind}
        data={DESTINATIONS.map(({ kind: value }) => ({ value, label: t.kinds[value] }))}
        value={kind}
        allowDeselect={false}
        onChange={(next) => put({ kind: next ?? kind, fields: {}, secret: '' })}
      />
      {form.fields.map((field) => (
        <DestinationInput
          key={field.name}
          field={field}
          value={fields[field.name] ?? firstOf(kind, field.name)}
          fault={faults[field.name]}
          onChange={(value) => put({ fields: { ...fields, [field.name]: value } })}
        />
      ))}
      {form.secret === undefined ? null : (
        <SecretInput
          secret={form.secret}
          value={text}
          fault={faults[form.secret.name]}
          onChange={(secret) => put({ secret })}
        />
      )}
    </>
  )
}

interface InputProps {
  readonly value: string
  readonly fault: string | undefined
  readonly onChange: (value: string) => void
}

function DestinationInput({ field, value, fault, onChange }: InputProps & { readonly field: DestinationField }) {
  const shared = { label: t.fields[field.name], value, error: fault }
  if (field.control === 'choice')
    return <Select {...shared} data={field.choices} onChange={(text) => onChange(text ?? value)} />
  if (field.control === 'lines')
    return <Textarea {...shared} onChange={({ currentTarget }) => onChange(currentTarget.value)} />
  const mode = field.control === 'number' ? 'numeric' : 'text'
  return <TextInput {...shared} inputMode={mode} onChange={({ currentTarget }) => onChange(currentTarget.value)} />
}

function SecretInput({ secret, value, fault, onChange }: InputProps & { readonly secret: DestinationSecret }) {
  const shared = { label: t.secrets[secret.name], value, error: fault }
  if (secret.control === 'password')
    return (
      <PasswordInput
        {...shared}
        autoComplete="new-password"
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    )
  return (
    <Textarea
      {...shared}
      description={secret.control === 'headers' ? t.headersHint : undefined}
      autosize
      minRows={2}
      autoComplete="off"
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}
