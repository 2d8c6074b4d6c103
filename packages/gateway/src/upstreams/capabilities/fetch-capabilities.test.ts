import { Fault, type ConnectionId, type OrganizationId } from '@toolway/contract'
import type { JsonObject } from '@toolway/protocol'
import { describe, expect, test } from 'vitest'
import { createFakeUpstream, serverInfoOf } from '../../testing/fake-upstream.ts'
import type { Answer, Ask, Upstream } from '../upstream.ts'
import { ownAsk } from '../gateway-request.ts'
import { createSyncCatalog, fetchCapabilities } from './fetch-capabilities.ts'

const EVERYTHING = { tools: {}, resources: {}, prompts: {} }
const MEMBERS: Readonly<Record<string, string>> = {
  'tools/list': 'tools',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
}
const { signal } = new AbortController()
const never = (): Answer => {
  throw new Error('nobody asked for this')
}

/** A server whose lists come in these pages. */
const serverOf = (pages: Readonly<Record<string, readonly JsonObject[][]>>, capabilities: JsonObject = EVERYTHING) =>
  createFakeUpstream({
    serverInfo: serverInfoOf(capabilities),
    answer({ method, params }) {
      const at = params['cursor'] === undefined ? 0 : Number(String(params['cursor']).slice('page '.length))
      const all = pages[method] ?? [[]]
      const next = at + 1 < all.length ? { nextCursor: `page ${at + 1}` } : {}
      return { result: { [MEMBERS[method] ?? '']: all[at] ?? [], ...next } }
    },
  })

const failure = async (upstream: Upstream): Promise<Fault> => {
  try {
    await fetchCapabilities(upstream, 'web', signal)
  } catch (thrown) {
    return Fault.of(thrown)
  }
  throw new Error('it was fetched')
}

test('whoever is to hear of changes does so before the first list is asked for', async () => {
  const story: string[] = []
  const upstream = createFakeUpstream({
    serverInfo: serverInfoOf({ tools: {} }),
    answer({ method }) {
      story.push(method)
      return { result: { tools: [] } }
    },
  })
  await fetchCapabilities(upstream, 'web', signal, () => void story.push('met'))
  expect(story).toEqual(['met', 'tools/list'])
})

const toolOf = (name: string) => ({ name, inputSchema: { type: 'object' } })
const TOOL = toolOf('a')

