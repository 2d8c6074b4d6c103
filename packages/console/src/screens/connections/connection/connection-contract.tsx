/** What is set of a contract backend, and what it describes that is no tool, with the reason. */
import { Code, Stack, Text } from '@mantine/core'
import type { Connection } from '@toolway/contract/admin'
import { texts } from '../../../texts/texts.ts'
import { Empty } from '../../../ui/empty.tsx'
import { column, Table } from '../../../ui/table.tsx'
import { Section } from '../../../ui/section.tsx'
import { Facts } from './connection-facts.tsx'

const t = texts.connection.contract
type LeftOut = Connection['left_out'][number]

export function ConnectionContract({ connection: { contract, left_out: leftOut } }: { connection: Connection }) {
  const said = Object.entries(contract ?? {})
  const columns = [
    column<LeftOut>(t.name, ({ name }) => <Code>{name}</Code>, 2),
    column<LeftOut>(t.reason, ({ reason }) => reason, 4),
  ]
  return (
    <Stack gap="lg">
      <Facts
        title={t.title}
        facts={said.map(
          ([name, value]) =>
            [t.words[name as keyof typeof t.words] ?? name, <Value key={name} value={value} />] as const,
        )}
      >
        <Text size="sm" c="dimmed">
          {t.hint}
        </Text>
      </Facts>
      <Section title={t.leftOut} hint={t.leftOutHint}>
        <Table
          label={t.leftOut}
          query={{ data: { items: leftOut }, error: null, isFetching: false, refetch: NOTHING }}
          rowKey={({ name }) => name}
          empty={<Empty title={t.nothingLeftOut} icon="circle-check" />}
          columns={columns}
        />
      </Section>
    </Stack>
  )
}

/** They came with the connection, which is asked for anew as a whole. */
const NOTHING = (() => Promise.reject(new Error('There is nothing to ask again.'))) as never

function Value({ value }: { value: unknown }) {
  if (typeof value === 'boolean') return <>{value ? t.yes : t.no}</>
  if (typeof value === 'object') return <Code>{JSON.stringify(value)}</Code>
  return <>{String(value)}</>
}
