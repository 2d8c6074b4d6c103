/** Callers of a connection's tools in the last month, who would notice its removal. */
import { List, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { listReliance, type Connection } from '@toolway/contract/admin'
import { useMay, useMe } from '../../../data/me.ts'
import { ask } from '../../../data/queries.ts'
import { texts } from '../../../texts/texts.ts'
import { Loaded } from '../../../ui/loaded.tsx'
import { When } from '../../../ui/when.tsx'
import { Section } from '../../../ui/section.tsx'
import { usePath } from './connection-ways.tsx'

const t = texts.connection.reliance

export function ConnectionReliance({ connection }: { connection: Connection }) {
  const may = useMay('connector_update')
  return (
    <Section title={t.title} hint={t.hint}>
      {may ? (
        <Callers connection={connection} />
      ) : (
        <Text size="sm" c="dimmed">
          {texts.connection.notYours}
        </Text>
      )}
    </Section>
  )
}

function Callers({ connection }: { connection: Connection }) {
  const path = usePath(connection)
  const reliance = useQuery(ask('accounts', listReliance, { path }))
  const { user } = useMe()
  return (
    <Loaded query={reliance} lines={2}>
      {({ callers }) =>
        callers.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t.nobody}
          </Text>
        ) : (
          <List size="sm" spacing={6}>
            {callers.map(({ principal, name, calls, last_at: last }) => (
              <List.Item key={principal} className="breakable">
                <strong>{principal === user?.id ? t.you : (name ?? principal)}</strong> {t.calls({ calls })}{' '}
                <Text span size="sm" c="dimmed">
                  <When at={last} />
                </Text>
              </List.Item>
            ))}
          </List>
        )
      }
    </Loaded>
  )
}
