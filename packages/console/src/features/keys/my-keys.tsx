/** One's own keys: the personal one, of which there is one in each organization, and those that were made for programs. */
import { Button, Group, Stack, Title } from '@mantine/core'
import { listMyKeys, removeMyKey, type Key, type SeenClient } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../data/call.ts'
import { useMembership, useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { texts } from '../../texts/texts.ts'
import { Empty } from '../../ui/empty.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { column, Table } from '../../ui/table.tsx'
import { keyColumns } from './cells.tsx'
import { MakeDialog } from './make-dialog.tsx'
import { PersonalKey } from './personal-key.tsx'
import { useMaking } from './page.ts'
import { RemoveKey } from './remove-key.tsx'
import { useSeen } from './seen.ts'

const isPersonal = ({ family }: Key): boolean => family === 'uru'

export function MyKeys() {
  const organization = useOrganization()
  const membership = useMembership()
  const keys = useQuery(ask('keys', listMyKeys, { query: { organization } }))
  const [making, open, close] = useMaking()
  const seen = useSeen()
  const t = texts.keys
  const make = <Button onClick={open}>{t.make.open}</Button>
  return (
    <Stack gap="xl">
      <Loaded query={keys}>
        {({ items }) => <PersonalKey own={items.find(isPersonal)} of={membership?.name ?? organization} seen={seen} />}
      </Loaded>
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2}>{t.mine.others}</Title>
          {make}
        </Group>
        <Table
          label={t.mine.others}
          query={{ ...keys, data: keys.data && { items: keys.data.items.filter((row) => !isPersonal(row)) } }}
          rowKey={({ id }) => id}
          columns={columnsOf(seen)}
          empty={<Empty icon="key" title={t.mine.none} hint={t.mine.noneHint} />}
        />
      </Stack>
      <MakeDialog of="me" opened={making} onClose={close} />
    </Stack>
  )
}

const columnsOf = (seen: readonly SeenClient[]) => [
  ...keyColumns(seen),
  column<Key>(texts.keys.columns.actions, (row) => <Remove row={row} />, 2),
]

function Remove({ row: { id, name } }: { row: Key }) {
  return <RemoveKey name={name} run={() => call(removeMyKey, { path: { key: id } })} />
}
