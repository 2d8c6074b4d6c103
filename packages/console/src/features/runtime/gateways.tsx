/** The gateway processes that run on the database: their versions, and whether they respond. */
import { Stack, Text } from '@mantine/core'
import { listGateways, type RunningGateway } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { ask } from '../../data/queries.ts'
import { texts } from '../../texts/texts.ts'
import { StateBadge } from '../../ui/badges.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Section } from '../../ui/section.tsx'
import { column, Table } from '../../ui/table.tsx'
import { When } from '../../ui/when.tsx'
import { ReadAt } from './read-at.tsx'

const t = texts.runtime.gateways

export function Gateways() {
  const found = useQuery(ask('runtime', listGateways))
  const versions = new Set(found.data?.items.filter(({ responding }) => responding).map(({ version }) => version))
  return (
    <Section title={t.title} hint={versions.size > 1 ? t.mixed : t.hint} bare>
      <Table
        label={t.title}
        query={found}
        rowKey={({ id }) => id}
        columns={COLUMNS}
        empty={<Empty title={t.empty} icon="server" />}
      />
      <ReadAt data={found.data} isRefetchError={found.isRefetchError} />
    </Section>
  )
}

const Host = ({ host, process, current }: RunningGateway) => (
  <Stack gap={0}>
    <Text fw={600} className="breakable">
      {host}
    </Text>
    <Text size="xs" c="dimmed">
      {current ? t.current({ process }) : t.process({ process })}
    </Text>
  </Stack>
)

const State = ({ responding }: RunningGateway) => (
  <StateBadge tone={responding ? 'good' : 'bad'}>{responding ? t.states.running : t.states.silent}</StateBadge>
)

const COLUMNS = [
  column<RunningGateway>(t.columns.host, Host, 3),
  column<RunningGateway>(t.columns.state, State, 2),
  column<RunningGateway>(t.columns.version, ({ version }) => version, 2),
  column<RunningGateway>(t.columns.roles, ({ roles }) => roles.join(', '), 2),
  column<RunningGateway>(t.columns.started, ({ started_at: at }) => <When at={at} />, 2),
  column<RunningGateway>(t.columns.seen, ({ seen_at: at }) => <When at={at} />, 2),
]
