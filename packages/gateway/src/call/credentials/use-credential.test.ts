import type { JsonObject, Revision } from '@toolway/protocol'
import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { UserId } from '@toolway/contract'
import { sayError, sayJson, startScriptedUpstream, type Heard } from '../../../../../test/fault/scripted-upstream.ts'
import { OPERATOR, type Principal } from '../../identity/principal.ts'
import { createFakeCredentials, type FakeAccount } from '../../testing/fake-credentials.ts'
import { createTestContext, type Reached } from '../../testing/request-context.ts'

const ERAS = [
  ['modern', '2026-07-28'],
  ['legacy', '2025-11-25'],
] as const satisfies readonly (readonly ['modern' | 'legacy', Revision])[]

const schema = { type: 'object', properties: { text: { type: 'string' } } }
const READS: JsonObject = { name: 'look', inputSchema: schema, annotations: { readOnlyHint: true } }
const WRITES: JsonObject = { name: 'write', inputSchema: schema, annotations: { destructiveHint: false } }
const CHALLENGE = {
  'www-authenticate': 'Bearer resource_metadata="https://x.example/.well-known/oauth-protected-resource"',
}

const tokenIn = ({ headers }: Heard) => headers.authorization?.replace(/^Bearer /, '')

/** A server behind a door that only these tokens open; every refusal is challenged unless it says otherwise. */
function startGuarded(
  era: 'modern' | 'legacy',
  isGood: (token: string | undefined, heard: Heard) => boolean,
  refuse: (response: ServerResponse, heard: Heard) => void = (response) =>
    sayJson(response, { error: 'invalid_token' }, 401, CHALLENGE),
) {
  return startScriptedUpstream({
    era,
    capabilities: { tools: {}, prompts: {}, resources: { subscribe: true }, completions: {} },
    results: {
      'prompts/get': { messages: [] },
      'resources/read': { contents: [] },
      'completion/complete': { completion: { values: [] } },
    },
    act(heard, response) {
      if (isGood(tokenIn(heard), heard)) return false
      refuse(response, heard)
      return true
    },
  })
}

const at = (url: string, revision: Revision, more: Partial<Reached> = {}): Reached => ({
  alias: 'web',
  url,
  revision,
  tools: [READS, WRITES],
  ...more,
})
const member = (id: string): Principal => ({ ...OPERATOR, id, kind: 'user', userId: id as UserId })

