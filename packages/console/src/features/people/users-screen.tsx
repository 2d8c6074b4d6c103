/** Everybody who has an account in this installation; for platform administrators. */
import { Button } from '@mantine/core'
import { listUsers, type User } from '@toolway/contract/admin'
import { useState } from 'react'
import { z } from 'zod'
import { useMay } from '../../data/me.ts'
import { usePages } from '../../data/pages.ts'
import { useUrlState } from '../../data/url-state.ts'
import { texts } from '../../texts/texts.ts'
import { Empty } from '../../ui/empty.tsx'
import { Forbidden } from '../../ui/forbidden.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Screen } from '../../ui/screen.tsx'
import { TypedSearch } from '../../ui/typed-search.tsx'
import { column, Table } from '../../ui/table.tsx'
import { When } from '../../ui/when.tsx'
import { AddUser } from './add-user.tsx'
import { ActiveSwitch, AdminSwitch, NewCode, Person, RemoveUser } from './user-cells.tsx'

const State = z.object({
  open: z.enum(['user']).optional(),
  q: z.string().default(''),
  sort: z.enum(['name', 'signed_in_at']).default('name'),
  order: z.enum(['asc', 'desc']).default('asc'),
})

export function UsersScreen() {
  const may = useMay('user_manage', 'platform')
  const t = texts.users
  if (may) return <Users />
  return <Forbidden screen={texts.nav.users} {...t.forbidden} />
}

function Users() {
  const [{ open, q, sort, order }, set] = useUrlState(State)
  const [turn, setTurn] = useState(0)
  const users = usePages('people', listUsers, { query: { sort, order, ...(q === '' ? {} : { search: q }) } })
  const t = texts.users
  const add = () => {
    setTurn(turn + 1)
    set({ open: 'user' }, 'push')
  }
  return (
    <Screen
      title={texts.nav.users}
      hint={t.hint}
      action={
        <Button leftSection={<Icon name="plus" size={16} />} onClick={add}>
          {t.add}
        </Button>
      }
    >
      <TypedSearch
        label={texts.people.search}
        placeholder={texts.people.searchHint}
        value={q}
        onSearch={(next) => set({ q: next })}
        mb="md"
        maw={460}
      />
      <Table
        label={texts.nav.users}
        query={users}
        rowKey={({ id }) => id}
        empty={<Empty title={q === '' ? t.none : texts.picker.nothing} icon="users" />}
        onMore={users.onMore}
        sorting={{ sort, order, onSort: (by, to) => set({ sort: by as typeof sort, order: to }) }}
        columns={[
          column(t.columns.person, (user: User) => <Person user={user} />, 4, { plain: true, sort: 'name' }),
          column(t.columns.active, (user: User) => <ActiveSwitch user={user} />, 2),
          column(t.columns.admin, (user: User) => <AdminSwitch user={user} />, 3),
          column(t.columns.signedIn, ({ signed_in_at: at }: User) => <When at={at} never={t.never} />, 2, {
            sort: 'signed_in_at',
          }),
          column(t.columns.actions, (user: User) => <Actions user={user} />, 2, { plain: true }),
        ]}
      />
      <AddUser key={turn} opened={open === 'user'} onClose={() => set({ open: undefined })} />
    </Screen>
  )
}

const Actions = ({ user }: Parameters<typeof NewCode>[0]) => (
  <span style={{ display: 'flex', gap: 4, justifyContent: 'flex-end' }}>
    <NewCode user={user} />
    <RemoveUser user={user} />
  </span>
)
