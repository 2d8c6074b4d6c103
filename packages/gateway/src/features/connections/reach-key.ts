/** The connection that exists already: the same command, arguments and variables, or the same address and headers. */
import { kindOf, runsHere } from '@toolway/contract'
import type { ConnectionParts } from '../../kinds/kind.ts'

/** Stands for what a connection reaches and with which secrets; undefined where two are never taken for the same. */
export function reachKey({ settings, secrets }: ConnectionParts): string | undefined {
  if (runsHere(settings)) return keyOf(settings.command, secrets.args ?? settings.args, secrets.environment)
  if (!kindOf(settings.connector).speaksMcp || !('url' in settings)) return undefined
  return keyOf(secrets.url ?? settings.url, [], secrets.headers)
}

const keyOf = (reach: string, args: readonly string[], pairs: Readonly<Record<string, string>>): string =>
  JSON.stringify([reach, args, Object.entries(pairs).toSorted(([a], [b]) => (a < b ? -1 : 1))])
