/** A call through a tool of the gateway takes all the steps of a call: rules, records and servers see the inner tool. */
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { putToolset } from '../../../packages/gateway/src/toolsets/toolsets.ts'
import { startEverythingServer } from '../../conformance/everything-server.ts'
import { connectClient, eraOfKind, KINDS, textOf, type Kind } from '../peers/clients/client.ts'
import { startListening } from '../peers/clients/listener.ts'
import { codeOf, createRawClient, openOAuthGateway } from '../peers/oauth-gateway.ts'
import { ask, callTool } from '../peers/clients/raw-client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { addKey, createAsk, type Ask } from '../peers/people/administrators.ts'
import { startProbe, type ProbeServer } from '../peers/probes/probe-server.ts'
import { startRecorder, type Recorder } from '../peers/recorder.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { startToolsServer, type ToolsServer } from '../peers/servers/tools-server.ts'
import { until } from '../peers/until.ts'

const ERAS = ['modern', 'legacy'] as const
type Era = (typeof ERAS)[number]
const EVERYTHING = { include: ['*'], exclude: [] }
const SEARCHING = `uru_${'c3'.repeat(32)}`
const tool = (name: string, description: string) => ({
  name,
  description,
  inputSchema: { type: 'object' as const },
  annotations: { readOnlyHint: true },
})
/** A server that calls its tools as ours are called. */
const ODD = ['search_tools', 'describe_tool', 'call_tool', 'list_tools', 'execute_tool', 'plain'].map((name) =>
  tool(name, `The ${name} of an odd server.`),
)

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let recorders: Record<Era, Recorder>
let probes: Record<Era, ProbeServer>
let odd: ToolsServer
let platform: Ask
beforeAll(async () => {
  const behind = async (era: Era) => {
    const server = parts.use(await startEverythingServer({ era }))
    return parts.use(await startRecorder(server.url))
  }
  recorders = { modern: await behind('modern'), legacy: await behind('legacy') }
  probes = {
    modern: parts.use(await startProbe({ era: 'modern' })),
    legacy: parts.use(await startProbe({ era: 'legacy' })),
  }
  odd = parts.use(await startToolsServer([{ alias: 'odd', title: 'Odd', tools: ODD }]))
  gateway = parts.use(
    await openGateway({
      connections: [
        ...ERAS.map((era) => ({ alias: era, wire: httpWire(recorders[era].url), trusted: true })),
        ...ERAS.map((era) => ({ alias: `probe-${era}`, wire: httpWire(probes[era].url), trusted: true })),
        { alias: 'odd', wire: httpWire(odd.urlOf('odd')), trusted: true, lock: 'off' },
      ],
      toolsets: [
        { slug: 'search', title: 'Search', settings: { ...EVERYTHING, discovery: 'search', pinned: ['odd__plain'] } },
        { slug: 'tiers', title: 'Tiers', settings: { ...EVERYTHING, discovery: 'two-tier' } },
        { slug: 'reads', title: 'Reads', settings: { ...EVERYTHING, discovery: 'search', limit: 'read' } },
      ],
      keys: [{ name: 'searching', value: SEARCHING, toolset: 'search' }],
    }),
  )
  platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
})
afterAll(() => parts.disposeAsync())

const at = (toolset: string) => `${gateway.address}/o/default/t/${toolset}/mcp`
const modern = (toolset: string) => ({ url: at(toolset), key: gateway.key, era: 'modern' as const })
/** Both ways in which another tool is called by one of ours. */
const WAYS = ['search', 'tiers'] as const
type Way = (typeof WAYS)[number]
const within = (way: Way, alias: string, name: string, given: object = {}): [string, Record<string, unknown>] =>
  way === 'search'
    ? ['call_tool', { name: `${alias}__${name}`, arguments: given }]
    : [`${alias}__execute_tool`, { tool: name, arguments: given }]
const connected = (kind: Kind, way: string, answers = true) =>
  connectClient({ kind, url: at(way), key: gateway.key, answers })
const all = KINDS.flatMap((kind) => WAYS.map((way) => ({ kind, way })))

describe.each(all)('$kind, $way: a call within a call', ({ kind, way }) => {
  test('is asked back by its server, in both eras, and goes on', async () => {
    await using client = await connected(kind, way)
    const same = eraOfKind(kind)
    const [name, given] =
      same === 'modern'
        ? within(way, 'modern', 'test_input_required_result_elicitation')
        : within(way, 'legacy', 'test_elicitation', { message: 'Who are you?' })
    expect(textOf(await client.call(name, given))).toMatch(same === 'modern' ? /Hello, Ada!/ : /"username":"ada"/)
    const [other, more] =
      same === 'modern'
        ? within(way, 'legacy', 'test_elicitation', { message: 'Who are you?' })
        : within(way, 'modern', 'test_input_required_result_elicitation')
    expect(textOf(await client.call(other, more))).toMatch(same === 'modern' ? /"username":"ada"/ : /Hello, Ada!/)
    expect(client.asked).toHaveLength(2)
  })

  test.each(ERAS)('says how far it is (%s server)', async (era) => {
    await using client = await connected(kind, way)
    const steps: number[] = []
    const onprogress = ({ progress }: { progress: number }) => void steps.push(progress)
    await client.call(...within(way, era, 'test_tool_with_progress'), { onprogress })
    expect(steps.length).toBeGreaterThan(0)
    expect(steps).toEqual([0, 50, 100].slice(0, steps.length))
  })

  test.each(ERAS)('ends at its %s server when it is cancelled', async (era) => {
    await using client = await connected(kind, way)
    const label = `${kind} ${way} ${era}`
    const { events } = probes[era].state
    const leaving = new AbortController()
    const calling = client.call(...within(way, `probe-${era}`, 'hang', { label }), { signal: leaving.signal }).then(
      () => 'answered',
      () => 'given up',
    )
    await until('it hangs', () => events.includes(`hang ${label}`))
    leaving.abort()
    await until('it is cancelled', () => events.includes(`cancelled ${label}`))
    expect(await calling).toBe('given up')
  })
})

