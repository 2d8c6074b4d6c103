/** Which entries of the access map belong to the selected one, and which of them are connected. */
import type { AccessMap } from '@toolway/contract/admin'

export const SIDES = ['caller', 'toolset', 'connection'] as const
export type Side = (typeof SIDES)[number]
/** `caller:group:finance`, `toolset:lists`, `connection:git`. */
export type Selected = `${Side}:${string}`

export interface Paths {
  readonly callers: AccessMap['callers']
  readonly toolsets: AccessMap['toolsets']
  readonly connections: AccessMap['connections']
}

export const idOf = {
  caller: ({ kind, id }: AccessMap['callers'][number]): Selected => `caller:${kind}:${id}`,
  toolset: ({ slug }: Pick<AccessMap['toolsets'][number], 'slug'>): Selected => `toolset:${slug}`,
  connection: ({ alias }: Pick<AccessMap['connections'][number], 'alias'>): Selected => `connection:${alias}`,
}

/** Everything where nothing, or something that is not in the map, is selected. */
export function pathsThrough(map: AccessMap, selected: string | undefined): Paths {
  const caller = map.callers.find((item) => idOf.caller(item) === selected)
  const toolset = map.toolsets.find((item) => idOf.toolset(item) === selected)
  const connection = map.connections.find((item) => idOf.connection(item) === selected)
  if (caller === undefined && toolset === undefined && connection === undefined) return map
  const toolsets = map.toolsets.filter(
    (item) =>
      (caller === undefined || caller.toolsets.includes(item.slug)) &&
      (toolset === undefined || toolset === item) &&
      (connection === undefined || item.connections.some(({ alias }) => alias === connection.alias)),
  )
  const slugs = new Set(toolsets.map(({ slug }) => slug))
  const aliases = new Set(toolsets.flatMap(({ connections }) => connections.map(({ alias }) => alias)))
  return {
    callers: map.callers.filter(
      (item) => item === caller || (caller === undefined && item.toolsets.some((slug) => slugs.has(slug))),
    ),
    toolsets,
    connections: map.connections.filter(
      (item) => item === connection || (connection === undefined && aliases.has(item.alias)),
    ),
  }
}

/** Pairs of rows, left and right, for the lines between two lists. */
export function linesBetween<Left, Right>(
  left: readonly Left[],
  right: readonly Right[],
  joined: (item: Left, other: Right) => boolean,
): [number, number][] {
  return left.flatMap((item, row) =>
    right.flatMap((other, otherRow): [number, number][] => (joined(item, other) ? [[row, otherRow]] : [])),
  )
}
