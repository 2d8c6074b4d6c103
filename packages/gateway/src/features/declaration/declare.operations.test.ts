import { setTimeout as sleep } from 'node:timers/promises'
import { OperationSelection, ToolsetSettings } from '@toolway/contract'
import { expect, test } from 'vitest'
import { settingsSealContext } from '../../snapshot/snapshot.ts'
import { addConnection, findConnection, listConnections } from '../../connections/connections.ts'
import { findDocument, packDocument, putDocument } from '../../connections/openapi-documents.ts'
import { addKey, findKey, hintOf, listKeys, mintKey } from '../../identity/keys/keys.ts'
import { ensureOrganization, listOrganizations } from '../../organizations/organizations.ts'
import { describeEachPostgres } from '../../testing/database.ts'
import { listToolsets, putToolset } from '../../toolsets/toolsets.ts'
import { addPerson } from '../../testing/people.ts'
import { createVault } from '../../vault/vault.ts'
import { z } from 'zod'
import { DeclarationConflict } from './conflict.ts'
import { declare, withdraw } from './declare.operations.ts'
import type { Declared } from './declared.ts'
import { partsOf } from '../../kinds/kinds.ts'
import { apiServerOf } from '../../kinds/openapi/openapi.ts'

const vault = createVault(Buffer.alloc(32, 5))
type Connection = Declared['connections'][number]

const web = (more: Partial<Connection> = {}): Connection => ({
  alias: 'web',
  title: 'Web',
  enabled: true,
  revision: 'auto',
  timeout: 60,
  wire: { kind: 'http', url: 'https://mcp.example.com/mcp', headers: { authorization: 'Bearer one' } },
  ...more,
})
const declaration = (more: Partial<Declared> = {}): Declared => ({
  slug: 'acme',
  name: 'Acme',
  connections: [],
  toolsets: [],
  keys: [],
  ...more,
})
const toolset = (slug: string, settings: object = {}) => ({
  slug,
  title: slug,
  settings: ToolsetSettings.parse(settings),
})