describe('a call within a call', () => {
  test.each(WAYS)('%s: sends what its server wants in headers, which its client knows nothing of', async (way) => {
    const before = recorders.modern.of('tools/call').length
    const [name, given] = within(way, 'modern', 'test_x_mcp_header', { region: 'Zürich', query: 'select 1' })
    const { answer } = await callTool(modern(way), name, given)
    expect(answer.result?.isError ?? false).toBe(false)
    const [sent] = recorders.modern.of('tools/call').slice(before)
    expect(sent?.headers).toMatchObject({
      'mcp-name': 'test_x_mcp_header',
      'mcp-param-region': '=?base64?WsO8cmljaA==?=',
    })
    expect(sent?.message?.params).toMatchObject({ arguments: { region: 'Zürich', query: 'select 1' } })
  })

  test.each(WAYS)('%s: is on record under its own name, and looking for it leaves none', async (way) => {
    const Recorded = z.object({ target: z.string(), outcome: z.string() })
    const looking = way === 'search' ? 'search_tools' : 'odd__list_tools'
    await callTool(modern(way), looking, { query: 'plain', filter: 'plain' })
    await callTool(modern(way), ...within(way, 'odd', 'plain'))
    const records = await until('it is on record', async () => {
      const all = await gateway.db.system(
        (sql) => sql(Recorded)`
          select target, outcome from records where kind = 'call' and toolset = ${way} order by at, id`,
      )
      return all.some(({ target }) => target === 'odd__plain') && all
    })
    expect(records).toContainEqual({ target: 'odd__plain', outcome: 'ok' })
    const own = records.filter(({ target }) =>
      /^(?:search_tools|call_tool)$|__(?:list_tools|execute_tool)$/.test(target),
    )
    expect(own).toEqual([])
  })

  test.each(WAYS)('%s: is refused by a rule as a call by name is', async (way) => {
    const rule = { tool_name_pattern: 'odd__plain', action: 'block', reason: 'Nothing is plain here' }
    const { body } = await platform('POST /api/v1/admin/policies/tools', rule)
    const before = odd.called.length
    const { answer } = await callTool(modern(way), ...within(way, 'odd', 'plain'))
    expect(answer.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^POLICY_VIOLATION: .*Nothing is plain here/) }],
    })
    expect(odd.called).toHaveLength(before)
    const found = await callTool(modern('search'), 'search_tools', { query: 'plain' })
    expect(JSON.stringify(found.answer.result)).not.toContain('odd__plain')
    await platform(`DELETE /api/v1/admin/policies/tools/${String(body['id'])}`)
    expect((await callTool(modern(way), ...within(way, 'odd', 'plain'))).answer.result?.isError ?? false).toBe(false)
  })

  test('asks for the scope that the inner tool needs', async () => {
    await using open = await openOAuthGateway()
    const { gateway: own } = open
    await own.db.organization(own.organization.id, (sql) =>
      putToolset(sql, {
        organizationId: own.organization.id,
        slug: 'default',
        title: 'All',
        settings: { ...EVERYTHING, discovery: 'search' },
        origin: 'administration',
      }),
    )
    const client = createRawClient(own)
    await client.register()
    const { body } = await client.exchange(codeOf(await open.person().open(client.authorization())))
    const peer = { url: own.url, key: body['access_token'] ?? '', era: 'modern' as const }
    await until('tools are looked for there', async () => {
      const { answer } = await ask(peer, 'tools/list')
      return JSON.stringify(answer.result).includes('search_tools')
    })
    const { status, headers } = await callTool(peer, 'call_tool', { name: 'effects__drop_all' })
    expect(status).toBe(403)
    expect(headers.get('www-authenticate')).toContain(
      `error_description="The tool effects__drop_all needs 'destructive' access, and this client was granted less."`,
    )
    expect(open.effects.called).toEqual([])
    const done = await callTool(peer, 'call_tool', { name: 'effects__look_up' })
    expect(done.answer.result?.content?.[0]?.text).toBe('did look_up')
  })
})

