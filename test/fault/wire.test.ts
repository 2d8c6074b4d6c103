/** Requests that no good client sends, byte by byte, at a gateway in this process: each is refused in words, and it lives on. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, TEST_KEY, type TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { requestOf } from './caller.ts'
import { exchangeRaw, headOf, openRaw, type RawAnswer } from './raw-socket.ts'

const ORIGIN = 'https://console.example.com'
const LIMIT = 1024 * 1024
const LIST = requestOf('tools/list', {}, TEST_KEY)

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway({ settings: { TOOLWAY_ALLOWED_ORIGINS: ORIGIN } })
})
afterAll(() => gateway[Symbol.asyncDispose]())

type Headers = Readonly<Record<string, string | readonly string[]>>

/** POST to /mcp with exactly these bytes; headers that are said replace the usual ones, '' leaves one out. */
function post(body: string | Buffer, own: Headers = {}, path = '/mcp'): Promise<RawAnswer> {
  const usual = {
    host: new URL(gateway.address).host,
    connection: 'close',
    'content-length': String(Buffer.byteLength(body)),
    ...LIST.headers,
  }
  const headers = Object.fromEntries(Object.entries({ ...usual, ...own }).filter(([, value]) => value !== ''))
  return exchangeRaw(gateway.address, headOf(`POST ${path}`, headers), body)
}
const legacy = { 'mcp-protocol-version': '', 'mcp-method': '' }
const faultOf = ({ body }: RawAnswer): unknown =>
  (JSON.parse(body) as { error?: { data?: { fault?: string } } }).error?.data?.fault
const refusal = (answer: RawAnswer) => ({ status: answer.status, fault: faultOf(answer) })
const lives = async () => expect((await post(LIST.body)).status).toBe(200)

