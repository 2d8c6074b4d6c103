/**
 * Aliases of connections that were removed: clients may still know tools by them. A new connection is given none of them by itself,
 * unless it leads where the old one led.
 */
import { isDeepStrictEqual } from 'node:util'
import { runsHere, type ConnectionSettings } from '@toolway/contract'
import { z } from 'zod'
import type { OrgSql } from '../db/db.ts'

const SpentRow = z.object({ alias: z.string(), led_to: z.record(z.string(), z.unknown()) })

/** Where a connection leads, as far as it is shown. */
function placeOf(settings: ConnectionSettings): Record<string, unknown> {
  const { connector } = settings
  if (runsHere(settings)) return { connector, command: settings.command, args: settings.args }
  return 'url' in settings ? { connector, url: settings.url } : { connector }
}

/** Those that lead elsewhere than `settings` would. */
export async function listSpentAliases(sql: OrgSql, settings: ConnectionSettings): Promise<string[]> {
  const rows = await sql(SpentRow)`select alias, led_to from spent_aliases order by alias`
  const ledTo = placeOf(settings)
  return rows.filter(({ led_to: before }) => !isDeepStrictEqual(before, ledTo)).map(({ alias }) => alias)
}

/** Returns the detail for the record of a connection that was given such an alias on purpose. */
export const takesOver = async (
  sql: OrgSql,
  alias: string,
  settings: ConnectionSettings,
): Promise<{ readonly takes_over?: true }> =>
  (await listSpentAliases(sql, settings)).includes(alias) ? { takes_over: true } : {}
