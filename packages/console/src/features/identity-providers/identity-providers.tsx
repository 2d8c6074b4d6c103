/** Identity providers of the organization: what to enter at each, whether it works, and what can be done with it. */
import { Group, Menu, Stack, Text } from '@mantine/core'
import {
  listIdentityProviders,
  putIdentityProvider,
  removeIdentityProvider,
  tryIdentityProvider,
} from '@toolway/contract/admin'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import { call } from '../../data/call.ts'
import { useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { useUrlState } from '../../data/url-state.ts'
import { AddedList } from '../../parts/added-list.tsx'
import { DestinationMenu } from '../../parts/destination/destination-menu.tsx'
import { failedLast, LastDelivery } from '../../parts/destination/last-delivery.tsx'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { StateBadge } from '../../ui/badges.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { sayDone } from '../../ui/say.tsx'
import { column } from '../../ui/table.tsx'
import { ProviderForm } from './provider-form.tsx'
import type { Row } from './provider-words.ts'

const t = texts.identityProviders

/** `new`, or the name of the one that is open. */
const State = z.object({ provider: z.string().optional() })

export function IdentityProviders() {
  const organization = useOrganization()
  const [{ provider: open }, set] = useUrlState(State)
  const [leaving, setLeaving] = useState<Row>()
  const [entering, setEntering] = useState<Row>()
  const listed = useQuery(ask('identity-providers', listIdentityProviders, { path: { organization } }))
  const rows = listed.data?.items.map((item): Row => ({ ...item, id: item.slug })) ?? []
  const query = { ...listed, data: listed.data && { ...listed.data, items: rows } } as typeof listed & {
    data: { items: Row[] } | undefined
  }
  const changes = useProviderChanges(organization)
  const acts = (row: Row) => (
    <DestinationMenu
      label={t.actions({ name: row.title })}
      words={t}
      enabled={row.enabled}
      busy={changes.toggle.isPending && changes.toggle.variables.id === row.id}
      onTest={() => changes.tryOut.mutate(row)}
      onEdit={() => set({ provider: row.id }, 'push')}
      onToggle={() => changes.toggle.mutate(row)}
      onRemove={() => setLeaving(row)}
    >
      <Menu.Item leftSection={<Icon name="link" size={16} />} onClick={() => setEntering(row)}>
        {t.addressesToEnter}
      </Menu.Item>
    </DestinationMenu>
  )
  const columns = [
    column<Row>(t.columns.name, Name, 5),
    column<Row>(t.columns.state, ProviderState, 5, { plain: true }),
    column<Row>(t.columns.action, acts, 1, { plain: true }),
  ]
  return (
    <AddedList
      label={t.title}
      words={t}
      icon="users"
      query={query}
      columns={columns}
      onAdd={() => set({ provider: 'new' }, 'push')}
      removal={{
        row: leaving,
        title: t.removeTitle,
        text: t.removeText({ name: leaving?.title ?? '' }),
        verb: t.remove,
        mutation: changes.remove,
        onClose: () => setLeaving(undefined),
      }}
    >
      <ProviderForm open={open} rows={rows} onClose={() => set({ provider: undefined })} />
      <Dialog opened={entering !== undefined} onClose={() => setEntering(undefined)} title={t.addressesToEnter}>
        <Stack>
          <Text size="sm">{t.addressesToEnterHint}</Text>
          <CopyField label={t.redirectUri} value={entering?.redirect_uri ?? ''} copyLabel={t.copyRedirectUri} />
          {entering?.service_provider ? (
            <CopyField label={t.entityId} value={entering.service_provider.entity_id} copyLabel={t.copyEntityId} />
          ) : null}
          {entering?.logout_uri ? (
            <CopyField label={t.logoutUri} value={entering.logout_uri} copyLabel={t.copyLogoutUri} />
          ) : null}
          <CopyField label={t.signInUrl} value={entering?.sign_in_url ?? ''} copyLabel={t.copySignInUrl} />
        </Stack>
      </Dialog>
    </AddedList>
  )
}

/** The changes to a provider, and the notifications that follow them. */
function useProviderChanges(organization: string) {
  const queries = useQueryClient()
  const always = {
    onError: sayProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: ['identity-providers'] }),
  }
  const pathOf = ({ slug: provider }: Row) => ({ organization, provider })
  return {
    toggle: useMutation({
      ...always,
      mutationFn: (row: Row) => {
        const { title, settings, enabled } = row
        return call(putIdentityProvider, { path: pathOf(row), body: { title, settings, enabled: !enabled } })
      },
      onSuccess: ({ enabled }) => sayDone(enabled ? t.switchedOn : t.switchedOff),
    }),
    remove: useMutation({
      ...always,
      mutationFn: (row: Row) => call(removeIdentityProvider, { path: pathOf(row) }),
      onSuccess: () => sayDone(t.removed),
    }),
    tryOut: useMutation({
      ...always,
      mutationFn: (row: Row) => call(tryIdentityProvider, { path: pathOf(row) }),
      onSuccess: ({ url }) => void window.open(url, '_blank', 'noopener'),
    }),
  }
}

const Name = ({ title, settings }: Row) => (
  <Stack gap={0}>
    <Text>{title}</Text>
    <Text size="xs" c="dimmed" className="breakable">
      {settings.kind === 'oidc' ? settings.issuer : settings.entity_id}
    </Text>
  </Stack>
)

function ProviderState(row: Row) {
  const { signed_in_at: delivered_at, failed_at, last_problem, enabled, origin } = row
  const times = { delivered_at, failed_at, last_problem }
  const isFailing = failedLast(times)
  const [tone, word] = enabled
    ? isFailing
      ? (['warn', t.failing] as const)
      : (['good', t.on] as const)
    : (['off', t.off] as const)
  return (
    <Stack gap={2} align="flex-start">
      <Group gap={6}>
        <StateBadge tone={tone}>{word}</StateBadge>
        {origin === 'file' ? <StateBadge tone="plain">{texts.toolsets.declared}</StateBadge> : null}
      </Group>
      <LastDelivery of={times} words={t} showsFailure={isFailing} />
    </Stack>
  )
}
