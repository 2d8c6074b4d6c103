/** Descriptions from a server that are not offered as tools, each with the reason. */
import { Code } from '@mantine/core'
import type { Connection } from '@toolway/contract/admin'
import { localized } from '../../../texts/gateway-words.ts'
import { texts } from '../../../texts/texts.ts'
import { Empty } from '../../../ui/empty.tsx'
import { Section } from '../../../ui/section.tsx'
import { column, Table } from '../../../ui/table.tsx'

const t = texts.connection.contract
type Row = Connection['left_out'][number]

const COLUMNS = [
  column<Row>(t.name, ({ name }) => <Code>{name}</Code>, 2),
  column<Row>(t.reason, ({ reason }) => localized(reason, 'documents'), 4),
]
/** They came with the connection, which is asked for anew as a whole. */
const NOTHING = (() => Promise.reject(new Error('There is nothing to ask again.'))) as never

export function LeftOut({ connection, hint }: { connection: Connection; hint: string }) {
  return <Definitions connection={connection} title={t.leftOut} hint={hint} items={connection.left_out} />
}

/** Definitions that are offered after a repair, with what was repaired. */
export function Repaired({ connection }: { connection: Connection }) {
  const { repaired, repairedHint } = texts.connection.overview
  return <Definitions connection={connection} title={repaired} hint={repairedHint} items={connection.repaired} />
}

/** Answers of its OAuth servers that were read in spite of something. */
export function RepairedAnswers({ connection }: { connection: Connection }) {
  const { repairedAnswers, repairedAnswersHint } = texts.connection.overview
  const items = connection.oauth_repaired
  return <Definitions connection={connection} title={repairedAnswers} hint={repairedAnswersHint} items={items} />
}

interface DefinitionsProps {
  readonly connection: Connection
  readonly title: string
  readonly hint: string
  readonly items: Row[]
}

function Definitions({ connection, title, hint, items }: DefinitionsProps) {
  return (
    <Section title={title} hint={hint} bare>
      <Table
        label={title}
        query={{ data: { items }, error: null, isFetching: false, refetch: NOTHING }}
        rowKey={({ name }) => name}
        empty={<Empty title={connection.enabled ? t.nothingLeftOut : t.leftOutOff} icon="circle-check" />}
        columns={COLUMNS}
      />
    </Section>
  )
}
