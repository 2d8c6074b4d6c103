/** The OAuth clients that this installation knows by name: those that registered themselves, and those that were added by hand. */
import { Button, Group, Modal, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import {
  addOAuthClient,
  listOAuthClients,
  removeOAuthClient,
  type AddedOAuthClient,
  type OAuthClient,
} from '@toolway/contract/admin'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { z } from 'zod'
import { call } from '../../data/call.ts'
import { Problem } from '../../data/problem.ts'
import { ask } from '../../data/queries.ts'
import { ShownOnce } from '../../parts/make-key/shown-once.tsx'
import { texts } from '../../texts/texts.ts'
import { StateBadge } from '../../ui/badges.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Failed } from '../../ui/failed.tsx'
import { column, Table } from '../../ui/table.tsx'
import { When } from '../../ui/when.tsx'
import { useMaking, usePage } from './page.ts'
import { ConfirmedAction } from '../../parts/confirmed-action.tsx'

type Added = z.output<typeof AddedOAuthClient>

export function RegisteredClients() {
  const [offset, setOffset] = usePage()
  const [adding, open, close] = useMaking()
  const clients = useQuery(ask('oauth', listOAuthClients, { query: { offset } }))
  const t = texts.keys.registered
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text c="dimmed" size="sm" maw={560}>
          {t.hint}
        </Text>
        <Button onClick={open}>{t.add}</Button>
      </Group>
      <Table
        label={texts.keys.tabs.registered}
        query={clients}
        rowKey={({ client_id: id }) => id}
        columns={COLUMNS}
        empty={<Empty icon="devices" title={t.none} hint={t.hint} />}
        onPage={setOffset}
      />
      <AddDialog opened={adding} onClose={close} />
    </Stack>
  )
}

function Client({ row: { name, redirect_uris: uris } }: { row: OAuthClient }) {
  return (
    <Stack gap={0}>
      <Text fw={600} className="breakable">
        {name}
      </Text>
      <Text size="sm" c="dimmed" className="breakable">
        {uris.join(', ')}
      </Text>
    </Stack>
  )
}

function Remove({ row: { client_id: id, name } }: { row: OAuthClient }) {
  const t = texts.keys.registered
  return (
    <ConfirmedAction
      look="remove"
      label={t.removeLabel({ name })}
      verb={texts.keys.remove.verb}
      noun="oauth"
      done={t.removed({ name })}
      run={() => call(removeOAuthClient, { path: { client: id } })}
    >
      {t.removeWarning}
    </ConfirmedAction>
  )
}

const words = texts.keys.registered
const COLUMNS = [
  column<OAuthClient>(words.client, (row) => <Client row={row} />, 5, { plain: true }),
  column<OAuthClient>(words.kind, ({ kind }) => <StateBadge tone="plain">{words.kinds[kind]}</StateBadge>, 2),
  column<OAuthClient>(words.since, ({ created_at: at }) => <When at={at} />, 2),
  column<OAuthClient>(texts.keys.columns.used, ({ used_at: at }) => <When at={at} never={texts.keys.unused} />, 2),
  column<OAuthClient>(texts.keys.columns.actions, (row) => <Remove row={row} />, 2),
]

function AddDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [added, setAdded] = useState<Added>()
  const close = () => {
    setAdded(undefined)
    onClose()
  }
  const t = texts.keys.registered
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={t.add}
      closeOnClickOutside={added === undefined}
      closeButtonProps={{ 'aria-label': texts.close }}
    >
      {added === undefined ? (
        <AddForm onAdded={setAdded} />
      ) : (
        <Stack>
          <CopyField value={added.client_id} label={t.id} copyLabel={t.copyId} />
          {added.client_secret === undefined ? null : (
            <ShownOnce secret={added.client_secret} label={t.secret} copyLabel={t.copySecret} />
          )}
          <Group justify="flex-end">
            <Button onClick={close}>{texts.keys.once.done}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}

function AddForm({ onAdded }: { onAdded: (added: Added) => void }) {
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [uris, setUris] = useState('')
  const [confidential, setConfidential] = useState(true)
  const add = useMutation({
    mutationFn: () =>
      call(addOAuthClient, { body: { name, redirect_uris: uris.split(/\s+/).filter(Boolean), confidential } }),
    onSuccess: (added) => {
      void queries.invalidateQueries({ queryKey: ['oauth'] })
      onAdded(added)
    },
  })
  const t = texts.keys.registered
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        add.mutate()
      }}
    >
      <Stack>
        <TextInput
          label={t.name}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          required
          maxLength={80}
          data-autofocus
        />
        <Textarea
          label={t.redirects}
          description={t.redirectsHint}
          value={uris}
          onChange={(event) => setUris(event.currentTarget.value)}
          required
          autosize
          minRows={2}
        />
        <Switch
          label={t.confidential}
          description={t.confidentialHint}
          checked={confidential}
          onChange={(event) => setConfidential(event.currentTarget.checked)}
        />
        {add.error === null ? null : <Failed failure={Problem.of(add.error)} />}
        <Group justify="flex-end">
          <Button type="submit" loading={add.isPending}>
            {t.addVerb}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
