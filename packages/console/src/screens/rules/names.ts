/** The names of an organization that rules can refer to: connections, toolsets, members, groups, keys, and its tools. */
import {
  listAllTools,
  listConnections,
  listGroups,
  listMembers,
  listOrganizationKeys,
  listToolsets,
} from '@toolway/contract/admin'
import { useQuery } from '@tanstack/react-query'
import type { RuleScope } from '@toolway/contract'
import { useOrganization } from '../../data/me.ts'
import { ask } from '../../data/queries.ts'

const MOST = { limit: 200 } as const
const MOST_TOOLS = 2_000

export interface NamedValue {
  /** The value in the rule. */
  readonly value: string
  /** The label shown to users. */
  readonly label: string
}

export function useNames() {
  const organization = useOrganization()
  const path = { organization }
  const connections = useQuery(ask('connections', listConnections, { path, query: MOST }))
  const toolsets = useQuery(ask('toolsets', listToolsets, { path }))
  const members = useQuery(ask('people', listMembers, { path, query: MOST }))
  const groups = useQuery(ask('people', listGroups, { path }))
  const keys = useQuery(ask('keys', listOrganizationKeys, { path, query: MOST }))

  const named: Readonly<Record<RuleScope, readonly NamedValue[]>> = {
    platform: [],
    organization: [],
    toolset: (toolsets.data?.items ?? [])
      .filter(({ origin }) => origin !== 'supplied')
      .map(({ slug, title }) => ({ value: slug, label: both(slug, title) })),
    connection: (connections.data?.items ?? []).map(({ alias, title }) => ({
      value: alias,
      label: both(alias, title),
    })),
    member: (members.data?.items ?? []).map(({ email, name }) => ({ value: email, label: both(email, name) })),
    key: (keys.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name })),
  }
  return {
    named,
    groups: (groups.data?.items ?? []).map(({ slug, title }) => ({ value: slug, label: both(slug, title) })),
    /** For people. */
    of:
      (scope: RuleScope) =>
      (value: string): string =>
        scope === 'key' ? (named.key.find((one) => one.value === value)?.label ?? value) : value,
  }
}

const both = (name: string, title: string): string => (title === '' || title === name ? name : `${title} (${name})`)

/** The joined names of all tools, for whoever writes one. */
export function useToolNames(): readonly string[] {
  const organization = useOrganization()
  const { data } = useQuery(ask('tools', listAllTools, { path: { organization }, query: { limit: MOST_TOOLS } }))
  return data?.items.map(({ joined_name: name }) => name) ?? []
}
