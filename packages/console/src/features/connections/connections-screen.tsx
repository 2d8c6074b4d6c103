/** The connections and their states, as cards, or as a table where there are many; the filter is in the address. */
import { Group, SegmentedControl, Select, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { listConnections, type Connection } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import { useMay, useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { useUrlState } from '../../data/url-state.ts'
import { texts } from '../../texts/texts.ts'
import { Allowed } from '../../ui/allowed.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LinkButton } from '../../ui/links.tsx'
import { Screen } from '../../ui/screen.tsx'
import { column, Pages, Table } from '../../ui/table.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { ConnectionActions } from './connections-actions.tsx'
import { AuthBadge, ConnectionCards, StateOf } from './connections-cards.tsx'
import { Outcome } from './connections-outcome.tsx'
import { CONNECTION_STATES } from '../../data/connection-state.ts'
import { placeOf } from './connections-state.ts'

const t = texts.connections
const PAGE = 60
const TYPING_MS = 250

const Filter = z.object({
  search: z.string().max(100).default(''),
  state: z.enum([...CONNECTION_STATES, '']).default(''),
  view: z.enum(['cards', 'table']).default('cards'),
  offset: z.coerce.number().int().min(0).default(0),
  sort: z.enum(['alias', 'title', 'status']).default('alias'),
  order: z.enum(['asc', 'desc']).default('asc'),
  connected: z.string().max(100).default(''),
  error: z.string().max(500).default(''),
  why: z.string().max(50).default(''),
  details: z.string().max(5_000).default(''),
})
type Filter = z.output<typeof Filter>

export function ConnectionsScreen() {
  const organization = useOrganization()
  const [filter, setFilter] = useUrlState(Filter)
  const { search, state, offset, connected, sort, order } = filter
  const query = { limit: PAGE, offset, sort, order, search: search || undefined, status: state || undefined }
  const connections = useQuery(ask('connections', listConnections, { path: { organization }, query }))
  const filtered = search !== '' || state !== ''
  const showPage = (next: number) => {
    setFilter({ offset: next }, 'push')
    window.scrollTo({ top: 0 })
  }
  const empty = filtered ? <Empty title={t.nothing} hint={t.nothingHint} icon="search" /> : <NothingYet />
  const none = !filtered && connections.data?.total === 0
  return (
    <Screen title={texts.nav.connections} hint={t.hint} action={none ? undefined : <ConnectButton />}>
      <Outcome ended={filter} onClose={() => setFilter({ connected: '', error: '', why: '', details: '' })} />
      {none ? null : <Filters filter={filter} onChange={(change) => setFilter({ ...change, offset: 0 })} />}
      {filter.view === 'cards' && connections.data !== undefined && connections.data.items.length > 0 ? (
        <Stack gap={0} aria-busy={connections.isPlaceholderData}>
          <ConnectionCards items={liftedFirst(connections.data.items, connected)} lifted={connected} />
          <Pages page={connections.data} onPage={showPage} />
        </Stack>
      ) : filter.view === 'cards' && connections.data === undefined && connections.error === null ? (
        <Skeletons />
      ) : (
        <Table
          label={texts.nav.connections}
          choice="connections"
          query={connections}
          rowKey={({ id }) => id}
          rowLink={({ alias }) => `/connections/${alias}`}
          columns={COLUMNS}
          empty={empty}
          onPage={showPage}
          sorting={{
            ...{ sort, order },
            onSort: (by, to) => setFilter({ sort: by as typeof sort, order: to, offset: 0 }),
          }}
        />
      )}
    </Screen>
  )
}

const COLUMNS = [
  column<Connection>(t.columns.name, ({ title }) => title, 4, { sort: 'title' }),
  column<Connection>(t.columns.state, (connection) => <StateOf connection={connection} />, 4, { sort: 'status' }),
  column<Connection>(t.columns.auth, ({ auth_type: auth }) => <AuthBadge auth={auth} />, 4),
  column<Connection>(
    t.columns.place,
    (connection) => (
      <Text component="span" size="sm" c="dimmed">
        {placeOf(connection)}
      </Text>
    ),
    5,
  ),
  column<Connection>(t.columns.actions, (connection) => <ConnectionActions connection={connection} />, 5, {
    plain: true,
  }),
]

const liftedFirst = (items: readonly Connection[], lifted: string): readonly Connection[] =>
  items.toSorted((item, other) => Number(other.id === lifted) - Number(item.id === lifted))

function ConnectButton() {
  const may = useMay('connector_create')
  return (
    <Allowed may={may} why={t.whyNot}>
      <LinkButton to="/connections/new" disabled={!may} leftSection={<Icon name="plus" />}>
        {texts.nav.connect}
      </LinkButton>
    </Allowed>
  )
}

const NothingYet = () => (
  <Empty title={t.empty} hint={t.emptyHint} icon="plug-connected">
    <ConnectButton />
  </Empty>
)

function Skeletons() {
  return (
    <Group aria-busy="true" role="status" aria-label={texts.table.loading({ what: texts.nav.connections })}>
      {[1, 2, 3].map((card) => (
        <Skeleton key={card} height={150} radius="md" style={{ flex: '1 1 18rem' }} />
      ))}
    </Group>
  )
}

function Filters({ filter, onChange }: { filter: Filter; onChange: (change: Partial<Filter>) => void }) {
  const [typed, setTyped] = useState(filter.search)
  const settle = useDebouncedCallback((search: string) => onChange({ search }), TYPING_MS)
  return (
    <Group gap="sm" align="flex-end">
      <SearchField
        label={t.search}
        value={typed}
        onChange={({ currentTarget: { value } }) => {
          setTyped(value)
          settle(value)
        }}
        style={{ flex: '1 1 14rem' }}
      />
      <Select
        label={t.columns.state}
        data={[
          { value: '', label: t.anyState },
          ...CONNECTION_STATES.map((value) => ({ value, label: t.states[value] })),
        ]}
        value={filter.state}
        onChange={(state) => onChange({ state: state ?? '' })}
        allowDeselect={false}
        w={180}
      />
      <div>
        <VisuallyHidden id="connections-view">{t.view}</VisuallyHidden>
        <SegmentedControl
          aria-labelledby="connections-view"
          value={filter.view}
          onChange={(view) => onChange({ view })}
          data={[
            { value: 'cards', label: t.views.cards },
            { value: 'table', label: t.views.table },
          ]}
        />
      </div>
    </Group>
  )
}
