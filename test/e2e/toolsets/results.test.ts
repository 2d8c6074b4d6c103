/** Results that are too much to read: what of them reaches a client, and how the rest is read by that client and by nobody else. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Rule } from '@toolway/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { KEPT_BOUNDS } from '../../../packages/gateway/src/results/result-store.ts'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { ask, callTool, openSession, type RawMessage, type RawPeer } from '../peers/clients/raw-client.ts'
import { openGateway, toolNames } from '../peers/open-gateway.ts'
import { addKey, createAsk, type Ask } from '../peers/people/administrators.ts'
import { httpWire } from '../peers/servers/real-servers.ts'
import { SECRET_MAIL, startReports, type ReportsServer } from '../peers/servers/reports-server.ts'
import { until } from '../peers/until.ts'

const parts = new AsyncDisposableStack()
let server: ReportsServer
let gateway: TestGateway
let platform: Ask
const OTHER_KEY = `uru_${'fedcba9876543210'.repeat(4)}`
beforeAll(async () => {
  server = parts.use(await startReports('modern'))
  const legacy = parts.use(await startReports('legacy'))
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'shop', wire: httpWire(server.url) },
        { alias: 'old', wire: httpWire(legacy.url) },
        { alias: 'free', wire: httpWire(server.url), checks: 'arguments' },
      ],
      keys: [{ name: 'other', value: OTHER_KEY, toolset: undefined }],
      settings: { TOOLWAY_RESULT_LIMIT: '60000' },
    }),
  )
  platform = createAsk(gateway, await addKey(gateway, { role: 'platform_admin' }))
  await addRule('short', { rows: 5, redact: ['orders.*.customer.email'] }, ['shop__orders', 'old__orders'])
  await addRule('brief', { text: 2_000 }, ['shop__report', 'shop__mixed', 'old__report'])
  await until('the rules are in force', async () => (await toolNames(gateway, gateway.url)).includes('read_result'))
})
afterAll(() => parts.disposeAsync())

async function addRule(name: string, result: Rule<'size'>['parameters']['result'], tools: string[]) {
  const rule = { name, reason: 'Results are short', match: { tools }, action: 'size', parameters: { result } }
  const added = await platform('POST /api/v1/organizations/default/rules', { scope: 'organization', ...rule })
  expect(added.status, added.text).toBe(201)
  return String(added.body['id'])
}

const modern = (key = gateway.key, url = gateway.url): RawPeer => ({ url, key, era: 'modern' })
const clients = async () => [modern(), await openSession(gateway.url, gateway.key)]
const textsOf = ({ result }: RawMessage) =>
  (result?.content ?? []).flatMap(({ type, text }) => (type === 'text' ? [text] : []))
const uriOf = ({ result }: RawMessage): string => {
  const link = result?.content?.find(({ type }) => type === 'resource_link') as { uri?: string } | undefined
  return link?.uri ?? ''
}
const read = async (peer: RawPeer, uri: string) => {
  const { answer } = await ask(peer, 'resources/read', { uri })
  const [first] = (answer.result?.['contents'] ?? []) as { text: string; _meta?: Record<string, unknown> }[]
  return {
    answer,
    text: first?.text ?? '',
    range: first?._meta?.['dev.toolway/range'] as Record<string, number> | undefined,
  }
}
/** All of it, range by range. */
async function readAll(peer: RawPeer, uri: string): Promise<string> {
  let all = ''
  for (;;) {
    const { text, range } = await read(peer, `${uri}?offset=${all.length}&length=7000`)
    if (range === undefined) throw new Error('it cannot be read')
    all += text
    if (all.length >= (range['total'] ?? 0)) return all
  }
}

