/**
 * Tests server requests in the middle of a call. The request reaches exactly the client that called, within an era and across
 * eras, or is refused with an error text. It never hangs.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { startEverythingServer } from '../../conformance/everything-server.ts'
import { connectClient, eraOfKind, KINDS, textOf } from '../peers/clients/client.ts'
import type { Kind, McpClient } from '../peers/clients/client.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { callTool, openSession } from '../peers/clients/raw-client.ts'
import { httpWire } from '../peers/servers/real-servers.ts'

const parts = new AsyncDisposableStack()
let gateway: TestGateway
beforeAll(async () => {
  const modern = parts.use(await startEverythingServer({ era: 'modern' }))
  const legacy = parts.use(await startEverythingServer({ era: 'legacy' }))
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'modern', wire: httpWire(modern.url) },
        { alias: 'legacy', wire: httpWire(legacy.url) },
      ],
    }),
  )
})
afterAll(() => parts.disposeAsync())

const connected = (kind: Kind, alias: string, joined = false, answers = true): Promise<McpClient> =>
  connectClient({ kind, url: joined ? gateway.url : gateway.connectionUrl(alias), key: gateway.key, answers })
const of = (era: 'modern' | 'legacy') => KINDS.filter((kind) => eraOfKind(kind) === era)
describe.each([false, true])('a question within one era (joined endpoint: %s)', (joined) => {
  const named = (alias: string, name: string) => (joined ? `${alias}__${name}` : name)

  test.each(of('legacy'))('to the user of %s is answered, and the call goes on', async (kind) => {
    await using client = await connected(kind, 'legacy', joined)
    const result = await client.call(named('legacy', 'test_elicitation'), { message: 'Who are you?' })
    expect(client.asked).toMatchObject([{ method: 'elicitation/create', params: { message: 'Who are you?' } }])
    expect(textOf(result)).toMatch(/action=accept.*"username":"ada"/)
  })

  test.each(of('legacy'))('to the model of %s is answered, and the call goes on', async (kind) => {
    await using client = await connected(kind, 'legacy', joined)
    const result = await client.call(named('legacy', 'test_sampling'), { prompt: 'The capital of France?' })
    expect(client.asked).toMatchObject([{ method: 'sampling/createMessage' }])
    expect(textOf(result)).toBe('LLM response: Paris')
  })

  test.each(of('modern'))('to %s is answered in a second round, and the call goes on', async (kind) => {
    await using client = await connected(kind, 'modern', joined)
    const greeted = await client.call(named('modern', 'test_input_required_result_elicitation'))
    expect(textOf(greeted)).toBe('Hello, Ada!')
    expect(client.asked).toMatchObject([{ params: { message: 'What is your name?' } }])
    const sampled = await client.call(named('modern', 'test_input_required_result_sampling'))
    expect(textOf(sampled)).toContain('Paris')
    const twice = await client.call(named('modern', 'test_input_required_result_multi_round'))
    expect(textOf(twice)).toBe('Both questions were answered.')
  })

  test.each(of('modern'))('to %s keeps the server’s sealed state as it is', async (kind) => {
    await using client = await connected(kind, 'modern', joined)
    expect(textOf(await client.call(named('modern', 'test_input_required_result_request_state')))).toBe('state-ok')
  })

  test.each(of('modern'))('to %s may come from a prompt', async (kind) => {
    await using client = await connected(kind, 'modern', joined)
    // This client answers with a name; the prompt wants a context and asks again until the client gives up.
    const prompt = client.prompt(named('modern', 'test_input_required_result_prompt'))
    await expect(prompt).rejects.toThrow(/round|input/i)
    expect(client.asked[0]).toMatchObject({ params: { message: 'What context should the prompt use?' } })
  })
})

describe('a question', () => {
  test('reaches the client whose call it belongs to, while others are asked at the same time', async () => {
    await using one = await connected('SDK 2 legacy', 'legacy')
    await using other = await connected('SDK 1', 'legacy')
    const rounds = Array.from({ length: 10 }, (_, at) => at)
    await Promise.all(
      rounds.flatMap((at) => [
        one.call('test_elicitation', { message: `one ${at}` }),
        other.call('test_elicitation', { message: `other ${at}` }),
      ]),
    )
    const heardBy = ({ asked }: McpClient) => asked.map(({ params }) => String(params?.['message'])).sort()
    expect(heardBy(one)).toEqual(rounds.map((at) => `one ${at}`))
    expect(heardBy(other)).toEqual(rounds.map((at) => `other ${at}`))
  })

  test.each(of('legacy'))('is not put to %s when it never said that it can answer', async (kind) => {
    await using client = await connected(kind, 'legacy', false, false)
    expect(await client.call('test_elicitation', { message: 'Anyone?' })).toMatchObject({ isError: true })
    expect(client.asked).toEqual([])
  })

  test('that a modern client cannot answer is the server’s refusal, with the capability that it lacks', async () => {
    const peer = { url: gateway.connectionUrl('modern'), key: gateway.key, era: 'modern' as const }
    const { status, answer } = await callTool(peer, 'test_missing_capability')
    expect({ status, code: answer.error?.code }).toEqual({ status: 400, code: -32021 })
    expect(answer.error?.data).toMatchObject({ requiredCapabilities: { sampling: {} } })
  })
})

describe('a question across eras', () => {
  test.each(of('legacy'))('from a modern server is put to %s, and the call goes on', async (kind) => {
    for (const joined of [false, true]) {
      await using client = await connected(kind, 'modern', joined)
      const prefix = joined ? 'modern__' : ''
      const greeted = await client.call(`${prefix}test_input_required_result_elicitation`)
      expect(textOf(greeted)).toBe('Hello, Ada!')
      const sampled = await client.call(`${prefix}test_input_required_result_sampling`)
      expect(textOf(sampled)).toContain('Paris')
      expect(client.asked.map(({ method }) => method)).toEqual(['elicitation/create', 'sampling/createMessage'])
    }
  })

  test.each(of('legacy'))('of several at once, and over several rounds, are all put to %s', async (kind) => {
    await using client = await connected(kind, 'modern')
    const twice = await client.call('test_input_required_result_multi_round')
    expect(textOf(twice)).toBe('Both questions were answered.')
    expect(client.asked).toHaveLength(2)
  })

  test.each(of('legacy'))('to a user of %s who cannot be asked is told as a result that says why', async (kind) => {
    await using client = await connected(kind, 'modern', false, false)
    const result = await client.call('test_input_required_result_elicitation')
    expect(result).toMatchObject({
      isError: true,
      _meta: { 'dev.toolway/fault': { code: 'NOT_SUPPORTED', fault: 'upstream.question' } },
    })
    expect(client.asked).toEqual([])
  })

  test.each(of('modern'))('from a legacy server is put to %s, and the very same call goes on', async (kind) => {
    for (const joined of [false, true]) {
      await using client = await connected(kind, 'legacy', joined)
      const prefix = joined ? 'legacy__' : ''
      const told = await client.call(`${prefix}test_elicitation`, { message: 'Who are you?' })
      expect(textOf(told)).toMatch(/action=accept.*"username":"ada"/)
      const sampled = await client.call(`${prefix}test_sampling`, { prompt: 'The capital of France?' })
      expect(textOf(sampled)).toBe('LLM response: Paris')
      expect(client.asked).toMatchObject([
        { params: { message: 'Who are you?' } },
        { method: 'sampling/createMessage' },
      ])
    }
  })

  test.each(of('modern'))(
    'from a legacy server to a user of %s who cannot be asked is the server’s own refusal',
    async (kind) => {
      await using client = await connected(kind, 'legacy', false, false)
      const result = await client.call('test_elicitation', { message: 'Anyone?' })
      expect(result.isError).toBe(true)
      expect(textOf(result)).toMatch(/not support|not available here/i)
      expect(client.asked).toEqual([])
    },
  )

  test.each(of('legacy'))(
    'from a prompt of a modern server is put to %s, again and again while the answer does not fit',
    async (kind) => {
      await using client = await connected(kind, 'modern')
      // The prompt wants a context; this client always gives a name.
      await expect(client.prompt('test_input_required_result_prompt')).rejects.toThrow(/requested input 8 times/)
      expect(client.asked).toHaveLength(8)
    },
  )

  test('does not stop the same session from calling what asks nothing', async () => {
    const peer = await openSession(gateway.connectionUrl('modern'), gateway.key)
    await callTool(peer, 'test_input_required_result_elicitation')
    const { answer } = await callTool(peer, 'test_simple_text')
    expect(answer.result?.content?.[0]?.text).toContain('simple text')
  })
})
