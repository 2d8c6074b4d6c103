/** Names of callers: members and keys by their names, all others by their id. */
import { listMembers, listOrganizationKeys } from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import { ask } from './queries.ts'

export interface Callers {
  nameOf(id: string): string
  readonly all: readonly { readonly value: string; readonly label: string }[]
}

const MOST = 200

export function useCallers(organization: string): Callers {
  const asked = { path: { organization }, query: { limit: MOST } }
  const members = useQuery(ask('people', listMembers, asked))
  const keys = useQuery(ask('keys', listOrganizationKeys, asked))
  const people = (members.data?.items ?? []).map(({ user_id: value, name, email }) => ({
    value,
    label: name === email ? email : `${name} (${email})`,
  }))
  const programs = (keys.data?.items ?? []).map(({ id: value, name, hint }) => ({ value, label: `${name} …${hint}` }))
  const all = [...people, ...programs]
  const names = new Map(all.map(({ value, label }) => [value, label]))
  return { all, nameOf: (id) => names.get(id) ?? id }
}
