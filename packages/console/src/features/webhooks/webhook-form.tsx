/** Adds a webhook, or changes one: its address, what it is told of, and whether it lies in a private network. */
import { Button, Checkbox, Group, Modal, MultiSelect, Stack, TextInput } from '@mantine/core'
import { addWebhook, changeWebhook, type Webhook } from '@toolway/contract/admin'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { call } from '../../data/call.ts'
import { useMay, useOrganization } from '../../data/me.ts'
import { Problem } from '../../data/problem.ts'
import { texts } from '../../texts/texts.ts'
import { Allowed } from '../../ui/allowed.tsx'
import { Failed } from '../../ui/failed.tsx'
import { sayDone } from '../../ui/say.tsx'

const t = texts.webhooks

interface FormProps {
  /** `new`, an id, or nothing. */
  readonly open: string | undefined
  readonly held: readonly Webhook[]
  readonly onClose: () => void
  /** One was made, with this secret. */
  readonly onMade: (secret: string) => void
}

export function WebhookForm({ open, held, onClose, onMade }: FormProps) {
  const webhook = held.find(({ id }) => id === open)
  const shown = open === 'new' || webhook !== undefined
  return (
    <Modal
      opened={shown}
      onClose={onClose}
      title={webhook === undefined ? t.add : t.change}
      closeButtonProps={{ 'aria-label': texts.close }}
    >
      {shown ? <Fields key={open} webhook={webhook} onClose={onClose} onMade={onMade} /> : null}
    </Modal>
  )
}

const wordsOf = (webhook: Webhook | undefined) => ({
  url: webhook?.url ?? '',
  description: webhook?.description ?? '',
  private: webhook?.private ?? false,
  events: webhook?.events ?? ['alert'],
})
type Words = ReturnType<typeof wordsOf>

const faultsOf = ({ url, events }: Words) => ({
  ...(/^https?:\/\/\S+$/i.test(url.trim()) ? {} : { url: t.addressWrong }),
  ...(events.length > 0 ? {} : { events: t.eventsWrong }),
})

interface FieldsProps extends Pick<FormProps, 'onClose' | 'onMade'> {
  readonly webhook: Webhook | undefined
}

function useSave({ webhook, onClose, onMade }: FieldsProps, mayPrivate: boolean) {
  const organization = useOrganization()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async ({ url, description, events, private: hidden }: Words): Promise<string | undefined> => {
      const body = {
        url: url.trim(),
        description: description.trim() === '' ? null : description.trim(),
        events,
        ...(mayPrivate ? { private: hidden } : {}),
      }
      if (webhook === undefined) return (await call(addWebhook, { path: { organization }, body })).secret
      await call(changeWebhook, { path: { organization, webhook: webhook.id }, body })
      return undefined
    },
    onSuccess: async (secret) => {
      await queries.invalidateQueries({ queryKey: ['webhooks'] })
      if (secret !== undefined) return onMade(secret)
      sayDone(t.saved)
      onClose()
    },
  })
}

function Fields(props: FieldsProps) {
  const [words, setWords] = useState(() => wordsOf(props.webhook))
  const [tried, setTried] = useState(false)
  const mayPrivate = useMay('tenant_update', 'platform')
  const save = useSave(props, mayPrivate)
  const faults: { url?: string; events?: string } = tried ? faultsOf(words) : {}
  const put = (change: Partial<Words>) => setWords((before) => ({ ...before, ...change }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (Object.keys(faultsOf(words)).length === 0) save.mutate(words)
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label={t.address}
          description={t.addressHint}
          type="url"
          value={words.url}
          error={faults.url}
          data-autofocus
          onChange={({ currentTarget: { value: url } }) => put({ url })}
        />
        <MultiSelect
          label={t.events}
          data={Object.entries({ ...t.event, ...texts.alerts.kinds }).map(([value, label]) => ({ value, label }))}
          value={words.events}
          error={faults.events}
          onChange={(events) => put({ events })}
          searchable
        />
        <TextInput
          label={t.description}
          value={words.description}
          maxLength={200}
          onChange={({ currentTarget: { value: description } }) => put({ description })}
        />
        <Allowed may={mayPrivate} why={t.privateWhy}>
          <Checkbox
            label={t.private}
            checked={words.private}
            disabled={!mayPrivate}
            onChange={({ currentTarget: { checked } }) => put({ private: checked })}
          />
        </Allowed>
        {save.error === null ? null : <Failed failure={Problem.of(save.error)} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={props.onClose}>
            {texts.cancel}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {t.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
