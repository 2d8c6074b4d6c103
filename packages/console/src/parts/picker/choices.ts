/**
 * What a picker offers: the first few that fit what was typed, found at the gateway, and how many there are. A picker never holds
 * all members or all tools: there can be thousands.
 */
import { listAllTools, listConnections, listGroups, listMembers, listOrganizationKeys } from '@toolway/contract/admin'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMay, useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'

export interface Choice {
  readonly value: string
  readonly label: string
}

export interface Choices {
  readonly found: readonly Choice[]
  /** At the gateway; more than are found here where a longer text is needed to see them. */
  readonly total: number
  readonly busy: boolean
}

/**
 * The kinds of things that are picked, with the value that stands for one: members by email, keys by id, or by name where
 * they are the organization's own; callers, which are members and keys, by id; connections by alias or by id; tools by the name that clients know or that rules know.
 */
export type Kind =
  | 'members'
  | 'callers'
  | 'keys'
  | 'keys by name'
  | 'connections'
  | 'connections by id'
  | 'tools'
  | 'tools by rule name'
  | 'groups'

/** Rows of one answer: a list that is longer is narrowed by typing. */
const PICKED_ROWS = 20

const both = (name: string, title: string): string => (title === '' || title === name ? name : `${title} (${name})`)

/** @param search what was typed; empty for the first few */
export function useChoices(kind: Kind, search: string, enabled: boolean): Choices {
  const path = { organization: useOrganization() }
  const [mayPeople, mayKeys] = [useMay('user_manage'), useMay('key_manage')]
  const query = { limit: PICKED_ROWS, ...(search === '' ? {} : { search }) }
  const of = (...kinds: readonly Kind[]) => enabled && kinds.includes(kind)
  const keep = { placeholderData: keepPreviousData }
  const members = useQuery({
    ...{ ...ask('people', listMembers, { path, query }), ...keep },
    enabled: mayPeople && of('members', 'callers'),
  })
  const keys = useQuery({
    ...{ ...ask('keys', listOrganizationKeys, { path, query }), ...keep },
    enabled: mayKeys && of('keys', 'keys by name', 'callers'),
  })
  const connections = useQuery({
    ...{ ...ask('connections', listConnections, { path, query }), ...keep },
    enabled: of('connections', 'connections by id'),
  })
  const tools = useQuery({
    ...{ ...ask('tools', listAllTools, { path, query }), ...keep },
    enabled: of('tools', 'tools by rule name'),
  })
  const groups = useQuery({
    ...{ ...ask('people', listGroups, { path, query }), ...keep },
    enabled: mayPeople && of('groups'),
  })
  const page = <Row>(
    { data, isFetching }: { data: { items: readonly Row[]; total: number } | undefined; isFetching: boolean },
    to: (row: Row) => Choice,
  ): Choices => ({ found: data?.items.map(to) ?? [], total: data?.total ?? 0, busy: isFetching })
  const ofMembers = page(members, ({ user_id: id, email, name }) => ({
    value: kind === 'members' ? email : id,
    label: both(email, name),
  }))
  const ofKeys = page(keys, ({ id, name, hint, user_id: user }) => ({
    value: kind === 'keys by name' && user === null ? name : id,
    label: `${name} …${hint}`,
  }))
  if (kind === 'members') return ofMembers
  if (kind === 'keys' || kind === 'keys by name') return ofKeys
  if (kind === 'callers')
    return {
      found: [...ofMembers.found, ...ofKeys.found],
      total: ofMembers.total + ofKeys.total,
      busy: ofMembers.busy || ofKeys.busy,
    }
  if (kind === 'connections' || kind === 'connections by id')
    return page(connections, ({ id, alias, title }) => ({
      value: kind === 'connections' ? alias : id,
      label: both(alias, title),
    }))
  if (kind === 'groups') return page(groups, ({ slug, title }) => ({ value: slug, label: both(slug, title) }))
  return page(tools, ({ joined_name: joined, rule_name: rule }) => {
    const name = kind === 'tools' ? joined : rule
    return { value: name, label: name }
  })
}
