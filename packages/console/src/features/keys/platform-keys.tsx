/** The keys of the installation: those of the platform, and with whose they are those of every organization. */
import { Button, Group, Stack, Text } from '@mantine/core'
import { listPlatformKeys, removePlatformKey, type Key, type SeenClient } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../data/call.ts'
import { useMe } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { texts } from '../../texts/texts.ts'
import { Empty } from '../../ui/empty.tsx'
import { column, Table } from '../../ui/table.tsx'
import { keyColumns } from './cells.tsx'
import { MakeDialog } from './make-dialog.tsx'
import { useMaking, usePage } from './page.ts'
import { RemoveKey } from './remove-key.tsx'
import { TrustButton } from './trust-button.tsx'
import { useSeen } from './seen.ts'

export function PlatformKeys() {
  const { organizations } = useMe()
  const [offset, setOffset] = usePage()
  const [making, open, close] = useMaking()
  const keys = useQuery(ask('keys', listPlatformKeys, { query: { offset } }))
  const seen = useSeen()
  const t = texts.keys
  const placeOf = ({ tenant_id: id }: Key) =>
    id === null ? t.ofPlatform : (organizations.find((organization) => organization.id === id)?.name ?? t.ofOther)
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Text c="dimmed" size="sm" maw={560}>
          {t.platformHint}
        </Text>
        <Button onClick={open}>{t.make.openPlatform}</Button>
      </Group>
      <Table
        label={t.tabs.platform}
        query={keys}
        rowKey={({ id }) => id}
        columns={columnsOf(seen, placeOf)}
        empty={<Empty icon="key" title={t.noneHere} hint={t.platformHint} />}
        onPage={setOffset}
      />
      <MakeDialog of="platform" opened={making} onClose={close} />
    </Stack>
  )
}

const columnsOf = (seen: readonly SeenClient[], placeOf: (key: Key) => string) => [
  ...keyColumns(seen),
  column<Key>(texts.keys.columns.organization, placeOf, 2),
  column<Key>(texts.keys.columns.actions, (row) => <Remove row={row} />, 2),
]

function Remove({ row: { id, name, trust_waits: waits } }: { row: Key }) {
  return (
    <Group gap={4} wrap="nowrap">
      {waits ? <TrustButton id={id} name={name} /> : null}
      <RemoveKey name={name} run={() => call(removePlatformKey, { path: { key: id } })} />
    </Group>
  )
}
