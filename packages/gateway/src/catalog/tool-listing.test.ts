import { ANYBODY, effectOf, type ConnectionId, type Rule, type ToolWords } from '@toolway/contract'
import { REVISIONS, type JsonObject, type Revision } from '@toolway/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPolicy } from '../policy/compile.ts'
import { createAliasAllotment } from '../lib/alias.ts'
import { createToolListing } from './create-tool-listing.ts'
import { capabilitiesOf, instructionsOf, toolFacts, type Offered, type VisibilityFilter } from './tool-listing.ts'

const idOf = (alias: string) => `con_${alias}` as ConnectionId

const offer = (alias: string, more: Partial<Offered> = {}): Offered => ({
  connectionId: idOf(alias),
  alias,
  revision: '2025-11-25',
  server: { name: alias, version: '1' },
  capabilities: { tools: {}, resources: {}, prompts: {} },
  instructions: undefined,
  tools: [],
  resources: [],
  templates: [],
  prompts: [],
  ...more,
})
const tool = (name: string, more: JsonObject = {}): JsonObject => ({ name, inputSchema: { type: 'object' }, ...more })
const ALL_IN = { limit: 'execute' as const, tool: () => true, whole: () => true }
const namesOf = (items: readonly JsonObject[], member = 'name') => items.map((item) => item[member])

describe('the endpoint of several connections', () => {
  const files = offer('files', { tools: [tool('read'), tool('write')], prompts: [{ name: 'sum' }] })
  const web = offer('web', { tools: [tool('read')], prompts: [{ name: 'sum' }] })
  const toolListing = createToolListing([files, web], true)

  test('names tools and prompts by connection and finds each where it is', () => {
    expect(namesOf(toolListing.list('tools', '2025-11-25'))).toEqual(['files__read', 'files__write', 'web__read'])
    expect(namesOf(toolListing.list('prompts', '2025-11-25'))).toEqual(['files__sum', 'web__sum'])
    expect(toolListing.tool('web__read')).toMatchObject({
      connectionId: idOf('web'),
      alias: 'web',
      name: 'read',
      revision: '2025-11-25',
    })
    expect(toolListing.prompt('files__sum')).toMatchObject({ connectionId: idOf('files'), name: 'sum' })
  })

  test('knows nothing by plain names, nor by names that only objects have', () => {
    for (const name of ['read', '', 'web__', '__read', 'web__READ', 'constructor', '__proto__']) {
      expect(toolListing.tool(name)).toBeUndefined()
      expect(toolListing.prompt(name)).toBeUndefined()
    }
  })

  test('gives resources and templates addresses that say whose they are, and finds them again', () => {
    const from = offer('docs', {
      resources: [{ uri: 'file:///a', name: 'a' }],
      templates: [{ uriTemplate: 'ui://x/{id}', name: 't' }],
    })
    const joined = createToolListing([from, offer('web')], true)
    expect(joined.list('resources', '2025-11-25')).toEqual([{ uri: 'toolway://docs/file:///a', name: 'a' }])
    expect(joined.list('templates', '2025-11-25')).toEqual([{ uriTemplate: 'ui://docs/x/{id}', name: 't' }])
    expect(joined.resource('ui://docs/x/7')).toMatchObject({ connectionId: idOf('docs'), name: 'ui://x/7' })
    expect(joined.resource('toolway://web/file:///unlisted')).toMatchObject({
      connectionId: idOf('web'),
      name: 'file:///unlisted',
    })
    expect(joined.exposeUri('docs', 'file:///b')).toBe('toolway://docs/file:///b')
  })

  test.each(['file:///a', 'toolway://gone/file:///a', 'toolway:///file:///a', 'toolway://docs', ''])(
    'has nothing at %j',
    (uri) => expect(createToolListing([offer('docs')], true).resource(uri)).toBeUndefined(),
  )

  test('has no resource of a connection that serves none', () => {
    const silent = createToolListing([offer('docs', { capabilities: { tools: {} } })], true)
    expect(silent.resource('toolway://docs/file:///a')).toBeUndefined()
  })

  test("rewrites the address of a tool's interface", () => {
    const from = offer('docs', { tools: [tool('a', { _meta: { ui: { resourceUri: 'ui://app' } } })] })
    expect(createToolListing([from], true).list('tools', '2025-11-25')[0]).toMatchObject({
      _meta: { ui: { resourceUri: 'ui://docs/app' } },
    })
    expect(createToolListing([from], false).list('tools', '2025-11-25')[0]).toMatchObject({
      _meta: { ui: { resourceUri: 'ui://app' } },
    })
  })
})

