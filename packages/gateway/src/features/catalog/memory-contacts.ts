/** Results of contacts with connections, where there is no database: their lists stay in memory with the rows. */
import { createHash } from 'node:crypto'
import type { ConnectionId } from '@toolway/contract'
import { isRevision } from '@toolway/protocol'
import type { CatalogRow } from '../../catalog/catalogs.ts'
import { onceEach } from '../../catalog/locks/tool-hash.ts'
import type { Contacts } from './contacts.ts'

/** Where lists are in memory. */
interface MemoryCatalogs {
  findCatalog(connectionId: ConnectionId): CatalogRow | undefined
  keepCatalog(connectionId: ConnectionId, row: CatalogRow): void
}

const UNSEEN: Omit<CatalogRow, 'connection_id'> = {
  digest: null,
  revision: null,
  server: null,
  tools: null,
  resources: null,
  templates: null,
  prompts: null,
  fetched_at: null,
  stale_since: null,
  stale_reason: null,
  held: [],
  names: [],
  left_out: null,
}

export function createMemoryContacts(rows: MemoryCatalogs): Contacts {
  const before = (connectionId: ConnectionId): CatalogRow =>
    rows.findCatalog(connectionId) ?? { ...UNSEEN, connection_id: connectionId }
  return {
    // The next caller finds out the revision for itself.
    remember() {},
    store(_, connectionId, { revision, server, tools: listed, resources, templates, prompts, leftOut }) {
      const tools = onceEach(listed)
      const lists = { tools: [...tools], resources: [...resources], templates: [...templates], prompts: [...prompts] }
      const digest = createHash('sha256')
        .update(JSON.stringify([revision, server, lists]))
        .digest('hex')
      const held = before(connectionId)
      const same = held.digest === digest
      rows.keepCatalog(connectionId, {
        ...(same ? held : { ...held, ...lists, digest, server, revision: isRevision(revision) ? revision : null }),
        left_out: leftOut.map((item) => ({ ...item })),
        fetched_at: new Date(),
        stale_since: null,
        stale_reason: null,
      })
      return Promise.resolve()
    },
    fail(_, connectionId, { message }) {
      const held = before(connectionId)
      rows.keepCatalog(connectionId, {
        ...held,
        stale_since: held.stale_since ?? new Date(),
        stale_reason: message,
      })
      return Promise.resolve()
    },
    note: () => Promise.resolve(),
    trouble: () => Promise.resolve(),
    hint: () => Promise.resolve(),
  }
}