describe('bodies', () => {
  test('S3-MCP-11: a Content-Type other than application/json is answered 415', async () => {
    const others = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
      'application/json-seq',
      'application/json, text/plain',
      'text/json',
      'application/xml; note=application/json',
      '',
    ]
    for (const type of others) {
      expect({ type, ...refusal(await post(LIST.body, { 'content-type': type })) }).toEqual({
        type,
        status: 415,
        fault: 'request.media-type',
      })
    }
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'Application/JSON;charset=UTF-8',
      'application/json ;x=y',
    ]) {
      expect({ type, status: (await post(LIST.body, { 'content-type': type })).status }).toEqual({ type, status: 200 })
    }
  })

  test('larger than the limit are answered 413, whether they say so or not, and nothing of them is kept', async () => {
    const big = Buffer.alloc(LIMIT + 1, 0x20)
    expect(refusal(await post('{', { 'content-length': String(LIMIT * 1024), connection: 'close' }))).toEqual({
      status: 413,
      fault: 'request.too-large',
    })
    expect(refusal(await post(big))).toEqual({ status: 413, fault: 'request.too-large' })
    const chunked = Buffer.concat([Buffer.from(`${big.length.toString(16)}\r\n`), big, Buffer.from('\r\n0\r\n\r\n')])
    expect(refusal(await post(chunked, { 'content-length': '', 'transfer-encoding': 'chunked' }))).toEqual({
      status: 413,
      fault: 'request.too-large',
    })
    await lives()
  })

  test('exactly as large as the limit are read', async () => {
    const whole = LIST.body.padEnd(LIMIT, ' ')
    expect((await post(whole)).status).toBe(200)
  })

  test('that are not JSON are refused with the place, and without repeating what they hold', async () => {
    const cases: [string, string][] = [
      ['', 'it is empty'],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/li', 'ends too early'],
      ['{"jsonrpc":"2.0",\n"password": hunter2}', 'line 2, column 13'],
      ["{'jsonrpc':'2.0'}", 'line 1, column 2'],
      ['{"a":1}{"b":2}', 'line 1, column 8'],
      ['{"a":NaN}', 'line 1'],
      ['{"a":1,}', 'line 1'],
      ['// hello\n{}', 'line 1'],
    ]
    for (const [body, place] of cases) {
      const answer = await post(body)
      expect({ body, ...refusal(answer) }).toEqual({ body, status: 400, fault: 'request.not-json' })
      expect(answer.body).toContain(place)
      expect(answer.body).not.toContain('hunter2')
    }
  })

  test('in another encoding than UTF-8 are refused', async () => {
    const text = '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"é"}}'
    for (const body of [
      Buffer.from(text, 'utf16le'),
      Buffer.from(text, 'latin1'),
      Buffer.from(`\ufeff${text}`, 'utf16le'),
    ]) {
      expect(refusal(await post(body))).toEqual({ status: 400, fault: 'request.not-json' })
    }
    expect((await post(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]), { 'content-encoding': 'gzip' })).status).toBe(400)
  })

  test('that nest deeper than anybody means are refused before they are parsed, at once and without harm', async () => {
    const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`
    expect(refusal(await post(deep))).toEqual({ status: 400, fault: 'request.too-deep' })
    expect(refusal(await post('['.repeat(500_000)))).toEqual({ status: 400, fault: 'request.too-deep' })
    await lives()
  })

  test('that are JSON and no message are refused with the member that is wrong', async () => {
    const cases: [string, string][] = [
      ['null', 'the body'],
      ['"hello"', 'the body'],
      ['42', 'the body'],
      ['{}', '/jsonrpc'],
      ['{"jsonrpc":"1.0","id":1,"method":"x"}', '/jsonrpc'],
      ['{"jsonrpc":"2.0","id":null,"method":"tools/list"}', '/id'],
      ['{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}', '/id'],
      ['{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/list"}', '/id'],
      ['{"jsonrpc":"2.0","id":1,"method":7}', '/method'],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[1]}', '/params'],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":3}}', '/params/_meta'],
      ['{"jsonrpc":"2.0","id":1,"method":"x","result":{}}', 'the body'],
    ]
    for (const [body, place] of cases) {
      const answer = await post(body, legacy)
      expect({ body, ...refusal(answer) }).toEqual({ body, status: 400, fault: 'request.shape' })
      expect(answer.body).toContain(place)
    }
  })

  test('with a name twice mean one thing only: what was read is what goes on', async () => {
    const twice = '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping","method":"tools/list"}'
    const answer = await post(twice, legacy)
    expect(JSON.parse(answer.body)).toMatchObject({ id: 2, result: { tools: [] } })
  })

  test('whose names are those of every object harm nobody', async () => {
    const nasty =
      '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}'
    expect((await post(nasty, legacy)).status).toBe(200)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    for (const method of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      expect(await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method }), legacy)).toMatchObject({
        body: expect.stringContaining('Method not found'),
      })
    }
  })
})

test('a stream that its client could not read is refused with 406 before it begins, in both eras', async () => {
  const listen = requestOf('subscriptions/listen', { notifications: {} }, TEST_KEY)
  const answer = await post(listen.body, { 'mcp-method': 'subscriptions/listen', accept: 'application/json' })
  expect(refusal(answer)).toEqual({ status: 406, fault: 'request.not-acceptable' })
  const headers = { host: new URL(gateway.address).host, connection: 'close', authorization: `Bearer ${TEST_KEY}` }
  const stream = await exchangeRaw(gateway.address, headOf('GET /mcp', { ...headers, accept: 'application/json' }))
  expect(stream.status).toBe(406)
})

describe('batches', () => {
  const batch = JSON.stringify([
    { jsonrpc: '2.0', id: 1, method: 'ping' },
    { jsonrpc: '2.0', id: 2, method: 'no/such' },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '1.0', id: 3, method: 'ping' },
  ])
  const in_ = (revision: string) => ({ 'mcp-method': '', 'mcp-protocol-version': revision })

  test('are answered item by item where the revision knows them', async () => {
    for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18']) {
      const { status, body } = await post(batch, in_(revision))
      expect({ revision, status }).toEqual({ revision, status: 200 })
      expect(JSON.parse(body)).toMatchObject([
        { id: 1, result: {} },
        { id: 2, error: { code: -32601 } },
        { id: 3, error: { code: -32600 } },
      ])
    }
  })

  test('are refused where the revision has none, and when they are empty or endless', async () => {
    expect(refusal(await post(batch, in_('2025-11-25')))).toEqual({ status: 400, fault: 'request.batch' })
    expect(refusal(await post(batch))).toEqual({ status: 400, fault: 'request.batch' })
    expect(refusal(await post('[]', in_('2025-03-26')))).toEqual({ status: 400, fault: 'request.shape' })
    const endless = JSON.stringify(Array.from({ length: 101 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' })))
    expect(refusal(await post(endless, in_('2025-03-26')))).toEqual({ status: 400, fault: 'request.batch-size' })
  })
})

describe('who may knock', () => {
  const refused = async (line: string, headers: Headers) => {
    const answer = await exchangeRaw(gateway.address, headOf(line, { connection: 'close', ...headers }))
    return {
      status: answer.status,
      type: answer.headers['content-type'],
      code: (JSON.parse(answer.body) as { code?: string }).code,
    }
  }
  const host = () => new URL(gateway.address).host
  const authorization = `Bearer ${TEST_KEY}`

  test('a Host that is not ours is refused everywhere, whatever it resolves to', async () => {
    const problem = { status: 403, type: 'application/problem+json', code: 'request.host' }
    for (const name of [
      'evil.example',
      'evil.example:80',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      'LOCALHOST@evil.example',
      '[::2]',
      '0x7f.1',
    ]) {
      expect(await refused('GET /health/live', { host: name })).toEqual(problem)
      expect(await refused('POST /mcp', { host: name, authorization, 'content-length': '0' })).toEqual(problem)
    }
    // An absolute address in the request line does not stand in for the Host header.
    expect(await refused('GET http://127.0.0.1/health/live', { host: 'evil.example' })).toEqual(problem)
    // Two Host headers, or none, are no HTTP (RFC 9112, section 3.2): Node ends such a connection itself.
    expect((await exchangeRaw(gateway.address, headOf('GET /health/live', {}))).status).toBe(400)
  })

  test('two lines of Host or of Authorization are refused at every door, sockets included, whichever is good', async () => {
    const { host } = new URL(gateway.address)
    const upgrade = { connection: 'Upgrade, close', upgrade: 'websocket', 'sec-websocket-version': '13' }
    const key = 'dGhlIHNhbXBsZSBub25jZQ=='
    const pairs: Headers[] = [
      { host: [host, 'evil.example'] },
      { host: ['evil.example', host] },
      { host: [host, host] },
      { host, authorization: [`Bearer ${TEST_KEY}`, 'Bearer other'] },
      { host, authorization: ['Bearer other', `Bearer ${TEST_KEY}`] },
    ]
    const paths = ['/mcp', '/', '/health/ready', '/api/v1/openapi.json', '/authorize', '/token', '/tools', '/metrics']
    for (const pair of pairs) {
      for (const path of paths) {
        const answer = await exchangeRaw(gateway.address, headOf(`GET ${path}`, { connection: 'close', ...pair }))
        expect({ path, pair, status: answer.status }).toEqual({ path, pair, status: 400 })
      }
      for (const path of ['/mcp', '/api/v1/events']) {
        const head = headOf(`GET ${path}`, { ...upgrade, 'sec-websocket-key': key, ...pair })
        const { status } = await exchangeRaw(gateway.address, head)
        expect({ path, pair, status }).toEqual({ path, pair, status: 400 })
      }
    }
  })

  test('an Origin that is not allowed is refused on every method, and an absent or allowed one passes', async () => {
    const problem = { status: 403, type: 'application/problem+json', code: 'request.origin' }
    const origins = [
      'https://evil.example',
      'null',
      'https://console.example.com.evil.example',
      'http://console.example.com',
      'https://console.example.com:444',
      'file://',
      '',
    ]
    const from = { host: host(), authorization, 'content-type': 'application/json', 'content-length': '0' }
    for (const origin of origins) {
      for (const line of ['POST /mcp', 'GET /mcp', 'DELETE /mcp', 'OPTIONS /mcp', 'GET /health/live']) {
        expect({
          origin,
          line,
          ...(await refused(line, { ...from, origin })),
        }).toEqual({ origin, line, ...problem })
      }
    }
    // A handshake for a WebSocket is a request like any other.
    const handshake = {
      host: host(),
      origin: 'https://evil.example',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    }
    expect(await refused('GET /mcp', { ...handshake, connection: 'Upgrade, close' })).toEqual(problem)
    expect((await post(LIST.body)).status).toBe(200)
    expect((await post(LIST.body, { origin: ORIGIN })).status).toBe(200)
    expect((await post(LIST.body, { origin: gateway.address })).status).toBe(200)
  })

  test('S3-MCP-13: a browser of an allowed origin may ask first, and may read Mcp-Session-Id', async () => {
    const ask = {
      host: host(),
      connection: 'close',
      origin: ORIGIN,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,mcp-protocol-version',
    }
    const preflight = await exchangeRaw(gateway.address, headOf('OPTIONS /mcp', ask))
    expect(preflight.status).toBe(204)
    expect(preflight.headers).toMatchObject({ 'access-control-allow-origin': ORIGIN, vary: 'Origin' })
    const allowed = preflight.headers['access-control-allow-headers']?.toLowerCase().split(', ')
    expect(allowed).toEqual(
      expect.arrayContaining([
        'authorization',
        'content-type',
        'mcp-session-id',
        'mcp-protocol-version',
        'mcp-method',
        'mcp-name',
        'last-event-id',
      ]),
    )
    expect(preflight.headers['access-control-allow-methods']).toBe('GET, POST, PUT, PATCH, DELETE')
    const opening = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'browser', version: '1' } },
    })
    const answer = await post(opening, { ...legacy, origin: ORIGIN })
    expect(answer.headers['mcp-session-id']).toMatch(/^[0-9a-f]{32}$/)
    expect(answer.headers['access-control-expose-headers']?.split(', ')).toContain('Mcp-Session-Id')
    expect(answer.headers['access-control-allow-origin']).toBe(ORIGIN)
    // Without an Origin there is nobody to tell.
    expect((await post(opening, legacy)).headers['access-control-allow-origin']).toBeUndefined()
  })

  test('a browser may send the headers that a server makes of parameters, and no others that it thinks of', async () => {
    const asked = 'mcp-param-region, Mcp-Param-Row_Limit,x-other,mcp-param-, mcp-param-a b,authorization'
    const head = headOf('OPTIONS /mcp', {
      host: host(),
      connection: 'close',
      origin: ORIGIN,
      'access-control-request-method': 'POST',
      'access-control-request-headers': asked,
    })
    const { headers } = await exchangeRaw(gateway.address, head)
    const allowed = headers['access-control-allow-headers']?.toLowerCase().split(', ')
    expect(allowed).toEqual(expect.arrayContaining(['mcp-param-region', 'mcp-param-row_limit', 'last-event-id']))
    for (const never of ['x-other', 'mcp-param-', 'mcp-param-a b']) expect(allowed).not.toContain(never)
  })

  test('a target in the absolute form counts as Host does: it must be ours, and the same', async () => {
    const ask = (target: string, name = host()) =>
      exchangeRaw(gateway.address, headOf(`GET ${target}`, { host: name, connection: 'close' }))
    expect((await ask(`http://${host()}/health/live`)).status).toBe(200)
    expect((await ask(`HTTP://${host().toUpperCase()}/health/live`)).status).toBe(200)
    expect((await ask(`http://${host()}/mcp`)).status).toBe(401)
    for (const target of [
      'http://evil.example/health/live',
      'http://evil.example/mcp',
      `http://${host()}@evil.example/mcp`,
      'http:///health/live',
      'https://localhost:1/mcp',
    ]) {
      expect((await ask(target)).status, target).toBe(403)
    }
    expect((await ask('http://evil.example/health/live', 'evil.example')).status).toBe(403)
  })

  test('an address that is not served answers problem+json, whatever the method', async () => {
    for (const line of [
      'GET /nothing',
      'POST /mcp/more',
      'PUT /',
      'GET /o/default/t/../mcp',
      'GET /%2e%2e/%2e%2e/etc/passwd',
      'GET //evil.example/mcp',
      'DELETE /metricsx',
    ]) {
      const found = await refused(line, { host: host(), authorization, 'content-length': '0' })
      expect({ line, ...found }).toEqual({
        line,
        status: 404,
        type: 'application/problem+json',
        code: 'address.unknown',
      })
    }
    expect(await refused('GET /metrics', { host: host() })).toMatchObject({ status: 401, code: 'key.missing' })
    expect(await refused('PUT /mcp', { host: host() })).toMatchObject({ status: 401 })
    const put = await exchangeRaw(
      gateway.address,
      headOf('PUT /mcp', { host: host(), connection: 'close', authorization, 'content-length': '0' }),
    )
    expect({ status: put.status, allow: put.headers['allow'] }).toEqual({ status: 405, allow: 'POST, GET, DELETE' })
  })
})

