/** Secrets of a connection that a server repeats, and addresses that a client writes: tests who may read them afterwards. */
// @module-tag long
import { z } from 'zod'
import { describe, expect, test } from 'vitest'
import { startTestGateway, type TestConnection, type TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { ask as askRaw } from '../e2e/peers/clients/raw-client.ts'
import { ask, callTool } from './caller.ts'
import { sayError, sayResult, startScriptedUpstream } from './scripted-upstream.ts'

const ERAS = { modern: '2026-07-28', legacy: '2025-11-25' } as const
const SECRETS = /hunter2|open-sesame/
const at = (url: string, era: keyof typeof ERAS): TestConnection => ({
  alias: 'up',
  revision: ERAS[era],
  timeout: 10,
  wire: { kind: 'http', url: `${url}?apikey=open-sesame`, headers: { authorization: 'Bearer hunter2-hunter2' } },
})
const logOf = ({ log }: TestGateway) => JSON.stringify(log)

describe.each(['modern', 'legacy'] as const)('a server of the %s era', (era) => {
  test('that repeats its credentials in an error tells them to nobody', async () => {
    await using upstream = await startScriptedUpstream({
      era,
      act(heard, response) {
        if (heard.method !== 'tools/call') return false
        sayError(response, heard, `refused ${heard.headers.authorization}, hunter2-hunter2 and open-sesame`)
        return true
      },
    })
    await using gateway = await startTestGateway({ connections: [at(upstream.url, era)] })
    await gateway.settled('up')
    const { text } = await callTool({ url: gateway.connectionUrl('up'), key: gateway.key }, 'good')
    expect(text).toContain('refused')
    expect(text).not.toMatch(SECRETS)
    expect(logOf(gateway)).not.toMatch(SECRETS)
  })

  test('that repeats its credentials in the complaint of a tool tells them to nobody', async () => {
    await using upstream = await startScriptedUpstream({
      era,
      act(heard, response) {
        if (heard.method !== 'tools/call') return false
        const text = `refused ${heard.headers.authorization}, "hunter2-hunter2" and open-sesame`
        sayResult(response, heard, { content: [{ type: 'text', text }], isError: true, structuredContent: { text } })
        return true
      },
    })
    await using gateway = await startTestGateway({ connections: [at(upstream.url, era)] })
    await gateway.settled('up')
    const { text } = await callTool({ url: gateway.connectionUrl('up'), key: gateway.key }, 'good')
    expect(text).toContain('refused')
    expect(text).not.toMatch(SECRETS)
  })

  test.each(['greeting', 'list'])(
    'that refuses its %s at length is told in short, without its credentials',
    async (step) => {
      const methods = step === 'list' ? ['tools/list'] : ['server/discover', 'initialize']
      await using upstream = await startScriptedUpstream({
        era,
        act(heard, response) {
          if (!methods.includes(heard.method)) return false
          sayError(response, heard, `${heard.headers.authorization} is wrong ${'x'.repeat(100_000)}`)
          return true
        },
      })
      // A modern pin is taken at its word without a greeting, so this one is found out.
      const connection = { ...at(upstream.url, era), revision: step === 'list' ? ERAS[era] : ('auto' as const) }
      await using gateway = await startTestGateway({ connections: [connection] })
      const { status, reason } = await gateway.settled('up')
      expect(status).toBe('error')
      expect(reason).toContain('is wrong')
      expect(reason?.length).toBeLessThan(400)
      expect(reason).not.toMatch(SECRETS)
      expect(logOf(gateway)).not.toMatch(SECRETS)
    },
  )

  test('hears whose progress it is by the token, and what carries another one reaches nobody', async () => {
    await using upstream = await startScriptedUpstream({
      era,
      act({ method, id, params }, response) {
        if (method !== 'tools/call') return false
        const own = (params['_meta'] as Record<string, unknown>)['progressToken']
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        const send = (value: object) => response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...value })}\n\n`)
        for (const progressToken of ['p1', 'mine', own, 7])
          send({ method: 'notifications/progress', params: { progressToken, progress: 1 } })
        send({ id, result: { resultType: 'complete', content: [] } })
        response.end()
        return true
      },
    })
    await using gateway = await startTestGateway({ connections: [at(upstream.url, era)] })
    await gateway.settled('up')
    const peer = { url: gateway.connectionUrl('up'), key: gateway.key, era: 'modern' as const }
    const params = { name: 'good', arguments: {} }
    const { messages } = await askRaw(peer, 'tools/call', params, { meta: { progressToken: 'mine' } })
    expect(messages.slice(0, -1).map(({ params }) => params?.['progressToken'])).toEqual(['mine'])
  })
})

test('the address of a resource stands in records and logs without user, password, query and fragment', async () => {
  await using upstream = await startScriptedUpstream({
    era: 'modern',
    capabilities: { tools: {}, resources: {} },
    results: { 'resources/read': { contents: [] }, 'resources/list': { resources: [] } },
  })
  await using gateway = await startTestGateway({ connections: [at(upstream.url, 'modern')] })
  await gateway.settled('up')
  const target = { url: gateway.connectionUrl('up'), key: gateway.key }
  const uri = 'https://ada:pa55word@files.example.com/plan.md?sig=pa55word#pa55word'
  expect((await ask(target, 'resources/read', { uri })).message.result).toBeDefined()
  // The server needs all of it.
  expect(upstream.of('resources/read').map(({ params }) => params['uri'])).toEqual([uri])
  const Row = z.object({ target: z.string(), line: z.string() })
  const kept = () =>
    gateway.db.system((sql) => sql(Row)`select target, records::text as line from records where kind = 'call'`)
  await expect
    .poll(async () => (await kept()).map(({ target }) => target))
    .toEqual(['https://files.example.com/plan.md'])
  expect(JSON.stringify(await kept())).not.toContain('pa55word')
  expect(logOf(gateway)).toContain('https://files.example.com/plan.md')
  expect(logOf(gateway)).not.toContain('pa55word')
})
