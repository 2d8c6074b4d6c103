/** Everybody who has an account in this installation; for platform administrators. */
import { Button } from '@mantine/core'
import { listUsers, type ListedUser } from '@toolway/contract/admin'
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
import { column, Table } from '../../ui/table.tsx'
import { When } from '../../ui/when.tsx'
import { AddUser } from './add-user.tsx'
import { today } from './seen.ts'
import { isEverybody, UserFilters, userQuery, UsersShown } from './user-filters.tsx'
import { ActiveSwitch, AdminSwitch, NewCode, Person, RemoveUser } from './user-cells.tsx'

const State = UsersShown.extend({ open: z.enum(['user']).optional() })

export function UsersScreen() {
  const may = useMay('user_manage', 'platform')
  const t = texts.users
  if (may) return <Users />
  return <Forbidden screen={texts.nav.users} {...t.forbidden} />
}

function Users() {
  const [shown, set] = useUrlState(State)
  const { open, sort, order } = shown
  const [turn, setTurn] = useState(0)
  const query = { sort, order, ...userQuery(shown, today()) }
  const users = usePages('people', listUsers, { query })
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
      <UserFilters shown={shown} onChange={set} />
      <Table
        label={texts.nav.users}
        query={users}
        rowKey={({ id }) => id}
        empty={<Empty title={isEverybody(shown) ? t.none : texts.picker.nothing} icon="users" />}
        onMore={users.onMore}
        sorting={{ sort, order, onSort: (by, to) => set({ sort: by as typeof sort, order: to }) }}
        columns={[
          column(t.columns.person, (user: ListedUser) => <Person user={user} />, 4, { plain: true, sort: 'name' }),
          column(t.columns.active, (user: ListedUser) => <ActiveSwitch user={user} />, 2),
          column(t.columns.admin, (user: ListedUser) => <AdminSwitch user={user} />, 3),
          column(texts.people.columns.seen, ({ last_seen_at: at }: ListedUser) => <When at={at} never={t.never} />, 2, {
            sort: 'last_seen_at',
          }),
          column(t.columns.actions, (user: ListedUser) => <Actions user={user} />, 2, { plain: true }),
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
