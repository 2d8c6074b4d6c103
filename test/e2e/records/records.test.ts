/**
 * Tests the traces of a call: one record in the database and one line in the log, which agree, and no secret in either, nor in
 * any message to a client. Canary values stand for the secrets.
 */
// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { startEverythingServer } from '../../conformance/everything-server.ts'
import { connectClient, KINDS } from '../peers/clients/client.ts'
import { putConnection, stateOf } from '../peers/connections.ts'
import { LEAKS, startLeaky } from '../peers/servers/leaky-server.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { startProbe } from '../peers/probes/probe-server.ts'
import type { ProbeServer } from '../peers/probes/probe-server.ts'
import { ask, callTool, openSession, start, tell } from '../peers/clients/raw-client.ts'
import type { RawPeer } from '../peers/clients/raw-client.ts'
import { httpWire, probeProcess } from '../peers/servers/real-servers.ts'
import { until } from '../peers/until.ts'
import { CROWD, inLanes } from '../peers/lanes.ts'

/** Long enough to be masked, and never by chance in anything. */
const CANARY = {
  header: 'canary-header-7f3a9c52e1',
  query: 'canary-query-80b1d4f6a2',
  environment: 'canary-environment-51c8e7d903',
  argument: 'canary-argument-2e6f90b7c4',
  key: `uru_${'ca9a51'.repeat(10)}ca9a`,
}
type CanaryName = keyof typeof CANARY
const LIMITED_KEY = `uru_${'cd'.repeat(32)}`

const parts = new AsyncDisposableStack()
let gateway: TestGateway
let probe: ProbeServer
beforeAll(async () => {
  probe = parts.use(await startProbe({ era: 'legacy' }))
  const everything = parts.use(await startEverythingServer({ era: 'modern' }))
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'probe', ...guarded(probe.url) },
        { alias: 'all', wire: httpWire(everything.url) },
        { alias: 'child', wire: probeProcess('child', { SECRET: CANARY.environment }) },
      ],
      toolsets: [{ slug: 'few', title: 'Few', settings: { include: ['probe__echo'], exclude: [] } }],
      keys: [
        { name: 'canary', value: CANARY.key, toolset: undefined },
        { name: 'limited', value: LIMITED_KEY, toolset: 'few' },
      ],
    }),
  )
})
afterAll(() => parts.disposeAsync())

/** An address and a header that hold secrets, described as the command line and the file reader describe them. */
const guarded = (url: string) => ({
  wire: httpWire(`${url}?token=${CANARY.query}`, { authorization: `Bearer ${CANARY.header}` }),
  shown: { url: `${url}?token=***` },
})

const Record = z.object({
  organization_id: z.string(),
  kind: z.string(),
  principal: z.string(),
  key_id: z.string().nullable(),
  toolset: z.string().nullable(),
  connection: z.string().nullable(),
  method: z.string(),
  target: z.string().nullable(),
  era_client: z.string().nullable(),
  era_upstream: z.string().nullable(),
  client: z.string().nullable(),
  bytes_in: z.number(),
  bytes_out: z.number(),
  duration_us: z.number(),
  outcome: z.string(),
  code: z.string().nullable(),
  decision: z.string(),
  correlation_id: z.string(),
  at: z.date(),
})
const KeyName = z.object({ id: z.string(), name: z.string() })

const recordsOf = (correlationId: string) =>
  gateway.db.system(
    (sql) => sql(Record)`
    select organization_id, kind, principal, key_id, toolset, connection, method, target, era_client, era_upstream, client,
           bytes_in, bytes_out, duration_us, outcome, code, decision, correlation_id, at
      from records where correlation_id = ${correlationId}`,
  )
const linesOf = (correlationId: string) =>
  gateway.log.filter(({ message, facts }) => message === 'call' && facts['request_id'] === correlationId)
/** The one record and the one line of that id. More of either would be as wrong as none. */
async function remainsOf(correlationId: string) {
  await until(`a record of ${correlationId}`, async () => (await recordsOf(correlationId)).length > 0)
  const [records, lines] = [await recordsOf(correlationId), linesOf(correlationId)]
  expect({ records: records.length, lines: lines.length }, correlationId).toEqual({ records: 1, lines: 1 })
  return { record: records[0], facts: lines[0]?.facts ?? {} }
}
const keyId = async (name: string) =>
  (await gateway.db.system((sql) => sql(KeyName)`select id, name from keys`)).find((key) => key.name === name)?.id
