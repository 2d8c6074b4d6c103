/**
 * Tests that every official client receives the messages that a server sends in the middle of a call, for each SDK, era and
 * transport of the server. Requests to the user and the model, roots, progress, cancellation: each case checks the messages that
 * arrived at both ends.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../../packages/gateway/src/testing/gateway.ts'
import { ANSWERS, connectClient, eraOfKind, KINDS, type Kind, textOf } from '../peers/clients/client.ts'
import { isInquiry, METHODS, QUESTIONS, STEPS, type Inquiry } from '../peers/probes/inquiry.ts'
import { openGateway } from '../peers/open-gateway.ts'
import { startProbeOne } from '../peers/probes/probe-one-server.ts'
import { startProbe } from '../peers/probes/probe-server.ts'
import { httpWire, probeProcess } from '../peers/servers/real-servers.ts'
import { startRecorder, type Recorder } from '../peers/recorder.ts'
import { until } from '../peers/until.ts'

/** By alias: who it is, and which tools ask where the question names no call. */
const SERVERS = {
  one: { title: 'SDK 1 server over HTTP', era: 'legacy', asides: true },
  two_legacy: { title: 'legacy SDK 2 server over HTTP', era: 'legacy', asides: false },
  two_modern: { title: 'modern SDK 2 server over HTTP', era: 'modern', asides: false },
  child_one: { title: 'SDK 1 child', era: 'legacy', asides: true },
  child_legacy: { title: 'legacy SDK 2 child', era: 'legacy', asides: false },
  child_modern: { title: 'modern SDK 2 child', era: 'modern', asides: false },
} as const
type Alias = keyof typeof SERVERS
const CLIENTS = ['SDK 1', 'SDK 2 legacy', 'SDK 2 pinned to 2026-07-28'] as const satisfies readonly Kind[]
const INQUIRIES = Object.keys(QUESTIONS).filter(isInquiry)
const OWN_STREAM = '_aside'

const aliases = Object.keys(SERVERS) as Alias[]
const ways = CLIENTS.flatMap((kind) => aliases.map((alias) => ({ kind, alias, server: SERVERS[alias].title })))

const parts = new AsyncDisposableStack()
let gateway: TestGateway
const recorders: Partial<Record<Alias, Recorder>> = {}

beforeAll(async () => {
  const record = async (alias: Alias, url: string) =>
    httpWire((recorders[alias] = parts.use(await startRecorder(url))).url)
  const one = parts.use(await startProbeOne())
  const legacy = parts.use(await startProbe({ era: 'legacy' }))
  const modern = parts.use(await startProbe({ era: 'modern' }))
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'one', wire: await record('one', one.url) },
        { alias: 'two_legacy', wire: await record('two_legacy', legacy.url) },
        { alias: 'two_modern', wire: await record('two_modern', modern.url) },
        { alias: 'child_one', wire: probeProcess('one', {}, 'probe-one.script.ts') },
        { alias: 'child_legacy', revision: '2025-11-25', wire: probeProcess('legacy') },
        { alias: 'child_modern', revision: '2026-07-28', wire: probeProcess('modern') },
      ],
    }),
  )
})
afterAll(() => parts.disposeAsync())

const connected = (kind: Kind, alias: Alias) =>
  connectClient({ kind, url: gateway.connectionUrl(alias), key: gateway.key, answers: true })
/** Removes the fields that SDKs add to a request or an answer; the rest must arrive unchanged. */
const bare = ({ mode: _, _meta: __, ...rest }: Record<string, unknown> = {}) => rest
const SAID: Readonly<Record<Inquiry, object>> = { ask: ANSWERS.form, sample: ANSWERS.sampled, roots: ANSWERS.roots }

/** The folders of a client lie on its own machine, where a child of the gateway has no business: it is not told of them. */
const asksAlso = (alias: Alias, inquiry: Inquiry) => inquiry !== 'roots' || !alias.startsWith('child')
const asking = ways.flatMap((way) =>
  INQUIRIES.filter((inquiry) => asksAlso(way.alias, inquiry)).flatMap((inquiry) => {
    const tools: string[] = SERVERS[way.alias].asides ? [inquiry, `${inquiry}${OWN_STREAM}`] : [inquiry]
    return tools.map((tool) => ({ ...way, inquiry, tool }))
  }),
)

