/**
 * Tests who may open a persistent connection, and on whose behalf its messages are handled. The transport pair of 2024-11-05 and
 * WebSocket, by hand: invalid keys, endpoints and origins, revisions, batches, crowds, records.
 */
// @module-tag long
import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { z } from 'zod'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { gauge } from '../peers/gauges.ts'
import { socketOf, sseOf } from '../peers/clients/lasting-transports.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { startProbe } from '../peers/probes/probe-server.ts'
import { LINE_WAYS, modern, openLegacyLine, openLine } from '../peers/clients/raw-line.ts'
import type { LineParts, LineWay } from '../peers/clients/raw-line.ts'
import { httpWire, probeProcess } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'

const keyOf = (word: string) => `uru_${Buffer.from(word.padEnd(32, '.')).toString('hex')}`
const OTHER_KEY = keyOf('other')
const LIMITED_KEY = keyOf('limited')
const UNKNOWN_KEY = keyOf('nobody')
const DECLARED = { enabled: true, revision: 'auto' as const, timeout: 30 }

const parts = new AsyncDisposableStack()
let gateway: TestGateway
beforeAll(async () => {
  const mine = parts.use(await startProbe({ name: 'mine' }))
  const theirs = parts.use(await startProbe({ name: 'theirs' }))
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'same', wire: httpWire(mine.url) },
        { alias: 'child', wire: probeProcess('child') },
      ],
      toolsets: [
        {
          slug: 'safe',
          title: 'Safe',
          settings: { connections: ['same'], include: ['same__*'], exclude: ['*__hang'] },
        },
      ],
      settings: { MCP_ALLOWED_ORIGINS: 'https://console.example.com' },
      keys: [{ name: 'limited', value: LIMITED_KEY, toolset: 'safe' }],
      others: [
        {
          slug: 'other',
          name: 'Other',
          connections: [{ ...DECLARED, alias: 'same', title: 'same', wire: httpWire(theirs.url) }],
          toolsets: [],
          keys: [{ name: 'test', value: OTHER_KEY, toolset: undefined }],
        },
      ],
    }),
  )
})
afterAll(() => parts.disposeAsync())

const at = (path: string, way: LineWay, key: string | undefined = gateway.key): LineParts => ({
  way,
  url: `${gateway.address}${path}`,
  key,
})
const textOf = (answer: { result?: { content?: { text: string }[] } }) => answer.result?.content?.[0]?.text
const call = (name: string, given: Record<string, unknown> = {}) => ({ name, arguments: given })
const faultOf = async (response: Response) =>
  ((await response.json()) as { error: { data: { fault: string } } }).error.data.fault

/** How a socket ends that was never let in. */
async function refusal(parts: LineParts) {
  const line = await openLine(parts)
  await until('it is closed', () => line.closed !== undefined)
  expect(line.heard).toEqual([])
  return line.closed
}

