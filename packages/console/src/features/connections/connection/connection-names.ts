/**
 * Finds the toolsets and rules that name a connection, so that a user who deletes it knows which names will match nothing. Pure.
 */
import type { KeptRule, Toolset } from '@toolway/contract/admin'

interface NamingObjects {
  readonly toolsets: readonly string[]
  readonly rules: readonly string[]
}

export function namedBy(
  alias: string,
  toolsets: readonly Pick<Toolset, 'title' | 'settings'>[],
  rules: readonly Pick<KeptRule, 'name' | 'scope' | 'of' | 'match'>[],
): NamingObjects {
  const starts = (pattern: unknown) => typeof pattern === 'string' && pattern.toLowerCase().startsWith(`${alias}__`)
  return {
    toolsets: toolsets
      .filter(({ settings: { connections = [], include, exclude, limits = {}, pinned = [] } }) => {
        const patterns = [...include, ...exclude, ...pinned]
        return connections.includes(alias) || alias in limits || patterns.some(starts)
      })
      .map(({ title }) => title),
    rules: rules
      .filter(({ scope, of, match }) => {
        const { tools } = match
        return (scope === 'connection' && of === alias) || (Array.isArray(tools) && tools.some(starts))
      })
      .map(({ name }) => name),
  }
}
