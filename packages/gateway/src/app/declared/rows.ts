/**
 * The database's content in memory: the organizations, connections, toolsets and keys that files declare, and the last catalog of
 * each connection. Immutable rows of the same shapes, so that the code above cannot tell the two apart.
 *
 * Ids are derived from the names, so that a restart, and another gateway of the same files, use the same ids.
 */
import type { ConnectionId, RuleWords } from '@toolway/contract'
import type { CatalogRow } from '../../catalog/catalogs.ts'
import { ConfigFault } from '../../config.ts'
import type { KeyRow } from '../../identity/keys/keys.ts'
import type { Vault } from '../../vault/vault.ts'
import { keyRow, rowsOf, type DeclaredOrganization, type DeclaredRows, type OrganizationRows } from './make-rows.ts'

export interface Rows {
  /** Say anew what is declared: what did not change stays the very same, so that nothing of it is opened anew. */
  declare(declared: readonly DeclaredOrganization[], platform?: readonly RuleWords[]): void
  organizations(): readonly OrganizationRows[]
  findKey(hash: Buffer): KeyRow | undefined
  keepCatalog(connectionId: ConnectionId, row: CatalogRow): void
  findCatalog(connectionId: ConnectionId): CatalogRow | undefined
}

export function createRows(vault: Pick<Vault, 'seal' | 'open' | 'hash'>): Rows {
  let held: readonly DeclaredRows[] = []
  let keys = new Map<string, KeyRow>()
  const catalogs = new Map<ConnectionId, CatalogRow>()
  const context = { vault, began: new Date() }

  return {
    declare(declared, platform = []) {
      // Made whole before anything of it counts: what cannot be read changes nothing.
      const next = declared.map((organization) => rowsOf(context, organization, platform, held))
      const nextKeys = new Map<string, KeyRow>()
      for (const [at, { slug, keys }] of declared.entries())
        for (const key of keys) {
          const hash = vault.hash(key.value).toString('hex')
          const organization = next[at]?.organization
          if (nextKeys.has(hash))
            throw new ConfigFault(
              `The key "${key.name}" of ${slug} has the same value as another key: give each key its own value.`,
            )
          if (organization !== undefined) nextKeys.set(hash, keyRow(context, organization, key))
        }
      held = next
      keys = nextKeys
      const there = new Set(next.flatMap(({ connections }) => connections.map(({ id }) => id)))
      for (const id of catalogs.keys()) if (!there.has(id)) catalogs.delete(id)
    },
    organizations: () =>
      held.map((rows) => ({
        ...rows,
        catalogs: rows.connections.flatMap(({ id }) => catalogs.get(id) ?? []),
      })),
    findKey: (hash) => keys.get(hash.toString('hex')),
    keepCatalog(connectionId, row) {
      if (held.some(({ connections }) => connections.some(({ id }) => id === connectionId)))
        catalogs.set(connectionId, row)
    },
    findCatalog: (connectionId) => catalogs.get(connectionId),
  }
}
