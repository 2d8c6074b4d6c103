/** The keys of an organization, and those of its members, for whoever looks after them. */
import { Button, Group, Stack, Text } from '@mantine/core'
import {
  KEY_SORTS,
  listOrganizationKeys,
  removeOrganizationKey,
  type Key,
  type SeenClient,
} from '@toolway/contract/admin'
import { z } from 'zod'
import { call } from '../../data/call.ts'
import { useMay, useOrganization } from '../../data/me.ts'
import { usePages } from '../../data/pages.ts'
import { useUrlState } from '../../data/url-state.ts'
import { texts } from '../../texts/texts.ts'
import { Empty } from '../../ui/empty.tsx'
import { IconLink } from '../../ui/icon-link.tsx'
import { OneLine } from '../../ui/one-line.tsx'
import { TypedSearch } from '../../ui/typed-search.tsx'
import { column, Table } from '../../ui/table.tsx'
import { keyColumns } from './cells.tsx'
import { MakeDialog } from './make-dialog.tsx'
import { useMaking } from './page.ts'
import { RemoveKey } from './remove-key.tsx'
import { useSeen } from './seen.ts'
import { TrustButton } from './trust-button.tsx'

const Shown = z.object({
  q: z.string().default(''),
  sort: z.enum(KEY_SORTS).default('created_at'),
  order: z.enum(['asc', 'desc']).default('asc'),
})

export function OrganizationKeys() {
  const organization = useOrganization()
  const path = { organization }
  const [{ q, sort, order }, set] = useUrlState(Shown)
  const [making, open, close] = useMaking()
  const query = { sort, order, ...(q === '' ? {} : { search: q }) }
  const keys = usePages('keys', listOrganizationKeys, { path, query })
  const seen = useSeen()
  const t = texts.keys
  const ownerOf = ({ user_id: user, user_email: email }: Key) =>
    user === null ? t.ofOrganization : (email ?? t.ofMember)
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text c="dimmed" size="sm" maw={560}>
          {t.organizationHint}
        </Text>
        <Button onClick={open}>{t.make.open}</Button>
      </Group>
      <TypedSearch label={t.search} value={q} onSearch={(next) => set({ q: next })} maw={460} />
      <Table
        label={t.tabs.organization}
        choice="keys"
        query={keys}
        rowKey={({ id }) => id}
        columns={columnsOf(seen, ownerOf, organization)}
        empty={
          q === '' ? (
            <Empty icon="key" title={t.noneHere} hint={t.noneHereHint} />
          ) : (
            <Empty icon="search" title={texts.picker.nothing} />
          )
        }
        onMore={keys.onMore}
        sorting={{ sort, order, onSort: (by, to) => set({ sort: by as typeof sort, order: to }) }}
      />
      <MakeDialog of="organization" opened={making} onClose={close} />
    </Stack>
  )
}

const columnsOf = (seen: readonly SeenClient[], ownerOf: (key: Key) => string, organization: string) => [
  ...keyColumns(seen),
  column<Key>(texts.keys.columns.owner, (key) => <OneLine text={ownerOf(key)} />, 3),
  column<Key>(texts.keys.columns.actions, (row) => <Remove row={row} organization={organization} />, 2),
]

function Remove({ row: { id, name, trust_waits: waits }, organization }: { row: Key; organization: string }) {
  const mayRules = useMay('policy_manage')
  const mayTrust = useMay('key_manage', 'platform')
  return (
    <Group gap={4} wrap="nowrap">
      {waits && mayTrust ? <TrustButton id={id} name={name} /> : null}
      {mayRules ? (
        <IconLink
          to="/rules/new"
          search={{ action: 'rate', scope: 'key', of: id }}
          label={texts.keys.rate({ name })}
          icon="clock"
        />
      ) : null}
      <RemoveKey name={name} run={() => call(removeOrganizationKey, { path: { organization, key: id } })} />
    </Group>
  )
}