describe.each(LINE_WAYS)('a line over %s', (way) => {
  test.each(['/mcp', '/o/default/t/default/mcp', '/o/default/t/safe/mcp', '/api/v1/default/connectors/same/mcp'])(
    'leads to the endpoint beside %s',
    async (path) => {
      await using line = await openLegacyLine(at(path, way))
      const prefix = path.includes('connectors') ? '' : 'same__'
      expect(textOf(await line.ask('tools/call', call(`${prefix}echo`, { text: path })))).toBe(path)
    },
  )

  test.each([
    ['2024-11-05', '2024-11-05'],
    ['2025-03-26', '2025-03-26'],
    ['2025-06-18', '2025-06-18'],
    ['2025-11-25', '2025-11-25'],
    ['2025-07-01', '2025-06-18'],
    ['2099-01-01', '2025-11-25'],
  ])('asked for revision %s speaks %s', async (asked, spoken) => {
    await using line = await openLine(at('/mcp', way))
    const { result } = await line.ask('initialize', { protocolVersion: asked, capabilities: {} })
    expect(result?.['protocolVersion']).toBe(spoken)
    expect((await line.ask('ping')).result).toEqual({})
  })

  test('opens one session, and its end ends that session', async () => {
    const before = await gauge(gateway, 'toolway_sessions')
    await using line = await openLegacyLine(at('/mcp', way))
    expect(await gauge(gateway, 'toolway_sessions')).toBe(before + 1)
    const again = await line.ask('initialize', { protocolVersion: '2025-11-25', capabilities: {} })
    expect(again.error?.data).toMatchObject({ fault: 'session.open' })
    line.drop()
    await until('the session is gone', async () => (await gauge(gateway, 'toolway_sessions')) === before)
    expect(await gauge(gateway, 'toolway_channels')).toBe(0)
  })

  test('loses its session to an eleventh one of the same caller, and ends with it', async () => {
    const url = `${gateway.address}/o/default/t/safe/mcp`
    const lines = []
    for (let count = 0; count < 11; count++) lines.push(await openLegacyLine({ way, url, key: LIMITED_KEY }))
    const [first, ...others] = lines
    await until('the first has ended', () => first?.closed !== undefined)
    if (way === 'socket') expect(first?.closed?.code).toBe(4410)
    for (const line of others) expect((await line.ask('ping')).result).toEqual({})
    await Promise.all(lines.map((line) => line[Symbol.asyncDispose]()))
  })

  test('answers what nobody serves, and what is no message, and goes on', async () => {
    await using line = await openLegacyLine(at('/mcp', way))
    expect((await line.ask('no/such/method')).error?.code).toBe(-32601)
    expect((await line.ask('tools/call', { name: 5 })).error?.code).toBe(-32602)
    const broken = ['{"jsonrpc":"2.0",', '[]', '7', '{"jsonrpc":"1.0","id":1,"method":"ping"}']
    const statuses = [400, 202, 400, 400]
    for (const [index, text] of broken.entries()) {
      const from = line.heard.length
      const status = await line.say(text)
      if (way === 'sse') expect(status).toBe(statuses[index])
      if (way === 'sse' && status !== 202) continue
      const told = await until('it is refused', () => line.heard[from])
      expect(told.error?.code).toBe(index === 0 ? -32700 : -32600)
    }
    expect((await line.ask('ping')).result).toEqual({})
  })

  test('takes batches where the revision has them, and refuses them where it has not', async () => {
    await using line = await openLegacyLine(at('/mcp', way), '2025-03-26')
    await line.say([
      { jsonrpc: '2.0', id: 0, method: 'tools/call', params: call('same__echo', { text: 'zero' }) },
      { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
      { jsonrpc: '2.0', id: '', method: 'no/such' },
      7,
    ])
    const answers = await until('the batch is answered', () => line.heard.find((one) => Array.isArray(one)))
    expect(answers).toMatchObject([
      { id: 0, result: { content: [{ text: 'zero' }] } },
      { id: '', error: { code: -32601 } },
      { error: { code: -32600 } },
    ])
    await using newer = await openLegacyLine(at('/mcp', way), '2025-11-25')
    await newer.say([{ jsonrpc: '2.0', id: 0, method: 'ping' }])
    expect(await until('it is refused', () => newer.heard[1])).toMatchObject({
      error: { code: -32600, data: { fault: 'request.batch' } },
    })
  })

  test('gives each its own answer in a crowd that uses id 0 for everything', async () => {
    const lines = await Promise.all(Array.from({ length: 8 }, () => openLegacyLine(at('/mcp', way))))
    await Promise.all(
      lines.map(async (line, at) => {
        for (let turn = 0; turn < 50; turn++) {
          const text = `line ${at} call ${turn}`
          const answer = await line.ask('tools/call', call(turn % 2 === 0 ? 'same__echo' : 'child__echo', { text }), 0)
          expect(textOf(answer)).toBe(text)
        }
      }),
    )
    expect(lines.map(({ heard }) => heard.length)).toEqual(lines.map(() => 51))
    await Promise.all(lines.map((line) => line[Symbol.asyncDispose]()))
  })

  test('has every call on record, with who made it', async () => {
    await using line = await openLegacyLine(at('/mcp', way, LIMITED_KEY))
    const text = `recorded over ${way}`
    await line.ask('tools/call', call('same__echo', { text }))
    const found = await until('the call is logged', () =>
      gateway.log.find(({ facts }) => facts['method'] === 'tools/call' && facts['toolset'] === 'safe'),
    )
    expect(found.facts).toMatchObject({
      tool_name: 'same__echo',
      outcome: 'ok',
      era_client: '2025-11-25',
      client: 'raw',
    })
    expect(found.facts['bytes_in']).toBeGreaterThan(50)
    const id = String(found.facts['request_id'])
    await until('it is on record', () =>
      gateway.db.system(async (sql) => {
        const rows = await sql(Count)`select count(*)::int as count from records where correlation_id = ${id}`
        return rows[0]?.count === 1
      }),
    )
  })
})
const Count = z.object({ count: z.number() })

describe('a WebSocket', () => {
  test('S3-MCP-02: at an endpoint’s own address lists and calls, in both eras on one socket, and one at the address of another organization is closed with 4404', async () => {
    await using line = await openLegacyLine(at('/o/default/t/default/mcp', 'socket'))
    const names = async (params: Record<string, unknown>) => {
      const tools = (await line.ask('tools/list', params)).result?.['tools'] as { name: string }[] | undefined
      return tools?.map(({ name }) => name)
    }
    expect(await names({})).toContain('same__echo')
    expect(await names(modern())).toEqual(await names({}))
    const params = call('same__echo', { text: 'both' })
    expect(textOf(await line.ask('tools/call', params))).toBe('both')
    const answer = await line.ask('tools/call', modern(params))
    expect(answer.result).toMatchObject({ resultType: 'complete', content: [{ text: 'both' }] })
    expect(await refusal(at('/o/other/t/default/mcp', 'socket'))).toMatchObject({ code: 4404 })
  })

  test.each(['/o/other/t/default/mcp', '/api/v1/other/connectors/same/mcp'])(
    'of another organization (%s) ends as one that does not exist, to the letter',
    async (path) => {
      const theirs = await refusal(at(path, 'socket'))
      const nobodys = await refusal(at(path.replace('other', 'nowhere'), 'socket'))
      expect(theirs).toEqual(nobodys)
      expect(theirs?.code).toBe(4404)
      await using own = await openLegacyLine(at(path, 'socket', OTHER_KEY))
      expect((await own.ask('ping')).result).toEqual({})
    },
  )

  test('of a key that is limited to a toolset opens there and nowhere else', async () => {
    for (const path of ['/o/default/t/default/mcp', '/api/v1/default/connectors/child/mcp'])
      expect(await refusal(at(path, 'socket', LIMITED_KEY))).toMatchObject({ code: 4404 })
    await using line = await openLegacyLine(at('/mcp', 'socket', LIMITED_KEY))
    expect((await line.ask('tools/call', call('same__hang', { label: 'x' }))).error?.message).toContain('Unknown tool')
  })

  test.each([
    ['no key', undefined],
    ['an unknown key', UNKNOWN_KEY],
    ['half a key', OTHER_KEY.slice(0, 20)],
  ] as const)('with %s is closed with 4401, wherever it stands', async (_, key) => {
    const paths = ['/mcp', '/o/other/t/default/mcp', '/o/nowhere/t/default/mcp']
    const ends = await Promise.all(paths.map((path) => refusal({ ...at(path, 'socket'), key })))
    for (const end of ends) expect(end).toEqual(ends[0])
    expect(ends[0]?.code).toBe(4401)
  })

  test('cancels a modern call by its id, and says nothing more of it', async () => {
    await using line = await openLine(at('/mcp', 'socket'))
    await line.say({
      jsonrpc: '2.0',
      id: 5,
      method: 'tools/call',
      params: modern(call('same__hang', { label: 'by id' })),
    })
    await until('the call hangs', async () =>
      textOf(await line.ask('tools/call', modern(call('same__events'))))?.includes('hang by id'),
    )
    await line.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } })
    await until('the server hears of it', async () =>
      textOf(await line.ask('tools/call', modern(call('same__events'))))?.includes('cancelled by id'),
    )
    expect(line.heard.filter(({ id }) => id === 5)).toEqual([])
  })

  test('ends a subscription by its id, and says nothing more of it, while others hear on', async () => {
    await using line = await openLine(at('/mcp', 'socket'))
    const params = modern({ notifications: { toolsListChanged: true } })
    for (const id of ['ends', 'stays']) await line.say({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params })
    await until('both are acknowledged', () => line.heard.length === 2)
    await line.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'ends' } })
    await line.ask('tools/call', modern(call('same__grow', { name: 'came_later' })))
    const changes = await until('the change is told', () => {
      const told = line.heard.filter(({ method }) => method === 'notifications/tools/list_changed')
      return told.length > 0 && told
    })
    const subscription = { _meta: { 'io.modelcontextprotocol/subscriptionId': 'stays' } }
    expect(changes.map((one) => one.params)).toEqual(changes.map(() => subscription))
    expect(line.heard.filter(({ id }) => id === 'ends')).toEqual([])
  })

  test('is answered in words when a modern request is not whole', async () => {
    await using line = await openLine(at('/mcp', 'socket'))
    const version = 'io.modelcontextprotocol/protocolVersion'
    const lacking = await line.ask('tools/list', { _meta: { [version]: '2026-07-28' } })
    expect(lacking.error).toMatchObject({ code: -32602 })
    const later = await line.ask('tools/list', {
      _meta: { [version]: '2027-01-01', 'io.modelcontextprotocol/clientCapabilities': {} },
    })
    expect(later.error).toMatchObject({ code: -32022, data: { requested: '2027-01-01' } })
  })

  test('speaks `mcp` where it is offered, and opens where nothing is', async () => {
    const spoken = async (protocols: string[]) => {
      const headers = { authorization: `Bearer ${gateway.key}` }
      const socket = new WebSocket(socketOf(gateway.url), protocols, { headers })
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
      socket.terminate()
      return socket.protocol
    }
    expect([await spoken([]), await spoken(['mcp']), await spoken(['graphql-ws', 'mcp'])]).toEqual(['', 'mcp', 'mcp'])
  })
})

