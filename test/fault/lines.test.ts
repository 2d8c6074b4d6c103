/**
 * Lasting lines under whatever a client can do to them: it leaves at any byte, sends what is no frame, too large, too much, reads
 * nothing, comes a thousand times. And what the gateway does to them: a key goes, the gateway ends. Nothing may be left.
 */
// @module-tag long
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { removeKey } from '../../packages/gateway/src/identity/keys/keys.ts'
import { startTestGateway, type TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { gauge } from '../e2e/peers/gauges.ts'
import { openGateway } from '../e2e/peers/open-gateway.ts'
import { startProbe, type ProbeServer } from '../e2e/peers/probes/probe-server.ts'
import { LINE_WAYS, modern, openLegacyLine, openLine, type LineWay } from '../e2e/peers/clients/raw-line.ts'
import { httpWire } from '../e2e/peers/servers/real-servers.ts'
import { until } from '../e2e/peers/until.ts'
import { headOf, openRaw } from './raw-socket.ts'
import { sayResult, startScriptedUpstream } from './scripted-upstream.ts'

const MIB = 1024 * 1024
const REMOVED = `uru_${'cd'.repeat(32)}`
/** Texts are passed on however long they are. */
const LONG = { TOOLWAY_RESULT_LIMIT: String(64 * MIB) }
const parts = new AsyncDisposableStack()
let probe: ProbeServer
let gateway: TestGateway
beforeAll(async () => {
  probe = parts.use(await startProbe({ era: 'legacy' }))
  gateway = parts.use(
    await openGateway({
      connections: [{ alias: 'up', wire: httpWire(probe.url) }],
      keys: [{ name: 'removed', value: REMOVED, toolset: undefined }],
    }),
  )
})
afterAll(() => parts.disposeAsync())

const at = (way: LineWay, key = gateway.key) => ({ way, url: gateway.connectionUrl('up'), key })
const hang = (label: string) => ({ name: 'hang', arguments: { label } })
const request = (id: string | number, method: string, params: object) => ({ jsonrpc: '2.0', id, method, params })
const hangs = (label: string) => until(`${label} hangs`, () => probe.state.events.includes(`hang ${label}`))
const isCancelled = (label: string) =>
  until(`${label} is cancelled`, () => probe.state.events.includes(`cancelled ${label}`))
const nothingLeft = async (of = gateway) => {
  await until('no line is left', async () => (await gauge(of, 'toolway_channels')) === 0)
  await until('no session is left', async () => (await gauge(of, 'toolway_sessions')) === 0)
}

describe.each(LINE_WAYS)('a line over %s', (way) => {
  test('that breaks ends what is under way on it, and its session', async () => {
    const line = await openLegacyLine(at(way))
    await line.say(request(1, 'tools/call', hang(`broken ${way}`)))
    await hangs(`broken ${way}`)
    line.drop()
    await isCancelled(`broken ${way}`)
    await nothingLeft()
  })

  test('that breaks ends what is under way on it without a session, too', async () => {
    const label = `no session ${way}`
    const line = await openLine(at(way))
    const params = way === 'socket' ? modern(hang(label)) : hang(label)
    await line.say(request(1, 'tools/call', params))
    await hangs(label)
    line.drop()
    await isCancelled(label)
    await nothingLeft()
  })

  test('has 100 requests under way at most; the next is told so, and one that ends makes room', async () => {
    const label = `flood ${way}`
    await using line = await openLegacyLine(at(way))
    await Promise.all(Array.from({ length: 120 }, (_, id) => line.say(request(id, 'tools/call', hang(label)))))
    const refused = await until('the rest is refused', () => {
      const errors = line.heard.filter(({ error }) => error !== undefined)
      return errors.length >= 20 && errors
    })
    expect(refused.map(({ error }) => error?.data?.['fault'])).toEqual(refused.map(() => 'channel.busy'))
    expect(refused).toHaveLength(20)
    const busy = new Set(refused.map(({ id }) => id))
    await until(
      'the others have begun',
      () => probe.state.events.filter((one) => one === `hang ${label}`).length === 100,
    )
    const one = Array.from({ length: 120 }, (_, id) => id).find((id) => !busy.has(id))
    await line.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: one } })
    await until('one is cancelled', () => probe.state.events.includes(`cancelled ${label}`))
    await until('there is room', async () => (await line.ask('ping')).result !== undefined)
  })

  test('whose key is removed ends at once, with what is under way; those of others stay', async () => {
    const own = await openGateway({
      connections: [{ alias: 'up', wire: httpWire(probe.url) }],
      keys: [{ name: 'removed', value: REMOVED, toolset: undefined }],
    })
    await using _ = own
    const url = own.connectionUrl('up')
    await using theirs = await openLegacyLine({ way, url, key: REMOVED })
    await using mine = await openLegacyLine({ way, url, key: own.key })
    await theirs.say(request(1, 'tools/call', hang(`removed ${way}`)))
    await hangs(`removed ${way}`)
    expect(await own.db.organization(own.organization.id, (sql) => removeKey(sql, 'removed'))).toBe(true)
    await until('it has ended', () => theirs.closed !== undefined)
    if (way === 'socket') expect(theirs.closed?.code).toBe(4401)
    await isCancelled(`removed ${way}`)
    expect((await mine.ask('ping')).result).toEqual({})
  })

  test('ends with the gateway, once what is under way is answered', async () => {
    let finish = () => {}
    await using upstream = await startScriptedUpstream({
      era: 'legacy',
      act(heard, response) {
        if (heard.method !== 'tools/call') return false
        finish = () => sayResult(response, heard, { content: [{ type: 'text', text: 'in time' }] })
        return true
      },
    })
    const ending = await openGateway({ connections: [{ alias: 'up', wire: httpWire(upstream.url) }] })
    const parts = { way, url: ending.connectionUrl('up'), key: ending.key }
    const [busy, idle] = [await openLegacyLine(parts), await openLegacyLine(parts)]
    const listening = way === 'socket' ? await openLine(parts) : undefined
    await listening?.say(request('l', 'subscriptions/listen', modern({ notifications: { toolsListChanged: true } })))
    await until('it listens', () => listening === undefined || listening.heard.length > 0)
    const answer = busy.ask('tools/call', { name: 'good', arguments: {} })
    await until('the call is there', () => upstream.of('tools/call').length === 1)
    const ended = ending[Symbol.asyncDispose]()
    await until('the idle one has ended', () => idle.closed !== undefined)
    expect(busy.closed).toBeUndefined()
    expect(
      (await busy.ask('ping').catch(() => ({ error: { data: { fault: 'gateway.draining' } } }))).error?.data,
    ).toMatchObject({
      fault: 'gateway.draining',
    })
    finish()
    expect((await answer).result?.content?.[0]?.text).toBe('in time')
    await until('it has ended', () => busy.closed !== undefined)
    await until('it listens no more', () => listening === undefined || listening.closed !== undefined)
    if (way === 'socket') {
      expect([idle.closed?.code, busy.closed?.code, listening?.closed?.code]).toEqual([1001, 1001, 1001])
      expect(listening?.heard.at(-1)).toMatchObject({ id: 'l', result: { resultType: 'complete' } })
    }
    await ended
  })
})

