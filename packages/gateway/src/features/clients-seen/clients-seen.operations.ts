/** The operation on clients that were seen: one's own, or all of an organization's for whoever looks after its keys. */
import { fileURLToPath } from 'node:url'
import { permits } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import { listClientsSeen, type ClientSeenRow } from './clients-seen.rows.ts'
import { operationServers, type OperationBase, type Served } from '../../operations/serve.ts'

/** The parts of the operation, besides those of all. */
export interface ClientSeenParts extends OperationBase {
  publicUrl(): string
}

const { serveOrganization } = operationServers<ClientSeenParts>()

const BRIDGE = fileURLToPath(new URL('../../../../bridge/bin/toolway-bridge.mjs', import.meta.url))

const isHere = (address: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(address).hostname)

const toSeen = (row: ClientSeenRow): shapes.SeenClient => ({
  client: row.client === '' ? null : { name: row.client, version: row.version },
  revision: row.revision,
  key_id: row.key_id,
  key_name: row.key_name,
  user_id: row.user_id,
  initialize_at: row.initialize_at?.toISOString() ?? null,
  list_at: row.list_at?.toISOString() ?? null,
  call_at: row.call_at?.toISOString() ?? null,
  seen_at: row.seen_at.toISOString(),
})

export const clientSeenOperations: readonly Served<ClientSeenParts>[] = [
  serveOrganization(shapes.listClientsSeen, async ({ parts, read, principal: { userId, keyId }, role }) => {
    const own = permits(role, 'key_manage') ? undefined : { userId, keyId }
    const items = (await read((sql) => listClientsSeen(sql, own))).map(toSeen)
    const address = parts.publicUrl()
    // A client that uses an address of this machine runs on it, and can start the bridge that is installed there.
    const bridge = isHere(address) ? { command: process.execPath, file: BRIDGE } : null
    return { items, address, bridge }
  }),
]
