/** A contract backend behind an ordinary gateway: what becomes a tool, what a call sends, what comes back, and what never leaves. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { connectClient, KINDS } from '../peers/clients/client.ts'
import { ask, callTool, openSession, type RawAnswer } from '../peers/clients/raw-client.ts'
import { createState, startContractBackend, type ContractBackend } from '../peers/contract-backend/backend.ts'
import {
  COMPOUND_TOOLS,
  contractPack,
  EXCLUDED,
  EXPOSED,
  MODEL_TOOLS,
  SEARCH_TOOLS,
} from '../peers/contract-backend/contracts.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { addKey, addMember, addUser, changesIn, createAsk } from '../peers/people/administrators.ts'
import { until } from '../peers/until.ts'
import { within } from '../../setup/form.ts'

const BACKEND_KEY = 'backend-key-3f9a'
const TRUSTED_KEY = `uru_${'fedcba9876543210'.repeat(4)}`
const parts = new AsyncDisposableStack()
let backend: ContractBackend
let gateway: TestGateway
beforeAll(async () => {
  backend = parts.use(await startContractBackend({ key: BACKEND_KEY }))
  const contract = (words: object = {}) => ({
    kind: 'contract' as const,
    url: backend.url,
    headers: { 'X-API-Key': BACKEND_KEY },
    words: { organization: 'acme', ...words },
  })
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'cwr', wire: contract({ allows: COMPOUND_TOOLS }) },
        { alias: 'strict', wire: contract() },
        { alias: 'wide', wire: contract({ side_effects: true, exposes: 'all' }) },
        { alias: 'other', wire: contract({ organization: 'globex' }) },
        { alias: 'quick', wire: contract({ contracts_for: 1, organization: 'quick' }) },
        { alias: 'behalf', wire: contract({ on_behalf: true }) },
      ],
      keys: [{ name: 'trusted', value: TRUSTED_KEY, toolset: undefined, trusted: true }],
      toolsets: [
        {
          slug: 'narrow',
          title: 'narrow',
          settings: { connections: ['cwr'], include: ['*'], exclude: ['*__query_model'] },
        },
      ],
    }),
  )
})
afterAll(() => parts.disposeAsync())
beforeEach(() => {
  const { requests } = backend.state
  requests.length = 0
  Object.assign(backend.state, { ...createState(), requests })
})

const peer = (url = gateway.connectionUrl('cwr')) => ({ url, key: gateway.key, era: 'modern' as const })
const call = (name: string, given: Record<string, unknown>, alias = 'cwr') =>
  callTool(peer(gateway.connectionUrl(alias)), name, given)
const textOf = ({ answer }: RawAnswer) => answer.result?.content?.map(({ text }) => text).join('\n') ?? ''
const faultOf = ({ answer }: RawAnswer) =>
  (answer.result?.['_meta'] as Record<string, Record<string, unknown>> | undefined)?.['dev.toolway/fault']
const contractMeta = ({ answer }: RawAnswer) =>
  (answer.result?.['_meta'] as Record<string, Record<string, unknown>> | undefined)?.['dev.toolway/contract']
const executed = () => backend.asked('execute')
const namesAt = async (url: string) => {
  const { answer } = await ask(peer(url), 'tools/list')
  const tools = (answer.result?.['tools'] ?? []) as { name: string }[]
  return tools.map(({ name }) => name)
}
const lineOf = (correlation: string) =>
  until('the call is in the log', () =>
    gateway.log.find(({ message, facts }) => message === 'call' && facts['request_id'] === correlation),
  )

describe('the list', () => {
  test.each(KINDS)('S1-EXP-01, S1-EXP-02, S1-EXP-03, S1-MCP-02: has the functions for agents, for %s', async (kind) => {
    await using client = await connectClient({ kind, url: gateway.connectionUrl('cwr'), key: gateway.key })
    const tools = await client.tools()
    expect(tools.map(({ name }) => name).sort()).toEqual([...EXPOSED].sort())
    const described = Object.fromEntries(tools.map((tool) => [tool.name, String(tool['description'])]))
    for (const name of SEARCH_TOOLS) expect(described[name]).toMatch(/ids, titles and scores; get_content/)
    for (const name of MODEL_TOOLS) expect(described[name]).toMatch(/language model/)
    expect(described['get_content']).not.toMatch(/ids, titles/)
  })

  test('S1-EXP-04: a function with side effects is hidden and reported, unless it is knowingly let in', async () => {
    expect((await namesAt(gateway.connectionUrl('strict'))).sort()).toEqual(
      EXPOSED.filter((name) => !COMPOUND_TOOLS.includes(name)).sort(),
    )
    const said = gateway.log.filter(({ facts }) => facts['connection'] === 'strict' && facts['contract'] !== undefined)
    expect(said.map(({ facts }) => [facts['contract'], facts['reason']])).toEqual(
      expect.arrayContaining(COMPOUND_TOOLS.map((name) => [name, 'it has side effects'])),
    )
    const platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
    const shown = await platform('GET /api/v1/admin/tenants/default/connectors/strict')
    expect(shown.body['left_out']).toEqual(
      expect.arrayContaining([{ name: 'analyze_solicitation', reason: 'it has side effects' }]),
    )
    const { answer } = await ask(peer(), 'tools/list')
    const tools = answer.result?.['tools'] as { name: string; annotations: Record<string, boolean> }[]
    for (const { name, annotations } of tools)
      expect([name, annotations['readOnlyHint']]).toEqual([name, !COMPOUND_TOOLS.includes(name)])
  })

  test('S1-EXP-05, S1-SEC-03, S1-CAL-03: what is not exposed is neither listed nor called, like what does not exist', async () => {
    const listed = await namesAt(gateway.connectionUrl('cwr'))
    for (const name of EXCLUDED) {
      expect(listed).not.toContain(name)
      const hidden = await call(name, {})
      const unknown = await call('no_such_tool', {})
      expect(hidden.answer.error?.code).toBe(unknown.answer.error?.code)
      expect(hidden.answer.error?.message).toBe(unknown.answer.error?.message.replace('no_such_tool', name))
      expect(hidden.status).toBe(unknown.status)
    }
    expect(executed()).toEqual([])
    expect(await namesAt(gateway.connectionUrl('wide'))).toEqual(expect.arrayContaining(EXCLUDED))
  })

  test('S1-LST-03: what a toolset leaves out is neither listed nor called by name', async () => {
    const url = `${gateway.address}/o/default/t/narrow/mcp`
    const names = await namesAt(url)
    expect(names).toContain('cwr__search_assets')
    expect(names).not.toContain('cwr__query_model')
    const { answer } = await callTool(peer(url), 'cwr__query_model', { model: 'Asset' })
    expect(answer.error?.message).toBe('Unknown tool: cwr__query_model')
    expect(executed()).toEqual([])
  })

  test('S1-LST-01, S1-LST-02, S1-CWR-01: is what the contracts say, and follows them within the time that they are kept', async () => {
    const url = gateway.connectionUrl('quick')
    expect(await namesAt(url)).not.toContain('draft_procedure')
    backend.state.contracts = [...contractPack().filter(({ name }) => name !== 'get'), DRAFT]
    await until('the list follows', async () => {
      const names = await namesAt(url)
      return names.includes('draft_procedure') && !names.includes('get')
    })
    expect(backend.asked('contracts').at(-1)?.path).toMatch(/^\/api\/v1\/cwr\/contracts\/?$/)
    expect((await call('draft_procedure', { goal: 'x' }, 'quick')).answer.result?.isError).not.toBe(true)
  })

  test('S1-EVO-03, S1-NON-01: a draft tool is there when the backend offers one, and none is made up', async () => {
    const own = await namesAt(gateway.connectionUrl('strict'))
    expect(own.filter((name) => /procedure|compile|run_/.test(name))).toEqual([])
    backend.state.contracts = [...contractPack(), DRAFT]
    const platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
    expect((await platform('POST /api/v1/admin/tenants/default/connectors/strict/tools/sync')).status).toBe(200)
    expect(await namesAt(gateway.connectionUrl('strict'))).toContain('draft_procedure')
    const drafted = await call('draft_procedure', { goal: 'find plans' }, 'strict')
    expect(drafted.answer.result?.['structuredContent']).toEqual({ echoed: { goal: 'find plans', org_id: 'acme' } })
  })

  test('S1-LST-05: a broken contract is left out and reported; the rest stays', async () => {
    const broken = [
      { ...contractPack()[0], name: 'no_input', input_schema: undefined },
      { ...contractPack()[0], name: 'no_output', output_schema: null },
      { ...contractPack()[0], name: 'no_category', category: '' },
      { ...contractPack()[0], name: 'no_flag', side_effects: undefined },
      { ...contractPack()[0], name: 'no_words', description: undefined },
      {
        ...contractPack()[0],
        name: 'no_schema',
        input_schema: { type: 'object', properties: { a: { type: 'text' } } },
      },
      {
        ...contractPack()[0],
        name: 'fetches',
        input_schema: { type: 'object', properties: { a: { $ref: 'https://x.example/a' } } },
      },
      { name: 'bare' },
      { name: '../../admin' },
      'text',
    ]
    backend.state.contracts = [...(broken as ReturnType<typeof contractPack>), ...contractPack()]
    const platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
    await platform('POST /api/v1/admin/tenants/default/connectors/strict/tools/sync')
    const names = await namesAt(gateway.connectionUrl('strict'))
    expect(names.sort()).toEqual(EXPOSED.filter((name) => !COMPOUND_TOOLS.includes(name)).sort())
    const { body } = await platform('GET /api/v1/admin/tenants/default/connectors/strict')
    const reasons = Object.fromEntries(
      (body['left_out'] as { name: string; reason: string }[]).map(({ name, reason }) => [name, reason]),
    )
    expect(reasons).toMatchObject({
      no_input: '/input_schema must be a JSON Schema object',
      no_output: '/output_schema must be a JSON Schema object',
      no_category: expect.stringContaining('/category'),
      no_flag: 'it does not declare whether it has side effects, so it is treated as having them',
      no_words: '/description is missing',
      no_schema: expect.stringContaining('/input_schema'),
      fetches: expect.stringContaining('/input_schema'),
      // Everything that is missing, so that it is mended in one go.
      bare: '/description is missing; /category is missing; /input_schema must be a JSON Schema object; /output_schema must be a JSON Schema object',
      'number 10': 'it is not an object',
    })
    const logged = gateway.log.filter(({ message }) => message === 'a contract is left out')
    expect(logged.map(({ facts }) => facts['contract'])).toEqual(expect.arrayContaining(['no_input', 'no_schema']))
  })
})

const DRAFT = {
  ...(contractPack()[0] as ReturnType<typeof contractPack>[number]),
  name: 'draft_procedure',
  input_schema: { type: 'object', properties: { goal: { type: 'string' } }, required: ['goal'] },
  output_schema: { type: 'object' },
}

describe('a call', () => {
  test('S1-CAL-07, S1-CWR-02: goes to the address of its function, with its parameters and nothing tried out', async () => {
    const { answer } = await call('search_assets', { query: 'plans', limit: 3 })
    expect(answer.result?.['structuredContent']).toHaveLength(3)
    expect(executed()).toMatchObject([
      {
        method: 'POST',
        path: '/api/v1/cwr/functions/search_assets/execute',
        body: { params: { query: 'plans', limit: 3, org_id: 'acme' }, dry_run: false },
      },
    ])
    const odd = { ...DRAFT, name: 'a/b ?ä%2F' }
    backend.state.contracts = [...contractPack(), odd]
    await createAsk(
      gateway,
      await addKey(gateway, { role: 'platform_admin' }),
    )('POST /api/v1/admin/tenants/default/connectors/strict/tools/sync')
    const oddly = await ask(
      peer(gateway.connectionUrl('strict')),
      'tools/call',
      { name: odd.name, arguments: { goal: 'x' } },
      {
        headers: { 'mcp-name': `=?base64?${Buffer.from(odd.name).toString('base64')}?=` },
      },
    )
    expect(oddly.answer.result?.isError, oddly.text).not.toBe(true)
    expect(executed().at(-1)?.path).toBe(`/api/v1/cwr/functions/${encodeURIComponent(odd.name)}/execute`)
  })

  test.each(KINDS)('S1-CAL-08: comes back in MCP form, structured by its schema, for %s', async (kind) => {
    await using client = await connectClient({ kind, url: gateway.connectionUrl('cwr'), key: gateway.key })
    const content = await client.call('get_content', { asset_ids: ['a', 'b', 'c'], top_k: 2, max_total_chars: 10 })
    expect(content.structuredContent).toMatchObject({
      documents: [
        { id: 'a', text: 'xxxxxxxxxx' },
        { id: 'b', text: '' },
      ],
    })
    expect(JSON.parse(content.content[0]?.text ?? '')).toEqual(content.structuredContent)
    // A schema that is not an object's is another thing in each era; its client checks that it fits.
    const hits = await client.call('search_assets', { query: 'x', limit: 2 })
    expect(JSON.stringify(hits.structuredContent)).toContain('search_assets-1')
    const words = await client.call('llm_summarize', { text: 'long', max_tokens: 5 })
    expect(words.content[0]?.text).toBe('long in 5 tokens')
  })

  test('S1-CAL-06: says for which organization it is; what a caller says there is ignored, and on record', async () => {
    const correlation = 'hostile-org-1'
    const { answer } = await callTool(
      peer(),
      'search_assets',
      { query: 'x', org_id: 'globex' },
      { headers: { 'x-correlation-id': correlation } },
    )
    expect(answer.result?.isError).not.toBe(true)
    expect(executed().map(({ body }) => body?.['params'])).toEqual([{ query: 'x', org_id: 'acme' }])
    expect((await lineOf(correlation)).facts['detail']).toMatchObject({ overwritten: ['org_id'] })
    await call('search_assets', { query: 'x' }, 'other')
    expect(executed().at(-1)?.body?.['params']).toEqual({ query: 'x', org_id: 'globex' })
  })

  test('S1-CAL-04, S1-ERR-01, S1-TST-07: with arguments that do not fit is refused with all that is wrong', async () => {
    const refused = await call('search_assets', { limit: 5000, search_mode: 'psychic' })
    expect(textOf(refused)).toMatch(/^INVALID_ARGUMENT: /)
    for (const words of ['/limit must be at most 1000', '/search_mode', '/query is required'])
      expect(textOf(refused)).toContain(words)
    expect(faultOf(refused)).toMatchObject({ code: 'INVALID_ARGUMENT', phase: 'decide' })
    expect(textOf(await call('get_asset', { asset_id: 'no uuid' }))).toMatch(/INVALID_ARGUMENT.*\/asset_id/)
    expect(executed()).toEqual([])
  })

  test('leaves nulls of optional parameters out, and cannot say what is for procedures alone', async () => {
    await call('search_assets', { query: 'x', limit: null, facet_filters: null })
    expect(executed()[0]?.body?.['params']).toEqual({ query: 'x', org_id: 'acme' })
    const refused = await call('search_assets', { query: 'x', items: [{}] })
    expect(textOf(refused)).toMatch(/INVALID_ARGUMENT: .*\/items is not a parameter of this tool/)
    expect(executed()).toHaveLength(1)
  })

  test('S1-OBS-02: is known by one id to its caller, to the backend and in the log', async () => {
    const taken = await callTool(peer(), 'search_assets', { query: 'x' }, { headers: { 'x-correlation-id': 'seen-3' } })
    expect(taken.headers.get('x-correlation-id')).toBe('seen-3')
    expect(executed()[0]?.headers['x-correlation-id']).toBe('seen-3')
    await lineOf('seen-3')
    const made = await call('search_assets', { query: 'x' })
    const id = made.headers.get('x-correlation-id') ?? ''
    expect(id).not.toBe('')
    expect(executed()[1]?.headers['x-correlation-id']).toBe(id)
    await lineOf(id)
  })

  test('S1-OBS-01: is one line of the log with who, what, how long, how much, how it ended and what did not fit', async () => {
    const good = await call('search_assets', { query: 'x' })
    const bad = await call('search_assets', { limit: 'many' })
    const [line, refusal] = await Promise.all(
      [good, bad].map((answer) => lineOf(answer.headers.get('x-correlation-id') ?? '')),
    )
    expect(line?.facts).toMatchObject({
      tool_name: 'search_assets',
      org_id: gateway.organization.id,
      duration_ms: expect.any(Number),
      bytes_in: expect.any(Number),
      bytes_out: expect.any(Number),
      outcome: 'ok',
    })
    expect(line?.facts['bytes_out']).toBeGreaterThan(100)
    expect(refusal?.facts).toMatchObject({
      outcome: 'refused',
      code: 'arguments.invalid',
      detail: { invalid: ['/limit', '/query'] },
    })
  })

  test('by an old name is a call of the tool that it names now, and is listed by none', async () => {
    expect(await namesAt(gateway.connectionUrl('cwr'))).not.toContain('materialize_text')
    const { answer } = await call('materialize_text', { asset_ids: ['a', 'b', 'c'], top_k: 2 })
    expect(answer.result?.['structuredContent']).toMatchObject({ documents: [{ id: 'a' }, { id: 'b' }] })
    expect(executed()[0]?.path).toBe('/api/v1/cwr/functions/get_content/execute')
    const joined = await callTool(peer(gateway.url), 'cwr__materialize_text', { asset_ids: ['a'] })
    expect(joined.answer.result?.isError).not.toBe(true)
    // No way around what is said of the tool itself.
    const url = `${gateway.address}/o/default/t/narrow/mcp`
    expect((await callTool(peer(url), 'cwr__materialize_text', { asset_ids: ['a'] })).answer.result?.isError).not.toBe(
      true,
    )
  })

  test('S1-ORG-07: names the member for whom a trusted key calls, and nobody for any other key', async () => {
    const user = await addUser(gateway, 'ada@example.com')
    await addMember(gateway, gateway.organization.id, user, 'tenant_member')
    const said = { 'x-openwebui-user-email': 'ada@example.com' }
    const asked = async (key: string) => {
      const endpoint = { url: gateway.connectionUrl('behalf'), key, era: 'modern' as const }
      return callTool(endpoint, 'search_assets', { query: 'x' }, { headers: said })
    }
    await until('the member is known', async () =>
      Array.isArray((await asked(TRUSTED_KEY)).answer.result?.['structuredContent']),
    )
    expect(executed().at(-1)?.headers['x-on-behalf-of']).toBe('ada@example.com')
    await asked(gateway.key)
    expect(executed().at(-1)?.headers['x-on-behalf-of']).toBeUndefined()
    const ignored = gateway.log.filter(({ message }) =>
      message.startsWith('a header that names another user is ignored'),
    )
    expect(ignored).not.toEqual([])
    const stranger = await callTool(
      { url: gateway.connectionUrl('behalf'), key: TRUSTED_KEY, era: 'modern' },
      'search_assets',
      { query: 'x' },
      { headers: { 'x-on-behalf-of': 'eve@example.com' } },
    )
    expect(stranger.status).toBe(403)
  })

  test('S1-SUC-01: with the same input has the same outcome, a hundred times', async () => {
    const outcomes = new Set<string>()
    for (let times = 0; times < 100; times++) {
      const { answer } = await call('search_assets', { query: 'plans', limit: 3 })
      outcomes.add(JSON.stringify(answer.result))
    }
    expect(outcomes.size).toBe(1)
    expect(executed()).toHaveLength(100)
  })
})

describe('a backend that fails', () => {
  test.each([
    ['failing', 'the database is away'],
    ['refusing', '/body/params/limit: '],
    ['forbidding', 'the database is away'],
    ['failed', 'the database is away'],
  ] as const)('S1-ERR-03, U-13: %s says why, and says it to the model', async (mode, words) => {
    backend.state.modes.execute = mode
    const failed = await call('search_assets', { query: 'x' })
    expect(failed.answer.result?.isError).toBe(true)
    expect(textOf(failed)).toMatch(/^EXECUTION_ERROR: /)
    expect(textOf(failed)).toContain(words)
    expect(faultOf(failed)).toMatchObject({
      code: 'EXECUTION_ERROR',
      fault: 'function.failed',
      retryable: false,
      correlation_id: failed.headers.get('x-correlation-id'),
    })
    expect(executed()).toHaveLength(1)
  })

  test('S1-SUC-02, U-13: is not asked at all for what cannot be right', async () => {
    for (const [name, given] of [
      ['search_assets', {}],
      ['search_assets', { query: 7 }],
      ['get_content', { asset_ids: [] }],
      ['get_content', { asset_ids: ['a'], max_total_chars: 500_001 }],
      ['llm_summarize', { text: 'x', max_tokens: 8001 }],
      ['query_model', { model: 'Users' }],
      ['send_email', { to: ['a@example.com'], subject: 'x', body: 'x' }],
      ['constructor', {}],
      ['__proto__', {}],
    ] as const) {
      const began = performance.now()
      const refused = await call(name, given)
      expect(performance.now() - began, name).toBeLessThan(within(1_000))
      const code = faultOf(refused)?.['code'] ?? refused.answer.error?.data?.['code']
      expect([name, code]).toEqual([name, expect.stringMatching(/^(INVALID_ARGUMENT|TOOL_NOT_FOUND)$/)])
    }
    // One connection looks at its contracts each second, whoever calls.
    expect(backend.state.requests.filter(({ query }) => query['org_id'] !== 'quick')).toEqual([])
  })

  test.each(['dropping', 'nonsense', 'page'] as const)(
    '%s is asked once, and the fault says what happened',
    async (mode) => {
      backend.state.modes.execute = mode
      const failed = await call('search_assets', { query: 'x' }, 'strict')
      expect(failed.answer.result?.isError).toBe(true)
      expect(faultOf(failed)?.['code']).toMatch(/^(EXECUTION_ERROR|UNAVAILABLE)$/)
      expect(executed()).toHaveLength(1)
      backend.state.modes.execute = 'well'
      expect((await call('search_assets', { query: 'x' }, 'strict')).answer.result?.isError).not.toBe(true)
    },
  )

  test('S1-CAL-09: an answer that is not as its contract says is passed on whole, with a note, for every client', async () => {
    const value = [{ id: 'a', title: 'A' }, { id: 7 }]
    backend.state.answers['search_notices'] = { status: 'success', data: value }
    const { answer, headers } = await call('search_notices', {})
    expect(answer.result?.isError).not.toBe(true)
    expect(JSON.parse(answer.result?.content?.[0]?.text ?? '')).toEqual(value)
    const problems = ['/0/score is required', '/1/id must be a string', '/1/title is required', '/1/score is required']
    const structured = (answer.result?.['structuredContent'] ?? {}) as Record<
      string,
      { problems: string[]; value: unknown }
    >
    const noted = structured['dev.toolway/unfit']
    expect(noted?.value).toEqual(value)
    expect(noted?.problems.sort()).toEqual(problems.sort())
    const logged = gateway.log.find(
      ({ facts }) => facts['tool'] === 'search_notices' && facts['request_id'] === headers.get('x-correlation-id'),
    )
    expect(logged?.facts['problems']).toEqual(expect.arrayContaining(problems))
    for (const kind of KINDS) {
      await using client = await connectClient({ kind, url: gateway.connectionUrl('cwr'), key: gateway.key })
      const result = await client.call('search_notices')
      expect(JSON.parse(result.content[0]?.text ?? '')).toEqual(value)
    }
  })

  test('S1-CAL-09: an answer that is as its contract says is doubted for no client', async () => {
    const url = gateway.connectionUrl('cwr')
    const given = { query: 'x', limit: 2 }
    for (const revision of ['2024-11-05', '2025-06-18', '2025-11-25'] as const) {
      const { answer } = await callTool(await openSession(url, gateway.key, revision), 'search_assets', given)
      expect(answer.result?.isError, revision).not.toBe(true)
      expect(answer.result?.['_meta'] ?? {}, revision).not.toHaveProperty(['dev.toolway/output'])
    }
    expect((await call('search_assets', given)).answer.result?.['_meta'] ?? {}).not.toHaveProperty([
      'dev.toolway/output',
    ])
  })

  test('tells what was done in part or left undone, with its data', async () => {
    backend.state.answers['search_notices'] = {
      status: 'partial',
      message: 'Partial success: 1 processed, 1 failed',
      data: [],
      items_processed: 1,
      items_failed: 1,
    }
    const partly = await call('search_notices', {})
    expect(textOf(partly)).toBe('partial: Partial success: 1 processed, 1 failed\n[]')
    expect(contractMeta(partly)).toMatchObject({ status: 'partial', items_processed: 1, items_failed: 1 })
  })

  test('S1-SEC-02: never shows its address: no body, header or error of any door has it', async () => {
    const { host } = new URL(backend.url)
    const leaks: string[] = []
    const look = ({ text, headers }: Pick<RawAnswer, 'text' | 'headers'>) => {
      const whole = `${text}\n${JSON.stringify([...headers])}`
      if (whole.includes(host) || whole.includes(BACKEND_KEY)) leaks.push(whole.slice(0, 500))
    }
    backend.state.contracts = contractPack().map((one) => ({
      ...one,
      description: `${String(one['description'])} ${backend.url}/docs`,
    }))
    const platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
    await platform('POST /api/v1/admin/tenants/default/connectors/cwr/tools/sync')
    for (const url of [gateway.url, gateway.connectionUrl('cwr'), gateway.connectionUrl('wide')])
      for (const method of ['tools/list', 'server/discover', 'nonsense']) look(await ask(peer(url), method))
    backend.state.detail = `connection to ${backend.url}/api with ${BACKEND_KEY} refused (${host})`
    backend.state.answers['get_asset'] = { status: 'success', data: { id: 'a', title: `${backend.url}/assets/a` } }
    look(await call('get_asset', { asset_id: '00000000-0000-4000-8000-000000000000' }))
    for (const mode of ['failing', 'refusing', 'forbidding', 'failed', 'dropping', 'nonsense', 'page'] as const) {
      backend.state.modes.execute = mode
      look(await call('search_assets', { query: 'x' }, 'wide'))
    }
    backend.state.modes = { contracts: 'failing', metadata: 'failing', execute: 'well' }
    look(await call('search_assets', { query: 'x', facet_filters: { a: 1 } }, 'wide'))
    look(await call('no_such_tool', {}))
    expect(leaks).toEqual([])
  })
})

describe('facets', () => {
  const search = (filters: unknown, alias = 'cwr') =>
    call('search_assets', { query: 'x', facet_filters: filters }, alias)

  test.each(['list', 'object'] as const)(
    'S1-FAC-03, S1-FAC-04, S1-CWR-03, S1-CWR-04, S1-TST-06: unknown ones are rejected, the shape being %s',
    async (shape) => {
      backend.state.facetShape = shape
      expect((await search({ agency: 'GSA' })).answer.result?.isError).not.toBe(true)
      expect(executed()).toHaveLength(1)
      const refused = await search({ agncy: 'GSA', content_type: ['pdf'] })
      expect(textOf(refused)).toMatch(/^INVALID_ARGUMENT: .*"agncy" is neither a facet.*did you mean "agency"/)
      expect(faultOf(refused)).toMatchObject({ code: 'INVALID_ARGUMENT', errors: [{ path: '/facet_filters/agncy' }] })
      expect(executed()).toHaveLength(1)
    },
  )

  test('S1-FAC-05: of a namespace are checked within it', async () => {
    expect((await search({ custom: { region: 'west' } })).answer.result?.isError).not.toBe(true)
    const refused = await search({ custom: { fake_field: 'value' } })
    expect(textOf(refused)).toMatch(
      /^INVALID_ARGUMENT: .*\/facet_filters\/custom\/fake_field "fake_field" is not a field of custom; there are "region", "clearance_level"/,
    )
    expect(executed()).toHaveLength(1)
  })

  test('S1-FAC-01: are those of the organization', async () => {
    expect((await search({ custom: { department: 'x' } }, 'other')).answer.result?.isError).not.toBe(true)
    expect((await search({ custom: { department: 'x' } }, 'cwr')).answer.result?.isError).toBe(true)
    expect((await search({ custom: { region: 'x' } }, 'other')).answer.result?.isError).toBe(true)
    expect(executed()).toHaveLength(1)
  })

  test('S1-FAC-06: that cannot be looked up let nothing pass', async () => {
    await using away = await startContractBackend({ key: BACKEND_KEY })
    await using own = await openGateway({
      connections: [
        {
          alias: 'cwr',
          wire: {
            kind: 'contract',
            url: away.url,
            headers: { 'X-API-Key': BACKEND_KEY },
            words: { organization: 'acme' },
          },
        },
      ],
    })
    for (const mode of ['failing', 'dropping', 'nonsense'] as const) {
      away.state.modes.metadata = mode
      const refused = await callTool({ url: own.connectionUrl('cwr'), key: own.key, era: 'modern' }, 'search_assets', {
        query: 'x',
        facet_filters: { agency: 'GSA' },
      })
      expect(textOf(refused)).toMatch(/^METADATA_UNAVAILABLE: /)
    }
    // A call that needs no look-up is not affected.
    const plain = await callTool({ url: own.connectionUrl('cwr'), key: own.key, era: 'modern' }, 'search_assets', {
      query: 'x',
    })
    expect(plain.answer.result?.isError).not.toBe(true)
    expect(away.asked('execute')).toHaveLength(1)
  })
})

describe('rules of the organization', () => {
  const RULES = '/api/v1/organizations/default/rules'
  const clamp = (name: string, tools: string[], parameter: string, max: number, fallback: number) => ({
    name,
    match: { tools },
    action: 'clamp',
    parameters: { parameter, max, default: fallback },
    reason: 'The policy of the gateway',
  })

  test('S1-CAL-05, S1-POL-02, S1-POL-04, S1-POL-05, S1-POL-06, S1-POL-07, S1-TST-05, U-06: reach the backend as values, and the client is told', async () => {
    const platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
    for (const rule of [
      clamp('search', ['search_*'], 'limit', 50, 20),
      clamp('content', ['get_content'], 'max_total_chars', 80_000, 50_000),
      clamp('tokens', ['llm_*'], 'max_tokens', 2_000, 1_000),
    ]) {
      const added = await platform(`POST ${RULES}`, rule)
      expect(added.status, added.text).toBe(201)
    }
    const sent = async (name: string, given: Record<string, unknown>) => {
      const answer = await call(name, given)
      expect(answer.answer.result?.isError, answer.text).not.toBe(true)
      return { answer, params: executed().at(-1)?.body?.['params'] as Record<string, unknown> }
    }
    const many = await until('the rules hold', async () => {
      const one = await sent('search_assets', { query: 'x', limit: 500 })
      return one.params['limit'] === 50 && one
    })
    expect(many.answer.answer.result?.['structuredContent']).toHaveLength(50)
    const meta = many.answer.answer.result?.['_meta'] as Record<string, unknown>
    expect(meta['dev.toolway/policy']).toEqual({ changes: [{ place: '/limit', how: 'clamped', from: 500, to: 50 }] })
    // Above what the contract allows, too: the rule comes first.
    expect((await sent('search_assets', { query: 'x', limit: 5_000 })).params['limit']).toBe(50)
    expect((await sent('search_assets', { query: 'x', limit: 3 })).params['limit']).toBe(3)
    expect((await sent('search_assets', { query: 'x' })).params['limit']).toBe(20)
    for (const name of ['get_content', 'materialize_text'])
      expect((await sent(name, { asset_ids: ['a'], max_total_chars: 400_000 })).params['max_total_chars']).toBe(80_000)
    expect((await sent('llm_summarize', { text: 'x', max_tokens: 8_000 })).params['max_tokens']).toBe(2_000)
  })

  test('U-06: come in one order: blocked, then limited, then held against schema and facets', async () => {
    const platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
    const blocked = { name: 'notices', match: { tools: ['search_notices'] }, action: 'block', reason: 'Not now' }
    for (const rule of [clamp('first', ['search_assets'], 'limit', 50, 20), blocked])
      expect((await platform(`POST ${RULES}`, rule)).status).toBe(201)
    const wrong = { limit: 5_000, facet_filters: { agncy: 'GSA' } }
    const stopped = await until('the rules hold', async () => {
      const answer = await call('search_notices', wrong)
      return textOf(answer).startsWith('POLICY_VIOLATION') && answer
    })
    // Nothing is said of its arguments.
    expect(textOf(stopped)).not.toMatch(/limit|query|agncy/)
    const missing = textOf(await call('search_assets', wrong))
    // The limit was brought down before the schema saw it; facets are looked at once that is content.
    expect(missing).toMatch(/^INVALID_ARGUMENT: .*\/query is required/)
    expect(missing).not.toMatch(/\/limit|agncy/)
    expect(backend.asked('execute')).toEqual([])
    expect(textOf(await call('search_assets', { ...wrong, query: 'x' }))).toMatch(/"agncy" is neither a facet/)
    // A value that is not a number is not limited, and the schema rejects it.
    expect(textOf(await call('search_assets', { query: 'x', limit: 'many' }))).toMatch(/\/limit must be/)
    expect(backend.asked('execute')).toEqual([])
  })

  test('S1-ERR-02, U-06: that reject say so as a violation of policy', async () => {
    const platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
    await platform(`POST ${RULES}`, {
      name: 'rows',
      match: { tools: ['query_model'] },
      action: 'reject',
      parameters: { parameter: 'limit', max: 100 },
      reason: 'Ask for a hundred rows at most',
    })
    const refused = await until('the rule holds', async () => {
      const answer = await call('query_model', { model: 'Asset', limit: 500 })
      return answer.answer.result?.isError === true && answer
    })
    expect(textOf(refused)).toMatch(/^POLICY_VIOLATION: .*\/limit.*100.*Ask for a hundred rows at most/)
  })
})

test('a connection is described, changed and shown by an administrator, its headers by name alone', async () => {
  const platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  const at = '/api/v1/admin/tenants/default/connectors'
  const added = await platform(`POST ${at}`, {
    alias: 'made',
    connector: 'contract',
    url: backend.url,
    headers: { 'X-API-Key': BACKEND_KEY },
    contract: { organization: 'acme', on_behalf: true },
  })
  expect(added.status, added.text).toBe(201)
  expect(added.body).toMatchObject({
    connector: 'contract',
    url: backend.url,
    auth: null,
    header_names: ['X-API-Key'],
    timeout: 30,
    contract: { organization: 'acme', on_behalf: true, contracts_for: 300, facets_for: 600, exposes: 'agent' },
  })
  expect(added.text).not.toContain(BACKEND_KEY)
  const changed = await platform(`PUT ${at}/made`, { contract: { facets_for: 60 } })
  expect(changed.body['contract']).toMatchObject({ organization: 'acme', on_behalf: true, facets_for: 60 })
  for (const body of [
    { alias: 'bad', connector: 'contract', url: 'ws://127.0.0.1:1/' },
    { alias: 'bad', connector: 'contract', url: backend.url, revision: '2025-11-25' },
    { alias: 'bad', connector: 'contract', url: backend.url, auth: { kind: 'key' } },
    { alias: 'bad', connector: 'mcp.http', url: backend.url, contract: {} },
  ])
    expect((await platform(`POST ${at}`, body)).status).toBe(422)
  expect((await platform(`DELETE ${at}/made`)).status).toBe(204)
  const methods = (await changesIn(gateway)).map(({ method }) => method)
  expect(methods).toEqual(expect.arrayContaining(['connection.add', 'connection.change', 'connection.remove']))
})
