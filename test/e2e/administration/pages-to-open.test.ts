/**
 * URL elicitation: a server that sends a person to a page is heard by the client whose call it is, in either era, and so is its word
 * that the page is done with.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitationCompleteNotificationSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { PAGE_URL, startLegacyPages, startModernPages } from '../peers/servers/page-servers.ts'
import type { LegacyPages } from '../peers/servers/page-servers.ts'
import { ask, callTool, openSession } from '../peers/clients/raw-client.ts'
import type { RawPeer } from '../peers/clients/raw-client.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { startRecorder } from '../peers/recorder.ts'
import { until } from '../peers/until.ts'

const OPENS = { elicitation: { form: {}, url: {} } }
const meta = { 'io.modelcontextprotocol/clientCapabilities': OPENS }
const MESSAGE = 'Please connect your account.'

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let legacy: LegacyPages
let wire: Awaited<ReturnType<typeof startRecorder>>
beforeAll(async () => {
  const modern = parts.use(await startModernPages())
  legacy = parts.use(await startLegacyPages())
  wire = parts.use(await startRecorder(legacy.url))
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'modern', wire: httpWire(modern.url) },
        { alias: 'legacy', wire: httpWire(wire.url) },
      ],
    }),
  )
})
afterAll(() => parts.disposeAsync())

/** SDK 1, which opens every page at once. */
async function connect(alias: string) {
  const client = new Client({ name: 'opens', version: '1' }, { capabilities: OPENS })
  const asked: Record<string, unknown>[] = []
  const done: string[] = []
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params)
    return { action: 'accept' as const }
  })
  client.setNotificationHandler(
    ElicitationCompleteNotificationSchema,
    ({ params }) => void done.push(params.elicitationId),
  )
  const headers = { authorization: `Bearer ${gateway.key}` }
  const transport = new StreamableHTTPClientTransport(new URL(gateway.connectionUrl(alias)), {
    requestInit: { headers },
  })
  await client.connect(transport)
  return {
    client,
    asked,
    done,
    async [Symbol.asyncDispose]() {
      await transport.terminateSession()
      await client.close()
    },
  }
}
const modernPeer = (alias: string): RawPeer => ({ url: gateway.connectionUrl(alias), key: gateway.key, era: 'modern' })

describe('a legacy client', () => {
  test('of a legacy server opens the page, and alone hears that it is done with', async () => {
    await using one = await connect('legacy')
    await using other = await connect('legacy')
    const [answer] = await Promise.all([one, other].map(({ client }) => client.callTool({ name: 'connect' })))
    expect(answer?.content).toMatchObject([{ text: 'the person says accept' }])
    const [id] = one.asked.map((params) => String(params['elicitationId']))
    expect(one.asked).toMatchObject([{ mode: 'url', url: PAGE_URL, message: MESSAGE }])
    expect(legacy.pages).toContain(id)
    await until('the gateway listens', async () => wire.seen.filter(({ method }) => method === 'GET').length >= 2)
    await until('it hears of the end', async () => {
      await legacy.finish(String(id))
      return one.done.includes(String(id))
    })
    expect(new Set(one.done)).toEqual(new Set([id]))
    expect(other.done).toEqual([])
  })

  test('of a legacy server that refuses until a page was opened is told which, word for word', async () => {
    const session = await openSession(gateway.connectionUrl('legacy'), gateway.key, '2025-11-25', OPENS)
    const { answer } = await callTool(session, 'guarded')
    const page = { mode: 'url', message: MESSAGE, url: PAGE_URL, elicitationId: 'guarded-1' }
    expect(answer.error).toMatchObject({ code: -32042, data: { elicitations: [page] } })
  })

  test('of a modern server opens the page under an id of its own for each call', async () => {
    await using one = await connect('modern')
    const again = async () => (await one.client.callTool({ name: 'connect' })).content
    expect(await again()).toMatchObject([{ text: 'the person says accept' }])
    expect(await again()).toMatchObject([{ text: 'the person says accept' }])
    expect(one.asked).toMatchObject([
      { mode: 'url', url: PAGE_URL },
      { mode: 'url', url: PAGE_URL },
    ])
    expect(new Set(one.asked.map((params) => params['elicitationId'])).size).toBe(2)
    expect(one.done).toEqual([])
  })
})

describe('a modern client', () => {
  const pageOf = (result: Record<string, unknown> | undefined) => {
    const [[key, request] = ['', undefined]] = Object.entries(
      (result?.['inputRequests'] ?? {}) as Record<string, unknown>,
    )
    return { key, request }
  }
  const page = { method: 'elicitation/create', params: { mode: 'url', message: MESSAGE, url: PAGE_URL } }

  test.each(['modern', 'legacy'])('of a %s server opens the page, and calls again', async (alias) => {
    const first = await callTool(modernPeer(alias), 'connect', {}, { meta })
    const { key, request } = pageOf(first.answer.result)
    expect(request).toEqual(page)
    const { requestState } = first.answer.result ?? {}
    const again = await ask(
      modernPeer(alias),
      'tools/call',
      {
        name: 'connect',
        arguments: {},
        inputResponses: { [key]: { action: 'accept' } },
        ...(requestState === undefined ? {} : { requestState }),
      },
      { meta },
    )
    expect(again.answer.result).toMatchObject({ content: [{ text: 'the person says accept' }] })
    expect(again.text).not.toContain('elicitation/complete')
  })

  describe('of a legacy server that refuses until a page was opened', () => {
    const answered = (action: string) =>
      ask(
        modernPeer('legacy'),
        'tools/call',
        { name: 'guarded', arguments: {}, inputResponses: { url1: { action } } },
        { meta },
      )
    const calls = () => wire.of('tools/call').length
    let before = 0
    beforeEach(() => {
      before = calls()
    })

    test('is asked to open it', async () => {
      const { answer } = await callTool(modernPeer('legacy'), 'guarded', {}, { meta })
      expect(answer.result).toMatchObject({ resultType: 'input_required' })
      expect(pageOf(answer.result)).toEqual({ key: 'url1', request: page })
    })

    test('is not asked again once it has declined, and its server is not called', async () => {
      const { answer } = await answered('decline')
      expect(answer.result).toMatchObject({ isError: true, _meta: { 'dev.toolway/fault': { fault: 'client.answer' } } })
      expect(calls()).toBe(before)
    })

    test('is told which capability it lacks where it opens no pages', async () => {
      const { status, answer } = await callTool(modernPeer('legacy'), 'guarded')
      expect({ status, code: answer.error?.code }).toEqual({ status: 400, code: -32021 })
      expect(answer.error?.data).toMatchObject({ requiredCapabilities: { elicitation: { url: {} } } })
    })

    test('calls anew once it has opened it', async () => {
      legacy.connect()
      const { answer } = await answered('accept')
      expect(answer.result).toMatchObject({ resultType: 'complete', content: [{ text: 'connected' }] })
      expect(calls()).toBe(before + 1)
    })
  })
})
