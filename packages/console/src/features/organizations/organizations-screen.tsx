/** The organizations of the installation; for platform administrators. One is changed in a drawer, which the address has. */
import { Button } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { listOrganizations, type Organization } from '@toolway/contract/admin'
import { useState } from 'react'
import { z } from 'zod'
import { useMay } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { useUrlState } from '../../data/url-state.ts'
import { texts } from '../../texts/texts.ts'
import { StateBadge } from '../../ui/badges.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Forbidden } from '../../ui/forbidden.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Screen } from '../../ui/screen.tsx'
import { column, Table } from '../../ui/table.tsx'
import { count } from '../../ui/times.ts'
import { When } from '../../ui/when.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { AddOrganization } from './add-organization.tsx'
import { Actions, Named } from './organization-cells.tsx'
import { OrganizationDrawer } from './organization-drawer.tsx'

const Address = z.object({
  search: z.string().max(100).default(''),
  offset: z
    .string()
    .regex(/^\d{1,7}$/)
    .default('0'),
  /** The dialog that makes one. */
  open: z.enum(['new']).optional(),
  /** Slug of the one that is changed. */
  edit: z.string().max(40).optional(),
})
const PATIENCE = 250

export function OrganizationsScreen() {
  const may = useMay('tenant_create', 'platform')
  const t = texts.organizations
  if (may) return <Organizations />
  return <Forbidden screen={texts.nav.organizations} {...t.forbidden} />
}

function Organizations() {
  const [{ search, offset, open, edit }, set] = useUrlState(Address)
  const [turn, setTurn] = useState(0)
  const look = useDebouncedCallback((text: string) => set({ search: text, offset: undefined }), PATIENCE)
  const organizations = useQuery(ask('organizations', listOrganizations, { query: { search, limit: 50, offset } }))
  const t = texts.organizations
  const add = () => {
    setTurn(turn + 1)
    set({ open: 'new' }, 'push')
  }
  const addButton = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={add}>
      {t.add}
    </Button>
  )
  const nothing = search === '' ? t.none : t.notFound
  return (
    <Screen title={texts.nav.organizations} hint={t.hint} action={addButton}>
      <SearchField
        aria-label={t.search}
        placeholder={t.search}
        maw={360}
        defaultValue={search}
        onChange={({ currentTarget }) => look(currentTarget.value)}
      />
      <Table
        label={texts.nav.organizations}
        query={organizations}
        rowKey={({ id }) => id}
        empty={<Empty title={nothing.title} hint={nothing.hint} icon="building" />}
        onPage={(at) => set({ offset: String(at) })}
        columns={[
          column(t.columns.name, (item: Organization) => <Named organization={item} />, 4, { plain: true }),
          column(t.columns.state, Standing, 2),
          column(t.columns.rate, Rate, 2),
          column(t.columns.since, ({ created_at: at }: Organization) => <When at={at} />, 2),
          column(
            t.columns.actions,
            (action: Organization) => (
              <Actions organization={action} onChange={() => set({ edit: action.slug }, 'push')} />
            ),
            2,
            { plain: true },
          ),
        ]}
      />
      <AddOrganization key={turn} opened={open === 'new'} onClose={() => set({ open: undefined })} />
      <OrganizationDrawer slug={edit} onClose={() => set({ edit: undefined })} />
    </Screen>
  )
}

const Standing = ({ is_active: active }: Organization) => (
  <StateBadge tone={active ? 'good' : 'off'}>
    {active ? texts.organizations.active : texts.organizations.inactive}
  </StateBadge>
)

const Rate = ({ settings: { requests_per_minute: rate } }: Organization) =>
  rate === undefined ? texts.organizations.rateDefault : count(rate)