describe('the endpoint of one connection', () => {
  const from = offer('docs', { tools: [tool('read')], prompts: [{ name: 'sum' }], resources: [{ uri: 'file:///a' }] })
  const toolListing = createToolListing([from], false)

  test('keeps names and addresses as the server has them', () => {
    expect(namesOf(toolListing.list('tools', '2025-11-25'))).toEqual(['read'])
    expect(toolListing.list('resources', '2025-11-25')).toEqual([{ uri: 'file:///a' }])
    expect(toolListing.tool('read')?.name).toBe('read')
    expect(toolListing.tool('docs__read')).toBeUndefined()
    expect(toolListing.resource('anything:at-all')).toMatchObject({
      connectionId: idOf('docs'),
      name: 'anything:at-all',
    })
    expect(toolListing.exposeUri('docs', 'file:///a')).toBe('file:///a')
  })

  test('of nothing has nothing', () => {
    const empty = createToolListing([], false)
    expect(empty.list('tools', '2025-11-25')).toEqual([])
    expect(empty.resource('file:///a')).toBeUndefined()
  })
})

describe('names that meet', () => {
  const meeting = [offer('a', { tools: [tool('b__c')] }), offer('a__b', { tools: [tool('c')] })]

  test('stay two tools, each at its own connection', () => {
    const toolListing = createToolListing(meeting, true)
    const [first, second] = namesOf(toolListing.list('tools', '2025-11-25')) as [string, string]
    expect(first).toBe('a__b__c')
    expect(second).toMatch(/^a__b__c_[0-9a-f]{6}$/)
    expect(toolListing.tool(first)).toMatchObject({ alias: 'a', name: 'b__c' })
    expect(toolListing.tool(second)).toMatchObject({ alias: 'a__b', name: 'c' })
  })

  test("never give one tool's name to another, even where the second form is taken too", () => {
    const taken = namesOf(createToolListing(meeting, true).list('tools', '2025-11-25'))[1] as string
    const squatter = offer('a', { tools: [tool('b__c'), tool(taken.slice('a__'.length))] })
    const toolListing = createToolListing([squatter, offer('a__b', { tools: [tool('c')] })], true)
    const names = namesOf(toolListing.list('tools', '2025-11-25')) as string[]
    expect(new Set(names).size).toBe(3)
    expect(names.map((name) => toolListing.tool(name)?.alias)).toEqual(['a', 'a', 'a__b'])
  })

  test('of a server that lists a tool, prompt or resource twice are one, the first', () => {
    for (const joined of [true, false]) {
      const twice = offer('a', {
        tools: [tool('x', { title: 'first' }), tool('x', { title: 'second' })],
        prompts: [
          { name: 'p', title: 'first' },
          { name: 'p', title: 'second' },
        ],
        resources: [
          { uri: 'r:1', title: 'first' },
          { uri: 'r:1', title: 'second' },
        ],
      })
      const toolListing = createToolListing([twice], joined)
      for (const kind of ['tools', 'prompts', 'resources'] as const) {
        expect(namesOf(toolListing.list(kind, '2025-11-25'), 'title')).toEqual(['first'])
      }
    }
  })
})