describe('the pair of 2024-11-05', () => {
  /** A stream, and the address that it names, by hand. */
  async function openStream(path: string, key: string) {
    const leaving = new AbortController()
    const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' }
    const response = await fetch(`${gateway.address}${path}`, { headers, signal: leaving.signal })
    const reader = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader()
    const { value = '' } = await reader.read()
    const [, messages = ''] = /^event: endpoint\ndata: (.*)\n\n$/.exec(value) ?? []
    return { messages, type: response.headers.get('content-type'), [Symbol.dispose]: () => leaving.abort() }
  }
  const post = (path: string, key: string | undefined, message: unknown, type = 'application/json') =>
    fetch(`${gateway.address}${path}`, {
      method: 'POST',
      headers: { 'content-type': type, ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
      body: typeof message === 'string' ? message : JSON.stringify(message),
    })
  const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }

  test.each([
    ['/sse', '/messages'],
    ['/o/default/t/default/sse', '/o/default/t/default/messages'],
    ['/api/v1/default/connectors/same/sse', '/api/v1/default/connectors/same/messages'],
  ])('names the address for messages first: %s → %s', async (path, messages) => {
    using stream = await openStream(path, gateway.key)
    expect(stream.type).toBe('text/event-stream')
    expect(stream.messages).toMatch(new RegExp(`^${messages}\\?sessionId=[0-9a-f]{32}$`))
    const accepted = await post(stream.messages, gateway.key, PING)
    expect([accepted.status, await accepted.text()]).toEqual([202, 'Accepted'])
  })

  test('takes messages from the caller of the stream and from no other; another’s stream answers as none does', async () => {
    using stream = await openStream('/sse', gateway.key)
    const unknown = stream.messages.replace(/=.*/, `=${'f'.repeat(32)}`)
    const wrong = [
      await post(stream.messages, OTHER_KEY, PING),
      await post(stream.messages, LIMITED_KEY, PING),
      await post(stream.messages.replace('/messages', '/o/default/t/safe/messages'), gateway.key, PING),
      await post(unknown, gateway.key, PING),
      await post('/messages', gateway.key, PING),
    ]
    for (const response of wrong) {
      expect(response.status).toBe(404)
      expect(await faultOf(response)).toBe('session.unknown')
    }
    for (const key of [undefined, UNKNOWN_KEY]) {
      const refused = await post(stream.messages, key, PING)
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringMatching(/^Bearer /),
      ])
    }
    expect((await post(stream.messages, gateway.key, PING)).status).toBe(202)
  })

  test('refuses a message as HTTP does, and the stream stays', async () => {
    using stream = await openStream('/sse', gateway.key)
    const big = JSON.stringify({ ...PING, params: { text: 'x'.repeat(1024 * 1024) } })
    expect((await post(stream.messages, gateway.key, PING, 'text/plain')).status).toBe(415)
    expect((await post(stream.messages, gateway.key, big)).status).toBe(413)
    expect((await post(stream.messages, gateway.key, '{')).status).toBe(400)
    expect((await post(stream.messages, gateway.key, PING)).status).toBe(202)
  })

  test('is for those who open with initialize: a modern request hears which revisions there are', async () => {
    await using line = await openLine(at('/mcp', 'sse'))
    expect((await line.ask('tools/list', modern())).error).toMatchObject({
      code: -32022,
      data: { requested: '2026-07-28', supported: ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] },
    })
    expect((await line.ask('server/discover', modern())).error).toMatchObject({ code: -32601 })
  })

  test('takes a stream by GET and messages by POST, and nothing else', async () => {
    const headers = { authorization: `Bearer ${gateway.key}` }
    const by = async (method: string, path: string) => {
      const { status, headers: said } = await fetch(`${gateway.address}${path}`, { method, headers })
      return [status, said.get('allow')]
    }
    expect(await by('POST', '/sse')).toEqual([405, 'GET'])
    expect(await by('DELETE', '/sse')).toEqual([405, 'GET'])
    expect(await by('GET', '/messages')).toEqual([405, 'POST'])
  })

  test('is refused whoever has no key, and whose endpoint does not exist', async () => {
    const open = (path: string, key?: string) =>
      fetch(`${gateway.address}${path}`, { headers: key === undefined ? {} : { authorization: `Bearer ${key}` } })
    expect((await open('/sse')).status).toBe(401)
    expect((await open('/sse', UNKNOWN_KEY)).status).toBe(401)
    const theirs = await open('/o/other/t/default/sse', gateway.key)
    const nobodys = await open('/o/nowhere/t/default/sse', gateway.key)
    expect([theirs.status, nobodys.status]).toEqual([404, 404])
    const withoutId = (text: string) => text.replace(/"correlation_id":"[^"]*"/, '')
    expect(withoutId(await theirs.text())).toBe(withoutId(await nobodys.text()))
  })

  test('does not begin at the MCP address itself: there, a GET without a session is told 405', async () => {
    const headers = { authorization: `Bearer ${gateway.key}`, accept: 'text/event-stream' }
    const { status, headers: said } = await fetch(gateway.url, { headers })
    expect([status, said.get('allow')]).toEqual([405, 'POST'])
  })
})

