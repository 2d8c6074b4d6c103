/**
 * Servers whose connection is their session (HTTP+SSE, WebSocket) and that misbehave: the one who called is told what happened,
 * the next call works, nothing is sent twice, and nothing of it stays.
 */
// @module-tag long
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { startTestGateway, type TestConnection } from '../../packages/gateway/src/testing/gateway.ts'
import { openGateway } from '../e2e/peers/open-gateway.ts'
import { callTool as callRaw, openSession } from '../e2e/peers/clients/raw-client.ts'
import { handlesBeyond, handlesNow } from './handles.ts'
import { callTool, faultIn, textIn, type Called } from './caller.ts'
import { startFaultyStream, STREAM_MISBEHAVIOURS, type StreamMisbehaviour } from './faulty-stream.ts'

const names = Object.keys(STREAM_MISBEHAVIOURS) as StreamMisbehaviour[]
const patiently = { interval: 20 }

/** The error code that the caller gets; `ok` where the answer counts. */
const TOLD: Readonly<Record<StreamMisbehaviour, string>> = {
  good: 'ok',
  silent: 'upstream.timeout',
  twice: 'ok',
  stranger: 'upstream.timeout',
  'nobody-said': 'ok',
  garbage: 'ok',
  flood: 'ok',
  questions: 'ok',
  telling: 'an error',
  half: 'upstream.lost',
  cut: 'upstream.lost',
  huge: 'result.too-large',
}

const SECRET = 'Bearer secret-of-the-connection'
const at = (url: string, more: Partial<TestConnection> = {}): TestConnection => ({
  alias: 'faulty',
  timeout: 1,
  wire: { kind: 'http', url, headers: { authorization: SECRET } },
  ...more,
})
const outcomeOf = (answer: Called): string =>
  faultIn(answer)?.fault ?? (answer.message.error === undefined ? 'ok' : 'an error')

describe.each(['sse', 'socket'] as const)('a server over %s', (kind) => {
  test('that misbehaves costs its caller an answer that says so, and the next one nothing', async () => {
    await using upstream = await startFaultyStream(kind)
    await using gateway = await openGateway({ connections: [at(upstream.url, { timeout: 3 })] })
    const target = { url: gateway.connectionUrl('faulty'), key: gateway.key }
    const told: Record<string, string> = {}
    const texts: Record<string, string> = {}
    for (const name of names) {
      const answer = await callTool(target, name)
      told[name] = outcomeOf(answer)
      texts[name] = textIn(answer)
      expect(answer.status).toBe(200)
      expect(answer.text).not.toMatch(/secret-of|127\.0\.0\.1/)
      expect(textIn(await callTool(target, 'good')), `after ${name}`).toBe('done')
    }
    expect(told).toEqual(TOLD)
    expect(texts).toMatchObject({ twice: 'first', garbage: 'after the garbage', flood: 'after the flood' })
    for (const name of names) if (name !== 'good') expect(upstream.called.filter((one) => one === name)).toEqual([name])
    // Broken connections have been closed: the caller's session and the gateway's own two remain.
    await expect.poll(() => upstream.size, patiently).toBeLessThanOrEqual(3)
  })

  test('leaves nothing behind when the gateway is closed: no socket, no timer', async () => {
    const form = /^(TCP|Timeout)/
    // Connections of this test's own fetch are kept a few seconds for the next request.
    await expect.poll(() => handlesNow(form).join()).not.toContain('TCP')
    const before = handlesNow(form)
    {
      await using upstream = await startFaultyStream(kind)
      await using gateway = await openGateway({ connections: [at(upstream.url)] })
      const target = { url: gateway.connectionUrl('faulty'), key: gateway.key }
      await Promise.all([callTool(target, 'good'), callTool(target, 'silent'), callTool(target, 'cut')])
    }
    await expect.poll(() => handlesBeyond(before, form)).toEqual([])
  })
})

interface Scripted extends AsyncDisposable {
  readonly url: string
  readonly heard: readonly { verb: string; url: string; body: string; authorization: string | undefined }[]
}

