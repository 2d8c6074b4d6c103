/** The doors of the preset: Open WebUI as it comes, MCP at its two addresses, REST, functions, OpenAPI; one key, one road, one record. */
// @module-tag long
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { until } from '../peers/until.ts'
import { connect, KEY, startCuratore, type Curatore } from './curatore.ts'
import { MCP_EXCHANGE, preflight, REVISION, SERVER, toolsIn, type Sent } from './open-webui.ts'

const ASSET = '7f1d2c3b-0000-4000-8000-000000000001'
const ORIGIN = 'https://chat.example.com'
let here: Curatore
beforeAll(async () => {
  here = await startCuratore({ TOOLWAY_ALLOWED_ORIGINS: ORIGIN })
})
afterAll(() => here[Symbol.asyncDispose]())
beforeEach(() => void here.backend.state.requests.splice(0))

const send = ({ method, path, headers, body }: Sent, key: string | undefined = KEY) =>
  here.ask(path, {
    method,
    headers: { ...headers, ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
    ...(body === undefined ? {} : { body }),
  })
const tools = (body: Record<string, unknown>) => body['tools'] as { name: string }[]

describe('Open WebUI', () => {
  test('S1-MCP-05, S1-TST-01: connects over Streamable HTTP with the recorded requests of its client, and sees the tools', async () => {
    const opened = await send(MCP_EXCHANGE.initialize)
    expect(opened.status).toBe(200)
    expect(opened.headers.get('content-type')).toMatch(/^application\/json/)
    // Stateless: it is given no session, and so asks for no stream.
    expect(opened.headers.get('mcp-session-id')).toBeNull()
    expect(opened.body).toMatchObject({ jsonrpc: '2.0', id: 0, result: { protocolVersion: REVISION } })
    expect((await send(MCP_EXCHANGE.initialized)).status).toBe(202)
    const listed = await send(MCP_EXCHANGE.list)
    const { result } = listed.body as {
      result: { tools: { name: string; description: string }[]; nextCursor?: string }
    }
    expect(result.tools).toHaveLength(14)
    expect(result.nextCursor).toBeUndefined()
    const called = await send(MCP_EXCHANGE.call(2, 'search_assets', { query: 'x', limit: 3 }))
    expect(called.body).toMatchObject({ id: 2, result: { content: [{ type: 'text' }] } })
    // Its SDK reads structured content as an object, and fails on anything else.
    const content = (called.body['result'] as { structuredContent: object }).structuredContent
    expect(Array.isArray(content)).toBe(false)
  })

  test('S1-MCP-05: is answered by an event stream where it asks for one', async () => {
    const asStream = ({ headers, ...sent }: Sent, accept: string): Sent => ({
      ...sent,
      headers: { ...headers, accept },
    })
    const eventOf = (text: string) => JSON.parse(/^data: (.+)$/m.exec(text)?.[1] ?? 'null') as Record<string, unknown>
    const { initialize, list } = MCP_EXCHANGE
    const call = MCP_EXCHANGE.call(2, 'search_assets', { query: 'x', limit: 3 })
    for (const one of [initialize, list, call, MCP_EXCHANGE.call(3, 'no_such_tool', {})]) {
      const json = await send(one)
      for (const accept of ['text/event-stream', 'application/json;q=0.5, text/event-stream']) {
        const streamed = await send(asStream(one, accept))
        expect(streamed.status).toBe(200)
        expect(streamed.headers.get('content-type')).toMatch(/^text\/event-stream/)
        const [told, said] = [eventOf(streamed.text), json.body].map((body) =>
          JSON.stringify(body).replaceAll(/"(?:dev\.toolway\/)?correlation_id":"[^"]+"/g, ''),
        )
        expect(told).toBe(said)
      }
    }
    // A refusal has the status that says why, and is JSON as ever.
    const refused = await send(asStream(list, 'text/event-stream'), 'wrong')
    expect(refused.status).toBe(401)
    expect(refused.headers.get('content-type')).toMatch(/json/)
  })

  test('S1-MCP-05: by the older HTTP+SSE transport is served where sessions are switched on', async () => {
    await using other = await startCuratore({ TOOLWAY_SESSIONS: 'on' })
    const headers = { authorization: `Bearer ${KEY}` }
    const client = new Client({ name: 'older', version: '1' })
    await client.connect(new SSEClientTransport(new URL(`${other.gateway.address}/sse`), { requestInit: { headers } }))
    expect((await client.listTools()).tools).toHaveLength(14)
    expect(await client.callTool({ name: 'get_asset', arguments: { asset_id: ASSET } })).toMatchObject({
      structuredContent: { id: ASSET },
    })
    await client.close()
    expect((await here.ask('/sse')).status).toBe(404)
  })

  test('S1-MCP-04: is told of tools and of nothing that it would not need', async () => {
    const { result } = (await send(MCP_EXCHANGE.initialize)).body as { result: { capabilities: object } }
    expect(Object.keys(result.capabilities)).toEqual(['tools'])
  })

  test('adds it as an OpenAPI tool server, from its own server, and calls what it found there', async () => {
    const { body } = await send(SERVER.document)
    const found = toolsIn(body)
    expect(found).toHaveLength(14)
    expect(found).toContainEqual({ name: 'search_assets', path: '/search_assets', method: 'post' })
    const called = await send(SERVER.call('search_assets', { query: 'x', limit: 500 }))
    expect(called.status).toBe(200)
    expect(here.backend.asked('execute')[0]?.body).toMatchObject({ params: { query: 'x', limit: 50 } })
  })

  test('in a browser is let in from an origin that is allowed, and from no other', async () => {
    for (const [path, method] of [
      ['/openapi.json', 'GET'],
      ['/search_assets', 'POST'],
      ['/mcp', 'POST'],
    ] as const) {
      const allowed = await send(preflight(ORIGIN, path, method), undefined)
      expect({ path, status: allowed.status }).toEqual({ path, status: 204 })
      expect(allowed.headers.get('access-control-allow-origin')).toBe(ORIGIN)
      expect(allowed.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('authorization')
      const other = await send(preflight('https://evil.example', path, method), undefined)
      expect({ path, status: other.status }).toEqual({ path, status: 403 })
      expect(other.headers.get('access-control-allow-origin')).toBeNull()
    }
    const read = await here.ask('/openapi.json', { headers: { authorization: `Bearer ${KEY}`, origin: ORIGIN } })
    expect(read.headers.get('access-control-allow-origin')).toBe(ORIGIN)
  })
})

describe('MCP', () => {
  test('S1-MCP-06, S1-MCP-08: is at POST /mcp, for a client of the official SDK', async () => {
    await using client = await connect(here)
    expect((await client.listTools()).tools).toHaveLength(14)
    expect(await client.callTool({ name: 'get_asset', arguments: { asset_id: ASSET } })).toMatchObject({
      structuredContent: { id: ASSET },
    })
    // Its own id comes back, and an error has the shape of JSON-RPC.
    const unknown = await send(MCP_EXCHANGE.call(77, 'no_such_tool', {}))
    expect(unknown.body).toMatchObject({ jsonrpc: '2.0', id: 77, error: { code: -32602 } })
  })

  test('S1-MCP-07: at /mcp/tools/list and /mcp/tools/call answers the same', async () => {
    const [whole, list] = [await send(MCP_EXCHANGE.list), await here.ask('/mcp/tools/list', { method: 'POST' })]
    const { result } = whole.body as { result: object }
    expect(list.body).toEqual(result)
    const request = { jsonrpc: '2.0', id: 9, method: 'tools/list' }
    expect((await here.ask('/mcp/tools/list', { method: 'POST', body: request })).body).toEqual({
      jsonrpc: '2.0',
      id: 9,
      result,
    })
    const params = { name: 'get_asset', arguments: { asset_id: ASSET } }
    const called = await send(MCP_EXCHANGE.call(3, params.name, params.arguments))
    const alone = await here.ask('/mcp/tools/call', { method: 'POST', body: params })
    expect(alone.body).toEqual((called.body as { result: object }).result)
    const wrapped = await here.ask('/mcp/tools/call', { method: 'POST', body: { jsonrpc: '2.0', id: 'x', params } })
    expect(wrapped.body).toEqual({ jsonrpc: '2.0', id: 'x', result: alone.body })
    const misled = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
    expect((await here.ask('/mcp/tools/call', { method: 'POST', body: misled })).status).toBe(422)
    expect((await here.ask('/mcp/tools/list')).status).toBe(405)
  })
})

describe('S1-MCP-09: without MCP', () => {
  test('tools are functions, REST and an OpenAPI 3.1 document, all of the same list', async () => {
    const rest = tools((await here.ask('/rest/tools')).body).map(({ name }) => name)
    const functions = (await here.ask('/openai/tools')).body as {
      tools: { type: string; function: { name: string } }[]
    }
    expect(functions.tools.map((one) => one.function.name)).toEqual(rest)
    expect(functions.tools[0]).toMatchObject({ type: 'function', function: { parameters: { type: 'object' } } })
    const { body } = await here.ask('/openapi.json')
    expect(toolsIn(body).map(({ name }) => name)).toEqual(rest)
    expect(await new Validator().validate(structuredClone(body))).toMatchObject({ valid: true })
    expect(body['openapi']).toBe('3.1.0')
  })

  test('a call is the same at every address, with its arguments bare or under their name', async () => {
    const args = { asset_id: ASSET }
    const answers = await Promise.all([
      here.call('get_asset', args),
      here.call('get_asset', { arguments: args }),
      here.ask('/openai/tools/get_asset', { method: 'POST', body: args }),
      here.ask('/openai/tools/get_asset', { method: 'POST', body: { arguments: args } }),
      here.ask('/rest/tools/get_asset/call', { method: 'POST', body: { arguments: args } }),
      here.ask('/rest/tools/get_asset/call', { method: 'POST', body: args }),
      here.ask('/o/default/t/default/get_asset', { method: 'POST', body: args }),
    ])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(here.backend.asked('execute')).toHaveLength(answers.length)
    for (const { body } of here.backend.asked('execute'))
      expect(body).toEqual({ params: { asset_id: ASSET, org_id: 'acme' }, dry_run: false })
    // Each is on record as a call of that tool.
    const ids = answers.map(({ headers }) => headers.get('x-correlation-id'))
    await until('every call is on the log', () =>
      ids.every((id) => here.log().some((line) => line['request_id'] === id && line['tool_name'] === 'get_asset')),
    )
  })

  test('needs the key at every address, and what it hides is there for none', async () => {
    const addresses = [
      ['GET', '/openapi.json'],
      ['GET', '/rest/tools'],
      ['GET', '/openai/tools'],
      ['POST', '/mcp/tools/list'],
      ['POST', '/mcp/tools/call'],
      ['POST', '/rest/tools/get/call'],
      ['POST', '/openai/tools/get'],
      ['POST', '/get'],
      ['POST', '/mcp'],
    ] as const
    for (const [method, path] of addresses)
      for (const headers of [{}, { authorization: 'Bearer wrong' }] as Record<string, string>[]) {
        const { status, headers: said } = await here.ask(path, {
          method,
          headers,
          ...(path === '/mcp'
            ? { body: MCP_EXCHANGE.list.body, headers: { ...headers, ...MCP_EXCHANGE.list.headers } }
            : {}),
        })
        expect({ path, status, challenged: said.get('www-authenticate')?.startsWith('Bearer') }).toEqual({
          path,
          status: 401,
          challenged: true,
        })
      }
    // Hidden and never there are the same answer.
    for (const name of ['send_email', 'analyze_solicitation', 'nothing_of_the_kind'])
      for (const path of [`/${name}`, `/rest/tools/${name}/call`, `/openai/tools/${name}`]) {
        const { status, body } = await here.ask(path, { method: 'POST', body: {} })
        expect({ path, status, code: body['code'], detail: body['detail'] }).toEqual({
          path,
          status: 404,
          code: 'tool.unknown',
          detail: `Unknown tool: ${name}`,
        })
      }
    const named = async (name: string) => {
      const { status, text } = await here.ask('/mcp/tools/call', { method: 'POST', body: { name, arguments: {} } })
      return { status, text: text.replaceAll(name, 'NAME').replace(/"correlation_id":"[^"]*"/, '') }
    }
    const nothing = await named('nothing_of_the_kind')
    expect(nothing.text).toContain('Unknown tool: NAME')
    for (const name of ['send_email', 'analyze_solicitation']) expect(await named(name)).toEqual(nothing)
    expect(here.backend.asked('execute')).toEqual([])
  })

  test('what fails is told: a tool’s own failure as its result, a refusal as a problem', async () => {
    const missing = await here.call('search_assets', { limit: 3 })
    expect(missing.status).toBeGreaterThanOrEqual(200)
    expect(missing.text).toContain('INVALID_ARGUMENT')
    expect(missing.text).toContain('query')
    here.backend.state.modes.execute = 'failing'
    const failed = await here.call('get_asset', { asset_id: ASSET })
    here.backend.state.modes.execute = 'well'
    expect(failed.body).toMatchObject({ isError: true })
    expect(failed.text).toContain('EXECUTION_ERROR')
    expect(failed.text).toContain('the database is away')
    expect(failed.text).not.toContain(new URL(here.backend.url).port)
    expect((await here.call('get_asset', '[1,2]')).status).toBe(422)
    expect((await here.call('get_asset', '{')).status).toBe(400)
    expect(
      (
        await here.ask('/get_asset', {
          method: 'POST',
          headers: { authorization: `Bearer ${KEY}`, 'content-type': 'text/plain' },
          body: '{}',
        })
      ).status,
    ).toBe(415)
    expect((await here.ask('/get_asset')).status).toBe(404)
  })

  test('the document is for everybody only where that is set, and then shows what MCP_API_KEY sees', async () => {
    await using open = await startCuratore({ TOOLWAY_OPENAPI: 'public' })
    const { status, body } = await open.ask('/openapi.json', { headers: {} })
    expect(status).toBe(200)
    expect(toolsIn(body)).toHaveLength(14)
    expect((await open.ask('/rest/tools', { headers: {} })).status).toBe(401)
    expect((await open.ask('/o/default/t/default/openapi.json', { headers: {} })).status).toBe(401)
    expect((await open.ask('/openapi.json', { headers: { authorization: 'Bearer wrong' } })).status).toBe(401)
  })
})
