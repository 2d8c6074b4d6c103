/** Email domains of the organization: the DNS record that proves each, and whether its people must sign in at the provider. */
import { Box, Button, Group, Stack, Switch, Text, TextInput } from '@mantine/core'
import {
  listIdentityDomains,
  proveIdentityDomain,
  putIdentityDomain,
  removeIdentityDomain,
  type IdentityDomain,
} from '@toolway/contract/admin'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../data/call.ts'
import { useMay, useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { AddedList } from '../../parts/added-list.tsx'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { sayProblem } from '../../parts/say-problem.ts'
import { texts } from '../../texts/texts.ts'
import { StateBadge } from '../../ui/badges.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { sayDone } from '../../ui/say.tsx'
import { column } from '../../ui/table.tsx'

const t = texts.identityProviders.domains

type Row = IdentityDomain & { readonly id: string }

export function EmailDomains() {
  const organization = useOrganization()
  const [isAdding, setAdding] = useState(false)
  const [leaving, setLeaving] = useState<Row>()
  const listed = useQuery(ask('identity-domains', listIdentityDomains, { path: { organization } }))
  const query = {
    ...listed,
    data: listed.data && {
      ...listed.data,
      items: listed.data.items.map((item): Row => ({ ...item, id: item.domain })),
    },
  } as typeof listed & { data: { items: Row[] } | undefined }
  const changes = useDomainChanges(organization)
  const mayVouch = useMay('user_manage', 'platform')
  const columns = [
    column<Row>(t.columns.domain, ({ domain }) => domain, 3),
    column<Row>(t.columns.proof, (row) => <Proof row={row} mayVouch={mayVouch} changes={changes} />, 5, {
      plain: true,
    }),
    column<Row>(t.columns.enforced, (row) => <Enforced row={row} changes={changes} />, 2, { plain: true }),
    column<Row>(
      t.columns.action,
      (row) => (
        <Button
          variant="default"
          size="xs"
          aria-label={t.removeOf({ domain: row.domain })}
          onClick={() => setLeaving(row)}
        >
          {t.remove}
        </Button>
      ),
      2,
      { plain: true },
    ),
  ]
  return (
    <AddedList
      label={t.title}
      words={t}
      icon="building"
      query={query}
      columns={columns}
      onAdd={() => setAdding(true)}
      removal={{
        row: leaving,
        title: t.removeTitle,
        text: t.removeText({ domain: leaving?.domain ?? '' }),
        verb: t.remove,
        mutation: changes.remove,
        onClose: () => setLeaving(undefined),
      }}
    >
      {isAdding ? <AddDomain organization={organization} onClose={() => setAdding(false)} /> : null}
    </AddedList>
  )
}

type Changes = ReturnType<typeof useDomainChanges>

function useDomainChanges(organization: string) {
  const queries = useQueryClient()
  const always = {
    onError: sayProblem,
    onSettled: () => queries.invalidateQueries({ queryKey: ['identity-domains'] }),
  }
  const pathOf = ({ domain }: Row) => ({ organization, domain })
  return {
    prove: useMutation({
      ...always,
      mutationFn: ({ row, vouch }: { row: Row; vouch: boolean }) =>
        call(proveIdentityDomain, { path: pathOf(row), body: { vouch } }),
      onSuccess: () => sayDone(t.proven),
    }),
    enforce: useMutation({
      ...always,
      mutationFn: (row: Row) =>
        call(putIdentityDomain, {
          path: pathOf(row),
          body: { enforced: !row.enforced, break_glass: row.break_glass },
        }),
      onSuccess: () => sayDone(t.saved),
    }),
    remove: useMutation({
      ...always,
      mutationFn: (row: Row) => call(removeIdentityDomain, { path: pathOf(row) }),
      onSuccess: () => sayDone(t.removed),
    }),
  }
}

interface PartProps {
  readonly row: Row
  readonly changes: Changes
}

function Proof({ row, changes: { prove }, mayVouch }: PartProps & { readonly mayVouch: boolean }) {
  if (row.proven_at !== null)
    return <StateBadge tone="good">{row.proven_by === 'dns' ? t.byDns : t.byPlatform}</StateBadge>
  const isBusy = prove.isPending && prove.variables.row.id === row.id
  return (
    <Stack gap="xs" align="stretch">
      <Text size="xs">{t.enter({ name: row.record.name })}</Text>
      <CopyField label={t.record} value={row.record.value} copyLabel={t.copyRecord({ domain: row.domain })} />
      <Group gap="xs">
        <Button size="xs" loading={isBusy} onClick={() => prove.mutate({ row, vouch: false })}>
          {t.prove}
        </Button>
        {mayVouch ? (
          <Button size="xs" variant="default" disabled={isBusy} onClick={() => prove.mutate({ row, vouch: true })}>
            {t.vouch}
          </Button>
        ) : null}
      </Group>
    </Stack>
  )
}

const Enforced = ({ row, changes: { enforce } }: PartProps) => (
  <Switch
    aria-label={t.enforcedOf({ domain: row.domain })}
    label={
      <Box component="span" hiddenFrom="sm">
        {t.columns.enforced}
      </Box>
    }
    checked={row.enforced}
    disabled={row.proven_at === null || enforce.isPending}
    onChange={() => enforce.mutate(row)}
  />
)

function AddDomain({ organization, onClose }: { readonly organization: string; readonly onClose: () => void }) {
  const queries = useQueryClient()
  const [domain, setDomain] = useState('')
  const add = useMutation({
    mutationFn: () =>
      call(putIdentityDomain, { path: { organization, domain: domain.trim().toLowerCase() }, body: {} }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['identity-domains'] })
      onClose()
    },
  })
  return (
    <FormDialog opened title={t.add} hint={t.addHint} verb={t.add} sending={add} onClose={onClose}>
      <TextInput
        label={t.domain}
        placeholder="example.com"
        value={domain}
        data-autofocus
        onChange={({ currentTarget }) => setDomain(currentTarget.value)}
      />
    </FormDialog>
  )
}
