/**
 * Tests the errors that a client on stdio gets when the connection to the gateway fails, and the bridge's behaviour when the
 * client fails. Each request gets one answer, nothing is sent twice, no process is left.
 */
// @module-tag long
import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { buildBridge, modern, open, startBridge, type BuiltBridge } from '../e2e/peers/clients/bridge.ts'
import { openGateway } from '../e2e/peers/open-gateway.ts'
import { startProbe, type ProbeServer } from '../e2e/peers/probes/probe-server.ts'
import { httpWire } from '../e2e/peers/servers/real-servers.ts'
import { startRecorder } from '../e2e/peers/recorder.ts'
import { until } from '../e2e/peers/until.ts'
import { sayError, sayJson, startScriptedUpstream, type Heard } from './scripted-upstream.ts'

const parts = new AsyncDisposableStack()
let built: BuiltBridge
let gateway: TestGateway
let probe: ProbeServer
beforeAll(async () => {
  built = parts.use(await buildBridge())
  probe = parts.use(await startProbe({ era: 'legacy' }))
  gateway = parts.use(await openGateway({ connections: [{ alias: 'probe', wire: httpWire(probe.url) }] }))
})
afterAll(() => parts.disposeAsync())

const here = () => ({ url: gateway.connectionUrl('probe'), key: gateway.key })
const echo = (text: string) => ({ name: 'echo', arguments: { text } })
const textOf = (line: { result?: Record<string, unknown> }) =>
  (line.result as { content: { text: string }[] } | undefined)?.content[0]?.text

describe('a key', () => {
  test('that is missing or wrong is said in the client, with the variable that holds it', async () => {
    for (const key of [undefined, `uru_${'0'.repeat(64)}`]) {
      await using bridge = startBridge(built, { ...here(), key })
      const answer = await bridge.ask({ id: 1, method: 'initialize', params: {} })
      expect(answer.error).toMatchObject({ code: -32603, data: { code: 'UNAUTHENTICATED', fault: 'bridge.key' } })
      expect(answer.error?.message).toMatch(/the variable TOOLWAY_KEY\. Set it in the configuration of this client/)
      expect((await bridge.ask({ id: 2, method: 'tools/list', params: modern() })).error).toMatchObject(
        answer.error ?? {},
      )
      bridge.child.stdin?.end()
      expect(await bridge.ended).toBe(0)
    }
  })

  test('is in no line of either stream, whatever the gateway says', async () => {
    await using gone = await startScriptedUpstream({
      era: 'legacy',
      act: (heard, response) => {
        sayJson(response, { error: heard.headers.authorization }, 500)
        return true
      },
    })
    await using bridge = startBridge(built, { url: gone.url, key: 'secret-of-mine' })
    const answer = await bridge.ask({ id: 1, method: 'initialize', params: {} })
    expect(answer.error).toMatchObject({ data: { fault: 'bridge.refused' } })
    expect(answer.error?.message).toContain('responds with HTTP 500')
    expect(JSON.stringify(bridge.lines) + bridge.err()).not.toContain('secret-of-mine')
  })
})

