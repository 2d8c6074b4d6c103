/** The most used tools, their callers, and the causes of failed calls; each row of a caller links to its records. */
import { ActionIcon, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { listUsageCallers, type Usage, type UsageCaller } from '@toolway/contract/admin'
import { useState, type ReactNode } from 'react'
import { actorWord } from '../../parts/actor-word.ts'
import { texts } from '../../texts/texts.ts'
import { TextLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import { column, Table, type Column } from '../../ui/table.tsx'
import { count, duration } from '../../ui/times.ts'
import { recordsSpan } from './span.ts'
import type { UsageState } from './state.ts'

import { Icon } from '../../ui/icon.tsx'
import { useMay, useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'
import { Busy } from '../../ui/busy.tsx'

const usageDetails = texts.usageDetails

interface Counted {
  readonly calls: number
  readonly failed: number
  readonly refused: number
}

const numbers = <Row extends Counted>(): Column<Row>[] => {
  const t = texts.usage.columns
  return [
    column(t.calls, ({ calls }: Row) => count(calls), 2),
    column(t.failed, ({ failed }: Row) => count(failed), 2),
    column(t.refused, ({ refused }: Row) => count(refused), 2),
  ]
}

export interface UsedProps {
  readonly usage: Usage
  /** The span and the filters, which the records that rows lead to have, too. */
  readonly state: UsageState
  readonly onFilter: (filter: Pick<UsageState, 'connection' | 'caller'>) => void
}

export function Used({ usage, state, onFilter }: UsedProps) {
  const { connections, tools, callers, clients, reasons } = usage
  const t = texts.usage
  const mayRecords = useMay('audit_view_own')
  const { connection: only, caller } = state
  const span = recordsSpan(state)
  return (
    <>
      <List
        title={t.connections}
        rows={connections}
        rowKey={({ name }) => name}
        columns={[
          column(
            t.columns.connection,
            ({ name }: (typeof connections)[number]) => (
              <Filtered name={name} isSet={only === name} onFilter={() => onFilter({ connection: name })}>
                <TextLink
                  {...(mayRecords
                    ? { to: '/records', search: { ...span, connection: name, actor_id: caller } }
                    : { to: `/connections/${name}` })}
                >
                  {name}
                </TextLink>
              </Filtered>
            ),
            4,
          ),
          ...numbers<(typeof connections)[number]>(),
        ]}
      />
      {tools === null ? null : (
        <List
          title={t.tools}
          rows={tools}
          rowKey={({ connection, name }) => `${connection ?? ''} ${name}`}
          columns={[
            column(
              t.columns.name,
              ({ connection, name }: (typeof tools)[number]) => (
                <TextLink
                  to="/records"
                  search={{ ...span, tool: name, connection: connection ?? undefined, actor_id: caller }}
                >
                  {name}
                </TextLink>
              ),
              4,
            ),
            ...numbers<(typeof tools)[number]>(),
            column(t.figures.p95, ({ p95_ms: p95 }: (typeof tools)[number]) => (p95 === null ? '–' : duration(p95)), 2),
          ]}
        />
      )}
      {callers === null ? null : <Callers usage={usage} state={state} onFilter={onFilter} />}
      {clients === null || clients.length === 0 ? null : <Clients clients={clients} />}
      {reasons === null || reasons.length === 0 ? null : (
        <Reasons reasons={reasons} search={{ ...span, connection: only, actor_id: caller }} />
      )}
    </>
  )
}

const CALLERS = 10

/** Every key and person that called, a page at a time. */
function Callers({ usage, state: { connection, caller, ...span }, onFilter }: UsedProps) {
  const organization = useOrganization()
  const { from, to } = usage
  const [page, setPage] = useState({ of: '', offset: 0 })
  const shown = `${from} ${to} ${connection ?? ''}`
  const query = { from, to, connection, limit: CALLERS, offset: page.of === shown ? page.offset : 0 }
  const all = useQuery({
    ...ask('past', listUsageCallers, { path: { organization }, query }),
    enabled: caller === undefined,
  })
  const rows = usage.callers ?? []
  const only = { data: { items: rows }, error: null, isFetching: false, refetch: (() => undefined) as never }
  const t = texts.usage
  return (
    <Panel title={t.callers}>
      <Busy busy={caller === undefined && all.isPlaceholderData} what={t.callers}>
        <Table
          label={t.callers}
          query={caller === undefined ? all : only}
          rowKey={({ id }) => id}
          onPage={(offset) => setPage({ of: shown, offset })}
          empty={t.nothing.title}
          columns={[
            column(
              t.columns.caller,
              ({ id, name }: UsageCaller) => (
                <Filtered
                  name={name ?? actorWord(id) ?? id}
                  isSet={caller === id}
                  onFilter={() => onFilter({ caller: id })}
                >
                  <TextLink to="/records" search={{ ...recordsSpan(span), actor_id: id, connection }}>
                    {name ?? actorWord(id) ?? t.gone({ id })}
                  </TextLink>
                </Filtered>
              ),
              4,
            ),
            ...numbers<UsageCaller>(),
          ]}
        />
      </Busy>
    </Panel>
  )
}

function Clients({ clients }: { clients: NonNullable<Usage['clients']> }) {
  const t = texts.usage
  return (
    <List
      title={t.clients}
      rows={clients}
      rowKey={({ name }) => name}
      columns={[
        column(t.columns.client, ({ name }: (typeof clients)[number]) => name, 4),
        ...numbers<(typeof clients)[number]>(),
      ]}
    />
  )
}

interface ReasonsProps {
  readonly reasons: NonNullable<Usage['reasons']>
  /** Of the records that a reason leads to. */
  readonly search: Readonly<Record<string, string | undefined>>
}

function Reasons({ reasons, search }: ReasonsProps) {
  const t = texts.usage
  return (
    <List
      title={t.reasons}
      rows={reasons}
      rowKey={({ code }) => code}
      columns={[
        column(
          t.columns.reason,
          ({ code }: (typeof reasons)[number]) => (
            <TextLink to="/records" search={{ ...search, code }}>
              <Reason code={code} />
            </TextLink>
          ),
          4,
        ),
        column(t.columns.calls, ({ calls }: (typeof reasons)[number]) => count(calls), 2),
      ]}
    />
  )
}

interface FilteredProps {
  readonly name: string
  readonly isSet: boolean
  readonly onFilter: () => void
  readonly children: ReactNode
}

/** A name with the way to the records, and a button that has the whole screen tell of it alone. */
const Filtered = ({ name, isSet, onFilter, children }: FilteredProps) => (
  <Group gap="xs" wrap="nowrap">
    {children}
    {isSet ? null : (
      <ActionIcon
        variant="subtle"
        size="sm"
        aria-label={usageDetails.only({ name })}
        title={usageDetails.only({ name })}
        onClick={onFilter}
      >
        <Icon name="filter" size={14} />
      </ActionIcon>
    )}
  </Group>
)

/** In words, with the code beside them. */
function Reason({ code }: { code: string }) {
  const words = texts.usage.why[code]
  if (words === undefined) return code
  return (
    <>
      {words}
      <Text span display="block" size="xs" c="dimmed">
        {code}
      </Text>
    </>
  )
}

interface ListProps<Row> {
  readonly title: string
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
  readonly columns: readonly Column<Row>[]
}

function List<Row>({ title, rows, rowKey, columns }: ListProps<Row>) {
  const query = { data: { items: rows }, error: null, isFetching: false, refetch: (() => undefined) as never }
  return (
    <Panel title={title}>
      <Table label={title} query={query} rowKey={rowKey} columns={columns} empty={texts.usage.nothing.title} />
    </Panel>
  )
}