/** A client's frame: masked, as it must be; the first byte holds FIN and the opcode. */
function frameOf(payload: Buffer, first = 0x81, stated = payload.length): Buffer {
  const mask = randomBytes(4)
  const size =
    stated < 126
      ? Buffer.from([0x80 | stated])
      : stated < 65_536
        ? Buffer.from([0xfe, stated >> 8, stated & 0xff])
        : Buffer.concat([Buffer.from([0xff]), u64(stated)])
  return Buffer.concat([Buffer.from([first]), size, mask, payload.map((byte, at) => byte ^ (mask[at % 4] ?? 0))])
}
const u64 = (value: number) => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}
const textFrame = (message: unknown) => frameOf(Buffer.from(JSON.stringify(message)))
const upgradeHead = (key: string) =>
  headOf('GET /api/v1/default/connectors/up/mcp', {
    host: new URL(gateway.address).host,
    authorization: `Bearer ${key}`,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
    'sec-websocket-protocol': 'mcp',
  })
const INITIALIZE = request(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {} })

/** A WebSocket by hand, with its handshake done. */
async function openByHand() {
  const raw = await openRaw(gateway.address)
  raw.write(upgradeHead(gateway.key))
  await until('it is let in', () => raw.received().includes('\r\n\r\n'))
  expect(raw.received()).toMatch(/^HTTP\/1\.1 101 /)
  return raw
}
/** The code of the close frame that ends what came. */
const codeIn = (received: string): number => {
  const bytes = Buffer.from(received, 'latin1')
  const at = bytes.lastIndexOf(0x88)
  return bytes.readUInt16BE(at + 2)
}