describe.each(asking)('$kind, $server:', ({ kind, alias, inquiry, tool }) => {
  test(`what ${tool} wants to know is asked as it was meant, and answered as it was said`, async () => {
    await using client = await connected(kind, alias)
    const result = await client.call(tool)
    expect(client.asked.map(({ method, params }) => [method, bare(params)])).toEqual([
      [METHODS[inquiry], bare(QUESTIONS[inquiry] as Record<string, unknown> | undefined)],
    ])
    expect(result.isError ?? false).toBe(false)
    expect(bare(JSON.parse(textOf(result)) as Record<string, unknown>)).toEqual(SAID[inquiry])
  })
})

describe.each(ways)('$kind, $server:', ({ kind, alias }) => {
  const tools = ['steps', ...(SERVERS[alias].asides ? [`steps${OWN_STREAM}`] : [])]
  test.each(tools)('the progress of %s arrives whole, in order, at the call that asked for it', async (tool) => {
    await using client = await connected(kind, alias)
    const heard = { first: [] as object[], second: [] as object[] }
    const labelOf = (label: string) => `${kind} ${tool} ${label}`
    const call = (label: keyof typeof heard) =>
      client.call(tool, { label: labelOf(label) }, { onprogress: (step) => void heard[label].push(step) })
    const calls = [call('first'), call('second')]
    await until('all progress is here', () => heard.first.length + heard.second.length >= 2 * STEPS.length)
    expect(heard).toEqual({ first: STEPS, second: STEPS })
    for (const label of Object.keys(heard)) await client.call('release', { label: labelOf(label) })
    expect((await Promise.all(calls)).map(textOf)).toEqual(['done', 'done'])
  })

  test('a call that is cancelled ends at the server, in the way of its era, and nothing comes after', async () => {
    await using client = await connected(kind, alias)
    const label = `${kind} to ${alias}`
    const happened = (event: string) =>
      until(`${alias}: ${event}`, async () =>
        textOf(await client.call('events'))
          .split('\n')
          .includes(event),
      )
    const process = textOf(await client.call('process'))
    const leaving = new AbortController()
    const progress: object[] = []
    const calling = client
      .call('hang', { label }, { signal: leaving.signal, onprogress: (step) => void progress.push(step) })
      .then(
        () => 'answered',
        () => 'given up',
      )
    await happened(`hang ${label}`)
    leaving.abort()
    await happened(`cancelled ${label}`)
    expect(await calling).toBe('given up')
    expect(await client.call('echo', { text: 'after' })).toMatchObject({ content: [{ text: 'after' }] })
    expect({ progress, heard: client.heard, asked: client.asked }).toEqual({ progress: [], heard: [], asked: [] })
    // A child is told, not ended.
    expect(textOf(await client.call('process'))).toBe(process)
    const recorder = recorders[alias]
    if (recorder === undefined) return
    const [sent] = recorder.of('tools/call').filter(({ body }) => body.includes(`"${label}"`))
    const said = recorder
      .of('notifications/cancelled')
      .filter(({ message }) => message?.params?.['requestId'] === sent?.message?.id)
    const isLegacy = SERVERS[alias].era === 'legacy'
    expect(said).toHaveLength(isLegacy ? 1 : 0)
    if (!isLegacy) expect(sent?.cutOff).toBe(true)
  })
})

describe('questions on a session’s own stream', () => {
  const kinds = KINDS.filter((kind) => eraOfKind(kind) === 'legacy')
  test.each(kinds)(
    'reach the one whose call it is while other sessions of %s are asked at the same time',
    async (kind) => {
      await using stack = new AsyncDisposableStack()
      const clients = await Promise.all(Array.from({ length: 4 }, async () => stack.use(await connected(kind, 'one'))))
      for (let round = 0; round < 3; round++) {
        const told = await Promise.all(clients.map((client, at) => client.call('ask_aside', { message: `I am ${at}` })))
        expect(told.map((result) => result.isError ?? false)).toEqual(clients.map(() => false))
      }
      const heard = clients.map(({ asked }) => asked.map(({ params }) => params?.['message']))
      expect(heard).toEqual(clients.map((_, at) => Array(3).fill(`I am ${at}`)))
    },
  )
})