describe('a gateway', () => {
  test('that is not there yet is waited for', async () => {
    await using recorder = await startRecorder(here().url)
    await recorder.leave()
    await using bridge = startBridge(built, { url: recorder.url, key: gateway.key })
    bridge.send({ id: 1, method: 'tools/call', params: modern(echo('patience')) })
    await until('it says so', () => bridge.err().includes('nothing is listening there'))
    await recorder.comeBack()
    expect(textOf(await bridge.answerTo(1))).toBe('patience')
    expect(recorder.of('tools/call')).toHaveLength(1)
  })

  test.each(['modern', 'legacy'])(
    'that is replaced in the middle of a %s call is told, and the call is not made again',
    async (era) => {
      await using other = await startTestGateway({ connections: [{ alias: 'probe', wire: httpWire(probe.url) }] })
      await other.settled('probe')
      await using recorder = await startRecorder(here().url)
      await using bridge = startBridge(built, { url: recorder.url, key: gateway.key })
      if (era === 'legacy') await open(bridge)
      const label = `cut ${era}`
      const params = (call: Record<string, unknown>) => (era === 'modern' ? modern(call) : call)
      bridge.send({ id: 'cut', method: 'tools/call', params: params({ name: 'hang', arguments: { label } }) })
      await until(label, () => probe.state.events.includes(`hang ${label}`))
      await recorder.leave()
      await recorder.comeBack(other.connectionUrl('probe'))
      expect((await bridge.answerTo('cut')).error).toMatchObject({ data: { fault: 'bridge.lost', retryable: false } })
      expect(textOf(await bridge.ask({ id: 'next', method: 'tools/call', params: params(echo('again')) }))).toBe(
        'again',
      )
      expect(recorder.of('tools/call').filter(({ body }) => body.includes(label))).toHaveLength(1)
      expect(bridge.lines.filter(({ id }) => id === 'cut')).toHaveLength(1)
    },
  )

  test('that was restarted gets the session anew, with the level that was set, and the client only looks again', async () => {
    await using other = await startTestGateway({ connections: [{ alias: 'probe', wire: httpWire(probe.url) }] })
    await other.settled('probe')
    await using recorder = await startRecorder(here().url)
    await using bridge = startBridge(built, { url: recorder.url, key: gateway.key })
    await open(bridge)
    await bridge.ask({ id: 1, method: 'logging/setLevel', params: { level: 'error' } })
    await recorder.leave()
    await recorder.comeBack(other.connectionUrl('probe'))
    const answers = await Promise.all(
      [10, 11, 12].map((id) => bridge.ask({ id, method: 'tools/call', params: echo(`call ${id}`) })),
    )
    expect(answers.map(textOf)).toEqual(['call 10', 'call 11', 'call 12'])
    expect(recorder.of('initialize').map(({ message }) => message?.id)).toEqual(['open', 'toolway-bridge-1'])
    expect(recorder.of('logging/setLevel').map(({ message }) => message?.params)).toEqual([
      { level: 'error' },
      { level: 'error' },
    ])
    await bridge.heard('notifications/tools/list_changed')
    expect(bridge.lines.filter(({ id }) => String(id).startsWith('toolway-bridge'))).toEqual([])
  })

  test('behind a proxy that sends its callers on is named, and gets no key there', async () => {
    await using moved = await startScriptedUpstream({
      era: 'legacy',
      act(_, response) {
        response.writeHead(308, { location: 'https://tools.example.com/mcp' }).end()
        return true
      },
    })
    await using bridge = startBridge(built, { url: moved.url, key: 'k' })
    const answer = await bridge.ask({ id: 1, method: 'initialize', params: {} })
    expect(answer.error?.message).toContain('HTTP 308: it redirects to https://tools.example.com/mcp.')
  })

  test('is reached by the proxy of the environment, where Node knows how', async () => {
    await using proxy = await startScriptedUpstream({
      era: 'legacy',
      act: ({ headers }) => headers.host !== 'tools.invalid',
    })
    const env = { HTTP_PROXY: new URL(proxy.url).origin }
    await using bridge = startBridge({ ...built, node: process.execPath }, { url: 'http://tools.invalid' }, { env })
    expect((await open(bridge)).result).toBeDefined()
    await using old = startBridge(built, { url: 'http://tools.invalid' }, { env })
    await until('it says so', () => built.node === process.execPath || old.err().includes('cannot use it'))
  })

  test('that serves no MCP at that address is named with what it says', async () => {
    await using bridge = startBridge(built, { url: `${gateway.address}/nowhere`, key: gateway.key })
    const answer = await bridge.ask({ id: 1, method: 'initialize', params: {} })
    expect(answer.error?.message).toMatch(
      /\/nowhere responds with HTTP 404: Nothing is served at \/nowhere\. Check that --url/,
    )
  })

  test('that does not speak TLS where it should is told at once', async () => {
    await using bridge = startBridge(built, { url: gateway.url.replace('http:', 'https:'), key: gateway.key })
    const answer = await bridge.ask({ id: 1, method: 'initialize', params: {} })
    expect(answer.error).toMatchObject({ data: { fault: 'bridge.unreachable' } })
    expect(answer.error?.message).toContain('does not use TLS on this port')
  })
})

