/**
 * Which servers of a file are connections already: the same command with the same arguments and variables, or the same address
 * with the same headers. Values are compared and never shown.
 */
import { kindOf, runsHere, ConnectionSecrets } from '@toolway/contract'
import { sealedRow } from '../../call/snapshot.ts'
import type { ConnectionRow } from '../../connections/connections.ts'
import type { ImportedServer } from './mcp-json.ts'

type Unseal = (sealed: Uint8Array, row: string) => string

/** Aliases by what they reach. */
export function heldReaches(held: readonly ConnectionRow[], unseal: Unseal) {
  return new Map(held.flatMap((row) => reachOf(row, unseal)))
}

function reachOf({ id, alias, settings, sealed }: ConnectionRow, unseal: Unseal): [string, string][] {
  try {
    const secrets = ConnectionSecrets.parse(sealed === null ? {} : JSON.parse(unseal(sealed, sealedRow(id))))
    if (runsHere(settings))
      return [[keyOf(settings.command, secrets.args ?? settings.args, secrets.environment), alias]]
    if (!kindOf(settings.connector).speaksMcp) return []
    return [[keyOf(secrets.url ?? settings.url, [], secrets.headers), alias]]
  } catch {
    // What cannot be opened cannot be compared.
    return []
  }
}

const keyOf = (place: string, args: readonly string[], pairs: Readonly<Record<string, string>>): string =>
  JSON.stringify([place, args, Object.entries(pairs).toSorted(([a], [b]) => (a < b ? -1 : 1))])

/** Those that are there, and those that are not. */
export function apart(servers: readonly ImportedServer[], held: ReadonlyMap<string, string>) {
  const there: { server: ImportedServer; alias: string }[] = []
  const fresh = servers.filter((server) => {
    if (server.kind === 'unusable') return true
    const key =
      server.kind === 'http'
        ? keyOf(server.url, [], server.headers)
        : keyOf(server.command, server.args, server.environment)
    const alias = held.get(key)
    if (alias !== undefined) there.push({ server, alias })
    return alias === undefined
  })
  return { fresh, there }
}