describe('the gateway’s own tools', () => {
  test('say what they do: what finds only reads, what calls reaches as far as its endpoint', async () => {
    const hints = async (toolset: string) => {
      const { answer } = await ask(modern(toolset), 'tools/list')
      const tools = answer.result?.['tools'] as { name: string; annotations: object; outputSchema?: object }[]
      return Object.fromEntries(
        tools.map(({ name, annotations, outputSchema }) => [
          name,
          { ...annotations, typed: outputSchema !== undefined },
        ]),
      )
    }
    const looks = {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
      typed: true,
    }
    const acts = {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
      typed: false,
    }
    expect(await hints('search')).toMatchObject({ search_tools: looks, describe_tool: looks, call_tool: acts })
    expect(await hints('reads')).toMatchObject({ call_tool: { ...acts, readOnlyHint: true, destructiveHint: false } })
    expect(await hints('tiers')).toMatchObject({ odd__list_tools: looks, odd__execute_tool: acts })
  })

  test('stand before a server’s of the same name, which works through them', async () => {
    const url = gateway.connectionUrl('odd')
    const peer = { url, key: SEARCHING, era: 'modern' as const }
    const { answer } = await ask(peer, 'tools/list')
    const tools = answer.result?.['tools'] as { name: string }[] | undefined
    expect(tools?.map(({ name }) => name)).toEqual(['search_tools', 'describe_tool', 'call_tool', 'plain'])
    for (const { name } of ODD) {
      const described = await callTool(peer, 'describe_tool', { name })
      expect(described.answer.result?.['structuredContent']).toMatchObject({
        tool: { name, description: `The ${name} of an odd server.` },
      })
      const called = await callTool(peer, 'call_tool', { name })
      expect(called.answer.result?.content?.[0]?.text).toBe(`did ${name}`)
      const other = await callTool(modern('tiers'), 'odd__execute_tool', { tool: name })
      expect(other.answer.result?.content?.[0]?.text).toBe(`did ${name}`)
    }
  })

  test('name what was meant where a name is wrong, and nothing that is hidden', async () => {
    const wrong = await callTool(modern('search'), 'call_tool', { name: 'odd__plian' })
    expect(wrong.answer.result).toMatchObject({
      isError: true,
      content: [
        {
          text: expect.stringMatching(/^TOOL_NOT_FOUND: There is no tool named odd__plian; did you mean odd__plain/),
        },
      ],
      _meta: { 'dev.toolway/fault': { code: 'TOOL_NOT_FOUND', fault: 'tool.unlisted' } },
    })
    // The probe's tools write, so that an endpoint of what reads has none of them.
    for (const [name, given] of [
      ['call_tool', { name: 'probe-modern__echo', arguments: { text: 'x' } }],
      ['describe_tool', { name: 'probe-modern__echo' }],
    ] as const) {
      const { answer } = await callTool(modern('reads'), name, given)
      expect(answer.result).toMatchObject({ isError: true })
      expect(answer.result?.content?.[0]?.text).toMatch(/^TOOL_NOT_FOUND: There is no tool named probe-modern__echo\./)
    }
    const found = await callTool(modern('reads'), 'search_tools', { query: 'echo text probe', limit: 50 })
    expect(JSON.stringify(found.answer.result)).not.toContain('probe-modern__')
    expect(probes.modern.state.events).not.toContain('echo x')
  })

  test.each([
    ['search_tools', {}, '/arguments/query'],
    ['search_tools', { query: 'x', limit: 0 }, '/arguments/limit'],
    ['search_tools', { query: 'x', effect: 'none' }, '/arguments/effect'],
    ['search_tools', { query: 'x'.repeat(501) }, '/arguments/query'],
    ['describe_tool', { name: 7 }, '/arguments/name'],
    ['call_tool', { arguments: {} }, '/arguments/name'],
    ['call_tool', { name: 'odd__plain', arguments: [] }, '/arguments/arguments'],
  ])('%s of %j says what is wrong with it to the model', async (name, given, place) => {
    const { answer } = await callTool(modern('search'), name, given)
    expect(answer.result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(place) }] })
  })

  test('are listed anew for listeners only where what is listed has changed', async () => {
    await using direct = await startListening(modern('default'), { toolsListChanged: true }, 'direct')
    await using search = await startListening(modern('search'), { toolsListChanged: true }, 'search')
    const told = ({ heard }: typeof direct) =>
      heard.filter(({ method }) => method === 'notifications/tools/list_changed')
    odd.change('odd', [...ODD, tool('another', 'One more.')])
    await until('the direct list has changed', () => told(direct).length > 0)
    await until('it can be found', async () => {
      const { answer } = await callTool(modern('search'), 'search_tools', { query: 'another' })
      return JSON.stringify(answer.result).includes('odd__another')
    })
    expect(told(search)).toEqual([])
    // A pinned tool is listed.
    odd.change('odd', [...ODD.filter(({ name }) => name !== 'plain'), tool('plain', 'Plain and new.')])
    await until('the pinned tool has changed', () => told(search).length > 0)
    const { answer } = await ask(modern('search'), 'tools/list')
    expect(JSON.stringify(answer.result)).toContain('Plain and new.')
    odd.change('odd', ODD)
  })
})
