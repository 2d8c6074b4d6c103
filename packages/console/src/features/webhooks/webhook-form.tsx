/** Adds a webhook, or changes one: its address, what it is told of, and whether it lies in a private network. */
import { MultiSelect, Stack, TextInput } from '@mantine/core'
import { addWebhook, changeWebhook, type Webhook } from '@toolway/contract/admin'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../data/call.ts'
import { useMay, useOrganization } from '../../data/me.ts'
import { PrivateNetwork } from '../../parts/destination/private-network.tsx'
import { FormFoot } from '../../parts/form/form-foot.tsx'
import { useWords } from '../../parts/form/use-words.ts'
import { texts } from '../../texts/texts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { sayDone } from '../../ui/say.tsx'

const t = texts.webhooks

interface FormProps {
  /** `new`, an id, or nothing. */
  readonly open: string | undefined
  readonly webhooks: readonly Webhook[]
  readonly onClose: () => void
  /** One was made, with this secret. */
  readonly onMade: (secret: string) => void
}

export function WebhookForm({ open, webhooks, onClose, onMade }: FormProps) {
  const webhook = webhooks.find(({ id }) => id === open)
  const shown = open === 'new' || webhook !== undefined
  return (
    <Dialog opened={shown} onClose={onClose} title={webhook === undefined ? t.add : t.change}>
      {shown ? <Fields key={open} webhook={webhook} onClose={onClose} onMade={onMade} /> : null}
    </Dialog>
  )
}

const wordsOf = (webhook: Webhook | undefined) => ({
  url: webhook?.url ?? '',
  description: webhook?.description ?? '',
  private: webhook?.private ?? false,
  events: webhook?.events ?? ['alert'],
})
type Words = ReturnType<typeof wordsOf>

const faultsOf = ({ url, events }: Words): Record<string, string> => ({
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
  const mayPrivate = useMay('tenant_update', 'platform')
  const save = useSave(props, mayPrivate)
  const { words, faults, put, submit } = useWords(() => wordsOf(props.webhook), faultsOf, save.mutate)
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label={t.address}
          description={t.addressHint}
          type="url"
          value={words.url}
          error={faults['url']}
          data-autofocus
          onChange={({ currentTarget: { value: url } }) => put({ url })}
        />
        <MultiSelect
          label={t.events}
          data={Object.entries({ ...t.event, ...texts.alerts.kinds }).map(([value, label]) => ({ value, label }))}
          value={words.events}
          error={faults['events']}
          onChange={(events) => put({ events })}
          searchable
        />
        <TextInput
          label={t.description}
          value={words.description}
          maxLength={200}
          onChange={({ currentTarget: { value: description } }) => put({ description })}
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