describe('what a server offers', () => {
  test('are all its lists, with who it is', async () => {
    const upstream = serverOf({
      'tools/list': [[TOOL]],
      'resources/list': [[{ uri: 'r:1', name: 'r' }]],
      'resources/templates/list': [[{ uriTemplate: 'r:{x}', name: 'r' }]],
      'prompts/list': [[{ name: 'p' }]],
    })
    expect(await fetchCapabilities(upstream, 'web', signal)).toEqual({
      revision: '2025-11-25',
      server: { server: { name: 'fake', version: '1' }, capabilities: EVERYTHING },
      tools: [TOOL],
      resources: [{ uri: 'r:1', name: 'r' }],
      templates: [{ uriTemplate: 'r:{x}', name: 'r' }],
      prompts: [{ name: 'p' }],
      leftOut: [],
      repaired: [],
    })
  })

  test('includes its instructions where it has some', async () => {
    const upstream = createFakeUpstream({ serverInfo: { capabilities: {}, instructions: 'Do.' }, answer: never })
    expect((await fetchCapabilities(upstream, 'web', signal)).server).toMatchObject({ instructions: 'Do.' })
  })

  test('is asked for only as far as it announces it', async () => {
    for (const [capabilities, methods] of [
      [{}, []],
      [{ tools: {} }, ['tools/list']],
      [{ prompts: { listChanged: true } }, ['prompts/list']],
      [{ resources: {} }, ['resources/list', 'resources/templates/list']],
      [{ tools: true, prompts: null }, []],
    ] as const) {
      const upstream = serverOf({}, capabilities)
      await fetchCapabilities(upstream, 'web', signal)
      expect(upstream.asked.map(({ method }) => method).toSorted()).toEqual([...methods].toSorted())
    }
  })

  test('is asked for in the name of nobody, who shows apps and can answer nothing', async () => {
    const upstream = serverOf({}, { tools: {} })
    await fetchCapabilities(upstream, 'web', signal)
    const extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } }
    expect(upstream.asked[0]?.caller).toMatchObject({ capabilities: { extensions }, logLevel: undefined })
    expect(Object.keys(upstream.asked[0]?.caller.capabilities ?? {})).toEqual(['extensions'])
    const ask = ownAsk('tools/list', {}, '2025-11-25', signal)
    const question = { jsonrpc: '2.0', id: 1, method: 'sampling/createMessage' } as const
    expect(await ask.onQuestion(question)).toMatchObject({ error: { code: -32601 } })
  })

  test('is put together from all pages, the cursor "" among them', async () => {
    const pages = [[TOOL], [], [toolOf('b'), toolOf('c')]]
    const upstream = serverOf({ 'tools/list': pages }, { tools: {} })
    expect((await fetchCapabilities(upstream, 'web', signal)).tools).toEqual(pages.flat())
    const empty = createFakeUpstream({
      answer: ({ params }) => ({
        result: 'cursor' in params ? { tools: [toolOf('b')] } : { tools: [TOOL], nextCursor: '' },
      }),
    })
    expect((await fetchCapabilities(empty, 'web', signal)).tools).toEqual([TOOL, toolOf('b')])
    expect(empty.asked.map(({ params }) => params)).toEqual([{}, { cursor: '' }])
  })

  test('leaves out what is no definition, repairs what was meant, says both, and takes the rest', async () => {
    const list = [TOOL, null, 'b', [], { name: 'c', inputSchema: { type: 'string' } }, { name: 'd', inputSchema: {} }]
    const upstream = createFakeUpstream({ answer: () => ({ result: { tools: list } }) })
    const { tools, leftOut, repaired } = await fetchCapabilities(upstream, 'web', signal)
    expect(tools).toEqual([TOOL, toolOf('d')])
    expect(leftOut).toEqual([
      ...[1, 2, 3].map(() => ({ name: 'tools/list', reason: 'an entry of the list is no object' })),
      { name: 'c', reason: 'its inputSchema is not of an object: its type is string' },
    ])
    expect(repaired).toEqual([{ name: 'd', reason: 'inputSchema/type was not "object" and is now' }])
  })

  test('ends somewhere, even where the server always has one more page', async () => {
    const endless = createFakeUpstream({
      answer: ({ params }) => ({ result: { tools: [{ name: 'x' }], nextCursor: `${params['cursor'] as string}x` } }),
    })
    const followed = await fetchCapabilities(endless, 'web', signal)
    expect(followed.tools.length).toBe(100)
    expect(followed.leftOut).toEqual([
      {
        name: 'tools/list',
        reason: 'the server returned 100 pages and still had more; the rest of its list is ignored',
      },
    ])
    const huge = createFakeUpstream({
      answer: ({ params }) => ({
        result: {
          tools: Array.from({ length: 7_000 }, () => ({ name: 'x' })),
          nextCursor: `${params['cursor'] as string}x`,
        },
      }),
    })
    const many = await fetchCapabilities(huge, 'web', signal)
    expect(many.tools.length).toBe(20_000)
    expect(many.leftOut).toMatchObject([{ reason: 'the server lists more than 20000; the rest is ignored' }])
    const circling = createFakeUpstream({ answer: () => ({ result: { tools: [{ name: 'x' }], nextCursor: 'same' } }) })
    const { leftOut } = await fetchCapabilities(circling, 'web', signal)
    expect(leftOut).toMatchObject([{ reason: expect.stringContaining('the same cursor twice') }])
    expect(circling.asked.length).toBe(2)
  })

  test('leaves out a definition of more than 64 KiB, and says so', async () => {
    const big = { name: 'big', description: 'x'.repeat(64 * 1024) }
    const upstream = serverOf({ 'tools/list': [[{ name: 'a' }, big, { name: 'b' }]] }, { tools: {} })
    expect(await fetchCapabilities(upstream, 'web', signal)).toMatchObject({
      tools: [{ name: 'a' }, { name: 'b' }],
      leftOut: [{ name: 'big', reason: 'its definition is larger than 64 KiB, which no client could use' }],
    })
  })

  test('takes 8 MiB of all lists together, and says what it does not take', async () => {
    const page = (at: number) =>
      Array.from({ length: 50 }, (_, index) => ({ name: `t${at}_${index}`, description: 'x'.repeat(60_000) }))
    const upstream = serverOf({ 'tools/list': [0, 1, 2, 3].map(page) }, { tools: {} })
    const { tools, leftOut } = await fetchCapabilities(upstream, 'web', signal)
    expect(JSON.stringify(tools).length).toBeLessThanOrEqual(8 * 1024 * 1024)
    expect(tools.length).toBeGreaterThan(130)
    expect(leftOut).toEqual([
      {
        name: `t2_${tools.length - 100}`,
        reason: 'the lists of one connection may have 8 MiB in total, and this one and all after it exceed that',
      },
    ])
  })

  test('is empty where a list that was announced does not exist', async () => {
    const upstream = createFakeUpstream({
      serverInfo: serverInfoOf({ resources: {} }),
      answer: ({ method }) =>
        method === 'resources/list'
          ? { result: { resources: [{ uri: 'r:1' }] } }
          : { error: { code: -32601, message: 'Method not found' } },
    })
    expect(await fetchCapabilities(upstream, 'web', signal)).toMatchObject({
      resources: [{ uri: 'r:1' }],
      templates: [],
    })
  })

  test.each<[string, string, Answer]>([
    ['an error', 'upstream.error', { error: { code: -32000, message: `no ${'x'.repeat(1000)}` } }],
    ['no list', 'upstream.malformed', { result: {} }],
    ['a list that is none', 'upstream.malformed', { result: { tools: { name: 'a' } } }],
  ])('is a fault where the server answers with %s', async (_, code, answer) => {
    const fault = await failure(createFakeUpstream({ answer: () => answer }))
    expect(fault).toMatchObject({ code, facts: { connection: 'web' } })
    expect(fault.message).toContain('tools/list')
    expect(fault.message.length).toBeLessThan(400)
  })

  test('is a fault where a later page fails: half a list is none', async () => {
    const upstream = createFakeUpstream({
      answer: ({ params }) =>
        'cursor' in params
          ? { error: { code: -32603, message: 'lost' } }
          : { result: { tools: [{ name: 'a' }], nextCursor: 'b' } },
    })
    expect((await failure(upstream)).code).toBe('upstream.error')
  })

  test('tells an error of the server as an error, not as a server that speaks no MCP', async () => {
    const upstream = createFakeUpstream({ answer: () => ({ error: { code: -32603, message: 'fetch failed' } }) })
    expect((await failure(upstream)).message).toBe(
      'The connection web responded with an error: tools/list: fetch failed.',
    )
  })
})

