/** Addresses that are told of what happens here: how their last deliveries went, and what can be done with each. */
import { Menu, Stack, Text } from '@mantine/core'
import { listWebhooks, type Webhook } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import { useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { useUrlState } from '../../data/url-state.ts'
import { localized } from '../../texts/gateway-words.ts'
import { texts } from '../../texts/texts.ts'
import { StateBadge } from '../../ui/badges.tsx'
import { Icon } from '../../ui/icon.tsx'
import { column } from '../../ui/table.tsx'
import { When } from '../../ui/when.tsx'
import { AddedList } from '../../parts/added-list.tsx'
import { DestinationMenu, type DestinationMenuProps } from '../../parts/destination/destination-menu.tsx'
import { failedLast, LastDelivery } from '../../parts/destination/last-delivery.tsx'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { useWebhookChanges, type WebhookChanges } from './webhook-changes.ts'
import { WebhookForm } from './webhook-form.tsx'

const t = texts.webhooks

/** `new`, or the id of the one that is open. */
const State = z.object({ webhook: z.string().optional() })

export function Webhooks() {
  const organization = useOrganization()
  const [{ webhook: open }, set] = useUrlState(State)
  const [secret, setSecret] = useState<string>()
  const [leaving, setLeaving] = useState<Webhook>()
  const found = useQuery(ask('webhooks', listWebhooks, { path: { organization } }))
  const changes = useWebhookChanges(setSecret)
  const acts = (webhook: Webhook) => (
    <Acts
      webhook={webhook}
      changes={changes}
      onEdit={() => set({ webhook: webhook.id }, 'push')}
      onRemove={() => setLeaving(webhook)}
    />
  )
  const columns = [
    column<Webhook>(t.columns.address, Address, 4),
    column<Webhook>(t.columns.told, ({ events }) => events.map(wordOf).join(', '), 3),
    column<Webhook>(t.columns.state, Delivery, 4, { plain: true }),
    column<Webhook>(t.columns.action, acts, 1, { plain: true }),
  ]
  return (
    <AddedList
      label={t.list}
      words={t}
      icon="webhook"
      query={found}
      columns={columns}
      onAdd={() => set({ webhook: 'new' }, 'push')}
      removal={{
        row: leaving,
        title: t.removeTitle,
        text: t.removeText({ address: leaving?.url ?? '' }),
        verb: t.remove,
        mutation: changes.remove,
        onClose: () => setLeaving(undefined),
      }}
    >
      <WebhookForm
        open={open}
        webhooks={found.data?.items ?? []}
        onClose={() => set({ webhook: undefined })}
        onMade={(made) => {
          setSecret(made)
          set({ webhook: undefined })
        }}
      />
      <SecretOnce secret={secret} onClose={() => setSecret(undefined)} />
    </AddedList>
  )
}

const wordOf = (event: string) => t.event[event] ?? texts.alerts.kinds[event] ?? event

const Address = ({ url, description }: Webhook) => (
  <Stack gap={0}>
    <Text fw={600} className="breakable">
      {url}
    </Text>
    {description === null ? null : (
      <Text size="xs" c="dimmed">
        {description}
      </Text>
    )}
  </Stack>
)

function Delivery(webhook: Webhook) {
  const { enabled, off_reason: why, waiting, previous_secret_until: until } = webhook
  const failing = failedLast(webhook)
  return (
    <Stack gap={2} align="flex-start">
      <StateBadge tone={enabled ? (failing ? 'warn' : 'good') : 'off'}>{enabled ? t.on : t.off}</StateBadge>
      {why === null ? null : <Text size="xs">{t.gaveUp({ why: localized(why) })}</Text>}
      <LastDelivery of={webhook} words={t} showsFailure={failing} />
      {waiting === 0 ? null : <Text size="xs">{t.waiting({ count: waiting })}</Text>}
      {until === null ? null : (
        <Text size="xs" c="dimmed">
          {t.oldSecret} <When at={until} />
        </Text>
      )}
    </Stack>
  )
}

interface ActsProps extends Pick<DestinationMenuProps, 'onEdit' | 'onRemove'> {
  readonly webhook: Webhook
  readonly changes: WebhookChanges
}

function Acts({ webhook, changes: { test, rotate, toggle }, onEdit, onRemove }: ActsProps) {
  return (
    <DestinationMenu
      label={t.actions({ address: webhook.url })}
      words={t}
      enabled={webhook.enabled}
      busy={[test, rotate, toggle].some(({ isPending, variables }) => isPending && variables.id === webhook.id)}
      onTest={() => test.mutate(webhook)}
      onEdit={onEdit}
      onToggle={() => toggle.mutate({ ...webhook, enabled: !webhook.enabled })}
      onRemove={onRemove}
    >
      <Menu.Item leftSection={<Icon name="rotate" size={16} />} onClick={() => rotate.mutate(webhook)}>
        {t.rotate}
      </Menu.Item>
    </DestinationMenu>
  )
}
