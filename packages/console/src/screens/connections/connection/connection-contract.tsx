/** What is set of a contract backend, and what it describes that is no tool, with the reason. */
import { Code, Stack } from '@mantine/core'
import type { Connection } from '@toolway/contract/admin'
import { texts } from '../../../texts/texts.ts'
import { Empty } from '../../../ui/empty.tsx'
import { Section } from '../../../ui/section.tsx'
import { column, Table } from '../../../ui/table.tsx'
import { ConnectionContractForm } from './connection-contract-form.tsx'

const t = texts.connection.contract
type LeftOut = Connection['left_out'][number]

const COLUMNS = [
  column<LeftOut>(t.name, ({ name }) => <Code>{name}</Code>, 2),
  column<LeftOut>(t.reason, ({ reason }) => reason, 4),
]
/** They came with the connection, which is asked for anew as a whole. */
const NOTHING = (() => Promise.reject(new Error('There is nothing to ask again.'))) as never

export function ConnectionContract({ connection }: { connection: Connection }) {
  const { left_out: leftOut } = connection
  return (
    <Stack gap="lg">
      <ConnectionContractForm connection={connection} />
      <Section title={t.leftOut} hint={t.leftOutHint} bare>
        <Table
          label={t.leftOut}
          query={{ data: { items: leftOut }, error: null, isFetching: false, refetch: NOTHING }}
          rowKey={({ name }) => name}
          empty={<Empty title={connection.enabled ? t.nothingLeftOut : t.leftOutOff} icon="circle-check" />}
          columns={COLUMNS}
        />
      </Section>
    </Stack>
  )
}
