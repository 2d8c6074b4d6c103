import type { ServerResponse } from 'node:http'
import type { JsonObject, Revision } from '@toolway/protocol'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  sayJson,
  startScriptedUpstream,
  type Heard,
  type ScriptedUpstream,
} from '../../../../test/fault/scripted-upstream.ts'
import { createTestAuditLog } from '../testing/audit-log.ts'
import { freePort } from '../testing/free-port.ts'
import { createTestContext, type Reached } from '../testing/request-context.ts'
import { createServerPlaces, type ServerPlaces } from '../upstreams/server-places.ts'
import type { Answer, Ask } from '../upstreams/upstream.ts'
import { askOnce } from './ask-upstream.ts'
import type { Asking, ConnectRequest } from './credentials/use-credential.ts'

const schema = { type: 'object' }
const TOOLS: JsonObject[] = [
  { name: 'read', inputSchema: schema, annotations: { readOnlyHint: true } },
  { name: 'set', inputSchema: schema, annotations: { idempotentHint: true } },
  { name: 'write', inputSchema: schema },
  { name: 'drop', inputSchema: schema, annotations: { destructiveHint: true } },
]
const ERAS = [
  ['modern', '2026-07-28'],
  ['legacy', '2025-11-25'],
] as const satisfies readonly (readonly ['modern' | 'legacy', Revision])[]

const at = (url: string, revision: Revision, more: Partial<Reached> = {}): Reached => ({
  alias: 'web',
  url,
  revision,
  tools: TOOLS,
  ...more,
})

/** Calls fail so many times, in this way. */
function startFailing(era: 'modern' | 'legacy', times: number, fail: (response: ServerResponse, heard: Heard) => void) {
  let failed = 0
  return startScriptedUpstream({
    era,
    act(heard, response) {
      if (heard.method !== 'tools/call' || failed >= times) return false
      failed++
      fail(response, heard)
      return true
    },
  })
}

const FAILURES: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'a cut connection': (response) => response.destroy(),
  'a cut answer': (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{')
    setTimeout(() => response.destroy(), 5)
  },
  'HTTP 502': (response) => sayJson(response, {}, 502),
  'HTTP 503': (response) => sayJson(response, {}, 503, { 'retry-after': '0' }),
  'HTTP 504': (response) => sayJson(response, {}, 504),
  'HTTP 429 without a word when': (response) => sayJson(response, {}, 429),
  'HTTP 401 without a challenge': (response) => sayJson(response, {}, 401),
  'HTTP 500': (response) => sayJson(response, 'oops', 500),
}
/** Nothing that waiting would mend. */
const FINAL = new Set(['HTTP 401 without a challenge', 'HTTP 500'])

// The pauses are real, and at their shortest.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
afterEach(() => void vi.restoreAllMocks())