describe('a result over its budget', () => {
  test('is shortened for clients of both eras at servers of both, and says so', async () => {
    for (const client of await clients()) {
      for (const alias of ['shop', 'old']) {
        const { answer } = await callTool(client, `${alias}__orders`, { count: 300 })
        const structured = answer.result?.['structuredContent'] as { orders: { id: number }[]; total: number }
        expect(structured.orders.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4])
        expect(structured.total).toBe(300)
        expect(JSON.parse(textsOf(answer)[0] ?? '')).toEqual(structured)
        expect(textsOf(answer)[1]).toContain('5 of 300 are shown')
        expect(answer.result?.['_meta']).toMatchObject({
          'dev.toolway/budget': {
            cut: ['redact', 'rows'],
            rows: { shown: 5, of: 300 },
            tokens_saved: expect.any(Number),
          },
        })
        const rest = JSON.parse(await readAll(client, uriOf(answer))) as { orders: unknown[] }
        expect(rest.orders).toHaveLength(300)
        expect(JSON.stringify([answer, rest])).not.toContain(SECRET_MAIL)
      }
    }
  })

  test('S1-SEC-04: a long text is cut with a notice and by reference, a request over the cap is refused', async () => {
    for (const client of await clients()) {
      const { answer } = await callTool(client, 'shop__report', { count: 400 })
      const [text = ''] = textsOf(answer)
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2_000)
      expect(text).toMatch(
        /\[Truncated by Toolway: the text of this result is \d+ bytes long, and at most 2000 are passed on\. For 60 minutes/,
      )
      const whole = await readAll(client, uriOf(answer))
      expect(whole.split('\n')).toHaveLength(400)
      expect(whole).toContain('Line 400:')
    }
    const { status, answer } = await callTool(modern(), 'shop__search', { query: 'x'.repeat(2 * 1024 * 1024) })
    expect({ status, text: answer.error?.message }).toMatchObject({
      status: 413,
      text: expect.stringContaining('larger than'),
    })
  })

  test('keeps pictures and files in their places, and cuts under the limit of the installation where no rule speaks', async () => {
    const { answer } = await callTool(modern(), 'shop__mixed', { count: 100 })
    expect(answer.result?.content?.map(({ type }) => type)).toEqual(['text', 'image', 'resource_link', 'resource_link'])
    const { answer: free } = await callTool(modern(), 'free__report', { count: 2_000 })
    expect(Buffer.byteLength(textsOf(free)[0] ?? '')).toBeLessThanOrEqual(60_000)
    expect(await readAll(modern(), uriOf(free))).toContain('Line 2000:')
  })

  test('is read by lines, and never in the middle of a character', async () => {
    const uri = uriOf((await callTool(modern(), 'shop__report', { count: 400 })).answer)
    expect((await read(modern(), `${uri}?line=200&lines=2`)).text).toMatch(/^Line 200: [^\n]+\nLine 201: [^\n]+\n$/)
    expect((await read(modern(), `${uri}?line=9999`)).text).toBe('')
    expect((await read(modern(), `${uri}?offset=999999999`)).range).toMatchObject({ length: 0 })
  })

  test('an official client lists, calls and reads: the shortened answer passes its checks', async () => {
    const client = new Client({ name: 'official', version: '1.0.0' })
    const transport = new StreamableHTTPClientTransport(new URL(gateway.url), {
      requestInit: { headers: { authorization: `Bearer ${gateway.key}` } },
    })
    await client.connect(transport)
    const { tools } = await client.listTools()
    const result = await client.callTool({ name: 'shop__orders', arguments: { count: 50 } })
    const link = (result.content as { type: string; uri?: string }[]).find(({ type }) => type === 'resource_link')
    const { contents } = await client.readResource({ uri: link?.uri ?? '' })
    expect(JSON.stringify(contents)).toContain('Customer 49')
    expect(tools.find(({ name }) => name === 'shop__orders')?.outputSchema).toBeUndefined()
    expect(tools.find(({ name }) => name === 'free__orders')?.outputSchema).toBeDefined()
    await client.close()
  })
})

describe('the tool to read on', () => {
  test('reads by characters and by path, and says where to go on', async () => {
    for (const client of await clients()) {
      const uri = uriOf((await callTool(client, 'shop__orders', { count: 300 })).answer)
      const id = uri.slice(uri.lastIndexOf('/') + 1)
      const first = (await callTool(client, 'read_result', { id, length: 100 })).answer
      expect(textsOf(first)[0]).toHaveLength(100)
      expect(textsOf(first)[1]).toMatch(/^\[Characters 0 to 100 of \d+; continue with offset 100\]$/)
      const row = (await callTool(client, 'read_result', { id, path: 'orders.299' })).answer
      expect(JSON.parse(textsOf(row)[0] ?? '')).toMatchObject({ id: 299, customer: { email: '[redacted]' } })
      const ids = (await callTool(client, 'read_result', { id, path: 'orders.*.id' })).answer
      expect(JSON.parse(textsOf(ids)[0] ?? '')).toContain(299)
    }
  })

  test('is there only where a rule cuts results, and takes what its schema says', async () => {
    expect(await toolNames(gateway, gateway.connectionUrl('free'))).not.toContain('read_result')
    const { answer: elsewhere } = await callTool(modern(gateway.key, gateway.connectionUrl('free')), 'read_result', {
      id: 'x',
    })
    expect(elsewhere.error?.message).toContain('Unknown tool')
    const { answer } = await callTool(modern(), 'read_result', { id: 5, lenght: 3 })
    expect(answer.result?.content?.[0]?.text).toMatch(
      /^INVALID_ARGUMENT: .*\/id must be a string; .*did you mean "length"/,
    )
  })
})

