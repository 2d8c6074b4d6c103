/**
 * The tools of integrations, as the one who asks could call them: by the same view that lists and calls read, so that a switch, a rule
 * or the limit of a key hides here what it hides there.
 */
import type { ConnectionId } from '@toolway/contract'
import type { Integration } from '@toolway/contract/admin'
import { isObject, joinName, type JsonObject } from '@toolway/protocol'
import type { Snapshot } from '../../snapshot/snapshot.ts'

type Limit = Parameters<Snapshot['toolListing']>[2]

const TOOLSET = 'default'
/** In the words of the newest revision that had all of these fields under one name in every era. */
const REVISION = '2025-11-25'

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

export const integrationTools = (
  { snapshot, limit }: { readonly snapshot: Snapshot | undefined; readonly limit: Limit },
  integrations: readonly Integration[],
) =>
  integrations
    .filter(({ is_enabled: enabled }) => enabled)
    .map((integration) => ({
      integration_id: integration.id,
      name: integration.name,
      server_type: integration.server_type,
      auth_type: integration.auth_type,
      connection_status: integration.connection_status,
      error: integration.last_error,
      tools: snapshot === undefined ? [] : toolsOf(snapshot, integration.id as ConnectionId, limit),
    }))

function toolsOf(snapshot: Snapshot, id: ConnectionId, limit: Limit) {
  const alias = snapshot.connections.find((connection) => connection.id === id)?.alias ?? ''
  const listed = snapshot.toolListing(TOOLSET, id, limit)?.list('tools', REVISION) ?? []
  return listed.map((definition: JsonObject) => {
    const { name, title, description, inputSchema } = definition
    return {
      name: String(name),
      joined_name: joinName(alias, String(name)),
      title: textOf(title),
      description: textOf(description),
      input_schema: isObject(inputSchema) ? inputSchema : {},
    }
  })
}
