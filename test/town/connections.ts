/**
 * Connections of a town: servers over HTTP and as programs, vendors, OpenAPI documents, contracts, n8n and Composio, in every state
 * that a connection can be in. The servers that answer are those of the street (`street.ts`); hosts under `.example` do not exist.
 */
import { CONNECTORS as VENDORS, definitionOf } from '@toolway/connectors'
import { OperationSelection } from '@toolway/contract'
import type { ConnectionId } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import { packDocument } from '../../packages/gateway/src/connections/openapi-documents.ts'
import { partsOf, sealerOf, shownOf, type Wire } from '../../packages/gateway/src/kinds/kinds.ts'
import { apiServerOf } from '../../packages/gateway/src/kinds/openapi/openapi.ts'
import { connectorOf } from '../../packages/gateway/src/kinds/native/native.ts'
import { programOf } from '../../packages/gateway/src/kinds/stdio/stdio.ts'
import { connectionSealContext } from '../../packages/gateway/src/vault/sealed-columns.ts'
import { storeCatalog } from '../../packages/gateway/src/catalog/catalogs.ts'
import { insert } from './insert.ts'
import { time, type Making } from './people.ts'
import type { Chance } from './random.ts'
import { toolsOf } from './tools.ts'

/** A server of the street: its path says who it is, and how many tools it has. */
export const streetUrl = (port: number, slug: string, number: number, tools: number): string =>
  `http://127.0.0.1:${port}/${slug}/${number}/${tools}/mcp`

export interface TownConnection {
  readonly id: ConnectionId
  readonly alias: string
  readonly tools: readonly string[]
  /** Undefined where it keeps no accounts. */
  readonly provider: string | undefined
}

interface Planned {
  readonly number: number
  readonly alias: string
  readonly title: string
  readonly wire: Wire
  readonly tools: readonly JsonObject[]
  /** The lists were read at least once. */
  readonly known: boolean
  readonly status: 'new' | 'needs_auth' | 'connected' | 'error'
  readonly reason: string | null
  readonly enabled: boolean
  readonly provider: string | undefined
  readonly document?: string
}

const DAY = 86_400_000
const HOUR = 3_600_000
const TITLES = [
  ...[
    'Inventory',
    'Payroll',
    'Quality',
    'Deliveries',
    'Customer 360',
    'Telemetry',
    'Field notes',
    'Prices',
    'Forecast',
  ],
] as unknown as readonly [string, ...string[]]
const PROGRAMS = ['memory', 'filesystem', 'everything', 'sequential-thinking'] as const

/** `port`: where the street listens. The first connection has a tenth of all tools. */
export async function makeConnections(making: Making, port: number): Promise<readonly TownConnection[]> {
  const vendors = await vendorTools()
  const plans = planOf(making, port, vendors)
  const made = await Promise.all(plans.map((plan) => rowOf(making, plan)))
  await insert(
    making.sql,
    'connections',
    made.map(({ row }) => row),
  )
  await insert(making.sql, 'catalog_looks', made.filter(({ plan }) => plan.known).map(lookOf(making)))
  for (const { id, plan } of made) {
    if (plan.document !== undefined) await storeDocument(making, id, plan.document)
    if (plan.known) await storeTools(making, id, plan)
  }
  return made.map(({ id, plan: { alias, tools, provider } }) => ({
    id,
    alias,
    tools: tools.map(({ name }) => String(name)),
    provider,
  }))
}

type VendorTools = ReadonlyMap<string, readonly JsonObject[]>

async function vendorTools(): Promise<VendorTools> {
  const all = Object.entries(VENDORS).map(async ([name, { load }]) => {
    const { tools } = await load()
    return [name, [...tools].map(([tool, facts]) => definitionOf(tool, facts) as JsonObject)] as const
  })
  return new Map(await Promise.all(all))
}

function planOf({ chance, organization }: Making, port: number, vendors: VendorTools): readonly Planned[] {
  const { connections, tools, slug } = organization
  if (connections === 0) return []
  // The large one is a tenth of the whole town's tools, an eighth of those of the organization that has it.
  const largest = slug === 'meridian' ? Math.round(tools / 8) : Math.ceil(tools / connections)
  const left = Math.max(0, tools - largest)
  return Array.from({ length: connections }, (_, number) => {
    const even = Math.max(1, Math.round(left / Math.max(1, connections - 1)))
    const count = number === 0 ? largest : even
    return { number, ...kindOf(chance, { number, count, slug, port }, vendors) }
  })
}

interface Plot {
  readonly number: number
  readonly count: number
  readonly slug: string
  readonly port: number
}

