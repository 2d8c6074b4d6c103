/** The names of single members, keys and connections, each asked of the gateway by its id: what is shown once needs no list. */
import { getConnection, listMembers, listOrganizationKeys } from '@toolway/contract/admin'
import { useQueries } from '@tanstack/react-query'
import { useMay, useOrganization } from './me.ts'
import { ask } from './queries.ts'

/** As far as one may know them; the id itself for others. */
export function useNamesOf(ids: readonly (string | null | undefined)[]): (id: string) => string {
  const path = { organization: useOrganization() }
  const [mayPeople, mayKeys] = [useMay('user_manage'), useMay('key_manage')]
  const these = (prefix: string) => [...new Set(ids.filter((id) => id?.startsWith(prefix) === true))] as string[]
  const [people, keys] = [mayPeople ? these('usr_') : [], mayKeys ? these('key_') : []]
  const named = useQueries({
    queries: people.map((id) => ask('people', listMembers, { path, query: { search: id, limit: 1 } })),
  })
  const ofKeys = useQueries({
    queries: keys.map((id) => ask('keys', listOrganizationKeys, { path, query: { search: id, limit: 1 } })),
  })
  const ofConnections = useQueries({
    queries: these('con_').map((connection) => ({
      ...ask('connections', getConnection, { path: { ...path, connection } }),
      retry: false,
    })),
  })
  const names = new Map<string, string>()
  for (const { data } of ofConnections) if (data !== undefined) names.set(data.id, data.title)
  for (const { data } of named)
    for (const { user_id: id, name, email } of data?.items ?? [])
      names.set(id, name === '' || name === email ? email : `${name} (${email})`)
  for (const { data } of ofKeys) for (const { id, name } of data?.items ?? []) names.set(id, name)
  return (id) => names.get(id) ?? id
}