/** A gateway that names its events, closes the stream of a call after each, and has the rest for who names the last. */
function resumable(response: ServerResponse, heard: Heard, rest: readonly object[]): boolean {
  const last = heard.headers['last-event-id']
  const isCall = heard.method === 'tools/call'
  if (!isCall && (heard.verb !== 'GET' || last === undefined)) return false
  const from = isCall ? 0 : Number(String(last).split('-')[1]) + 1
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(`id: e-${from}\nretry: 10\ndata: \n\n`)
  const next = rest[from]
  if (next !== undefined) response.write(`id: e-${from}\ndata: ${JSON.stringify(next)}\n\n`)
  // Bytes that belong to no whole event are lost with the connection, and must not be half a message.
  setTimeout(() => response.destroy(), 20)
  return true
}

describe('a stream that breaks off', () => {
  test('is resumed by its last event, without loss or doubles', async () => {
    const told = [1, 2, 3].map((progress) => ({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 't', progress },
    }))
    const rest = [...told, { jsonrpc: '2.0', id: 7, result: { content: [] } }]
    await using cutting = await startScriptedUpstream({
      era: 'legacy',
      act: (heard, response) => resumable(response, heard, rest),
    })
    await using bridge = startBridge(built, { url: cutting.url, key: 'k' })
    await open(bridge)
    expect((await bridge.ask({ id: 7, method: 'tools/call', params: { name: 'x' } })).result).toEqual({ content: [] })
    expect(bridge.lines.slice(1).map(({ params }) => params?.['progress'])).toEqual([1, 2, 3, undefined])
    expect(cutting.of('tools/call')).toHaveLength(1)
    const resumed = cutting.heard.filter(({ headers }) => headers['last-event-id'] !== undefined)
    expect(resumed.map(({ headers }) => headers['last-event-id'])).toEqual(['e-0', 'e-1', 'e-2'])
  })

  test('and is gone by the time it is asked for is lost, and said so at once', async () => {
    await using gone = await startScriptedUpstream({
      era: 'legacy',
      act(heard, response) {
        if (heard.headers['last-event-id'] === undefined) return resumable(response, heard, [])
        sayError(response, heard, 'no longer kept', 410)
        return true
      },
    })
    await using bridge = startBridge(built, { url: gone.url, key: 'k' })
    await open(bridge)
    const answer = await bridge.ask({ id: 7, method: 'tools/call', params: { name: 'x' } })
    expect(answer.error).toMatchObject({ data: { fault: 'bridge.lost' } })
    expect(gone.of('tools/call')).toHaveLength(1)
  })

  test('of the gateway’s own is begun anew where it cannot be resumed, and the client is told to look again', async () => {
    const streams: (string | undefined)[] = []
    await using own = await startScriptedUpstream({
      era: 'legacy',
      capabilities: { tools: { listChanged: true }, prompts: {} },
      act(heard, response) {
        if (heard.verb !== 'GET') return false
        const last = heard.headers['last-event-id']?.toString()
        streams.push(last)
        if (last !== undefined) sayError(response, heard, 'no longer kept', 410)
        else response.writeHead(200, { 'content-type': 'text/event-stream' }).write('id: own-1\nretry: 10\ndata: \n\n')
        if (streams.length === 1) setTimeout(() => response.destroy(), 20)
        return true
      },
    })
    await using bridge = startBridge(built, { url: own.url, key: 'k' })
    await open(bridge)
    await bridge.heard('notifications/tools/list_changed')
    expect(streams).toEqual([undefined, 'own-1', undefined])
    expect(bridge.lines.slice(1)).toHaveLength(1)
  })

  test('of a listening is opened again, and the client is told to look again', async () => {
    await using recorder = await startRecorder(here().url)
    await using bridge = startBridge(built, { url: recorder.url, key: gateway.key })
    const params = modern({ notifications: { toolsListChanged: true } })
    bridge.send({ id: 'ear', method: 'subscriptions/listen', params })
    await bridge.heard('notifications/subscriptions/acknowledged')
    await recorder.leave()
    await recorder.comeBack()
    expect((await bridge.heard('notifications/tools/list_changed')).params).toEqual({
      _meta: { 'io.modelcontextprotocol/subscriptionId': 'ear' },
    })
    await until('it listens again', () => recorder.of('subscriptions/listen').length === 2)
    bridge.send({ method: 'notifications/cancelled', params: { requestId: 'ear' } })
    await until('it is cancelled', () => recorder.of('subscriptions/listen').at(-1)?.cutOff)
    expect(bridge.lines.map(({ method }) => method)).toEqual([
      'notifications/subscriptions/acknowledged',
      'notifications/tools/list_changed',
    ])
  })
})

