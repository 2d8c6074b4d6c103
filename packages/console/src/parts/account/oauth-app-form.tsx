/** Sets one vendor's OAuth app: what to register there, and the id and secret that came of it. */
import { Anchor, Modal, PasswordInput, Select, Stack, Text, TextInput } from '@mantine/core'
import { putOAuthApp, type listProviders, type OAuthApp } from '@toolway/contract/admin'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import type { z } from 'zod'
import { call } from '../../data/call.ts'
import { useOrganization } from '../../data/me.ts'
import { FormFoot } from '../form/form-foot.tsx'
import { texts } from '../../texts/texts.ts'
import { CopyField } from '../../ui/copy.tsx'
import { sayDone } from '../../ui/say.tsx'

const t = texts.settings.apps

type Vendor = z.output<(typeof listProviders)['answer']>['items'][number]

interface FormProps {
  /** `new`, the id of an app, a vendor, or nothing. */
  readonly open: string | undefined
  readonly apps: readonly OAuthApp[]
  readonly vendors: readonly Vendor[]
  /** The address of a server of the vendor's product, for a new app. */
  readonly server?: string | undefined
  readonly onClose: () => void
}

export function OAuthAppForm({ open, apps, vendors, server, onClose }: FormProps) {
  const app = apps.find(({ id }) => id === open)
  return (
    <Modal
      opened={open !== undefined}
      onClose={onClose}
      title={
        app === undefined
          ? t.add
          : t.changeOf({ vendor: vendors.find(({ id }) => id === app.provider)?.name ?? app.provider })
      }
      size="lg"
      closeButtonProps={{ 'aria-label': texts.close }}
    >
      {open === undefined ? null : (
        <Fields key={app?.id ?? open} app={app} {...{ open, apps, vendors, server, onClose }} />
      )}
    </Modal>
  )
}

function Fields({ open, app, vendors, server: preset, onClose }: FormProps & { readonly app: OAuthApp | undefined }) {
  const [provider, setProvider] = useState<string | null>(app?.provider ?? (open === 'new' ? null : (open ?? null)))
  const [server, setServer] = useState(app?.issuer ?? preset ?? '')
  const [id, setId] = useState(app?.client_id ?? '')
  const [secret, setSecret] = useState('')
  const [tried, setTried] = useState(false)
  const vendor = vendors.find((item) => item.id === provider)
  const save = useSave((set) => {
    sayDone(t.saved({ vendor: vendor?.name ?? set }))
    onClose()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (provider === null || id.trim() === '') return
    save.mutate({
      provider,
      ...(server.trim() === '' ? {} : { server: server.trim() }),
      client_id: id.trim(),
      ...(secret === '' ? {} : { client_secret: secret }),
      is_active: app?.is_active ?? true,
    })
  }
  const hint = app?.client_secret_hint ?? undefined
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Select
          label={t.vendor}
          placeholder={t.vendorPick}
          data={vendors.map(({ id: value, name: label }) => ({ value, label }))}
          value={provider}
          onChange={setProvider}
          error={tried && provider === null ? t.needed : undefined}
          disabled={app !== undefined}
          searchable
          // Unfolded at once, its list would cover the redirect URL below it.
          openOnFocus={false}
          data-autofocus
        />
        <TextInput
          label={t.server}
          description={t.serverHint}
          placeholder="https://"
          value={server}
          disabled={app !== undefined}
          autoComplete="off"
          onChange={({ currentTarget: { value } }) => setServer(value)}
        />
        <Registration vendor={vendor} />
        <TextInput
          label={t.client}
          value={id}
          autoComplete="off"
          error={tried && id.trim() === '' ? t.needed : undefined}
          onChange={({ currentTarget: { value } }) => setId(value)}
        />
        <PasswordInput
          label={t.secret}
          description={hint === undefined ? t.secretNew : t.secretKept({ hint })}
          value={secret}
          autoComplete="new-password"
          onChange={({ currentTarget: { value } }) => setSecret(value)}
        />
        <FormFoot verb={t.save} sending={save} onClose={onClose} />
      </Stack>
    </form>
  )
}

function useSave(onSaved: (provider: string) => void) {
  const organization = useOrganization()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: z.input<NonNullable<(typeof putOAuthApp)['body']>>) =>
      call(putOAuthApp, { path: { organization }, body }),
    onSuccess: async ({ provider }) => {
      await queries.invalidateQueries({ queryKey: ['oauth'] })
      onSaved(provider)
    },
  })
}

/** What to register there. */
const Registration = ({ vendor }: { vendor: Vendor | undefined }) => (
  <>
    <Text size="sm">{t.steps}</Text>
    <CopyField label={t.redirect} value={`${window.location.origin}/oauth/callback`} copyLabel={t.copyRedirect} />
    <Text size="xs" c="dimmed">
      {t.redirectHint}
    </Text>
    {vendor === undefined ? null : (
      <Anchor size="sm" href={vendor.documentation} target="_blank" rel="noreferrer">
        {t.documentation({ vendor: vendor.name })}
      </Anchor>
    )}
  </>
)
