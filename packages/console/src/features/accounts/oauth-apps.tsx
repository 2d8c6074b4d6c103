/** Clients that the organization registered with vendors. A secret goes in and is never shown again. */
import { Button, Group, Switch, Text } from '@mantine/core'
import { listOAuthApps, listProviders, putOAuthApp, removeOAuthApp, type OAuthApp } from '@toolway/contract/admin'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import { call } from '../../data/call.ts'
import { useOrganization } from '../../data/me.ts'
import { askAll } from '../../data/pages.ts'
import { ask } from '../../data/queries.ts'
import { useUrlState } from '../../data/url-state.ts'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { sayDone } from '../../ui/say.tsx'
import { column } from '../../ui/table.tsx'
import { AddedList } from '../../parts/added-list.tsx'
import { OAuthAppForm } from '../../parts/account/oauth-app-form.tsx'

const t = texts.settings.apps

/** `new`, or the app that is open. */
const State = z.object({ app: z.string().optional() })

export function OAuthApps() {
  const organization = useOrganization()
  const [{ app: open }, set] = useUrlState(State)
  const [leaving, setLeaving] = useState<OAuthApp>()
  const found = useQuery(askAll('oauth', listOAuthApps, { path: { organization } }))
  const providers = useQuery(ask('oauth', listProviders))
  const vendors = providers.data?.items ?? []
  const nameOf = (provider: string) => vendors.find(({ id }) => id === provider)?.name ?? provider
  const { put, remove } = useChanges(nameOf)
  const columns = [
    column<OAuthApp>(
      t.columns.vendor,
      ({ provider, issuer }) => (
        <>
          <Text fw={600}>{nameOf(provider)}</Text>
          {issuer === null ? null : (
            <Text size="xs" c="dimmed" className="breakable">
              {issuer}
            </Text>
          )}
        </>
      ),
      2,
    ),
    column<OAuthApp>(t.columns.client, ({ client_id: id }) => <code>{id}</code>, 4),
    column<OAuthApp>(t.columns.secret, ({ client_secret_hint: hint }) => hint ?? t.noSecret, 2),
    column<OAuthApp>(t.columns.used, (app) => <Used app={app} name={nameOf(app.provider)} onPut={put.mutate} />, 1),
    column<OAuthApp>(
      t.columns.action,
      (app) => (
        <Acts
          name={nameOf(app.provider)}
          onChange={() => set({ app: app.id }, 'push')}
          onRemove={() => setLeaving(app)}
        />
      ),
      3,
      { plain: true },
    ),
  ]
  return (
    <AddedList
      label={t.list}
      words={t}
      icon="key"
      query={found}
      columns={columns}
      onAdd={() => set({ app: 'new' }, 'push')}
      removal={{
        row: leaving,
        title: t.removeOf({ vendor: nameOf(leaving?.provider ?? '') }),
        text: t.removeText,
        verb: t.remove,
        mutation: remove,
        onClose: () => setLeaving(undefined),
      }}
    >
      <OAuthAppForm
        open={open}
        apps={found.data?.items ?? []}
        vendors={vendors}
        onClose={() => set({ app: undefined })}
      />
    </AddedList>
  )
}

function useChanges(nameOf: (provider: string) => string) {
  const organization = useOrganization()
  const queries = useQueryClient()
  const onSettled = () => queries.invalidateQueries({ queryKey: ['oauth'] })
  const put = useMutation({
    mutationFn: ({ provider, issuer, client_id, is_active }: OAuthApp) =>
      call(putOAuthApp, { path: { organization }, body: { provider, ...serverOf(issuer), client_id, is_active } }),
    onSuccess: (_, { provider, is_active: active }) => sayDone(`${nameOf(provider)}: ${active ? t.on : t.off}`),
    onError: sayProblem,
    onSettled,
  })
  const remove = useMutation({
    mutationFn: ({ provider, issuer }: OAuthApp) =>
      call(removeOAuthApp, { path: { organization, provider }, query: serverOf(issuer) }),
    onSuccess: (_, { provider }) => sayDone(t.removed({ vendor: nameOf(provider) })),
    onError: sayProblem,
    onSettled,
  })
  return { put, remove }
}

/** The issuer of a server is an address of it, too. */
const serverOf = (issuer: string | null) => (issuer === null ? {} : { server: issuer })

function Used({ app, name, onPut }: { app: OAuthApp; name: string; onPut: (app: OAuthApp) => void }) {
  return (
    <Switch
      aria-label={t.use({ vendor: name })}
      checked={app.is_active}
      onChange={({ currentTarget: { checked } }) => onPut({ ...app, is_active: checked })}
    />
  )
}

function Acts({ name, onChange, onRemove }: { name: string; onChange: () => void; onRemove: () => void }) {
  return (
    <Group gap="xs">
      <Button size="xs" variant="default" aria-label={t.changeOf({ vendor: name })} onClick={onChange}>
        {t.change}
      </Button>
      <Button size="xs" variant="default" aria-label={t.removeOf({ vendor: name })} onClick={onRemove}>
        {t.remove}
      </Button>
    </Group>
  )
}
