/** The operations that say what can be connected (ledger U-30): the whole catalog, and the part of it that a source system knew. */
import { CONNECTOR_CATALOG } from '@toolway/contract'
import * as shapes from '@toolway/contract/admin'
import { serveOrganization, type Served } from './serve.operations.ts'
import { nativeConnector, NATIVE_ENTRIES } from './native-connectors.ts'

const SEED = 'nebo'

/** As it was there: the way in that it named, where we know it too. */
const SEED_AUTH: Readonly<Record<string, shapes.Integration['auth_type']>> = { linear: 'api_key', github: 'oauth' }

const seeded = CONNECTOR_CATALOG.filter(({ seeds }) => seeds.includes(SEED))

export const catalogOperations: readonly Served[] = [
  serveOrganization(shapes.listIntegrationRegistry, () => ({
    items: seeded.map((entry, at) => ({
      id: entry.id,
      name: entry.title,
      description: entry.about,
      icon: entry.icon,
      server_url: entry.url,
      auth_type: SEED_AUTH[entry.id] ?? entry.auth[0] ?? 'none',
      api_key_url: entry.key?.page ?? null,
      api_key_placeholder: entry.key?.placeholder ?? null,
      oauth_scopes: [...entry.scopes],
      display_order: at + 1,
    })),
  })),
  serveOrganization(shapes.listConnectorCatalog, () => ({ items: [...NATIVE_ENTRIES, ...CONNECTOR_CATALOG] })),
  serveOrganization(shapes.getNativeConnector, ({ params }) => nativeConnector(params['vendor'] ?? '')),
]
