/** The keys of an organization, and those of its members, for whoever looks after them. */
import { Button, Group, Stack, Text } from '@mantine/core'
import {
  listMembers,
  listOrganizationKeys,
  removeOrganizationKey,
  type Key,
  type SeenClient,
} from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../data/call.ts'
import { useMay, useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { texts } from '../../texts/texts.ts'
import { Empty } from '../../ui/empty.tsx'
import { IconLink } from '../../ui/icon-link.tsx'
import { column, Table } from '../../ui/table.tsx'
import { keyColumns } from './cells.tsx'
import { MakeDialog } from './make-dialog.tsx'
import { useMaking, usePage } from './page.ts'
import { RemoveButton } from './remove-button.tsx'
import { useSeen } from './seen.ts'
import { TrustButton } from './trust-button.tsx'

export function OrganizationKeys() {
  const organization = useOrganization()
  const path = { organization }
  const [offset, setOffset] = usePage()
  const [making, open, close] = useMaking()
  const keys = useQuery(ask('keys', listOrganizationKeys, { path, query: { offset } }))
  const emails = useEmails()
  const seen = useSeen()
  const t = texts.keys
  const ownerOf = ({ user_id: user }: Key) => (user === null ? t.ofOrganization : (emails.get(user) ?? t.ofMember))
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text c="dimmed" size="sm" maw={560}>
          {t.organizationHint}
        </Text>
        <Button onClick={open}>{t.make.open}</Button>
      </Group>
      <Table
        label={t.tabs.organization}
        choice="keys"
        query={keys}
        rowKey={({ id }) => id}
        columns={columnsOf(seen, ownerOf, organization)}
        empty={<Empty icon="key" title={t.noneHere} hint={t.noneHereHint} />}
        onPage={setOffset}
      />
      <MakeDialog of="organization" opened={making} onClose={close} />
    </Stack>
  )
}

const columnsOf = (seen: readonly SeenClient[], ownerOf: (key: Key) => string, organization: string) => [
  ...keyColumns(seen),
  column<Key>(texts.keys.columns.owner, ownerOf, 3),
  column<Key>(texts.keys.columns.actions, (row) => <Remove row={row} organization={organization} />, 1),
]

const MOST_MEMBERS = 200

/** By the id of the member. */
export function useEmails(): ReadonlyMap<string, string> {
  const organization = useOrganization()
  const enabled = useMay('user_manage')
  const members = useQuery({
    ...ask('people', listMembers, { path: { organization }, query: { limit: MOST_MEMBERS } }),
    enabled,
  })
  return new Map((members.data?.items ?? []).map(({ user_id, email }) => [user_id, email]))
}

function Remove({ row: { id, name, trust_waits: waits }, organization }: { row: Key; organization: string }) {
  const mayRules = useMay('policy_manage')
  const mayTrust = useMay('key_manage', 'platform')
  const t = texts.keys.remove
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
      <RemoveButton
        label={t.label({ name })}
        verb={t.verb}
        noun="keys"
        done={t.done({ name })}
        remove={() => call(removeOrganizationKey, { path: { organization, key: id } })}
      >
        {t.warning}
      </RemoveButton>
    </Group>
  )
}
