/** The names that were given to what connections offer: rows that stay when what they name is gone. */
import type { ConnectionId, OrganizationId } from '@toolway/contract'
import { z } from 'zod'
import type { SystemSql } from '../../db/db.ts'
import { giveNames } from './give-names.ts'

export const NAMED_KINDS = ['tool', 'prompt'] as const
export type NamedKind = (typeof NAMED_KINDS)[number]

const NameRow = z.object({ original: z.string(), name: z.string() })

/** A server that invents names without end is given so many; what comes then is named by the rule alone, until it is forgotten. */
const MAX_NAMES = 50_000

export interface Naming {
  readonly organizationId: OrganizationId
  readonly connectionId: ConnectionId
  readonly alias: string
  readonly kind: NamedKind
  /** As the server lists them. */
  readonly originals: readonly string[]
}

/** Give each a name that has none. The transaction holds the connection, so that two never give the same one. */
export async function nameThem(sql: SystemSql, { organizationId, connectionId, alias, kind, originals }: Naming) {
  const named = await sql(NameRow)`
    select original, name from exposed_names where connection_id = ${connectionId} and kind = ${kind}`
  const room = Math.max(MAX_NAMES - named.length, 0)
  const fresh = giveNames(alias, named, originals).slice(0, room)
  if (fresh.length === 0) return
  await sql(NameRow)`
    insert into exposed_names (organization_id, connection_id, kind, original, name, plain)
    select ${organizationId}, ${connectionId}, ${kind}, original, name, plain
      from unnest(${fresh.map(({ original }) => original)}::text[], ${fresh.map(({ name }) => name)}::text[],
                  ${fresh.map(({ plain }) => plain)}::boolean[]) as fresh (original, name, plain)
    returning original, name`
}