const modern = (url = gateway.url, key = gateway.key): RawPeer => ({ url, key, era: 'modern' })
const named = (id: string) => ({ headers: { 'x-correlation-id': id } })

describe('a call leaves one record and one line', () => {
  test('that say who, what, where, how large, how long and how it ended', async () => {
    const began = new Date()
    const answer = await callTool(modern(), 'probe__echo', { text: 'hello' }, named('whole-1'))
    const { record, facts } = await remainsOf('whole-1')
    const key = await keyId('test')
    expect(record).toMatchObject({
      organization_id: gateway.organization.id,
      kind: 'call',
      principal: key,
      key_id: key,
      toolset: 'default',
      connection: 'probe',
      method: 'tools/call',
      target: 'probe__echo',
      era_client: '2026-07-28',
      era_upstream: '2025-11-25',
      client: 'raw',
      bytes_out: Buffer.byteLength(answer.text),
      outcome: 'ok',
      code: null,
      decision: 'allow',
    })
    expect(record?.bytes_in).toBeGreaterThan(200)
    expect(record?.duration_us).toBeGreaterThan(0)
    expect(record?.at.getTime()).toBeGreaterThanOrEqual(began.getTime())
    expect(facts).toMatchObject({
      request_id: 'whole-1',
      org_id: record?.organization_id,
      principal: record?.principal,
      connection: record?.connection,
      method: record?.method,
      tool_name: record?.target,
      bytes_in: record?.bytes_in,
      bytes_out: record?.bytes_out,
      duration_ms: (record?.duration_us ?? 0) / 1000,
      outcome: record?.outcome,
      decision: record?.decision,
    })
  })

  test('whose sizes are bytes, also of an answer that is a stream, also beyond ASCII', async () => {
    const text = 'søster 🌊'
    const plain = await callTool(modern(), 'probe__echo', { text }, named('bytes-1'))
    expect((await remainsOf('bytes-1')).record?.bytes_out).toBe(Buffer.byteLength(plain.text))
    const meta = { progressToken: '🌊' }
    const stream = await callTool(modern(), 'all__test_tool_with_progress', {}, { ...named('bytes-2'), meta })
    expect(stream.headers.get('content-type')).toContain('text/event-stream')
    const { record } = await remainsOf('bytes-2')
    const last = Buffer.byteLength(stream.text.slice(stream.text.lastIndexOf('event: message')))
    expect(record?.bytes_out).toBeGreaterThanOrEqual(last)
    expect(record?.bytes_out).toBeLessThanOrEqual(Buffer.byteLength(stream.text))
  })

  test('under an id that the client is told when it goes wrong, and that it may choose', async () => {
    const { answer } = await callTool(modern(), 'probe__nothing', {}, named('chosen.by:me-1'))
    expect(answer.error?.data).toMatchObject({ correlation_id: 'chosen.by:me-1' })
    const made = await callTool(modern(), 'probe__nothing', {}, { headers: { 'x-correlation-id': 'no good "id"' } })
    const id = String(made.answer.error?.data?.['correlation_id'])
    expect(id).toMatch(/^[\w.:-]{8,}$/)
    expect((await remainsOf(id)).record).toMatchObject({
      outcome: 'refused',
      decision: 'refuse',
      target: 'probe__nothing',
    })
  })

  const endings = [
    { id: 'ended-ok', tool: 'probe__echo', given: { text: 'x' }, outcome: 'ok', code: null, decision: 'allow' },
    {
      id: 'ended-tool',
      tool: 'probe__fail',
      given: { reason: 'no' },
      outcome: 'tool_error',
      code: null,
      decision: 'allow',
    },
    { id: 'ended-unknown', tool: 'probe__no', given: {}, outcome: 'refused', code: 'tool.unknown', decision: 'refuse' },
    { id: 'ended-child', tool: 'child__echo', given: { text: 'x' }, outcome: 'ok', code: null, decision: 'allow' },
    { id: 'ended-lost', tool: 'child__exit', given: {}, outcome: 'failed', code: 'upstream.lost', decision: 'allow' },
  ]
  test.each(endings)('that ended as $outcome ($id)', async ({ id, tool, given, outcome, code, decision }) => {
    for (const peer of [modern(), await openSession(gateway.url, gateway.key)]) {
      await callTool(peer, tool, given, named(`${id}-${peer.era}`))
      const { record, facts } = await remainsOf(`${id}-${peer.era}`)
      expect(record).toMatchObject({
        target: tool,
        outcome,
        code,
        decision,
        era_client: peer.era === 'modern' ? '2026-07-28' : '2025-11-25',
      })
      expect(facts).toMatchObject({ outcome, ...(code === null ? {} : { code }), decision })
    }
  })

  test('when it is cancelled, in either era', async () => {
    const session = await openSession(gateway.url, gateway.key)
    const calling = start(
      session,
      'tools/call',
      { name: 'probe__hang', arguments: { label: 'told' } },
      named('cancelled-legacy'),
    )
    await until('it hangs', () => probe.state.events.includes('hang told'))
    await tell(session, 'notifications/cancelled', { requestId: 0 })
    await calling
    const leaving = new AbortController()
    const hanging = start(
      modern(),
      'tools/call',
      { name: 'probe__hang', arguments: { label: 'left' } },
      { ...named('cancelled-modern'), signal: leaving.signal },
    )
    await until('it hangs', () => probe.state.events.includes('hang left'))
    leaving.abort()
    await hanging.catch(() => undefined)
    for (const id of ['cancelled-legacy', 'cancelled-modern']) {
      expect((await remainsOf(id)).record).toMatchObject({
        outcome: 'cancelled',
        code: 'call.cancelled',
        target: 'probe__hang',
      })
    }
  })

  test('by every official client, at each endpoint, reads and prompts too', async () => {
    for (const [at, kind] of KINDS.entries()) {
      const count = async () =>
        gateway.log.filter(({ message, facts }) => message === 'call' && facts['client'] === 'e2e').length
      const before = await count()
      await using joined = await connectClient({ kind, url: gateway.url, key: gateway.key })
      await joined.call('all__test_simple_text')
      await joined.read('toolway://all/test://static-text')
      await joined.prompt('all__test_simple_prompt')
      await using single = await connectClient({ kind, url: gateway.connectionUrl('all'), key: gateway.key })
      await single.call('test_simple_text')
      await until(`four lines for ${kind} (${at})`, async () => (await count()) - before >= 4)
      expect((await count()) - before).toBe(4)
    }
  })

  test('for each of a thousand calls', async () => {
    const ids = Array.from({ length: 1_000 }, (_, at) => `many-${at}`)
    await inLanes(CROWD, ids, (id) => callTool(modern(), 'all__test_simple_text', {}, named(id)))
    const Count = z.object({ records: z.number(), ids: z.number() })
    const counts = () =>
      gateway.db.system(
        async (sql) =>
          (
            await sql(Count)`
        select count(*)::int as records, count(distinct correlation_id)::int as ids from records where correlation_id like 'many-%'`
          )[0],
      )
    await until('the thousandth record', async () => (await counts())?.ids === 1_000)
    expect(await counts()).toEqual({ records: 1_000, ids: 1_000 })
    expect(gateway.log.filter(({ facts }) => String(facts['request_id']).startsWith('many-'))).toHaveLength(1_000)
  })

  test('and what is refused at the door leaves a line, and a record where it is known whose, else one of the platform', async () => {
    await callTool(modern(gateway.url, `uru_${'00'.repeat(32)}`), 'probe__echo', { text: 'x' }, named('stranger-1'))
    await until('a line', () => linesOf('stranger-1').length > 0)
    expect(linesOf('stranger-1').map(({ facts }) => facts['code'])).toEqual(['key.unknown'])
    expect((await remainsOf('stranger-1')).record).toMatchObject({
      organization_id: 'platform',
      principal: 'anonymous',
    })
    await callTool(modern(gateway.url, LIMITED_KEY), 'probe__fail', { reason: 'x' }, named('limited-1'))
    expect((await remainsOf('limited-1')).record).toMatchObject({
      principal: await keyId('limited'),
      toolset: 'few',
      outcome: 'refused',
    })
  })
})

