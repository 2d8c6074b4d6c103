import { ConnectionSettings, type ConnectionId } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { addConnection, listConnections } from '../connections/connections.ts'
import { describeEachPostgres } from '../testing/database.ts'
import { addTestOrganization } from '../testing/organization.ts'
import { listCatalogs, markStale, storeCatalog, type Fetched } from './catalogs.ts'
import { createToolListing } from './create-tool-listing.ts'

const settings = ConnectionSettings.parse({ connector: 'mcp.process', command: 'x' })

const fetched = (names: readonly string[], more: Partial<Fetched> = {}): Fetched => ({
  revision: '2025-11-25',
  server: { server: { name: 's', version: '1' }, capabilities: { tools: {} } },
  tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })),
  repaired: [],
  resources: [],
  templates: [],
  prompts: [],
  leftOut: [],
  bytes: 0,
  ...more,
})

describeEachPostgres('kept catalogs', (createDatabase) => {
  async function fixture(slug = 'acme') {
    const database = await createDatabase()
    const { db } = database
    const { id: organizationId } = await addTestOrganization(db, slug)
    const add = async (alias: string): Promise<ConnectionId> => {
      const words = {
        organizationId,
        alias,
        title: alias,
        settings,
        enabled: true,
        origin: 'file',
        seal: () => undefined,
      }
      const id = await db.organization(organizationId, (sql) => addConnection(sql, words))
      if (id === undefined) throw new Error('the alias is taken')
      return id
    }
    const store = (id: ConnectionId, offer: Fetched) => db.system((sql) => storeCatalog(sql, organizationId, id, offer))
    const stale = (id: ConnectionId, reason: string) => db.system((sql) => markStale(sql, organizationId, id, reason))
    const read = async (id: ConnectionId) => {
      const found = (await db.organization(organizationId, listCatalogs)).find(
        ({ connection_id }) => connection_id === id,
      )
      if (found === undefined) throw new Error('there is no catalog')
      return found
    }
    return { db, organizationId, add, store, stale, read, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
  }

  test('are what the server offered, byte for byte', async () => {
    await using held = await fixture()
    const id = await held.add('web')
    const odd: JsonObject = {
      z: 1,
      a: [null, '\u0000 \u0001 \uD800 ü \u{1F600} \\u0000'],
      inputSchema: { $ref: '#', b: 1e21, a: 0.1 },
      name: 'x',
    }
    const server = {
      server: { name: 's', version: '1', icons: [] },
      capabilities: { tools: {}, odd: [] },
      instructions: '## Use\n"me"',
    }
    const prompts = [{ name: 'p' }]
    await held.store(
      id,
      fetched([], {
        tools: [odd],
        server,
        prompts,
        resources: [{ uri: 'a:b' }],
        templates: [{ uriTemplate: 'a:{b}' }],
      }),
    )
    const kept = await held.read(id)
    expect(JSON.stringify(kept.tools)).toBe(JSON.stringify([odd]))
    expect(kept).toMatchObject({
      revision: '2025-11-25',
      server,
      prompts,
      resources: [{ uri: 'a:b' }],
      templates: [{ uriTemplate: 'a:{b}' }],
    })
    expect([kept.fetched_at instanceof Date, kept.stale_since, kept.stale_reason]).toEqual([true, null, null])
  })

  test('replace the last lists whole', async () => {
    await using held = await fixture()
    const id = await held.add('web')
    await held.store(id, fetched(['a', 'b'], { prompts: [{ name: 'p' }] }))
    await held.store(id, fetched(['c'], { revision: '2026-07-28' }))
    expect(await held.read(id)).toMatchObject({ revision: '2026-07-28', tools: [{ name: 'c' }], prompts: [] })
  })

  test('stay when a contact fails, stale since the first failure and with the last reason', async () => {
    await using held = await fixture()
    const id = await held.add('web')
    await held.store(id, fetched(['a']))
    await held.stale(id, 'it does not answer')
    const first = await held.read(id)
    expect(first).toMatchObject({ tools: [{ name: 'a' }], revision: '2025-11-25', stale_reason: 'it does not answer' })
    expect(await held.stale(id, 'it does not answer')).toEqual([])
    await held.stale(id, 'HTTP 500\0')
    expect(await held.read(id)).toMatchObject({
      stale_reason: 'HTTP 500\uFFFD',
      stale_since: first.stale_since,
      tools: [{ name: 'a' }],
    })
    await held.store(id, fetched(['b']))
    expect(await held.read(id)).toMatchObject({ tools: [{ name: 'b' }], stale_since: null, stale_reason: null })
  })

  test('are empty but stale where the first contact failed', async () => {
    await using held = await fixture()
    const id = await held.add('web')
    await held.stale(id, 'nothing is listening there')
    expect(await held.read(id)).toMatchObject({
      tools: null,
      server: null,
      revision: null,
      fetched_at: null,
      stale_reason: 'nothing is listening there',
    })
  })

  test('go with their connection, and are not made for one that is gone', async () => {
    await using held = await fixture()
    const id = await held.add('web')
    await held.store(id, fetched(['a']))
    await held.db.system(
      (sql) => sql(z.object({ id: z.string() }))`delete from connections where id = ${id} returning id`,
    )
    expect(await held.db.organization(held.organizationId, listCatalogs)).toEqual([])
    await expect(held.store(id, fetched(['a']))).rejects.toThrow('foreign key')
    await expect(held.stale(id, 'late')).rejects.toThrow('foreign key')
  })

  test('are seen by their own organization alone, and cannot be filed under another', async () => {
    await using held = await fixture()
    const id = await held.add('web')
    await held.store(id, fetched(['a']))
    const other = await addTestOrganization(held.db, 'other')
    expect(await held.db.organization(other.id, listCatalogs)).toEqual([])
    await expect(held.db.system((sql) => storeCatalog(sql, other.id, id, fetched(['x'])))).resolves.toHaveLength(1)
    expect(await held.db.organization(other.id, listCatalogs)).toEqual([])
  })

  test('S1-LST-09: two lists are byte-equal, also after every catalog was fetched anew in another order', async () => {
    await using held = await fixture()
    const ids = []
    for (const alias of ['web', 'files', 'a-1', 'a_2', 'zoo']) ids.push(await held.add(alias))
    const names = ['zebra', 'Apple', 'apple', '10', '9', 'ü']
    const list = async () => {
      const [connections, catalogs] = await held.db.organization(
        held.organizationId,
        async (sql) => [await listConnections(sql), await listCatalogs(sql)] as const,
      )
      const offered = connections.map(({ id, alias }) => {
        const { revision, tools } = catalogs.find(({ connection_id }) => connection_id === id) ?? {}
        const rest = {
          server: {},
          capabilities: {},
          instructions: undefined,
          resources: [],
          templates: [],
          prompts: [],
        }
        return {
          ...rest,
          connectionId: id,
          alias,
          revision: revision ?? ('2025-11-25' as const),
          tools: tools ?? [],
        }
      })
      return JSON.stringify(createToolListing(offered, true).list('tools', '2025-11-25'))
    }
    for (const id of ids) await held.store(id, fetched(names))
    const first = await list()
    expect(JSON.parse(first)).toHaveLength(ids.length * names.length)
    expect(await list()).toBe(first)
    // An update moves a row behind the others, so that a list without an order of its own would turn.
    for (const id of ids.toReversed()) await held.store(id, fetched(names))
    await held.db.system(
      (sql) =>
        sql(
          z.object({ id: z.string() }),
        )`update connections set status = 'connected' where alias in ('a-1', 'files') returning id`,
    )
    expect(await list()).toBe(first)
  })
})