describe('a WebSocket', () => {
  test.each([
    ['a binary frame', frameOf(Buffer.from('{}'), 0x82), 1003],
    ['text that is not UTF-8', frameOf(Buffer.from([0x22, 0xc3, 0x28, 0x22])), 1007],
    ['a message above the limit', frameOf(Buffer.alloc(MIB + 1, 0x20)), 1009],
    ['the head of a frame of 16 exbibytes', frameOf(Buffer.alloc(0), 0x81, 2 ** 53 - 1), 1009],
    [
      'fragments that are too large together',
      Buffer.concat([frameOf(Buffer.alloc(MIB, 0x20), 0x01), frameOf(Buffer.alloc(1, 0x20), 0x80)]),
      1009,
    ],
    ['a frame without a mask', Buffer.from([0x81, 0x02, 0x7b, 0x7d]), 1002],
    ['reserved bits', frameOf(Buffer.from('{}'), 0xf1), 1002],
    ['a continuation of nothing', frameOf(Buffer.from('{}'), 0x80), 1002],
    ['an opcode that nobody knows', frameOf(Buffer.from('{}'), 0x83), 1002],
    ['a ping that is too long', frameOf(Buffer.alloc(126), 0x89), 1002],
  ] as const)('that sends %s is closed with the code for it', async (_, frame, code) => {
    using raw = await openByHand()
    raw.write(frame)
    await raw.closed
    expect(codeIn(raw.received())).toBe(code)
  })

  test('may send a message of exactly the limit, in one frame or in many', async () => {
    await using line = await openLegacyLine(at('socket'))
    const message = JSON.stringify(request('big', 'tools/call', { name: 'echo', arguments: { text: '' } }))
    const text = 'x'.repeat(MIB - message.length)
    await line.say(message.replace('"text":""', `"text":"${text}"`))
    await until('it is answered', () => line.heard.find(({ id }) => id === 'big'))
    using raw = await openByHand()
    const bytes = Buffer.from(JSON.stringify(request(7, 'ping', {})))
    const frames = Array.from(bytes, (byte, at) =>
      frameOf(Buffer.from([byte]), (at === bytes.length - 1 ? 0x80 : 0) | (at === 0 ? 1 : 0)),
    )
    raw.write(Buffer.concat(frames))
    await until('it is answered', () => raw.received().includes('"id":7,"result":{}'))
  })

  test('whose client disappears at any byte leaves nothing', async () => {
    const bytes = Buffer.concat([
      Buffer.from(upgradeHead(gateway.key)),
      textFrame(INITIALIZE),
      textFrame(request(1, 'tools/call', hang('any byte'))),
      frameOf(Buffer.from('{"jsonrpc":"2.0"'), 0x01),
      frameOf(Buffer.alloc(0), 0x89),
      frameOf(Buffer.from([0x03, 0xe8]), 0x88),
    ])
    for (let from = 0; from <= bytes.length; from += 40) {
      const cuts = Array.from({ length: Math.min(40, bytes.length + 1 - from) }, (_, more) => from + more)
      await Promise.all(
        cuts.map(async (cut) => {
          const raw = await openRaw(gateway.address)
          raw.write(bytes.subarray(0, cut))
          // Half of them after the gateway has had time to read it.
          if (cut % 2 === 0) await new Promise((resolve) => setImmediate(resolve))
          if (cut % 4 < 2) raw.socket.resetAndDestroy()
          else raw.socket.destroy()
        }),
      )
    }
    await nothingLeft()
    const count = (word: string) => probe.state.events.filter((one) => one === `${word} any byte`).length
    await until('every call is cancelled', () => count('hang') === count('cancelled'))
    await using line = await openLegacyLine(at('socket'))
    expect((await line.ask('ping')).result).toEqual({})
  })

  test('that reads nothing is cut off before what waits for it fills the memory', async () => {
    const text = 'x'.repeat(4 * MIB)
    await using upstream = await startScriptedUpstream({
      era: 'modern',
      results: { 'tools/call': { content: [{ type: 'text', text }] } },
    })
    await using slow = await openGateway({
      connections: [{ alias: 'up', wire: httpWire(upstream.url) }],
      settings: LONG,
    })
    using raw = await openRaw(slow.address)
    raw.write(upgradeHead(slow.key).replace(new URL(gateway.address).host, new URL(slow.address).host))
    await until('it is let in', () => raw.received().includes('\r\n\r\n'))
    raw.socket.pause()
    const calls = Array.from({ length: 40 }, (_, id) =>
      textFrame(request(id, 'tools/call', { name: 'good', arguments: {} })),
    )
    raw.write(Buffer.concat(calls))
    await nothingLeft(slow)
    raw.socket.resume()
    await raw.closed
    // Sixteen wait at most, with one answer more and what the kernel holds.
    expect(raw.received().length).toBeLessThan(40 * MIB)
  })

  test('that asks for pongs and reads none is cut off too', async () => {
    using raw = await openByHand()
    raw.socket.pause()
    const pings = Buffer.concat(Array.from({ length: 8_192 }, () => frameOf(Buffer.alloc(125, 0x70), 0x89)))
    let gone = false
    void raw.closed.then(() => (gone = true))
    for (let sent = 0; sent < 64 && !gone; sent++) {
      raw.write(pings)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    // Not before it is cut off: what is read makes room for more.
    await nothingLeft()
    raw.socket.resume()
    await raw.closed
  })

  test('that floods with what nobody asked for is answered, and others are served meanwhile', async () => {
    await using other = await openLegacyLine(at('socket'))
    using raw = await openByHand()
    const noise = [
      { jsonrpc: '2.0', method: 'notifications/nothing' },
      { jsonrpc: '2.0', id: 'q9', result: {} },
      7,
      'x',
    ]
    raw.write(Buffer.concat(Array.from({ length: 20_000 }, (_, at) => textFrame(noise[at % noise.length]))))
    raw.write(textFrame(request('last', 'ping', {})))
    expect((await other.ask('ping')).result).toEqual({})
    await until('the flood is over', () => raw.received().includes('"id":"last","result":{}'))
  })

  test('a thousand times opened and dropped leaves no socket, no session and no timer', async () => {
    await nothingLeft()
    const held = (kind: string) => process.getActiveResourcesInfo().filter((one) => one === kind).length
    const [sockets, timers] = [held('TCPSocketWrap'), held('Timeout')]
    for (let wave = 0; wave < 10; wave++) {
      await Promise.all(
        Array.from({ length: 100 }, async (_, one) => {
          const line = one % 3 === 0 ? await openLine(at('sse')) : await openLegacyLine(at('socket'))
          line.drop()
        }),
      )
    }
    await nothingLeft()
    await until('no socket is left', () => held('TCPSocketWrap') <= sockets)
    await until('no timer is left', () => held('Timeout') <= timers + 1)
  })

  test('that is not wanted is not kept waiting: what came with its upgrade is never read', async () => {
    const before = probe.state.events.length
    using raw = await openRaw(gateway.address)
    raw.write(upgradeHead(`uru_${'ee'.repeat(32)}`))
    raw.write(Buffer.concat([textFrame(INITIALIZE), textFrame(request(1, 'tools/call', hang('stranger')))]))
    await until('it is told why', () => raw.received().includes('is not valid'))
    expect(codeIn(raw.received().slice(0, raw.received().indexOf('The key')))).toBe(4401)
    expect(probe.state.events).toHaveLength(before)
  })
})

test('a gateway that ends cuts a socket whose peer never agrees to the end', { tags: 'long' }, async () => {
  const ending = await startTestGateway()
  using raw = await openRaw(ending.address)
  const head = upgradeHead(ending.key).replace('/api/v1/default/connectors/up/mcp', '/mcp')
  raw.write(head.replace(new URL(gateway.address).host, new URL(ending.address).host))
  await until('it is let in', () => raw.received().includes('\r\n\r\n'))
  await ending[Symbol.asyncDispose]()
  await raw.closed
  expect(codeIn(raw.received())).toBe(1001)
})

describe('a stream of the older pair', () => {
  const streamHead = ({ address, key }: TestGateway) =>
    headOf('GET /api/v1/default/connectors/up/sse', {
      host: new URL(address).host,
      authorization: `Bearer ${key}`,
      accept: 'text/event-stream',
    })
  const messagesIn = (received: string) => /data: (\S*\/messages\?sessionId=\w+)/.exec(received)?.[1]

  test('whose client disappears at any byte, or in the middle of a message, leaves nothing', async () => {
    const head = streamHead(gateway)
    for (let cut = 0; cut <= head.length; cut++) {
      const raw = await openRaw(gateway.address)
      raw.write(head.slice(0, cut))
      if (cut % 2 === 0) raw.socket.resetAndDestroy()
      else raw.socket.destroy()
    }
    const stream = await openRaw(gateway.address)
    stream.write(head)
    const messages = await until('the address is told', () => messagesIn(stream.received()))
    const body = JSON.stringify(request(1, 'tools/call', hang('half a message')))
    const post = headOf(`POST ${messages}`, {
      host: new URL(gateway.address).host,
      authorization: `Bearer ${gateway.key}`,
      'content-type': 'application/json',
      'content-length': String(body.length),
    })
    const half = await openRaw(gateway.address)
    half.write(post + body.slice(0, -1))
    half.socket.destroy()
    const whole = await openRaw(gateway.address)
    whole.write(post + body)
    await hangs('half a message')
    // The connection that brought a message may go: the stream is what counts.
    whole.socket.resetAndDestroy()
    await until('the message is taken', async () => (await gauge(gateway, 'toolway_channels')) === 1)
    expect(probe.state.events).not.toContain('cancelled half a message')
    stream.socket.resetAndDestroy()
    await isCancelled('half a message')
    await nothingLeft()
    expect(probe.state.events.filter((one) => one === 'hang half a message')).toHaveLength(1)
  })

  test('that is not read is cut off before what waits for it fills the memory', async () => {
    await using upstream = await startScriptedUpstream({
      era: 'modern',
      results: { 'tools/call': { content: [{ type: 'text', text: 'x'.repeat(4 * MIB) }] } },
    })
    await using slow = await openGateway({
      connections: [{ alias: 'up', wire: httpWire(upstream.url) }],
      settings: LONG,
    })
    using raw = await openRaw(slow.address)
    raw.write(streamHead(slow))
    const messages = await until('the address is told', () => messagesIn(raw.received()))
    raw.socket.pause()
    const headers = { authorization: `Bearer ${slow.key}`, 'content-type': 'application/json' }
    const posts = Array.from({ length: 40 }, (_, id) =>
      fetch(`${slow.address}${messages}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(request(id, 'tools/call', { name: 'good', arguments: {} })),
      }),
    )
    await Promise.all(posts)
    await nothingLeft(slow)
    raw.socket.resume()
    await raw.closed
    expect(raw.received().length).toBeLessThan(40 * MIB)
  })
})
