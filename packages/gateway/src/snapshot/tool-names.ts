/**
 * The names under which the endpoints of an organization list a tool, besides its server's own name and the joined one.
 *
 * They follow from the settings alone, so that rules need no view of any endpoint. A name with a hash that an endpoint gives where
 * two tools share one is not here: whoever looks for a tool by such a name asks that endpoint.
 */
import type { OtherNames, ToolFacts } from '@toolway/contract'
import { joinName } from '@toolway/protocol'
import type { CatalogRow } from '../catalog/catalogs.ts'
import type { ConnectionRow } from '../connections/connections.ts'
import type { ToolsetRow } from '../toolsets/toolsets.ts'

interface NamedIn {
  readonly connections: readonly Pick<ConnectionRow, 'id' | 'alias'>[]
  readonly catalogs: ReadonlyMap<string, Pick<CatalogRow, 'names'>>
  readonly toolsets?: readonly Pick<ToolsetRow, 'settings'>[] | undefined
}

const NONE: readonly string[] = []

/** `of` adds what it knows to the names that a tool has already, such as the earlier ones of a contract. */
export function createToolNames({ connections, catalogs, toolsets = [] }: NamedIn): (tool: ToolFacts) => ToolFacts {
  const exposed = new Map<string, ReadonlyMap<string, string>>()
  for (const { id, alias } of connections) {
    const names = catalogs.get(id)?.names.filter(({ kind }) => kind === 'tool') ?? []
    if (names.length > 0) exposed.set(alias, new Map(names.map(({ original, name }) => [original, name])))
  }
  const chosen = new Map<string, string[]>()
  for (const { settings } of toolsets)
    for (const [joined, { name }] of Object.entries(settings.tools ?? {}))
      if (name !== undefined) chosen.set(joined, [...(chosen.get(joined) ?? []), name])

  return (tool) => {
    const { joined, connection, name, others: known } = tool
    const full = exposed.get(connection)?.get(name)
    const derived = [
      ...(known?.derived ?? NONE),
      ...(full === undefined ? NONE : [full]),
      joinName('mcp', full ?? joined),
    ]
    const others: OtherNames = { derived, earlier: known?.earlier ?? NONE, chosen: chosen.get(joined) ?? NONE }
    return { ...tool, others }
  }
}