describe('a page of another site', () => {
  const opening = { accept: 'text/event-stream' }
  const upgrade = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': Buffer.alloc(16).toString('base64'),
  }

  /** The status of a GET, over a socket of its own: fetch sets neither Origin nor Upgrade. */
  async function statusOf(path: string, headers: Record<string, string>): Promise<number> {
    return new Promise((resolve, reject) => {
      const asking = request(`${gateway.address}${path}`, {
        headers: { authorization: `Bearer ${gateway.key}`, ...headers },
      })
      asking.once('response', (response) => (resolve(response.statusCode ?? 0), response.destroy()))
      asking.once('upgrade', (_, socket) => (resolve(101), socket.destroy()))
      asking.once('error', reject).end()
    })
  }

  test('S3-MCP-12: is refused with 403 on POST, GET and WebSocket alike; no origin at all, our own, and one that is allowed pass', async () => {
    const ways: [string, Record<string, string>, number][] = [
      ['/sse', opening, 200],
      ['/mcp', opening, 405],
      ['/mcp', upgrade, 101],
      ['/api/v1/default/connectors/same/mcp', upgrade, 101],
    ]
    for (const [path, headers, welcome] of ways) {
      expect(await statusOf(path, headers)).toBe(welcome)
      for (const origin of [gateway.address, 'https://console.example.com'])
        expect(await statusOf(path, { ...headers, origin })).toBe(welcome)
      for (const origin of ['https://evil.example', 'null', `${gateway.address}.evil.example`])
        expect(await statusOf(path, { ...headers, origin }), `${path} from ${origin}`).toBe(403)
      expect(await statusOf(path, { ...headers, host: 'evil.example' })).toBe(403)
    }
    const headers = { origin: 'https://evil.example', 'content-type': 'application/json' }
    const posted = await fetch(gateway.url, { method: 'POST', headers })
    expect(posted.status).toBe(403)
  })

  test('that asks for another upgrade, or for a socket where there is none, is answered as if it had not', async () => {
    expect(await statusOf('/health/live', upgrade)).toBe(200)
    expect(await statusOf('/sse', { ...upgrade, ...opening })).toBe(200)
    expect(await statusOf('/nothing/here', upgrade)).toBe(404)
    expect(await statusOf('/health/live', { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c' })).toBe(200)
    expect(await statusOf('/mcp', { ...opening, connection: 'Upgrade', upgrade: 'h2c' })).toBe(405)
    expect(await statusOf('/mcp', { ...upgrade, 'sec-websocket-key': 'short' })).toBe(400)
    expect(await statusOf('/mcp', { ...upgrade, 'sec-websocket-version': '12' })).toBe(400)
  })
})

test('behind a proxy that serves the gateway below a path, a stream names its address below that path', async () => {
  await using below = await openGateway({ settings: { TOOLWAY_PUBLIC_URL: 'https://tools.example.com/base/' } })
  const first = (host: string) =>
    new Promise<string>((resolve, reject) => {
      const headers = { host, authorization: `Bearer ${below.key}` }
      const asking = request(sseOf(below.url), { headers }, (response) =>
        response.once('data', (chunk: Buffer) => (resolve(chunk.toString()), response.destroy())),
      )
      asking.once('error', reject).end()
    })
  expect(await first('tools.example.com')).toContain('data: /base/messages?sessionId=')
  expect(await first('localhost')).toContain('data: /messages?sessionId=')
})
