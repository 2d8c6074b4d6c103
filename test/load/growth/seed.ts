/**
 * Fills the database of a gateway that is to be measured at a size: organizations, their connections, the tools of each, and keys.
 *
 * `node seed.ts '<Town as JSON>'` says the keys of the last organization and exits. Everything is stored by the functions that store
 * it in a running gateway; the lists count as fetched just now, so that a gateway which starts on it asks no server for them.
 */
import { z } from 'zod'
import { openStore } from '../../../packages/gateway/src/base/open-store.ts'
import { addConnection } from '../../../packages/gateway/src/connections/connections.ts'
import { hintOf, mintKey, prefixOf } from '../../../packages/gateway/src/identity/keys/key-forms.ts'
import { addKey } from '../../../packages/gateway/src/identity/keys/keys.ts'
import { storeCapabilities, type Listed } from '../../../packages/gateway/src/features/catalog/store-capabilities.ts'
import { partsOf } from '../../../packages/gateway/src/kinds/kinds.ts'
import { addOrganization } from '../../../packages/gateway/src/organizations/organizations.ts'

/** What a gateway is filled with. */
export interface Town {
  /** The gateway's data. */
  readonly directory: string
  /** The embedded database where it is undefined. */
  readonly databaseUrl: string | undefined
  /** MCP endpoint of the server behind all connections. */
  readonly upstream: string
  readonly organizations: number
  /** Of each organization. */
  readonly connections: number
  /** Of each connection; one of them is `echo`. */
  readonly tools: number
  /** Of the last organization. */
  readonly keys: number
}

/** The slug of an organization and the alias of a connection by their number. */
export const organizationAt = (number: number) => `town-${number}`
export const connectionAt = (number: number) => `server-${number}`

const AT_ONCE = 8
const silent = { debug() {}, info() {}, warn() {}, error() {} }
const Id = z.object({ id: z.string() })

const toolAt = (number: number) => ({
  name: number === 0 ? 'echo' : `tool_${String(number).padStart(5, '0')}`,
  description: `Says the text that it was given, as number ${number} of many.`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  annotations: { readOnlyHint: true },
})

type Store = Awaited<ReturnType<typeof openStore>>

async function addTown({ db, vault }: Store, town: Town, number: number): Promise<readonly string[]> {
  const slug = organizationAt(number)
  const organization = await db.system((sql) =>
    addOrganization(sql, {
      ...{ slug, name: slug, origin: 'administration', description: null, contact_email: null, active: true },
      settings: { approvals: 'off' },
    }),
  )
  if (organization === undefined) throw new Error(`there is an organization ${slug} already`)
  const { id: organizationId } = organization
  const { settings } = partsOf({
    ...{ revision: '2026-07-28', timeout: 60, private: true },
    wire: { kind: 'http', url: town.upstream, headers: {} },
  })
  const keys = Array.from({ length: number === town.organizations - 1 ? town.keys : 0 }, () => mintKey())
  const connectionIds = await db.organization(organizationId, async (sql) => {
    for (const [at, key] of keys.entries())
      await addKey(sql, {
        ...{ organizationId, name: `key ${at}`, hint: hintOf(key), prefix: prefixOf(key), hash: vault.hash(key) },
        ...{ toolset: undefined, origin: 'bench' },
      })
    const ids = []
    for (let at = 0; at < town.connections; at++)
      ids.push(
        await addConnection(sql, {
          ...{ organizationId, alias: connectionAt(at), title: connectionAt(at), settings, enabled: true },
          ...{ origin: 'bench', seal: () => undefined },
        }),
      )
    return ids.filter((id) => id !== undefined)
  })
  const offer: Listed['offer'] = {
    revision: '2026-07-28',
    server: { server: { name: 'stub', version: '1.0.0' }, capabilities: { tools: {} } },
    tools: Array.from({ length: town.tools }, (_, at) => toolAt(at)),
    ...{ resources: [], templates: [], prompts: [], leftOut: [], repaired: [] },
  }
  const era = { revision: '2026-07-28', at: Date.now() }
  await db.system(async (sql) => {
    await storeCapabilities(
      sql,
      connectionIds.map((connectionId) => ({ organizationId, connectionId, offer, era })),
    )
    await sql(Id)`
      insert into catalog_looks (connection_id, organization_id, version, began_at, due_at, failures)
      select id, organization_id, to_char(updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), now(),
             now() + interval '1 hour', 0
        from connections where organization_id = ${organizationId}
      returning connection_id as id`
  })
  return keys
}

async function seed(town: Town): Promise<readonly string[]> {
  const store = await openStore({ ...town, keys: {}, owner: true, log: silent })
  try {
    const numbers = Array.from({ length: town.organizations }, (_, number) => number).values()
    const keys: string[] = []
    const worker = async () => {
      for (const number of numbers) keys.push(...(await addTown(store, town, number)))
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    return keys
  } finally {
    await store.close()
  }
}

const [given] = process.argv.slice(2)
if (process.send !== undefined && given !== undefined) {
  const keys = await seed(JSON.parse(given) as Town)
  process.send({ keys }, () => process.disconnect())
}