describe('what is not offered', () => {
  test('are tools whose header marks break the rules; they can neither be listed nor called', () => {
    const bad = tool('bad', {
      inputSchema: { type: 'object', properties: { a: { type: 'number', 'x-mcp-header': 'A' } } },
    })
    const good = tool('good', {
      inputSchema: { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': 'A' } } },
    })
    const toolListing = createToolListing([offer('s', { tools: [bad, good] })], true)
    expect(namesOf(toolListing.list('tools', '2026-07-28'))).toEqual(['s__good'])
    expect(toolListing.tool('s__bad')).toBeUndefined()
    expect(toolListing.tool('s__good')?.headerParameters).toEqual([{ header: 'A', path: ['a'] }])
  })

  test('are things without a name or an address, of which nobody could speak', () => {
    const odd = offer('s', {
      tools: [{ inputSchema: {} }, tool('a'), { name: 5 }],
      prompts: [{}, { name: null }],
      resources: [{ name: 'x' }, { uri: 5 }],
      templates: [{ uri: 'a:b' }],
    })
    const toolListing = createToolListing([odd], true)
    expect(namesOf(toolListing.list('tools', '2025-11-25'))).toEqual(['s__a'])
    for (const kind of ['prompts', 'resources', 'templates'] as const)
      expect(toolListing.list(kind, '2025-11-25')).toEqual([])
  })

  test('are tools and prompts that the toolset leaves out; they can neither be listed nor called', () => {
    const from = offer('s', { tools: [tool('keep'), tool('drop')], prompts: [{ name: 'drop' }] })
    for (const joined of [true, false]) {
      const toolListing = createToolListing([from], joined, {
        limit: 'execute',
        tool: (alias, name) => alias === 's' && name === 's__keep',
        whole: () => false,
      })
      expect(toolListing.list('tools', '2025-11-25')).toHaveLength(1)
      expect(toolListing.list('prompts', '2025-11-25')).toEqual([])
      for (const name of ['drop', 's__drop']) expect(toolListing.tool(name) ?? toolListing.prompt(name)).toBeUndefined()
    }
  })
})

describe('a screen', () => {
  const rule = (name: string, action: 'block' | 'warn' | 'hide'): Rule => ({
    ...{ id: name, name, scope: 'platform', of: undefined, reason: 'No.', state: 'on', parameters: {}, action },
    match: { tools: [`*__${name}`] },
  })
  const policy = createPolicy([rule('never', 'block'), rule('look', 'warn'), rule('hidden', 'hide')])
  const visibilityFilter: VisibilityFilter = {
    tool: (_, name) => (name === 'gone' ? 'off' : undefined),
    policy: (facts, schema) => policy.of(facts, { organization: 'acme', toolset: 'default' }, schema),
    any: (alias) => alias === 's',
  }
  const from = offer('s', {
    tools: [tool('keep'), tool('gone'), tool('never'), tool('look'), tool('hidden')],
    capabilities: { tools: {}, extensions: { 'com.example/x': {} } },
  })

  test.each([true, false])(
    'hides what is off, names what is blocked, marks what is warned of (joined: %s)',
    (joined) => {
      const toolListing = createToolListing([from], joined, undefined, visibilityFilter)
      const named = (name: string) => (joined ? `s__${name}` : name)
      expect(namesOf(toolListing.list('tools', '2025-11-25'))).toEqual(['keep', 'look'].map(named))
      expect(['gone', 'hidden'].map((name) => toolListing.tool(named(name)))).toEqual([undefined, undefined])
      const said = (name: string) => toolListing.tool(named(name))?.policy?.decide(ANYBODY).action
      expect(['keep', 'never', 'look'].map(said)).toEqual([undefined, 'block', 'warn'])
    },
  )

  test('changes the name of no other tool', () => {
    const squatters = [offer('s', { tools: [tool('a'), tool('gone')] }), offer('t', { tools: [tool('a')] })]
    const names = (toolListing = createToolListing(squatters, true)) => namesOf(toolListing.list('tools', '2025-11-25'))
    expect(names(createToolListing(squatters, true, undefined, visibilityFilter))).toEqual(
      names().filter((name) => name !== 's__gone'),
    )
  })

  test('closes the way around it: no extension is announced', () => {
    const announced = (toolListing: ReturnType<typeof createToolListing>) =>
      capabilitiesOf(toolListing, '2025-11-25')['extensions'] ?? {}
    expect(announced(createToolListing([from], false))).toHaveProperty(['com.example/x'])
    expect(announced(createToolListing([from], false, undefined, visibilityFilter))).not.toHaveProperty([
      'com.example/x',
    ])
  })
})

describe('a limit', () => {
  const marked = (name: string, annotations?: JsonObject): JsonObject => ({
    ...tool(name),
    ...(annotations && { annotations }),
  })
  const from = offer('s', {
    tools: [
      marked('look', { readOnlyHint: true }),
      marked('note', { destructiveHint: false }),
      marked('mute'),
      marked('drop', { destructiveHint: true }),
    ],
    prompts: [{ name: 'drop' }],
  })
  const selects = { tool: () => true, whole: () => true }
  const trusting: VisibilityFilter = {
    tool: () => undefined,
    any: () => false,
    effect: (_, { annotations }) => ({ effect: effectOf(annotations), from: 'server' }),
  }

  test('of read leaves in nothing of servers that are not trusted', () => {
    const toolListing = createToolListing([from], false, { ...selects, limit: 'read' })
    expect(toolListing.list('tools', '2025-11-25')).toEqual([])
    expect(createToolListing([from], false).tool('drop')?.effect).toBe('destructive')
  })

  test.each([
    ['read', ['look']],
    ['write', ['look', 'note', 'mute']],
    ['execute', ['look', 'note', 'mute', 'drop']],
  ] as const)('of %s leaves in what reaches so far; the rest can neither be listed nor called', (limit, names) => {
    const toolListing = createToolListing([from], false, { ...selects, limit }, trusting)
    expect(namesOf(toolListing.list('tools', '2025-11-25'))).toEqual(names)
    for (const { name } of from.tools)
      expect(toolListing.tool(String(name)) !== undefined).toBe(names.includes(name as 'look'))
    expect(toolListing.prompt('drop')).toBeDefined()
  })

  test('changes the name of no tool: what is left out keeps its own', () => {
    const [dropped, kept] = [marked('b__c', { destructiveHint: true }), marked('c', { readOnlyHint: true })]
    const meeting = [offer('a', { tools: [dropped] }), offer('a__b', { tools: [kept] })]
    const nameOf = (limit: 'read' | 'execute') =>
      createToolListing(meeting, true, { ...selects, limit }, trusting)
        .list('tools', '2025-11-25')
        .find(({ annotations }) => (annotations as { readOnlyHint?: boolean }).readOnlyHint)?.['name']
    expect(nameOf('read')).toBe(nameOf('execute'))
    expect(nameOf('read')).not.toBe('a__b__c')
  })
})

describe('lists', () => {
  const from = offer('s', {
    revision: '2026-07-28',
    tools: [tool('a', { outputSchema: { type: 'array' }, execution: { x: 1 } })],
  })

  test('fit the revision of who lists', () => {
    const toolListing = createToolListing([from], true)
    expect(toolListing.list('tools', '2024-11-05')[0]).not.toHaveProperty('outputSchema')
    expect(toolListing.list('tools', '2025-06-18')[0]).toMatchObject({
      outputSchema: { type: 'object', required: ['result'] },
    })
    expect(toolListing.list('tools', '2026-07-28')[0]).toMatchObject({ outputSchema: { type: 'array' } })
    expect(toolListing.tool('s__a')?.wraps).toBe(true)
  })

  test('are worked out once for each revision', () => {
    const toolListing = createToolListing([from], true)
    for (const revision of REVISIONS)
      expect(toolListing.list('tools', revision)).toBe(toolListing.list('tools', revision))
  })

  test('never change what the catalog keeps', () => {
    const before = structuredClone(from.tools)
    const toolListing = createToolListing([from], true)
    for (const revision of REVISIONS) toolListing.list('tools', revision)
    expect(from.tools).toEqual(before)
  })
})

describe('what an endpoint announces', () => {
  const announced = (offered: readonly Offered[], revision: (typeof REVISIONS)[number] = '2025-11-25') =>
    capabilitiesOf(createToolListing(offered, true), revision)

  test('is the union of what its servers can do', () => {
    const offered = [
      offer('a', { capabilities: { tools: {} } }),
      offer('b', { capabilities: { prompts: {}, completions: {} } }),
    ]
    expect(announced(offered)).toEqual({
      tools: { listChanged: true },
      prompts: { listChanged: true },
      completions: {},
    })
    expect(announced([])).toEqual({})
  })

  test('includes tools that are there although nobody announced them', () => {
    expect(announced([offer('a', { capabilities: {}, tools: [tool('x')] })])).toEqual({ tools: { listChanged: true } })
  })

  test('includes subscriptions where a server of either era takes them', () => {
    const capabilities = { resources: { subscribe: true } }
    expect(announced([offer('a', { capabilities })])).toEqual({ resources: { listChanged: true, subscribe: true } })
    expect(announced([offer('a', { capabilities: { resources: {} } })])).toEqual({ resources: { listChanged: true } })
    expect(announced([offer('a', { capabilities })], '2026-07-28')).toEqual({
      resources: { listChanged: true, subscribe: true },
    })
    // A modern server is listened to for each session of a legacy client.
    expect(announced([offer('a', { capabilities, revision: '2026-07-28' })])).toEqual({
      resources: { listChanged: true, subscribe: true },
    })
  })

  test('includes log messages only where they reach the one who asked', () => {
    const capabilities = { logging: {} }
    expect(announced([offer('a', { capabilities })])).toEqual({ logging: {} })
    expect(announced([offer('a', { capabilities, revision: '2026-07-28' })], '2026-07-28')).toEqual({
      logging: {},
    })
    expect(announced([offer('a', { capabilities })], '2026-07-28')).toEqual({})
  })

  describe('extensions', () => {
    const apps = { 'io.modelcontextprotocol/ui': { a: 1 } }
    const tasks = { 'io.modelcontextprotocol/tasks': {} }
    const own = { 'com.example/x': { b: 2 } }
    const from = (alias: string, extensions: JsonObject, more: Partial<Offered> = {}) =>
      offer(alias, { revision: '2026-07-28', capabilities: { extensions }, ...more })
    const offers = (toolListing: ReturnType<typeof createToolListing>, revision: Revision) =>
      capabilitiesOf(toolListing, revision)

    test('that the gateway serves itself are announced at every endpoint', () => {
      const one = from('a', { ...apps, ...tasks, ...own })
      expect(offers(createToolListing([one, offer('b', { capabilities: {} })], true), '2026-07-28')).toEqual({
        extensions: { ...apps, ...tasks },
      })
    })

    test('that only their server speaks are announced at its own endpoint, in both eras, where it is whole', () => {
      const one = from(
        'a',
        { ...apps, ...own },
        { capabilities: { extensions: { ...apps, ...own }, experimental: { y: {} } } },
      )
      expect(offers(createToolListing([one], false), '2026-07-28')).toEqual({
        extensions: { ...apps, ...own },
        experimental: { y: {} },
      })
      expect(offers(createToolListing([one], false), '2025-11-25')).toEqual({
        extensions: { ...apps, ...own },
        experimental: { y: {} },
      })
      const some = { limit: 'execute', tool: () => true, whole: () => false } as const
      expect(offers(createToolListing([one], false, some), '2026-07-28')).toEqual({ extensions: apps })
      const read = { limit: 'read', tool: () => true, whole: () => true } as const
      expect(offers(createToolListing([one], false, read), '2026-07-28')).toEqual({ extensions: apps })
    })

    test('with tasks are tasks for the revision that has them in its core, and for no older one', () => {
      const full = { list: {}, cancel: {}, requests: { tools: { call: {} } } }
      expect(offers(createToolListing([from('a', tasks)], false), '2025-11-25')).toEqual({ tasks: full })
      expect(offers(createToolListing([from('a', tasks)], false), '2025-06-18')).toEqual({})
      const legacy = (form: JsonObject) => offer('b', { capabilities: { tasks: form } })
      expect(offers(createToolListing([legacy({ cancel: {} })], false), '2025-11-25')).toEqual({
        tasks: { cancel: {} },
      })
      expect(offers(createToolListing([legacy({ cancel: {} })], false), '2026-07-28')).toEqual({})
      expect(offers(createToolListing([legacy(full)], false), '2026-07-28')).toEqual({ extensions: tasks })
    })
  })

  test('lists tools for apps alone to hosts that show apps', () => {
    const forApp = tool('refresh', { _meta: { ui: { visibility: ['app'] } } })
    const forBoth = tool('show', { _meta: { ui: { visibility: ['model', 'app'], resourceUri: 'ui://a/b' } } })
    const toolListing = createToolListing([offer('a', { tools: [forApp, forBoth] })], true)
    expect(namesOf(toolListing.list('tools', '2025-11-25', true))).toEqual(['a__refresh', 'a__show'])
    expect(namesOf(toolListing.list('tools', '2025-11-25', false))).toEqual(['a__show'])
    expect(toolListing.list('tools', '2025-11-25', false)[0]).toMatchObject({
      _meta: { ui: { resourceUri: 'ui://a/a/b' } },
    })
  })

  test('takes odd capabilities for none', () => {
    expect(
      announced([offer('a', { capabilities: { tools: true, resources: 'yes', prompts: [], logging: null } })]),
    ).toEqual({})
  })
})

test('a category is what the gateway read out of a contract or a document, and no word of a server', () => {
  const said = tool('pay', { _meta: { 'dev.toolway/category': 'search' } })
  const of = (connector?: string) => toolFacts('a', connector, said, { effect: 'write', from: 'unknown' }).category
  expect([of('contract'), of('openapi'), of('mcp.http'), of('mcp.process'), of()]).toEqual([
    ...['search', 'search'],
    ...['', '', ''],
  ])
})

describe('instructions', () => {
  const parts = [offer('a', { instructions: 'Do.' }), offer('b'), offer('c', { instructions: 'Not.' })]
  test('of several servers stand under headings, of one alone, of none not at all', () => {
    expect(instructionsOf(createToolListing(parts, true))).toBe('## a\n\nDo.\n\n## c\n\nNot.')
    expect(instructionsOf(createToolListing(parts.slice(0, 1), false))).toBe('Do.')
    expect(instructionsOf(createToolListing([offer('b')], true))).toBeUndefined()
  })
})

describe('S4-SRV-03: an endpoint with the naming mcp', () => {
  const selects = (more: object = {}) => ({ ...ALL_IN, naming: 'mcp' as const, ...more })
  const named = (offered: readonly Offered[], more: object = {}) => createToolListing(offered, true, selects(more))
  const listed = (listing: ReturnType<typeof named>) => namesOf(listing.list('tools', '2026-07-28'))

  test('names tools mcp__<server_name>__<tool_name>, the names of the source system', () => {
    const listing = named([
      offer('local_toolkit', { tools: [tool('save_corpus'), tool('write_local_file')] }),
      offer('composio', { tools: [tool('COMPOSIO_SEARCH_NEWS'), tool('GMAIL_SEND_EMAIL')] }),
    ])
    const names = [
      'mcp__local_toolkit__save_corpus',
      'mcp__local_toolkit__write_local_file',
      'mcp__composio__COMPOSIO_SEARCH_NEWS',
      'mcp__composio__GMAIL_SEND_EMAIL',
    ]
    expect(listed(listing)).toEqual(names)
    for (const name of names) {
      const [, alias, own] = name.split('__')
      expect(listing.tool(name)).toMatchObject({ alias, name: own })
      // A client that knows the joined name still finds the tool.
      expect(listing.tool(`${alias}__${own}`)).toBe(listing.tool(name))
    }
  })

  test('gives every tool one name of at most 64 characters that no other has, whatever tools are called', () => {
    const aliases = fc.stringMatching(/^[a-z][a-z0-9-]{0,30}$/)
    const odd = fc.oneof(
      fc.stringMatching(/^[A-Za-z0-9_.-]{1,128}$/),
      fc.constantFrom('a__b', 'mcp__a', 'a.b', 'x'.repeat(60), `${'x'.repeat(59)}y`, 'x'.repeat(200)),
    )
    const many = fc.uniqueArray(odd, { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.oneof(aliases, fc.constant('mcp')), { minLength: 1, maxLength: 4 }),
        many,
        (own, tools) => {
          const listing = named(own.map((alias) => offer(alias, { tools: tools.map((name) => tool(name)) })))
          const names = listed(listing).map(String)
          expect(names).toHaveLength(own.length * tools.length)
          expect(new Set(names).size).toBe(names.length)
          for (const name of names) expect(name).toMatch(/^mcp__[A-Za-z0-9_-]{1,59}$/)
          const found = names
            .map((name) => listing.tool(name))
            .map((target) => JSON.stringify([target?.alias, target?.name]))
          expect(new Set(found).size).toBe(names.length)
        },
      ),
    )
  })

  test('does not take the name that a tool of a connection called mcp has', () => {
    const listing = named([offer('mcp', { tools: [tool('a__b')] }), offer('a', { tools: [tool('b')] })])
    expect(listed(listing)).toEqual(['mcp__mcp__a__b', expect.stringMatching(/^mcp__a__b_[0-9a-f]{6}$/)])
    expect(listing.tool('mcp__a__b')).toMatchObject({ alias: 'mcp', name: 'a__b' })
  })

  test('keeps the name that a single tool is given, and plain names where one connection stands alone', () => {
    const files = offer('files', { tools: [tool('read'), tool('write')] })
    const words = (name: string) => (name === 'files__read' ? { name: 'look' } : undefined)
    expect(listed(named([files], { words }))).toEqual(['look', 'mcp__files__write'])
    const alone = createToolListing([files], false, selects())
    expect(namesOf(alone.list('tools', '2026-07-28'))).toEqual(['read', 'write'])
  })
})

