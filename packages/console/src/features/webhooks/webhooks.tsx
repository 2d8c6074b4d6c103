/** Addresses that are told of what happens here: how their last deliveries went, and what can be done with each. */
import { ActionIcon, Button, Menu, Stack, Text } from '@mantine/core'
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
import { Confirm } from '../../ui/confirm.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Section } from '../../ui/section.tsx'
import { column, Table } from '../../ui/table.tsx'
import { When } from '../../ui/when.tsx'
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
  const items = found.data?.items ?? []
  const add = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => set({ webhook: 'new' }, 'push')}>
      {t.add}
    </Button>
  )
  const acts = (webhook: Webhook) => (
    <Acts
      webhook={webhook}
      changes={changes}
      onChange={() => set({ webhook: webhook.id }, 'push')}
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
    <Section title={t.title} hint={t.hint} bare action={items.length === 0 ? undefined : add}>
      <Table
        label={t.list}
        query={found}
        rowKey={({ id }) => id}
        columns={columns}
        empty={
          <Empty title={t.empty} hint={t.emptyHint} icon="webhook">
            {add}
          </Empty>
        }
      />
      <WebhookForm
        open={open}
        held={items}
        onClose={() => set({ webhook: undefined })}
        onMade={(made) => {
          setSecret(made)
          set({ webhook: undefined })
        }}
      />
      <SecretOnce secret={secret} onClose={() => setSecret(undefined)} />
      <Confirm
        opened={leaving !== undefined}
        title={t.removeTitle}
        verb={t.remove}
        busy={changes.remove.isPending}
        onClose={() => setLeaving(undefined)}
        onConfirm={() => leaving && changes.remove.mutate(leaving, { onSettled: () => setLeaving(undefined) })}
      >
        {t.removeText({ address: leaving?.url ?? '' })}
      </Confirm>
    </Section>
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
  const {
    enabled,
    off_reason: why,
    waiting,
    delivered_at: delivered,
    failed_at: failed,
    last_problem: problem,
  } = webhook
  const failedLast = failed !== null && (delivered === null || failed > delivered)
  return (
    <Stack gap={2} align="flex-start">
      <StateBadge tone={enabled ? (failedLast ? 'warn' : 'good') : 'off'}>{enabled ? t.on : t.off}</StateBadge>
      {why === null ? null : <Text size="xs">{t.gaveUp({ why: localized(why) })}</Text>}
      {delivered === null ? null : (
        <Text size="xs" c="dimmed">
          {t.delivered} <When at={delivered} />
        </Text>
      )}
      {failedLast ? (
        <Text size="xs" className="breakable">
          {t.failed} <When at={failed} />
          {problem === null ? '' : `: ${localized(problem)}`}
        </Text>
      ) : null}
      {waiting === 0 ? null : <Text size="xs">{t.waiting({ count: waiting })}</Text>}
      {webhook.previous_secret_until === null ? null : (
        <Text size="xs" c="dimmed">
          {t.oldSecret} <When at={webhook.previous_secret_until} />
        </Text>
      )}
    </Stack>
  )
}

interface ActsProps {
  readonly webhook: Webhook
  readonly changes: WebhookChanges
  readonly onChange: () => void
  readonly onRemove: () => void
}

function Acts({ webhook, changes, onChange, onRemove }: ActsProps) {
  const { test, rotate, toggle } = changes
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="default"
          size={36}
          aria-label={t.actions({ address: webhook.url })}
          loading={[test, rotate, toggle].some(({ isPending, variables }) => isPending && variables.id === webhook.id)}
        >
          <Icon name="dots" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Icon name="send" size={16} />} onClick={() => test.mutate(webhook)}>
          {t.test}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="pencil" size={16} />} onClick={onChange}>
          {t.edit}
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="rotate" size={16} />} onClick={() => rotate.mutate(webhook)}>
          {t.rotate}
        </Menu.Item>
        <Menu.Item
          leftSection={<Icon name={webhook.enabled ? 'player-pause' : 'player-play'} size={16} />}
          onClick={() => toggle.mutate({ ...webhook, enabled: !webhook.enabled })}
        >
          {webhook.enabled ? t.switchOff : t.switchOn}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="trash" size={16} />} color="red" onClick={onRemove}>
          {t.remove}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
