/** Callers of a connection's tools in the last month, who would notice its removal. */
import { List, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { listMembers, listOrganizationKeys, listReliance, type Connection } from '@toolway/contract/admin'
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
  const asked = useQuery(ask('accounts', listReliance, { path }))
  const nameOf = useNames(path.organization)
  return (
    <Loaded query={asked} lines={2}>
      {({ callers }) =>
        callers.length === 0 ? (
          <Text size="sm" c="dimmed">
            {t.nobody}
          </Text>
        ) : (
          <List size="sm" spacing={6}>
            {callers.map(({ principal, key_id: key, calls, last_at: last }) => (
              <List.Item key={principal} className="breakable">
                <strong>{nameOf(principal, key)}</strong> {t.calls({ calls })}{' '}
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

/** Names instead of ids, as far as one may know them. */
export function useNames(organization: string): (principal: string | null, key?: string | null) => string {
  const { user } = useMe()
  const [mayPeople, mayKeys] = [useMay('user_manage'), useMay('key_manage')]
  const given = { path: { organization }, query: { limit: 200 } }
  const people = useQuery({ ...ask('people', listMembers, given), enabled: mayPeople }).data?.items ?? []
  const keys = useQuery({ ...ask('keys', listOrganizationKeys, given), enabled: mayKeys }).data?.items ?? []
  return (principal, key) => {
    if (principal !== null && principal === user?.id) return t.you
    const person = people.find((one) => one.user_id === principal)
    if (person !== undefined) return person.name === '' ? person.email : person.name
    const named = keys.find(({ id }) => id === key || id === principal)
    if (named !== undefined) return t.key({ name: named.name })
    return principal ?? t.unknown
  }
}