describe('a client', () => {
  test('that sends what cannot be read gets an error for it, and is heard on', async () => {
    await using bridge = startBridge(built, here())
    bridge.write('this is not JSON\n')
    bridge.write(
      Buffer.concat([
        Buffer.from('{"jsonrpc":"2.0","id":5,"method":"ping","x":"'),
        Buffer.from([0xff]),
        Buffer.from('"}\n'),
      ]),
    )
    bridge.write('{"jsonrpc":"2.0","id":6,"method":"pi\n')
    bridge.write(`{"jsonrpc":"2.0","id":7,"method":"x","params":${'['.repeat(100)}${']'.repeat(100)}}\n`)
    bridge.write('{"jsonrpc":"1.0","id":8,"method":"x"}\n\r\n\n[]\n')
    bridge.write('{"jsonrpc":"2.0","id":9,"met')
    bridge.write('hod":"tools/call","params":')
    bridge.write(`${JSON.stringify(modern(echo('in pieces')))}}\n`)
    expect(textOf(await bridge.answerTo(9))).toBe('in pieces')
    const told = bridge.lines.filter(({ error }) => error !== undefined)
    expect(told.map(({ id, error }) => [id, error?.code])).toEqual([
      [undefined, -32700],
      [5, -32700],
      [undefined, -32700],
      [7, -32600],
      [8, -32600],
    ])
  })

  test('that sends more than a line may have is told which request it was', async () => {
    await using bridge = startBridge(built, here())
    const filling = 'x'.repeat(17 * 1024 * 1024)
    bridge.send({ id: 'long', method: 'tools/call', params: { filling } })
    const answer = await bridge.answerTo('long')
    expect(answer.error).toMatchObject({ code: -32600, data: { code: 'PAYLOAD_TOO_LARGE' } })
    // A message within the bridge's limit is checked by the gateway.
    bridge.send({ id: 'less', method: 'tools/call', params: modern({ filling: 'x'.repeat(2 * 1024 * 1024) }) })
    expect((await bridge.answerTo('less')).error).toMatchObject({ data: { code: 'PAYLOAD_TOO_LARGE' } })
    expect(textOf(await bridge.ask({ id: 'ok', method: 'tools/call', params: modern(echo('on')) }))).toBe('on')
  })

  test('that uses one id for several requests gets an answer to each', async () => {
    await using bridge = startBridge(built, here())
    await open(bridge)
    for (const text of ['a', 'b', 'c']) bridge.send({ id: 1, method: 'tools/call', params: echo(text) })
    await until('three answers', () => bridge.lines.filter(({ id }) => id === 1).length === 3)
    const texts = bridge.lines.filter(({ id }) => id === 1).map(textOf)
    expect(new Set(texts)).toEqual(new Set(['a', 'b', 'c']))
  })

  test('that has too much under way is told so, and served again later', async () => {
    await using bridge = startBridge(built, here())
    const ids = Array.from({ length: 260 }, (_, at) => `hang ${at}`)
    for (const id of ids)
      bridge.send({ id, method: 'tools/call', params: modern({ name: 'hang', arguments: { label: 'many' } }) })
    expect((await bridge.answerTo('hang 259')).error).toMatchObject({ data: { fault: 'bridge.busy', retryable: true } })
    for (const requestId of ids) bridge.send({ method: 'notifications/cancelled', params: { requestId } })
    expect(textOf(await bridge.ask({ id: 'ok', method: 'tools/call', params: modern(echo('on')) }))).toBe('on')
    expect(bridge.lines.filter(({ error }) => error !== undefined)).toHaveLength(4)
  })

  test('that disappears at any byte takes the bridge with it', async () => {
    const message = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: modern(echo('gone')) })}\n`
    const cuts = [0, 1, 10, message.length - 2, message.length - 1, message.length]
    const ends = cuts.map(async (cut) => {
      await using bridge = startBridge(built, here())
      bridge.write(message.slice(0, cut))
      bridge.child.stdin?.end()
      return { cut, code: await bridge.ended, said: bridge.lines.length }
    })
    // A line that is whole but for its end is a message; half of one is none.
    const said = (cut: number) => (cut === 0 ? 0 : 1)
    expect(await Promise.all(ends)).toEqual(cuts.map((cut) => ({ cut, code: 0, said: said(cut) })))
  })

  test('that no longer reads, or is told to go, ends quietly', async () => {
    const ways = ['SIGTERM', 'SIGINT', 'SIGHUP', 'EPIPE'] as const
    const ends = ways.map(async (way) => {
      await using bridge = startBridge(built, here())
      await open(bridge)
      if (way === 'EPIPE') {
        bridge.child.stdout?.destroy()
        bridge.send({ id: 1, method: 'tools/call', params: echo('nobody') })
      } else bridge.child.kill(way)
      return { way, code: await bridge.ended, err: bridge.err() }
    })
    expect(await Promise.all(ends)).toEqual(ways.map((way) => ({ way, code: 0, err: '' })))
  })

  test('that does not read what it asked for does not fill the memory', async () => {
    const filling = 'x'.repeat(2_000_000)
    await using large = await startScriptedUpstream({
      era: 'modern',
      act(heard, response) {
        sayJson(response, { jsonrpc: '2.0', id: heard.id, result: { filling } })
        return true
      },
    })
    await using bridge = startBridge(built, { url: large.url, key: 'k' })
    const { stdout } = bridge.child
    stdout?.pause()
    const ids = Array.from({ length: 80 }, (_, at) => at)
    for (const id of ids) bridge.send({ id, method: 'tools/list', params: modern() })
    bridge.write('broken\n'.repeat(20_000))
    await until('all are asked', () => large.heard.length === ids.length)
    const memory = /VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${bridge.pid}/status`, 'utf8'))?.[1]
    expect(Number(memory) / 1024).toBeLessThan(150)
    stdout?.resume()
    await until(
      'all are answered',
      () => bridge.lines.filter(({ result }) => result !== undefined).length === ids.length,
    )
    await until('the rest too', () => bridge.lines.filter(({ error }) => error !== undefined).length === 20_000)
  })

  test('that leaves ends the call that it made', async () => {
    for (const era of ['modern', 'legacy']) {
      const label = `left ${era}`
      await using bridge = startBridge(built, here())
      if (era === 'legacy') await open(bridge)
      const call = { name: 'hang', arguments: { label } }
      bridge.send({ id: 1, method: 'tools/call', params: era === 'modern' ? modern(call) : call })
      await until(label, () => probe.state.events.includes(`hang ${label}`))
      bridge.child.stdin?.end()
      expect(await bridge.ended).toBe(0)
      await until(`the end of ${label}`, () => probe.state.events.includes(`cancelled ${label}`))
    }
  })
})