describe('fetching a catalog', () => {
  function fixture(upstream: () => Upstream, { storing = Promise.resolve(), failing = Promise.resolve() } = {}) {
    const noted: string[] = []
    const logged: object[] = []
    const note = (facts: object) => void logged.push(facts)
    const sync = createSyncCatalog({
      store: (organizationId, connectionId, { tools }) => {
        noted.push(`store ${organizationId} ${connectionId} ${tools.length}`)
        return storing
      },
      fail: (organizationId, connectionId, fault) => {
        noted.push(`fail ${organizationId} ${connectionId} ${fault.code}`)
        return failing
      },
      log: { info: note, warn: note },
    })
    const run = (stop = signal) =>
      sync(
        { organizationId: 'org_1' as OrganizationId, connectionId: 'con_1' as ConnectionId, alias: 'web', upstream },
        stop,
      )
    return { run, noted, logged }
  }
  const good = () => serverOf({ 'tools/list': [[{ name: 'a' }, { name: 'b' }]] }, { tools: {} })

  test('that goes well stores it, for its own organization and connection', async () => {
    const { run, noted } = fixture(good)
    expect(await run()).toBe(true)
    expect(noted).toEqual(['store org_1 con_1 2'])
  })

  const failures: [name: string, upstream: () => Upstream, code: string][] = [
    ['the server cannot be reached', () => createFakeUpstream(), 'upstream.lost'],
    [
      'the server needs a credential',
      () =>
        createFakeUpstream({
          answer(): never {
            throw new Fault('upstream.needs-auth', { connection: 'web', problem: 'HTTP 401' })
          },
        }),
      'upstream.needs-auth',
    ],
    [
      'something breaks inside',
      () =>
        createFakeUpstream({
          answer(): never {
            throw new TypeError('a bug')
          },
        }),
      'internal',
    ],
    [
      'it cannot even be opened',
      () => {
        throw new Fault('upstream.disabled', { connection: 'web' })
      },
      'upstream.disabled',
    ],
    [
      'its secrets do not open',
      () => {
        throw new Error('Unsupported state or unable to authenticate data')
      },
      'internal',
    ],
  ]
  test.each(failures)(
    'that fails because %s is noted with its reason and thrown at nobody',
    async (_, upstream, code) => {
      const { run, noted, logged } = fixture(upstream)
      expect(await run()).toBe(false)
      expect(noted).toEqual([`fail org_1 con_1 ${code}`])
      expect(logged).toMatchObject([{ connection: 'web', code }])
    },
  )

  test('that fails puts in doubt what is remembered of the server’s era, and one that goes well does not', async () => {
    const doubted: string[] = []
    const doubting = (name: string, upstream: Upstream) => () => ({ ...upstream, doubt: () => void doubted.push(name) })
    await fixture(doubting('good', good())).run()
    await fixture(doubting('bad', createFakeUpstream())).run()
    expect(doubted).toEqual(['bad'])
  })

  test('whose failure cannot be noted is thrown at nobody either', async () => {
    const held = fixture(() => createFakeUpstream(), { failing: Promise.reject(new Error('database gone')) })
    expect(await held.run()).toBe(false)
    expect(held.noted).toEqual(['fail org_1 con_1 upstream.lost'])
    expect(held.logged).toHaveLength(2)
  })

  test('that the gateway cannot store is no fault of the connection: it is not shown in error', async () => {
    const held = fixture(good, { storing: Promise.reject(new Error('no connection of the pool is free')) })
    await expect(held.run()).rejects.toThrow('no connection of the pool')
    expect(held.noted).toEqual(['store org_1 con_1 2'])
  })

  test('that the database refuses for what the server said is noted with the connection', async () => {
    const refusal = Object.assign(new Error('invalid byte sequence'), { code: '22021' })
    const held = fixture(good, { storing: Promise.reject(refusal) })
    expect(await held.run()).toBe(false)
    expect(held.noted).toEqual(['store org_1 con_1 2', 'fail org_1 con_1 internal'])
  })

  test('that was given up is noted nowhere', async () => {
    const stop = new AbortController()
    const { run, noted, logged } = fixture(() =>
      createFakeUpstream({
        answer(_: Ask): never {
          stop.abort()
          throw new Fault('call.cancelled')
        },
      }),
    )
    expect(await run(stop.signal)).toBe(false)
    expect([noted, logged]).toEqual([[], []])
  })
})