describe('an endpoint that has words of its own for tools', () => {
  const files = offer('files', { tools: [tool('read', { description: 'Reads.' }), tool('write')] })
  const words: Record<string, ToolWords> = {
    files__read: { name: 'look', title: 'Look', description: 'Looks at a file.' },
    files__write: { name: 'look' },
    web__gone: { name: 'gone' },
  }
  const selects = {
    limit: 'execute',
    tool: () => true,
    whole: () => true,
    words: (name: string) => words[name],
  } as const
  const toolListing = createToolListing([files, offer('web', { tools: [tool('read')] })], true, selects)

  test('lists them by those, and gives no name to two', () => {
    expect(toolListing.list('tools', '2025-11-25')).toMatchObject([
      { name: 'look', title: 'Look', description: 'Looks at a file.' },
      { name: 'files__write' },
      { name: 'web__read' },
    ])
  })

  test('finds the same tool by its new name and by the one that clients may still know', () => {
    expect(toolListing.tool('look')).toMatchObject({ alias: 'files', name: 'read' })
    expect(toolListing.tool('files__read')).toBe(toolListing.tool('look'))
    expect(toolListing.tool('gone')).toBeUndefined()
  })

  test('keeps the names of the server at the endpoint of one connection, and says the texts there too', () => {
    const alone = createToolListing([files], false, selects)
    expect(alone.list('tools', '2025-11-25')[0]).toMatchObject({ name: 'read', description: 'Looks at a file.' })
    expect(alone.tool('look')).toBeUndefined()
  })
})