describe.each(ERAS)('a call to a failing %s server', (era, revision) => {
  describe.each(Object.entries(FAILURES))('after %s', (name, fail) => {
    test.each(['write', 'drop'])('S2-QRK-06: a tool that may %s is called once', async (tool) => {
      await using server = await startFailing(era, 1, fail)
      await using house = await createTestContext({ connections: [at(server.url, revision)] })
      const { audit } = await house.call(tool)
      expect(audit.fault).toBeDefined()
      expect(server.of('tools/call')).toHaveLength(1)
    })

    test.each(['read', 'set'])('a tool that may %s twice is asked again, where waiting may help', async (tool) => {
      await using server = await startFailing(era, 2, fail)
      await using house = await createTestContext({ connections: [at(server.url, revision)] })
      const { audit } = await house.call(tool)
      expect(audit.fault === undefined).toBe(!FINAL.has(name))
      expect(server.of('tools/call')).toHaveLength(FINAL.has(name) ? 1 : 3)
    })
  })

  test('S2-QRK-06: two failures and then an answer are an answer; a failure that stays ends as one, and the breaker opens', async () => {
    await using server = await startFailing(era, Infinity, (response) => sayJson(response, {}, 503))
    await using house = await createTestContext({ connections: [at(server.url, revision)] })
    const { audit } = await house.call('read')
    expect(audit.fault?.code).toBe('upstream.unreachable')
    expect(server.of('tools/call')).toHaveLength(5)
    expect((await house.call('read')).audit.fault?.code).toBe('upstream.resting')
    expect(server.of('tools/call')).toHaveLength(5)
  })

  test('what its server is too slow for is not asked beyond its time', async () => {
    await using server = await startFailing(era, Infinity, () => {})
    await using house = await createTestContext({ connections: [at(server.url, revision, { timeout: 2 })] })
    const [read, write] = await Promise.all([house.call('read'), house.call('write')])
    expect([read.audit.fault?.code, write.audit.fault?.code]).toEqual(['upstream.timeout', 'upstream.timeout'])
    expect(server.of('tools/call')).toHaveLength(2)
  })

  test('a server that says when to come again is asked then, also for a write', async () => {
    await using server = await startFailing(era, 1, (response) => sayJson(response, {}, 429, { 'retry-after': '0' }))
    await using house = await createTestContext({ connections: [at(server.url, revision)] })
    expect((await house.call('write')).audit.outcome).toBe('ok')
    expect(server.of('tools/call')).toHaveLength(2)
  })

  test('what surely was not sent is sent again, whatever it does', async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/mcp`
    vi.mocked(Math.random).mockReturnValue(1)
    await using house = await createTestContext({ connections: [at(url, revision)] })
    const calling = house.call('write')
    await new Promise((resolve) => setTimeout(resolve, 120))
    await using server = await startScriptedUpstream({ era, port })
    expect((await calling).audit.outcome).toBe('ok')
    expect(server.of('tools/call')).toHaveLength(1)
  })

  test('a caller that leaves ends it at once', async () => {
    vi.mocked(Math.random).mockReturnValue(1)
    const leaving = new AbortController()
    await using server = await startFailing(era, Infinity, (response) => {
      sayJson(response, {}, 503, { 'retry-after': '5' })
      setTimeout(() => leaving.abort(), 20)
    })
    await using house = await createTestContext({ connections: [at(server.url, revision)] })
    await expect(house.call('read', {}, { signal: leaving.signal })).rejects.toMatchObject({ code: 'call.cancelled' })
    expect(server.of('tools/call')).toHaveLength(1)
  })

  test('reading a resource is asked again as well', async () => {
    let failed = 0
    await using server = await startScriptedUpstream({
      era,
      results: { 'resources/read': { contents: [] } },
      act: ({ method }, response) => method === 'resources/read' && failed++ < 2 && (response.destroy(), true),
    })
    await using house = await createTestContext({ connections: [at(server.url, revision)] })
    const { result } = await house.ask('resources/read', { uri: 'file:///a' })
    expect(result).toMatchObject({ contents: [] })
    expect(server.of('resources/read')).toHaveLength(3)
  })
})

test('a server that has asked its caller something is not asked again: somebody would be asked twice', async () => {
  await using server = await startScriptedUpstream({
    era: 'legacy',
    act({ method, id }, response) {
      if (method !== 'tools/call') return false
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const question = {
        jsonrpc: '2.0',
        id: 'q1',
        method: 'elicitation/create',
        params: { message: `for ${String(id)}` },
      }
      response.write(`data: ${JSON.stringify(question)}\n\n`)
      setTimeout(() => response.destroy(), 30)
      return true
    },
  })
  await using house = await createTestContext({ connections: [at(server.url, '2025-11-25')] })
  const session = house.session({ elicitation: { form: {} } })
  let asked = 0
  const question = async () => (asked++, { result: { action: 'accept', content: {} } })
  const { audit } = await house.call('read', {}, { session, question })
  expect(audit.fault?.code).toBe('upstream.lost')
  expect([asked, server.of('tools/call').length]).toEqual([1, 1])
})

test('the rest of an answer that cannot be fetched is no reason to write again', async () => {
  const port = await freePort()
  const server: ScriptedUpstream = await startScriptedUpstream({
    era: 'legacy',
    port,
    act({ method }, response) {
      if (method !== 'tools/call') return false
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end('id: e1\nretry: 50\ndata:\n\n')
      // Gone before the rest is asked for: nothing is listening there.
      setTimeout(() => void server[Symbol.asyncDispose](), 10)
      return true
    },
  })
  await using house = await createTestContext({ connections: [at(server.url, '2025-11-25')] })
  const { audit } = await house.call('write')
  expect(audit.fault?.code).toBe('upstream.lost')
  expect(server.of('tools/call')).toHaveLength(1)
})

test('a call that waits for a person gives its place at the server to another call', async () => {
  const places = createServerPlaces(1)
  const question = Promise.withResolvers<Answer>()
  const ask = async ({ params, onQuestion }: Ask): Promise<Answer> =>
    params['asks'] === true ? onQuestion({ jsonrpc: '2.0', id: 1, method: 'elicitation/create' }) : DONE
  const request = {
    parts: { places, credentials: undefined },
    requestContext: { upstream: () => ({ ask }) },
    channel: { signal: new AbortController().signal },
    target: { connectionId: 'con_1', alias: 'a' },
    audit: createTestAuditLog().begin(0),
  } as unknown as ConnectRequest
  const asked = (asks: boolean) => {
    const { signal } = request.channel
    return { method: 'tools/call', params: { asks }, signal, onQuestion: () => question.promise } as unknown as Asking
  }
  const first = askOnce(request, asked(true))
  expect(await askOnce(request, asked(false))).toBe(DONE)
  question.resolve(DONE)
  expect(await first).toBe(DONE)
  // Given back once and not twice.
  expect([take(places), take(places) === undefined]).toEqual([undefined, false])
})
const DONE: Answer = { result: {} }
const take = (places: ServerPlaces) =>
  places.take({ connectionId: 'con_1', alias: 'a', seconds: 1, signal: AbortSignal.timeout(1) })?.catch(() => {})