/** Of ten: five servers over HTTP, of which one is away; a program; a vendor; a document; a backend; one that was never reached. */
function kindOf(chance: Chance, plot: Plot, vendors: VendorTools): Omit<Planned, 'number'> {
  const { number, count, slug, port } = plot
  const title = `${chance.of(TITLES)} ${number}`
  const alias = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, 31)
  const common = { alias, title, tools: toolsOf(number, count), known: true, provider: undefined } as const
  const good = { status: 'connected', reason: null, enabled: number === 0 || !chance.yes(0.05) } as const
  const street = streetUrl(port, slug, number, count)
  const away = `https://mcp-${number}.${slug}.example/mcp`
  switch (number % 10) {
    case 1:
      return { ...common, ...good, wire: http(away), ...unreachable(away) }
    case 2: {
      const program = PROGRAMS[number % PROGRAMS.length] ?? 'memory'
      const wire = programOf('npx', ['-y', `@modelcontextprotocol/server-${program}`])
      // A hundred programs at once would be a look at the machine and not at the town.
      return { ...common, ...good, wire, enabled: chance.yes(0.1) }
    }
    case 3:
      return { ...common, ...good, ...vendorOf(chance, vendors) }
    case 4:
      return { ...common, ...good, ...documented(street, title, count) }
    case 5:
      return { ...common, ...good, ...backend(chance, away), ...unreachable(away) }
    case 6:
      return { ...common, known: false, status: 'new', reason: null, enabled: true, wire: http(street) }
    case 7: {
      const wire: Wire = { ...http(away), auth: { kind: 'oauth', accounts: chance.yes(0.3) ? 'many' : 'one' } }
      return { ...common, status: 'needs_auth', reason: null, enabled: true, wire, provider: 'mcp' }
    }
    default:
      return { ...common, ...good, wire: http(street) }
  }
}

const http = (url: string) => ({ kind: 'http', url, headers: {} }) as const
const unreachable = (url: string) =>
  ({ status: 'error', reason: `${new URL(url).hostname} cannot be found (ENOTFOUND)` }) as const

function vendorOf(chance: Chance, vendors: VendorTools) {
  const [vendor, tools] = chance.of([...vendors] as unknown as readonly [[string, readonly JsonObject[]]])
  const wire = connectorOf({ vendor })
  const provider = wire.auth?.kind === 'oauth' ? wire.auth.provider : undefined
  return { wire, tools, provider }
}

function documented(server: string, title: string, count: number) {
  const paths = Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `/things/${at}`,
      { get: { operationId: `getThing${at}`, summary: `Get thing ${at}`, responses: { 200: { description: 'It' } } } },
    ]),
  )
  const document = JSON.stringify({
    openapi: '3.1.0',
    info: { title, version: '1' },
    servers: [{ url: server }],
    paths,
  })
  const tools = Object.keys(paths).map((_, at) => ({
    ...{ name: `getThing${at}`, description: `Get thing ${at}`, inputSchema: { type: 'object', properties: {} } },
    annotations: { readOnlyHint: true },
  }))
  const api = { document: undefined, select: OperationSelection.parse({}), effects: {}, key: undefined }
  return { wire: apiServerOf({ url: server, headers: {}, auth: { kind: 'none' }, api }), tools, document }
}

function backend(chance: Chance, url: string): { readonly wire: Wire } {
  const key = chance.hex(32)
  return {
    wire: chance.of<Wire>([
      { kind: 'n8n', url, headers: { 'X-N8N-API-KEY': key }, words: {} },
      { kind: 'composio', url, headers: { 'x-api-key': key }, words: { toolkits: ['gmail'] } },
      { kind: 'contract', url, headers: { authorization: `Bearer ${key}` }, words: {} },
    ]),
  }
}

async function rowOf({ vault, chance, organization, now }: Making, plan: Planned) {
  const made = now - chance.under(700) * DAY
  const id = chance.id('con', made) as ConnectionId
  const { settings, secrets } = partsOf({ revision: 'auto', timeout: 30, wire: plan.wire, shown: shownOf(plan.wire) })
  const sealed = sealerOf(secrets, vault.seal, connectionSealContext)(id) ?? null
  const row = {
    ...{ id, organization_id: organization.id, alias: plan.alias, title: plan.title, connector: settings.connector },
    ...{ settings, sealed, enabled: plan.enabled, origin: chance.yes(0.2) ? 'import' : 'administration' },
    ...{ status: plan.enabled ? plan.status : 'disabled', status_reason: plan.enabled ? plan.reason : null },
    ...{ created_at: time(made), updated_at: time(made), tools_default: true, tool_lock: 'off' },
    ...{ trusted: chance.yes(0.3), outage_told: false, keep_payloads: false },
  }
  return { id, plan, row }
}

/** Lists are read anew over the next two hours, as after an ordinary restart: not all at once. */
const lookOf =
  ({ chance, organization, now }: Making) =>
  ({ id, row }: { readonly id: ConnectionId; readonly row: { readonly updated_at: string } }) => ({
    ...{ connection_id: id, organization_id: organization.id, version: row.updated_at },
    ...{ began_at: time(now - HOUR), due_at: time(now + chance.under(2 * HOUR)), failures: 0 },
  })

async function storeDocument({ sql, organization }: Making, id: ConnectionId, text: string) {
  const { packed, bytes, digest } = await packDocument(text)
  await insert(sql, 'openapi_documents', [
    { organization_id: organization.id, connection_id: id, packed, bytes, digest, kept_at: new Date().toISOString() },
  ])
}

function storeTools({ sql, organization }: Making, id: ConnectionId, { title, tools }: Planned) {
  const server = { server: { name: title, version: '1.0.0' }, capabilities: { tools: {} } }
  return storeCatalog(sql, organization.id, id, {
    ...{ revision: '2025-11-25', server, tools, resources: [], templates: [], prompts: [], leftOut: [], repaired: [] },
    bytes: JSON.stringify(tools).length,
  })
}