describe('S2-BRG-02: names for the agent of the source system', () => {
  const toolsets = { ...ALL_IN, naming: 'mcp' as const }

  test('are mcp__{serverType}__{toolName}: those of its examples, two accounts on one host apart, at most 64 characters', () => {
    // As connections without a name get theirs: from their host, and none twice.
    const aliasFor = createAliasAllotment()
    const long = `list_${'everything_'.repeat(8)}at_once`
    const servers: [host: string, tools: string[]][] = [
      ['github.com', ['search_repos', long, `${long}_again`]],
      ['linear.app', ['create_issue']],
      ['github.com', ['search_repos']],
    ]
    const aliases = servers.map(([host]) => aliasFor(host))
    const offered = servers.map(([, tools], at) => offer(aliases[at] ?? '', { tools: tools.map((name) => tool(name)) }))
    const listing = createToolListing(offered, true, toolsets)
    const names = namesOf(listing.list('tools', '2026-07-28')).map(String)
    expect(names).toEqual(
      expect.arrayContaining([
        // A dot is no character of a name (ADR 49).
        'mcp__github-com__search_repos',
        'mcp__linear-app__create_issue',
        'mcp__github-com_2__search_repos',
      ]),
    )
    expect(new Set(names).size).toBe(5)
    for (const name of names) expect(name).toMatch(/^mcp__[A-Za-z0-9_-]{1,59}$/)
    const targets = names.map((name) => listing.tool(name))
    expect(targets.map((target) => String(target?.alias)).toSorted()).toEqual([
      'github-com',
      'github-com',
      'github-com',
      'github-com_2',
      'linear-app',
    ])
    expect(targets.filter((target) => target?.name === long)).toHaveLength(1)
  })
})

describe('an endpoint with the naming plain', () => {
  const named = (...offered: Offered[]) => createToolListing(offered, true, { ...ALL_IN, naming: 'plain' as const })
  const listed = (...offered: Offered[]) => namesOf(named(...offered).list('tools', '2026-07-28'))
  const github = offer('github', { tools: [tool('github_list_repositories'), tool('search')] })

  test('gives tools their own names, and a name that two tools have to neither', () => {
    const web = offer('web', { tools: [tool('search')] })
    expect(listed(github)).toEqual(['github_list_repositories', 'search'])
    expect(listed(github, web)).toEqual(['github_list_repositories', 'github__search', 'web__search'])
    expect(named(github, web).tool('search')).toBeUndefined()
    const listing = named(github)
    expect(listing.tool('search')).toMatchObject({ alias: 'github', name: 'search' })
    expect(listing.tool('github__search')).toBe(listing.tool('search'))
  })

  test('never gives a name of the gateway’s own tools, of another connection, or one that clients refuse', () => {
    const odd = offer('odd', {
      tools: ['search_tools', 'read_result', 'web__search', 'a.b', 'x'.repeat(65)].map((name) => tool(name)),
    })
    for (const name of listed(odd)) expect(name).toMatch(/^odd__/)
  })
})