describe('what is kept', () => {
  test('is for the caller that got it, at the endpoint where it got it: for all others it does not exist', async () => {
    const uri = uriOf((await callTool(modern(), 'shop__report', { count: 400 })).answer)
    const id = uri.slice(uri.lastIndexOf('/') + 1)
    expect((await read(modern(), uri)).text).toContain('Line 1:')
    const none = (await read(modern(OTHER_KEY), 'toolway://results/res_01aaaaaaaaaaaaaaaaaaaaaaaa')).answer.error
    const others = [modern(OTHER_KEY), modern(gateway.key, gateway.connectionUrl('shop'))]
    for (const other of others) {
      const { answer } = await read(other, uri)
      // At the connection's own endpoint the address may be the server's, which is asked.
      expect(JSON.stringify(answer)).not.toContain('Line 1:')
      expect((await callTool(other, 'read_result', { id })).answer.error?.message).toContain('not found')
    }
    const refused = (await read(modern(OTHER_KEY), uri)).answer.error
    expect({ ...refused, message: '', data: undefined }).toEqual({ ...none, message: '', data: undefined })
    expect(refused?.message).toBe(none?.message.replace('res_01aaaaaaaaaaaaaaaaaaaaaaaa', id))
  })

  test('is sealed in the database, and gone after its time', async () => {
    const { answer } = await callTool(modern(), 'shop__report', { count: 300 })
    const uri = uriOf(answer)
    const id = uri.slice(uri.lastIndexOf('/') + 1)
    const Row = z.object({ sealed: z.instanceof(Buffer), bytes: z.int() })
    const rows = await gateway.db.system((sql) => sql(Row)`select sealed, bytes from kept_results where id = ${id}`)
    expect(rows).toHaveLength(1)
    expect(rows[0]?.sealed.includes('quick brown fox')).toBe(false)
    await gateway.db.system(
      (sql) =>
        sql(z.object({ id: z.string() }))`update kept_results set expires_at = now() where id = ${id} returning id`,
    )
    expect((await read(modern(), uri)).answer.error?.message).toContain('not found')
  })

  test("is not more than a caller's share: the oldest make room", async () => {
    const first = uriOf((await callTool(modern(OTHER_KEY), 'shop__report', { count: 60 })).answer)
    for (let at = 0; at < KEPT_BOUNDS.caller.results; at++)
      await callTool(modern(OTHER_KEY), 'shop__report', { count: 60 })
    const [most] = await gateway.db.system(
      (sql) => sql(z.object({ most: z.int() }))`
        select max(count)::int as most from (select count(*) from kept_results group by principal) as each`,
    )
    expect(most?.most).toBe(KEPT_BOUNDS.caller.results)
    expect((await read(modern(OTHER_KEY), first)).answer.error?.message).toContain('not found')
  })

  test('takes no address from a server that calls its own resources alike', async () => {
    const { answer } = await read(modern(gateway.key, gateway.connectionUrl('shop')), 'toolway://results/of-the-server')
    expect(JSON.stringify(answer.result)).toContain('read from the server: toolway://results/of-the-server')
    const joined = await read(modern(), 'toolway://shop/toolway://results/of-the-server')
    expect(JSON.stringify(joined.answer.result)).toContain('read from the server')
  })
})

test('an answer that its tool does not promise is told, on record, and whole', async () => {
  const { answer } = await callTool(modern(), 'free__misfit')
  expect(answer.result?.['structuredContent']).toEqual({ total: 'many', more: 'data' })
  expect(answer.result?.['_meta']).toMatchObject({
    'dev.toolway/output': { fits: false, errors: [{ path: '/total', message: 'must be an integer' }] },
  })
  const line = await until('the log line', () => gateway.log.find(({ facts }) => facts['tool_name'] === 'free__misfit'))
  expect(line.facts['detail']).toMatchObject({ misfit: 1 })
})
