/** The clients that were let in by signing in: one's own, and for administrators those of every member. */
import { SegmentedControl, Stack, Text } from '@mantine/core'
import { endGrant, endOwnGrant, listGrants, listOwnGrants, type Grant } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { z } from 'zod'
import { call } from '../../data/call.ts'
import { useMay, useMembership, useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { useUrlState } from '../../data/url-state.ts'
import { texts } from '../../texts/texts.ts'
import { Empty } from '../../ui/empty.tsx'
import { LinkButton } from '../../ui/links.tsx'
import { column, Table } from '../../ui/table.tsx'
import { When } from '../../ui/when.tsx'
import { LimitBadge } from './cells.tsx'
import { useNamesOf } from '../../data/names.ts'
import { usePage } from './page.ts'
import { ConfirmedAction } from '../../parts/confirmed-action.tsx'

const words = texts.keys.clients

const State = z.object({ whose: z.enum(['mine', 'all']).default('mine'), from: z.string().optional() })

export function ConnectedClients() {
  const [{ whose }, set] = useUrlState(State)
  const [offset, onPage] = usePage()
  const mayAll = useMay('user_manage')
  const all = mayAll && whose === 'all'
  const t = texts.keys.clients
  return (
    <Stack gap="sm">
      <Text c="dimmed" size="sm" maw={560}>
        {t.hint}
      </Text>
      {mayAll ? (
        <SegmentedControl
          aria-label={t.whose}
          value={all ? 'all' : 'mine'}
          onChange={(next) => set({ whose: next, from: undefined })}
          data={[
            { value: 'mine', label: t.mine },
            { value: 'all', label: t.all },
          ]}
          style={{ alignSelf: 'flex-start' }}
        />
      ) : null}
      {all ? <OfAll offset={offset} onPage={onPage} /> : <Mine offset={offset} onPage={onPage} />}
    </Stack>
  )
}

interface PageProps {
  readonly offset: number
  readonly onPage: (offset: number) => void
}

function Mine({ offset, onPage }: PageProps) {
  const membership = useMembership()
  const grants = useQuery(ask('grants', listOwnGrants, { query: { offset } }))
  const here = ({ organization_id }: Grant) => organization_id === membership?.id
  return (
    <Grants
      query={{ ...grants, data: grants.data && { ...grants.data, items: grants.data.items.filter(here) } }}
      onPage={onPage}
      end={({ id }) => call(endOwnGrant, { path: { grant: id } })}
    />
  )
}

function OfAll({ offset, onPage }: PageProps) {
  const organization = useOrganization()
  const grants = useQuery(ask('grants', listGrants, { path: { organization }, query: { offset } }))
  const nameOf = useNamesOf(grants.data?.items.map(({ user_id: id }) => id) ?? [])
  return (
    <Grants
      query={grants}
      onPage={onPage}
      nameOf={nameOf}
      end={({ id }) => call(endGrant, { path: { organization, grant: id } })}
    />
  )
}

interface GrantsProps {
  readonly query: Parameters<typeof Table<Grant>>[0]['query']
  readonly onPage: (offset: number) => void
  readonly end: (grant: Grant) => Promise<unknown>
  /** By the id of the member, where there are several. */
  readonly nameOf?: (id: string) => string
}

function Grants({ query, onPage, end, nameOf }: GrantsProps) {
  const t = texts.keys.clients
  return (
    <Table
      label={texts.keys.tabs.clients}
      query={query}
      rowKey={({ id }) => id}
      columns={columnsOf(end, nameOf)}
      empty={
        <Empty icon="devices" title={t.none} hint={t.noneHint}>
          <LinkButton to="/clients">{texts.nav.clients}</LinkButton>
        </Empty>
      }
      onPage={onPage}
    />
  )
}

const columnsOf = (end: GrantsProps['end'], nameOf: GrantsProps['nameOf']) => [
  column<Grant>(words.client, (row) => <Client row={row} />, 4, { plain: true }),
  column<Grant>(texts.keys.columns.reach, ({ limit }) => <LimitBadge limit={limit} />, 2),
  ...(nameOf === undefined ? [] : [column<Grant>(words.member, ({ user_id: id }) => nameOf(id), 3)]),
  column<Grant>(words.since, ({ created_at: at }) => <When at={at} />, 2),
  column<Grant>(texts.keys.columns.used, ({ used_at: at }) => <When at={at} />, 2),
  column<Grant>(words.end, (row) => <End row={row} end={end} />, 1),
]

function End({ row, end }: { row: Grant; end: GrantsProps['end'] }) {
  return (
    <ConfirmedAction
      look="remove"
      label={words.endLabel({ name: row.client_name })}
      verb={words.endVerb}
      noun="grants"
      done={words.ended({ name: row.client_name })}
      run={() => end(row)}
    >
      {words.endWarning}
    </ConfirmedAction>
  )
}

function Client({ row: { client_name: name, client_host: host, resource } }: { row: Grant }) {
  return (
    <Stack gap={0}>
      <Text fw={600} className="breakable">
        {name}
      </Text>
      <Text size="sm" c="dimmed" className="breakable">
        {texts.keys.clients.at({ host, path: new URL(resource).pathname })}
      </Text>
    </Stack>
  )
}