describeEachPostgres('a declaration', (createDatabase) => {
  async function fixture() {
    const database = await createDatabase()
    const { db } = database
    const run = (...declarations: Declared[]) => declare({ db, vault, requestsPerMinute: 0, roots: [] }, declarations)
    const organization = () => db.system((sql) => ensureOrganization(sql, 'acme', undefined, 'command line'))
    const state = async () => {
      const { id } = await organization()
      return db.organization(id, async (sql) => ({
        connections: await listConnections(sql),
        toolsets: await listToolsets(sql),
        keys: await listKeys(sql),
      }))
    }
    return { db, run, organization, state, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
  }

  test('takes back whatever it gave, and opens no organization that it gave nothing', async () => {
    await using held = await fixture()
    const rule = {
      name: 'no',
      match: { tools: ['*'] },
      action: 'block',
      parameters: {},
      reason: 'no',
      state: 'on',
    } as const
    const given: Partial<Declared>[] = [
      { connections: [web()] },
      { toolsets: [toolset('work')] },
      { keys: [{ name: 'ci', value: mintKey(), toolset: undefined }] },
      { groups: [{ slug: 'team', title: 'Team', members: [] }] },
      { rules: [{ ...rule, match: { tools: ['*'] } }] },
    ]
    await held.run(...given.map((one, at) => declaration({ slug: `given-${at}`, ...one })))
    for (const slug of ['other-1', 'other-2'])
      await held.db.system((sql) => ensureOrganization(sql, slug, undefined, 'command line'))
    const opened: string[] = []
    const db: typeof held.db = {
      ...held.db,
      organization: (id, work, within) => {
        opened.push(id)
        return held.db.organization(id, work, within)
      },
    }
    const slugsOf = async () => {
      const all = new Map((await held.db.system(listOrganizations)).map(({ id, slug }) => [id as string, slug]))
      return opened.splice(0).map((id) => all.get(id))
    }
    await withdraw({ db, vault, requestsPerMinute: 0, roots: [] }, [declaration({ slug: 'named' })])
    expect(await slugsOf()).toEqual(given.map((_, at) => `given-${at}`))
    await withdraw({ db, vault, requestsPerMinute: 0, roots: [] }, [declaration({ slug: 'named' })])
    expect(await slugsOf()).toEqual([])
  })

  test('makes what it names, in the organization it names', async () => {
    await using held = await fixture()
    const value = mintKey()
    await held.run(
      declaration({
        connections: [web()],
        toolsets: [toolset('work', { include: ['web__*'] })],
        keys: [{ name: 'ci', value, toolset: 'work' }],
      }),
      declaration({ slug: 'other', name: undefined }),
    )
    expect((await held.db.system(listOrganizations)).map(({ slug, name }) => [slug, name])).toEqual([
      ['acme', 'Acme'],
      ['other', 'other'],
    ])
    const { connections, toolsets, keys } = await held.state()
    expect(connections).toMatchObject([{ alias: 'web', title: 'Web', enabled: true, origin: 'file' }])
    expect(toolsets).toMatchObject([{ slug: 'work', origin: 'file', settings: { include: ['web__*'], exclude: [] } }])
    expect(keys).toMatchObject([{ name: 'ci', hint: hintOf(value), toolset: 'work', origin: 'file' }])
    expect(await held.db.system((sql) => findKey(sql, vault.hash(value)))).toMatchObject({ name: 'ci' })
    const [row] = connections
    expect(vault.open(row?.sealed ?? Buffer.alloc(0), settingsSealContext(row?.id ?? ('' as never)))).toContain(
      'Bearer one',
    )
  })

  test('of a key says what it may; what is said otherwise is another key, and members’ own of that name stay', async () => {
    await using held = await fixture()
    const value = mintKey()
    const expires = new Date('2100-01-01')
    const key = { name: 'ci', value, toolset: undefined, role: 'tenant_viewer', limit: 'read', expires } as const
    await held.run(declaration({ keys: [key] }))
    const [first] = (await held.state()).keys
    expect(first).toMatchObject({ role: 'tenant_viewer', effect_limit: 'read', expires_at: expires, trusted: false })
    await held.run(declaration({ keys: [key] }))
    expect((await held.state()).keys).toEqual([first])
    for (const change of [
      { limit: 'write' },
      { role: 'tenant_admin' },
      { expires: undefined },
      { trusted: true },
    ] as const) {
      await held.run(declaration({ keys: [{ ...key, ...change }] }))
      const [next, ...more] = (await held.state()).keys
      expect(more).toEqual([])
      expect(next?.id).not.toBe(first?.id)
      await held.run(declaration({ keys: [key] }))
    }
    const user = await addPerson(held.db, {
      email: 'own@example.com',
      roles: [[(await held.organization()).id, 'tenant_member']],
    })
    await held.db.organization((await held.organization()).id, async (sql) => {
      const own = mintKey()
      const organizationId = (await held.organization()).id
      await addKey(sql, {
        organizationId,
        userId: user.id,
        family: 'smcp',
        name: 'ci',
        hint: hintOf(own),
        hash: vault.hash(own),
        toolset: undefined,
        origin: 'file',
      })
    })
    await held.run(declaration())
    expect((await held.state()).keys).toMatchObject([{ name: 'ci', user_id: user.id }])
  })

  test('that stays the same changes nothing: no connection is opened anew, no key is another', async () => {
    await using held = await fixture()
    const same = declaration({
      connections: [
        web(),
        web({ alias: 'plain', wire: { kind: 'http', url: 'https://plain.example.com/', headers: {} } }),
      ],
      toolsets: [toolset('work')],
      keys: [{ name: 'ci', value: mintKey(), toolset: undefined }],
    })
    await held.run(same)
    const before = await held.state()
    await held.run(structuredClone(same))
    const after = await held.state()
    expect(after.connections.map(({ updated_at, sealed }) => [updated_at, sealed])).toEqual(
      before.connections.map(({ updated_at, sealed }) => [updated_at, sealed]),
    )
    expect(after.keys).toEqual(before.keys)
    expect(after.toolsets).toEqual(before.toolsets)
  })

  const changes: [name: string, change: Partial<Connection>][] = [
    ['the title', { title: 'New' }],
    ['whether it is on', { enabled: false }],
    [
      'the address',
      { wire: { kind: 'http', url: 'https://new.example.com/', headers: { authorization: 'Bearer one' } } },
    ],
    [
      'a secret',
      { wire: { kind: 'http', url: 'https://mcp.example.com/mcp', headers: { authorization: 'Bearer two' } } },
    ],
    ['that there is no secret', { wire: { kind: 'http', url: 'https://mcp.example.com/mcp', headers: {} } }],
    ['the time', { timeout: 5 }],
    ['the revision', { revision: '2025-06-18' }],
    ['the kind', { wire: { kind: 'process', command: 'npx', args: [], environment: {} } }],
  ]
  test.each(changes)('that changes %s changes the connection and keeps its id', async (_, change) => {
    await using held = await fixture()
    await held.run(declaration({ connections: [web()] }))
    const [before] = (await held.state()).connections
    // Times that are read have milliseconds, and a machine may be faster than that.
    await sleep(2)
    await held.run(declaration({ connections: [web(change)] }))
    const [after] = (await held.state()).connections
    expect(after?.id).toBe(before?.id)
    expect(after?.updated_at.getTime()).toBeGreaterThan(before?.updated_at.getTime() ?? Infinity)
    expect(after).toMatchObject(
      partsOf(web(change)).settings.connector === 'mcp.http'
        ? { title: web(change).title }
        : { settings: { command: 'npx' } },
    )
  })

  test('leaves a record of each thing that it changes, without its secrets, and none where nothing changes', async () => {
    await using held = await fixture()
    const Row = z.object({ method: z.string(), principal: z.string(), detail: z.unknown() })
    const { id } = await held.organization()
    const records = () =>
      held.db.organization(id, (sql) => sql(Row)`select method, principal, detail from records order by seq`)
    const named = async () => (await records()).map(({ method }) => method)
    const value = mintKey()
    const full = {
      connections: [web()],
      toolsets: [toolset('work')],
      keys: [{ name: 'ci', value, toolset: undefined }],
    }
    await held.run(declaration(full))
    const added = ['organization.change', 'connection.add', 'toolset.put', 'key.add']
    expect(await named()).toEqual(added)
    await held.run(declaration(full))
    expect(await named()).toEqual(added)
    await held.run(declaration({ connections: [web({ title: 'Other' })] }))
    expect(await named()).toEqual([...added, 'toolset.remove', 'connection.change', 'key.remove'])
    await held.run(declaration())
    expect((await named()).at(-1)).toBe('connection.remove')
    expect(new Set((await records()).map(({ principal }) => principal))).toEqual(new Set(['declaration file']))
    for (const secret of ['Bearer one', value]) expect(JSON.stringify(await records())).not.toContain(secret)
  })

  test('seals the secrets in all addresses, also of a row from before, and keeps a document until its address changes', async () => {
    await using held = await fixture()
    const { id } = await held.organization()
    const api = { select: OperationSelection.parse({}), effects: {}, key: undefined }
    const run = (token: string) => {
      const document = `https://docs.example.com/shop.json?token=${token}`
      const wire = apiServerOf({ url: 'https://shop.example.com', headers: {}, api: { ...api, document } })
      return held.run(declaration({ connections: [web({ wire })] }))
    }
    const state = async () => {
      const [row] = (await held.state()).connections
      if (row === undefined) throw new Error('no connection')
      return { row, document: await held.db.organization(id, (sql) => findDocument(sql, row.id)) }
    }
    await run('CANARY-one')
    const { row } = await state()
    const packed = await packDocument('{}')
    await held.db.organization(id, (sql) => putDocument(sql, id, row.id, packed))
    const masked = { document: 'https://docs.example.com/shop.json?token=•••' }
    expect(row.settings).toMatchObject(masked)
    // As the previous version stored it.
    const before = { ...row.settings, document: 'https://docs.example.com/shop.json?token=CANARY-one' }
    await held.db.system(
      (sql) =>
        sql(
          z.object({}),
        )`update connections set settings = ${JSON.stringify(before)}, sealed = null where id = ${row.id}`,
    )
    await run('CANARY-one')
    const sealed = await state()
    expect(sealed).toMatchObject({ row: { settings: masked }, document: { digest: packed.digest } })
    await run('CANARY-one')
    expect((await state()).row.updated_at).toEqual(sealed.row.updated_at)
    await run('CANARY-two')
    const next = await state()
    expect([next.row.settings, next.document]).toEqual([expect.objectContaining(masked), undefined])
    expect(vault.open(next.row.sealed ?? Buffer.alloc(0), settingsSealContext(row.id))).toContain('CANARY-two')
  })

  test('removes what it no longer names, and leaves alone what came from elsewhere', async () => {
    await using held = await fixture()
    const { id } = await held.organization()
    await held.db.organization(id, async (sql) => {
      const { settings } = partsOf(web())
      await addConnection(sql, {
        organizationId: id,
        alias: 'mine',
        title: 'Mine',
        settings,
        enabled: true,
        origin: 'command line',
        seal: () => undefined,
      })
      await putToolset(sql, { ...toolset('mine'), organizationId: id, origin: 'command line' })
      await addKey(sql, {
        organizationId: id,
        name: 'mine',
        hint: 'x',
        hash: vault.hash('x'),
        toolset: undefined,
        origin: 'command line',
      })
    })
    await held.run(
      declaration({
        connections: [web()],
        toolsets: [toolset('work')],
        keys: [{ name: 'ci', value: mintKey(), toolset: undefined }],
      }),
    )
    await held.run(declaration())
    const { connections, toolsets, keys } = await held.state()
    expect([
      connections.map(({ alias }) => alias),
      toolsets.map(({ slug }) => slug),
      keys.map(({ name }) => name),
    ]).toEqual([['mine'], ['mine'], ['mine']])
  })

  test('gives a key another value under its name, and the old value is refused from then on', async () => {
    await using held = await fixture()
    // The same end, so that only the hash tells them apart.
    const [old, next] = [`uru_${'1'.repeat(60)}beef`, `uru_${'2'.repeat(60)}beef`]
    await held.run(declaration({ keys: [{ name: 'ci', value: old, toolset: undefined }] }))
    await held.run(declaration({ keys: [{ name: 'ci', value: next, toolset: undefined }] }))
    expect(await held.db.system((sql) => findKey(sql, vault.hash(old)))).toBeUndefined()
    expect(await held.db.system((sql) => findKey(sql, vault.hash(next)))).toMatchObject({ name: 'ci' })
  })

  test('limits a key to a toolset and frees it again', async () => {
    await using held = await fixture()
    const value = mintKey()
    for (const name of ['work', undefined]) {
      await held.run(declaration({ keys: [{ name: 'ci', value, toolset: name }] }))
      expect(await held.db.system((sql) => findKey(sql, vault.hash(value)))).toMatchObject({ toolset: name ?? null })
    }
  })

  test('does not take over a connection from elsewhere, and says so', async () => {
    await using held = await fixture()
    const { id } = await held.organization()
    const { settings } = partsOf(web())
    await held.db.organization(id, (sql) =>
      addConnection(sql, {
        organizationId: id,
        alias: 'web',
        title: 'Mine',
        settings,
        enabled: true,
        origin: 'command line',
        seal: () => undefined,
      }),
    )
    const conflict = held.run(declaration({ connections: [web()] }))
    await expect(conflict).rejects.toThrow(DeclarationConflict)
    await expect(conflict).rejects.toThrow(/connection "web".*command line/)
    expect(await held.db.organization(id, (sql) => findConnection(sql, 'web'))).toMatchObject({ title: 'Mine' })
  })

  test('does not take over a toolset from elsewhere, and changes its own where it says something else', async () => {
    await using held = await fixture()
    const { id } = await held.organization()
    await held.db.organization(id, (sql) =>
      putToolset(sql, { ...toolset('mine'), organizationId: id, origin: 'command line' }),
    )
    await expect(held.run(declaration({ toolsets: [toolset('mine')] }))).rejects.toThrow(/toolset "mine".*command line/)
    await held.run(declaration({ toolsets: [toolset('work', { include: ['a__*'] })] }))
    await held.run(declaration({ toolsets: [toolset('work', { include: ['b__*'] })] }))
    expect((await held.state()).toolsets).toMatchObject([
      { slug: 'mine', origin: 'command line' },
      { slug: 'work', settings: { include: ['b__*'] } },
    ])
  })

  test('that stays the same tells nobody of a change', async () => {
    await using held = await fixture()
    const same = declaration({
      connections: [web()],
      toolsets: [toolset('work', { connections: ['web'] })],
      keys: [{ name: 'ci', value: mintKey(), toolset: undefined }],
    })
    await held.run(same)
    const told: string[] = []
    const signal = Promise.withResolvers<void>()
    const listener = await held.db.listen('toolway_changed', (notice) => {
      const { table } = JSON.parse(notice.kind === 'payload' ? notice.payload : '{}') as { table?: string }
      // Records have a word of their own, which changes nothing in memory.
      if (table !== undefined) told.push(table)
      if (told.includes('keys')) signal.resolve()
    })
    await held.run(structuredClone(same))
    // Signals come in order: what the second run said would be here before this one.
    await held.run(declaration({ slug: 'other', keys: [{ name: 'ci', value: mintKey(), toolset: undefined }] }))
    await signal.promise
    await listener.close()
    expect(told.filter((table) => table !== 'organizations')).toEqual(['keys'])
  })

  test('does not take over a key from elsewhere, nor a value that another key has, and shows neither', async () => {
    await using held = await fixture()
    const { id } = await held.organization()
    const value = mintKey()
    await held.db.organization(id, (sql) =>
      addKey(sql, {
        organizationId: id,
        name: 'mine',
        hint: hintOf(value),
        hash: vault.hash(value),
        toolset: undefined,
        origin: 'command line',
      }),
    )
    for (const key of [
      { name: 'mine', value: mintKey(), toolset: undefined },
      { name: 'second', value, toolset: undefined },
    ]) {
      const conflict = held.run(declaration({ keys: [key] }))
      await expect(conflict).rejects.toThrow(DeclarationConflict)
      await expect(conflict).rejects.toThrow(`"${key.name}"`)
      await expect(conflict).rejects.not.toThrow(key.value)
    }
    expect((await held.state()).keys.map(({ name }) => name)).toEqual(['mine'])
  })

  test('that cannot be carried out changes nothing of its organization', async () => {
    await using held = await fixture()
    const value = mintKey()
    const twice = [
      { name: 'one', value, toolset: undefined },
      { name: 'two', value, toolset: undefined },
    ]
    await expect(
      held.run(declaration({ connections: [web()], toolsets: [toolset('work')], keys: twice })),
    ).rejects.toThrow(DeclarationConflict)
    expect(await held.state()).toEqual({ connections: [], toolsets: [], keys: [] })
  })

  test('of one organization does not touch another', async () => {
    await using held = await fixture()
    await held.run(
      declaration({ connections: [web()] }),
      declaration({ slug: 'other', connections: [web({ title: 'Theirs' })] }),
    )
    await held.run(declaration({ slug: 'other' }))
    expect((await held.state()).connections).toMatchObject([{ alias: 'web', title: 'Web' }])
  })
})
