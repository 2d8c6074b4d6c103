/** Provisioning by SCIM: the address and the tokens that the identity provider needs, and how much it provides. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import {
  addScimToken,
  getProvisioning,
  removeScimToken,
  rotateScimToken,
  type Provisioning as Found,
  type ScimToken,
} from '@toolway/contract/admin'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../data/call.ts'
import { useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { AddedList } from '../../parts/added-list.tsx'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { sayProblem } from '../../parts/say-problem.ts'
import { SecretOnce } from '../../parts/secret-once.tsx'
import { texts } from '../../texts/texts.ts'
import { CopyField } from '../../ui/copy.tsx'
import { Facts } from '../../ui/facts.tsx'
import { sayDone } from '../../ui/say.tsx'
import { column } from '../../ui/table.tsx'
import { count } from '../../ui/times.ts'
import { When } from '../../ui/when.tsx'

const t = texts.scim

export function Provisioning() {
  const organization = useOrganization()
  const [isAdding, setAdding] = useState(false)
  const [leaving, setLeaving] = useState<ScimToken>()
  const [secret, setSecret] = useState<string>()
  const found = useQuery(ask('scim', getProvisioning, { path: { organization } }))
  const query = { ...found, data: found.data && { items: found.data.tokens } } as typeof found & {
    data: { items: ScimToken[] } | undefined
  }
  const { rotate, remove } = useTokenChanges(organization, setSecret)
  const acts = (token: ScimToken) => (
    <Group gap="xs" wrap="nowrap">
      <Button
        variant="default"
        size="xs"
        aria-label={t.rotateOf({ name: token.name })}
        loading={rotate.isPending && rotate.variables.id === token.id}
        onClick={() => rotate.mutate(token)}
      >
        {t.rotate}
      </Button>
      <Button
        variant="default"
        size="xs"
        aria-label={t.removeOf({ name: token.name })}
        onClick={() => setLeaving(token)}
      >
        {t.remove}
      </Button>
    </Group>
  )
  const columns = [
    column<ScimToken>(t.columns.name, Name, 4),
    column<ScimToken>(t.columns.expires, ({ expires_at: at }) => <When at={at} />, 3),
    column<ScimToken>(t.columns.used, ({ last_used_at: at }) => (at === null ? t.never : <When at={at} />), 3),
    column<ScimToken>(t.columns.action, acts, 2, { plain: true }),
  ]
  return (
    <>
      <AddedList
        label={t.title}
        words={t}
        icon="users"
        query={query}
        columns={columns}
        onAdd={() => setAdding(true)}
        removal={{
          row: leaving,
          title: t.removeTitle,
          text: t.removeText({ name: leaving?.name ?? '' }),
          verb: t.remove,
          mutation: remove,
          onClose: () => setLeaving(undefined),
        }}
      >
        {found.data === undefined || found.data.tokens.length === 0 ? null : <Numbers found={found.data} />}
        {isAdding ? <AddToken organization={organization} onClose={() => setAdding(false)} onMade={setSecret} /> : null}
      </AddedList>
      <SecretOnce secret={secret} onClose={() => setSecret(undefined)} />
    </>
  )
}

function useTokenChanges(organization: string, onMade: (secret: string) => void) {
  const queries = useQueryClient()
  const always = { onError: sayProblem, onSettled: () => queries.invalidateQueries({ queryKey: ['scim'] }) }
  return {
    rotate: useMutation({
      ...always,
      mutationFn: ({ id: token }: ScimToken) => call(rotateScimToken, { path: { organization, token }, body: {} }),
      onSuccess: ({ secret }) => onMade(secret),
    }),
    remove: useMutation({
      ...always,
      mutationFn: ({ id: token }: ScimToken) => call(removeScimToken, { path: { organization, token } }),
      onSuccess: () => sayDone(t.removed),
    }),
  }
}

const Name = ({ name, hint }: ScimToken) => (
  <Stack gap={0}>
    <Text>{name}</Text>
    <Text size="xs" c="dimmed">{`…${hint}`}</Text>
  </Stack>
)

const Numbers = ({ found: { address, people, suspended, groups, last_request_at: at } }: { readonly found: Found }) => (
  <Stack mt="md">
    <CopyField label={t.address} value={address} copyLabel={t.copyAddress} />
    <Facts
      facts={[
        [t.people, count(people)],
        [t.suspended, count(suspended)],
        [t.groups, count(groups)],
        [t.lastRequest, at === null ? t.never : <When key="last" at={at} />],
      ]}
    />
  </Stack>
)

interface AddProps {
  readonly organization: string
  readonly onClose: () => void
  readonly onMade: (secret: string) => void
}

function AddToken({ organization, onClose, onMade }: AddProps) {
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const add = useMutation({
    mutationFn: () => call(addScimToken, { path: { organization }, body: { name: name.trim() } }),
    onSuccess: async ({ secret }) => {
      await queries.invalidateQueries({ queryKey: ['scim'] })
      onClose()
      onMade(secret)
    },
  })
  return (
    <FormDialog opened title={t.add} hint={t.addHint} verb={t.add} sending={add} onClose={onClose}>
      <TextInput
        label={t.name}
        placeholder="Okta"
        value={name}
        maxLength={100}
        data-autofocus
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
    </FormDialog>
  )
}