describe('clients that are slow, or go away', () => {
  test('hold nobody up: with three hundred of them half said, the others are answered', async () => {
    const head = headOf('POST /mcp', { host: new URL(gateway.address).host, ...LIST.headers, 'content-length': '1000' })
    const slow = await Promise.all(Array.from({ length: 300 }, () => openRaw(gateway.address)))
    for (const [at, raw] of slow.entries()) raw.write(at % 2 === 0 ? head.slice(0, 60) : `${head}{"jsonrpc"`)
    for (let round = 0; round < 20; round++) await lives()
    for (const raw of slow) raw[Symbol.dispose]()
    await lives()
  })

  test('leave nothing behind when they go in the middle of a body', async () => {
    const refusals = () => gateway.log.filter(({ facts }) => facts['code'] === 'request.cut-off').length
    const before = refusals()
    for (let round = 0; round < 20; round++) {
      const raw = await openRaw(gateway.address)
      raw.write(headOf('POST /mcp', { host: new URL(gateway.address).host, ...LIST.headers, 'content-length': '1000' }))
      raw.write('{"jsonrpc":')
      await new Promise((resolve) => setTimeout(resolve, 5))
      raw[Symbol.dispose]()
    }
    await expect.poll(refusals).toBeGreaterThanOrEqual(before + 19)
    await lives()
  })

  test('cannot fill the memory: what is kept of forty endless bodies is bounded', async () => {
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(0x10000, 0x20), Buffer.from('\r\n')])
    const head = headOf('POST /mcp', {
      host: new URL(gateway.address).host,
      ...LIST.headers,
      'transfer-encoding': 'chunked',
    })
    const before = process.memoryUsage().arrayBuffers
    let most = 0
    await Promise.all(
      Array.from({ length: 40 }, async () => {
        using raw = await openRaw(gateway.address)
        raw.write(head)
        for (let sent = 0; sent < 128 && !raw.socket.destroyed; sent++) {
          if (!raw.socket.write(chunk))
            await new Promise<void>((resolve) => void raw.socket.once('drain', resolve).once('close', resolve))
          most = Math.max(most, process.memoryUsage().arrayBuffers)
        }
        raw.socket.end('0\r\n\r\n')
        await expect.poll(() => raw.received()).toContain(' 413 ')
      }),
    )
    // 40 × 8 MiB were offered; 40 × 1 MiB may be held at the most. The rest of the bound is what is on its way through the
    // sockets, on both sides, and what was let go of and is not collected yet.
    expect(most - before).toBeLessThan(40 * 4 * LIMIT)
    await lives()
  })
})