/** An HTTP server that knows no POST at its address; what it does otherwise is the test's. */
async function startPair(
  act: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<Scripted> {
  const heard: { verb: string; url: string; body: string; authorization: string | undefined }[] = []
  const server = createServer((request, response) => {
    response.on('error', () => {})
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      heard.push({ verb: method, url, body, authorization: headers.authorization })
      if (method === 'POST' && url === '/sse') response.writeHead(405).end()
      else act(request, response, body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`,
    heard,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => void (server.closeAllConnections(), server.close(() => resolve()))),
  }
}

const stream = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' })

describe('an HTTP+SSE server', () => {
  test('that names an endpoint at another origin is refused, and the other never hears of the credential', async () => {
    await using other = await startPair((_, response) => response.writeHead(202).end())
    const elsewhere = other.url.replace('/sse', '/messages')
    const asIs = elsewhere.replace('http://', '//')
    for (const named of [elsewhere, asIs, 'https://127.0.0.1/messages', 'javascript:alert(1)', 'http://']) {
      await using upstream = await startPair((_, response) =>
        stream(response).write(`event: endpoint\ndata: ${named}\n\n`),
      )
      await using gateway = await startTestGateway({ connections: [at(upstream.url)] })
      expect(await gateway.settled('faulty'), named).toMatchObject({
        status: 'error',
        reason: expect.stringContaining('endpoint at another origin'),
      })
      expect(upstream.heard.filter(({ url }) => url !== '/sse')).toEqual([])
    }
    expect(other.heard).toEqual([])
  })

  test('that never names an endpoint is not waited for', async () => {
    await using upstream = await startPair((_, response) => {
      stream(response).write('event: message\ndata: {"jsonrpc":"2.0","method":"hello"}\n\n')
    })
    await using gateway = await startTestGateway({ connections: [at(upstream.url)] })
    expect(await gateway.settled('faulty')).toMatchObject({
      reason: expect.stringContaining('does not announce an endpoint'),
    })
  })

  test('that is none after all is told apart: what is said is what the POST was refused with', async () => {
    await using upstream = await startPair((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hi'),
    )
    await using gateway = await startTestGateway({ connections: [at(upstream.url)] })
    expect(await gateway.settled('faulty')).toMatchObject({
      reason: expect.stringContaining('it responded with HTTP 405'),
    })
  })

  test('that wants a credential says so, and is no other kind of server', async () => {
    await using upstream = await startPair((_, response) => response.writeHead(401).end())
    await using gateway = await startTestGateway({ connections: [at(upstream.url)] })
    expect(await gateway.settled('faulty')).toMatchObject({ status: 'needs_auth' })
  })

  test('that repeats the credential as it refuses a session is quoted without it', async () => {
    let line: ServerResponse | undefined
    await using upstream = await startPair((request, response, body) => {
      if (request.method === 'GET') {
        line = stream(response)
        return void line.write('event: endpoint\ndata: /messages\n\n')
      }
      const { id } = JSON.parse(body) as { id: number }
      const error = { code: -32000, message: `no ${request.headers.authorization}` }
      response.writeHead(202).end()
      line?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, error })}\n\n`)
    })
    await using gateway = await startTestGateway({ connections: [at(upstream.url)] })
    const { reason } = await gateway.settled('faulty')
    expect(reason).toContain('initialize: no [authorization')
    expect(reason).not.toContain('secret-of')
  })

  /** Answers everything on its stream; a call is first handed to the test. */
  function speaking(onCall: (response: ServerResponse, settle: () => void) => void) {
    const lines = new Map<string, ServerResponse>()
    return (request: IncomingMessage, response: ServerResponse, body: string) => {
      if (request.method === 'GET') {
        const endpoint = `/messages?session=${lines.size + 1}`
        lines.set(endpoint, response)
        return void stream(response).write(`event: endpoint\ndata: ${endpoint.slice(1)}\n\n`)
      }
      const { id, method } = JSON.parse(body) as { id?: number; method: string }
      const say = (result: object) =>
        lines.get(request.url ?? '')?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
      if (id === undefined) return void response.writeHead(202).end()
      if (method === 'tools/call')
        return onCall(response, () => say({ content: [{ type: 'text', text: `session ${request.url}` }] }))
      response.writeHead(202).end()
      const results: Record<string, object> = {
        initialize: {
          protocolVersion: '2024-11-05',
          capabilities: { tools: {} },
          serverInfo: { name: 'x', version: '1' },
        },
        'tools/list': { tools: [{ name: 'good', inputSchema: { type: 'object' } }] },
      }
      say(results[method] ?? {})
    }
  }
  test('is asked for its stream first from then on, until that is not there any more', async () => {
    let newer = false
    const speak = speaking((response, settle) => {
      response.writeHead(202).end()
      settle()
    })
    await using upstream = await startPair((request, response, body) => {
      if (newer && request.method === 'GET') response.writeHead(405).end()
      else speak(request, response, body)
    })
    await using gateway = await openGateway({ connections: [at(upstream.url, { timeout: 10 })] })
    const peer = await openSession(gateway.connectionUrl('faulty'), gateway.key)
    const tries = () => upstream.heard.filter(({ verb, url }) => verb === 'POST' && url === '/sse').length
    const before = tries()
    // Discovery and the first session; no session after it tries again.
    expect(before).toBe(2)
    await callRaw(peer, 'good')
    expect(tries()).toBe(before)
    newer = true
    const next = await openSession(gateway.connectionUrl('faulty'), gateway.key)
    const { answer } = await callRaw(next, 'good')
    expect(JSON.stringify(answer)).toContain('it responded with HTTP 405')
    expect(tries()).toBe(before + 1)
  })

  const callsOf = ({ heard }: Scripted) => heard.filter(({ body }) => body.includes('tools/call'))

  test('gets the credential with every message, and the address relative to its own', async () => {
    await using upstream = await startPair(
      speaking((response, settle) => {
        response.writeHead(202).end()
        settle()
      }),
    )
    await using gateway = await openGateway({ connections: [at(upstream.url, { timeout: 10 })] })
    expect(textIn(await callTool({ url: gateway.connectionUrl('faulty'), key: gateway.key }, 'good'))).toMatch(
      /^session/,
    )
    for (const { authorization } of upstream.heard) expect(authorization).toBe(SECRET)
    expect(callsOf(upstream)[0]?.url).toMatch(/^\/messages\?session=\d$/)
  })

  test('may answer on its stream first, and its POST much later or never', async () => {
    await using upstream = await startPair(speaking((_, settle) => settle()))
    await using gateway = await openGateway({ connections: [at(upstream.url, { timeout: 10 })] })
    const target = { url: gateway.connectionUrl('faulty'), key: gateway.key }
    expect(textIn(await callTool(target, 'good'))).toMatch(/^session/)
    expect(textIn(await callTool(target, 'good'))).toMatch(/^session/)
  })

  test('that does not know the session any more is given a new one; one that may have acted is not asked again', async () => {
    let refusing: 'session' | 'call' | undefined
    const gone = new Set<string | undefined>()
    const speak = speaking((response, settle) => {
      response.writeHead(202).end()
      settle()
    })
    await using upstream = await startPair((request, response, body) => {
      if (request.method === 'POST' && body.includes('tools/call') && refusing !== undefined) {
        if (refusing === 'session') gone.add(request.url)
        refusing = undefined
        return void response.writeHead(404).end('not found')
      }
      if (gone.has(request.url)) return void response.writeHead(404).end('no such session')
      speak(request, response, body)
    })
    await using gateway = await openGateway({ connections: [at(upstream.url, { timeout: 10 })] })
    const target = { url: gateway.connectionUrl('faulty'), key: gateway.key }
    await callTool(target, 'good')
    refusing = 'session'
    expect(textIn(await callTool(target, 'good'))).toMatch(/^session/)
    expect(callsOf(upstream)).toHaveLength(3)
    refusing = 'call'
    expect(faultIn(await callTool(target, 'good'))).toMatchObject({ fault: 'upstream.lost' })
    expect(callsOf(upstream)).toHaveLength(4)
    expect(textIn(await callTool(target, 'good'))).toMatch(/^session/)
  })

  test.each([
    ['has gone silent for good is given up after the first call that it does not answer', true],
    ['is slow with one call, and alive, is not given up', false],
  ])('whose stream %s', async (_, dead) => {
    let silent = false
    const gone = new Set<string | undefined>()
    const speak = speaking((response, settle) => {
      response.writeHead(202).end()
      if (!silent || dead) settle()
    })
    await using upstream = await startPair((request, response, body) => {
      if (silent && dead && gone.has(request.url)) response.writeHead(202).end()
      else speak(request, response, body)
    })
    await using gateway = await openGateway({ connections: [at(upstream.url)] })
    const target = { url: gateway.connectionUrl('faulty'), key: gateway.key }
    await callTool(target, 'good')
    gone.add(callsOf(upstream)[0]?.url)
    silent = true
    expect(faultIn(await callTool(target, 'good'))).toMatchObject({ fault: 'upstream.timeout' })
    if (!dead) silent = false
    // The one who calls next waits until it is clear whether anybody is there.
    expect(textIn(await callTool(target, 'good'))).toMatch(/^session/)
    const [first, , last] = callsOf(upstream).map(({ url }) => url)
    expect(last === first).toBe(!dead)
  })
})
