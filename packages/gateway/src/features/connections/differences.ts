/** The members of a connection in which two of its states differ, by name. Values of secrets are compared and never told. */
import type { ConnectionSecrets, ConnectionSettings } from '@toolway/contract'
import { isDeepStrictEqual } from 'node:util'

export interface ConnectionState {
  readonly title: string
  readonly description?: string | null
  readonly enabled: boolean
  readonly settings: ConnectionSettings
  readonly secrets: ConnectionSecrets
}

/** A secret address or argument takes the place of the masked one in the settings. */
function membersOf({
  title,
  description = null,
  enabled,
  settings,
  secrets,
}: ConnectionState): Record<string, unknown> {
  const { headers, environment, addresses, ...sealed } = secrets
  const pairs = (place: string, values: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([name, value]) => [`${place}.${name}`, value] as const)
  const members = {
    ...{ title, description, enabled, ...settings, checks: settings.checks ?? 'none', ...sealed, ...addresses },
    ...Object.fromEntries([...pairs('headers', headers), ...pairs('environment', environment)]),
  }
  // A member that is undefined and one that is absent are the same.
  return JSON.parse(JSON.stringify(members)) as Record<string, unknown>
}

export function differencesOf(previous: ConnectionState, next: ConnectionState): string[] {
  const [before, after] = [membersOf(previous), membersOf(next)]
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => !isDeepStrictEqual(before[name], after[name]))
}

/** The addresses that are stored unsealed, and would be sealed. */
export const unsealedOf = (previous: ConnectionState, next: ConnectionState): string[] =>
  Object.keys(next.secrets.addresses ?? {}).filter((name) => previous.secrets.addresses?.[name] === undefined)