describe.each(ERAS)('a call to a protected %s server', (era, revision) => {
  test('goes out with the caller’s own credential, and says which account acted', async () => {
    await using server = await startGuarded(era, (token) => token !== undefined)
    const credentials = createFakeCredentials([
      { account: 'default' },
      { account: 'work', userId: 'usr_ann' },
      { account: 'home', userId: 'usr_bob' },
    ])
    await using house = await createTestContext({ connections: [at(server.url, revision)], credentials })
    const ann = await house.call('look', {}, { principal: member('usr_ann') })
    const bob = await house.call('write', {}, { principal: member('usr_bob') })
    const nobody = await house.call('look')
    expect(server.of('tools/call').map(tokenIn)).toEqual(['secret-work-1', 'secret-home-1', 'secret-default-1'])
    expect(ann.result?.['_meta']).toMatchObject({
      'dev.toolway/account': { account: 'work', owner: 'member', name: 'work@example.com' },
    })
    expect(bob.audit.account).toEqual({ account: 'home', owner: 'member', name: 'home@example.com' })
    expect(nobody.result?.['_meta']).toMatchObject({ 'dev.toolway/account': { owner: 'organization' } })
    expect(JSON.stringify([ann, bob, nobody])).not.toContain('secret-')
  })

  test('S2-TOK-04: a 401 leads to one renewal and one repeat, then to an error', async () => {
    const one: FakeAccount = { account: 'default' }
    const state = { good: 'secret-default-2' }
    await using server = await startGuarded(era, (token) => token === state.good)
    const credentials = createFakeCredentials([one])
    await using house = await createTestContext({ connections: [at(server.url, revision)], credentials })
    // A challenge says that the request was not looked at: a write, too, is sent once more.
    const written = await house.call('write')
    expect(written.result).not.toMatchObject({ isError: true })
    expect(server.of('tools/call').map(tokenIn).at(-1)).toBe('secret-default-2')
    expect(credentials.refusals).toHaveLength(1)
    state.good = 'none'
    const before = server.heard.length
    const refused = await house.call('look')
    expect(refused.audit.fault?.code).toBe('upstream.needs-auth')
    expect(credentials.refusals).toHaveLength(2)
    expect(server.heard.slice(before).map(tokenIn)).toEqual(['secret-default-2', 'secret-default-3'])
    expect(JSON.stringify(refused)).not.toContain('resource_metadata')
  })

  test('of twenty that run out together each is sent once more, with what one renewal gave', async () => {
    await using server = await startGuarded(era, (token) => token === 'secret-default-2')
    const credentials = createFakeCredentials([{ account: 'default' }])
    await using house = await createTestContext({ connections: [at(server.url, revision)], credentials })
    const all = await Promise.all(Array.from({ length: 20 }, () => house.call('write')))
    expect(all.map(({ audit }) => audit.outcome)).toEqual(Array.from({ length: 20 }, () => 'ok'))
    expect(credentials.accountList[0]?.version).toBe(2)
  })

  test('without a challenge only what reads is sent again', async () => {
    await using server = await startGuarded(
      era,
      (token, { method }) => method !== 'tools/call' || token === 'secret-default-2',
      (response) => sayJson(response, { error: 'who are you' }, 401),
    )
    const credentials = createFakeCredentials([{ account: 'default' }])
    await using house = await createTestContext({ connections: [at(server.url, revision)], credentials })
    const written = await house.call('write')
    expect(written.audit.fault?.code).toBe('upstream.needs-auth')
    expect(server.of('tools/call')).toHaveLength(1)
    credentials.accountList[0] = { account: 'default' }
    expect((await house.call('look')).audit.outcome).toBe('ok')
    expect(server.of('tools/call')).toHaveLength(3)
  })

  test('a server that wants more than the account may gets no repeat, and the caller the link', async () => {
    await using server = await startGuarded(
      era,
      (_, { method }) => method !== 'tools/call',
      (response) =>
        sayJson(response, {}, 403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="files:write"' }),
    )
    const credentials = createFakeCredentials([{ account: 'default' }])
    await using house = await createTestContext({ connections: [at(server.url, revision)], credentials })
    const { audit } = await house.call('look')
    expect(audit.fault?.code).toBe('credential.needed')
    expect(server.of('tools/call')).toHaveLength(1)
    expect(credentials.refusals).toMatchObject([{ status: 403, challenge: expect.stringContaining('files:write') }])
  })

  test('a plain 403 is the server’s own word', async () => {
    await using server = await startGuarded(
      era,
      (_, { method }) => method !== 'tools/call',
      (response) => sayJson(response, {}, 403),
    )
    const credentials = createFakeCredentials([{ account: 'default' }])
    await using house = await createTestContext({ connections: [at(server.url, revision)], credentials })
    expect((await house.call('look')).audit.fault?.code).toBe('upstream.needs-auth')
    expect(credentials.refusals).toEqual([])
  })

  test('nobody’s account leads to a link before anything leaves, for every verb', async () => {
    await using server = await startGuarded(era, () => true)
    const credentials = createFakeCredentials([])
    await using house = await createTestContext({
      connections: [
        at(server.url, revision, {
          capabilities: { tools: {}, prompts: {}, resources: { subscribe: true }, completions: {} },
        }),
      ],
      credentials,
    })
    expect((await house.call('look')).audit.fault?.code).toBe('credential.needed')
    const session = house.session()
    const legacy = era === 'legacy'
    const asks: [string, JsonObject][] = [
      ['resources/read', { uri: 'file:///a' }],
      ['completion/complete', { ref: { type: 'ref/resource', uri: 'file:///a' }, argument: { name: 'x', value: '' } }],
      ...(legacy ? ([['resources/subscribe', { uri: 'file:///a' }]] as [string, JsonObject][]) : []),
    ]
    for (const [method, params] of asks)
      await expect(house.ask(method, params, legacy ? { session } : {})).rejects.toMatchObject({
        code: 'credential.needed',
      })
    expect(server.heard).toEqual([])
  })

  test('a server that repeats what it was sent tells nobody the token', async () => {
    await using server = await startGuarded(
      era,
      (_, { method }) => method !== 'tools/call',
      (response, heard) =>
        sayError(response, heard, `bad token ${heard.headers.authorization}, in short ${tokenIn(heard)}`),
    )
    const credentials = createFakeCredentials([{ account: 'default' }])
    await using house = await createTestContext({ connections: [at(server.url, revision)], credentials })
    const answer = await house.call('look')
    expect(server.of('tools/call').map(tokenIn)).toEqual(['secret-default-1'])
    expect(JSON.stringify(answer.error)).toContain('bad token [')
    expect(JSON.stringify(answer)).not.toContain('secret-default')
  })

  test('a token that came with the call goes on, and lives no longer', async () => {
    await using server = await startGuarded(era, (token) => token !== undefined)
    const credentials = createFakeCredentials([{ account: 'default' }])
    await using house = await createTestContext({ connections: [at(server.url, revision)], credentials })
    const { audit } = await house.call('look', {}, { passThroughToken: 'own-token' })
    await house.call('look')
    expect(server.of('tools/call').map(tokenIn)).toEqual(['own-token', 'secret-default-1'])
    expect(audit.account).toEqual({ account: 'brought', owner: 'caller' })
  })

  test('a connection without credentials is asked as it always was', async () => {
    await using server = await startGuarded(era, () => true)
    const credentials = createFakeCredentials([{ account: 'default' }])
    await using house = await createTestContext({
      connections: [at(server.url, revision, { auth: { kind: 'none' } })],
      credentials,
    })
    const answer = await house.call('look')
    expect(server.heard.map(tokenIn).every((token) => token === undefined)).toBe(true)
    expect(credentials.opened).toBe(0)
    expect(JSON.stringify(answer.result)).not.toContain('dev.toolway/account')
  })
})

describe('several accounts', () => {
  const many = { accounts: 'many' } as const
  const two = () =>
    createFakeCredentials([
      { account: 'home', userId: 'usr_ann' },
      { account: 'work', userId: 'usr_ann', isDefault: true },
    ])
  const ann = { principal: member('usr_ann') }

  test('are offered by name to whoever has them, and taken out before the call goes up', async () => {
    await using server = await startGuarded('modern', () => true)
    await using house = await createTestContext({
      connections: [at(server.url, '2026-07-28', { auth: many })],
      credentials: two(),
    })
    const { result } = await house.ask('tools/list', {}, ann)
    const [look] = (result?.['tools'] ?? []) as {
      inputSchema: { properties: Record<string, unknown>; required?: string[] }
    }[]
    expect(look?.inputSchema.properties).toMatchObject({
      text: { type: 'string' },
      account: { enum: ['work', 'home'] },
    })
    expect(look?.inputSchema.required).toBeUndefined()
    // Somebody else reads nothing of it.
    const other = await house.ask('tools/list', {}, { principal: member('usr_bob') })
    expect(JSON.stringify(other.result)).toContain('"account"')
    expect(JSON.stringify(other.result)).not.toContain('home')

    await house.call('look', { text: 'a', account: 'home' }, ann)
    await house.call('write', { text: 'b' }, ann)
    expect(server.of('tools/call').map((heard) => [tokenIn(heard), heard.params['arguments']])).toEqual([
      ['secret-home-1', { text: 'a' }],
      ['secret-work-1', { text: 'b' }],
    ])
  })

  test('an account that there is not, and one that is no name, are refused before anything leaves', async () => {
    await using server = await startGuarded('modern', () => true)
    await using house = await createTestContext({
      connections: [at(server.url, '2026-07-28', { auth: many })],
      credentials: two(),
    })
    await expect(house.call('look', { account: 'other' }, ann)).rejects.toMatchObject({ code: 'credential.account' })
    await expect(house.call('look', { account: 7 }, ann)).rejects.toMatchObject({ code: 'params.shape' })
    expect(server.heard).toEqual([])
  })

  test('where none is the default, what writes must name one, and what reads takes the first', async () => {
    await using server = await startGuarded('modern', () => true)
    const credentials = createFakeCredentials([
      { account: 'home', userId: 'usr_ann' },
      { account: 'work', userId: 'usr_ann' },
    ])
    await using house = await createTestContext({
      connections: [at(server.url, '2026-07-28', { auth: many })],
      credentials,
    })
    await expect(house.call('write', {}, ann)).rejects.toMatchObject({ code: 'credential.ambiguous' })
    expect((await house.call('look', {}, ann)).audit.account).toMatchObject({ account: 'home' })
    await house.call('write', { account: 'work' }, ann)
    expect(server.of('tools/call').map(tokenIn)).toEqual(['secret-home-1', 'secret-work-1'])
  })

  test('a server’s own argument of that name stays its own', async () => {
    await using server = await startGuarded('modern', () => true)
    const own: JsonObject = {
      name: 'pay',
      inputSchema: { type: 'object', properties: { account: { type: 'number' } } },
      annotations: { readOnlyHint: true },
    }
    await using house = await createTestContext({
      connections: [at(server.url, '2026-07-28', { auth: many, tools: [own] })],
      credentials: two(),
    })
    const { result } = await house.ask('tools/list', {}, ann)
    expect(result?.['tools']).toMatchObject([
      { inputSchema: { properties: { account: { type: 'number' }, toolway_account: { enum: ['work', 'home'] } } } },
    ])
    await house.call('pay', { account: 12, toolway_account: 'home' }, ann)
    expect(server.of('tools/call').map((heard) => [tokenIn(heard), heard.params['arguments']])).toEqual([
      ['secret-home-1', { account: 12 }],
    ])
  })

  test('a task is asked after with the account that made it', async () => {
    const task = { taskId: 't1', status: 'working', createdAt: 'now', lastUpdatedAt: 'now', ttlMs: 1000 }
    await using server = await startScriptedUpstream({
      era: 'modern',
      results: { 'tools/call': { resultType: 'task', ...task }, 'tasks/get': task },
    })
    const extensions = { 'io.modelcontextprotocol/tasks': {} }
    await using house = await createTestContext({
      connections: [at(server.url, '2026-07-28', { auth: many, capabilities: { tools: {}, extensions } })],
      credentials: two(),
    })
    const calling = { ...ann, capabilities: { extensions } }
    const made = await house.call('look', { account: 'home' }, calling)
    const { taskId } = made.result ?? {}
    const found = await house.ask('tasks/get', { taskId: taskId ?? null }, calling)
    expect(found.result?.['taskId']).toBe(taskId)
    expect(server.of('tasks/get').map((heard) => [tokenIn(heard), heard.params['taskId']])).toEqual([
      ['secret-home-1', 't1'],
    ])
  })

  test('a state of one account’s call is good for no other’s', async () => {
    await using server = await startScriptedUpstream({
      era: 'modern',
      results: {
        'tools/call': {
          resultType: 'input_required',
          requestState: 'on-it',
          inputRequests: {
            q: { method: 'elicitation/create', params: { mode: 'url', url: 'https://x.example', message: 'm' } },
          },
        },
      },
    })
    await using house = await createTestContext({
      connections: [at(server.url, '2026-07-28', { auth: many })],
      credentials: two(),
    })
    const calling = { ...ann, capabilities: { elicitation: { url: {} } } }
    const { result } = await house.call('look', { account: 'home' }, calling)
    const params = { name: 'look', arguments: { account: 'work' }, requestState: result?.['requestState'] ?? null }
    await expect(house.ask('tools/call', params, calling)).rejects.toMatchObject({ code: 'state.unknown' })
  })
})