describe('a secret', () => {
  const told: string[] = []
  const hear = <Answer extends { text: string; headers: Headers }>(answer: Answer): Answer => {
    told.push(answer.text, JSON.stringify([...answer.headers]))
    return answer
  }
  const key = CANARY.key
  /** Where each of these stands, with what stands around it. */
  const found = async (names: readonly CanaryName[]) =>
    Object.entries(await everywhere()).flatMap(([place, text]) =>
      names.flatMap((name) => {
        const at = text.indexOf(CANARY[name])
        return at === -1 ? [] : [`${name} in ${place}: ${text.slice(Math.max(0, at - 150), at + 60)}`]
      }),
    )
  const everywhere = async (): Promise<Record<string, string>> => {
    const Row = z.object({ row: z.string() })
    const rows = await gateway.db.system(
      (sql) => sql(Row)`
      select records::text as row from records
      union all select connections::text from connections union all select catalogs::text from catalogs
      union all select keys::text from keys union all select toolsets::text from toolsets`,
    )
    const metrics = await fetch(`${gateway.address}/metrics`, { headers: { authorization: `Bearer ${key}` } })
    return {
      database: rows.map(({ row }) => row).join('\n'),
      log: JSON.stringify(gateway.log, (_, value: unknown) => (value instanceof Error ? describeError(value) : value)),
      answers: told.join('\n'),
      metrics: await metrics.text(),
    }
  }
  const describeError = (error: Error): unknown => ({
    name: error.name,
    message: error.message,
    stack: error.stack,
    cause: error.cause,
  })

  test('S3-AUD-04: of a working connection is nowhere but there, whatever clients do', async () => {
    const argument = { text: CANARY.argument, reason: 'no', secret: CANARY.argument }
    for (const peer of [modern(gateway.url, key), await openSession(gateway.url, key)]) {
      await callTool(peer, 'probe__echo', argument)
      await callTool(peer, 'child__echo', argument)
      for (const tool of ['probe__fail', 'probe__nothing', 'all__test_error_handling'])
        hear(await callTool(peer, tool, argument))
      hear(await ask(peer, 'tools/call', { name: 'probe__echo', arguments: CANARY.argument }))
      hear(await ask(peer, 'tools/call', { name: { a: CANARY.argument } }))
      hear(await ask(peer, 'tools/list', { cursor: CANARY.argument }))
      hear(await ask(peer, 'completion/complete', { ref: { type: CANARY.argument } }))
      hear(await ask(peer, 'tools/list'))
      hear(await callTool(peer, 'child__exit', argument))
    }
    hear(await callTool({ ...modern(gateway.connectionUrl('nowhere'), key) }, 'echo', argument))
    for (const body of [
      `{"token": "${CANARY.argument}`,
      CANARY.argument,
      `"${CANARY.argument}"`,
      `{"jsonrpc":"2.0","method":7,"id":"${CANARY.argument}x"`,
    ]) {
      hear(await post(body))
    }
    hear(await post('{}', `Bearer ${key}x`))
    await until(
      'the last record',
      async () =>
        (await recordsOf('canary-last')).length > 0 ||
        void (await callTool(modern(), 'probe__echo', { text: 'x' }, named('canary-last'))),
    )
    expect(await found(Object.keys(CANARY) as CanaryName[])).toEqual([])
  })

  const post = async (body: string, authorization = `Bearer ${key}`) => {
    const headers = { authorization, 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const response = await fetch(gateway.url, { method: 'POST', headers, body })
    return { text: await response.text(), headers: response.headers }
  }

  test.each(LEAKS)('that a careless server repeats (%s) is repeated by nobody', async (leak) => {
    await using server = await startLeaky(leak)
    const alias = `leaky_${leak}`
    await putConnection(gateway, { alias, ...guarded(server.url) })
    await until('the failure is noted', async () =>
      ['error', 'needs_auth'].includes((await stateOf(gateway, alias))?.status ?? ''),
    )
    hear(await ask(modern(gateway.connectionUrl(alias), key), 'server/discover'))
    expect(await found(['header', 'query'])).toEqual([])
  })

  test('that a child prints as it fails is in the log and in the reason by the name of its variable', async () => {
    const script = 'console.error("cannot sign in with", process.env.SECRET); process.exit(4)'
    const wire = {
      kind: 'process' as const,
      command: process.execPath,
      args: ['-e', script],
      environment: { SECRET: CANARY.environment },
    }
    await putConnection(gateway, { alias: 'shouting', wire })
    const state = await until('the failure is noted', async () => {
      const now = await stateOf(gateway, 'shouting')
      return now?.status === 'error' ? now : undefined
    })
    expect(state.reason).toContain('it exited with code 4')
    expect(state.reason).toContain('It said: cannot sign in with [SECRET]')
    expect(
      JSON.stringify(gateway.log, (_, value: unknown) => (value instanceof Error ? value.message : value)),
    ).toContain('cannot sign in with [SECRET]')
    expect(await found(['environment'])).toEqual([])
  })
})
