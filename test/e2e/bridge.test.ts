/**
 * Does a client that starts its servers as processes get everything that one over HTTP gets? The official clients, in both
 * eras, by the bundled bridge under the oldest Node it promises, against a real gateway and servers of both eras.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { startEverythingServer } from '../conformance/everything-server.ts'
import { buildBridge, connectByBridge, modern, open, startBridge, type BuiltBridge } from './peers/bridge.ts'
import { eraOfKind, KINDS, type Kind } from './peers/client.ts'
import { openGateway } from './peers/open-gateway.ts'
import { startProbe, type ProbeServer } from './peers/probe-server.ts'
import { httpWire } from './peers/real-servers.ts'
import { until } from './peers/until.ts'

const ERAS = ['modern', 'legacy'] as const
const patiently = { timeout: 20_000, interval: 20 }
const parts = new AsyncDisposableStack()
let built: BuiltBridge
let gateway: TestGateway
let probes: Record<(typeof ERAS)[number], ProbeServer>
beforeAll(async () => {
  built = parts.use(await buildBridge())
  probes = {
    modern: parts.use(await startProbe({ era: 'modern' })),
    legacy: parts.use(await startProbe({ era: 'legacy' })),
  }
  const everything = {
    modern: parts.use(await startEverythingServer({ era: 'modern' })),
    legacy: parts.use(await startEverythingServer({ era: 'legacy' })),
  }
  gateway = parts.use(
    await openGateway({
      connections: [
        { alias: 'modern', wire: httpWire(everything.modern.url) },
        { alias: 'legacy', wire: httpWire(everything.legacy.url) },
        { alias: 'modern_probe', wire: httpWire(probes.modern.url) },
        { alias: 'legacy_probe', wire: httpWire(probes.legacy.url) },
      ],
    }),
  )
})
afterAll(() => parts.disposeAsync())

const at = (alias: string) => ({ url: gateway.connectionUrl(alias), key: gateway.key })
const connect = (kind: Kind, alias: string, answers = false) => connectByBridge(built, at(alias), kind, answers)
const textOf = ({ content }: { content: readonly { text?: string }[] }) => content[0]?.text ?? ''

describe.each(KINDS)('%s on stdio', (kind) => {
  test.each(ERAS)('lists, calls and hears progress at a %s server', async (alias) => {
    await using client = await connect(kind, alias)
    expect((await client.tools()).map(({ name }) => name)).toContain('test_simple_text')
    expect(textOf(await client.call('test_simple_text'))).toContain('simple text')
    const steps: number[] = []
    await client.call('test_tool_with_progress', {}, { onprogress: ({ progress }) => void steps.push(progress) })
    expect(steps).toEqual([0, 50, 100].slice(0, steps.length))
    expect(steps.length).toBeGreaterThan(0)
    expect((await client.read('test://static-text'))[0]?.text).toBeTypeOf('string')
    expect((await client.prompt('test_simple_prompt')).length).toBeGreaterThan(0)
    await expect(client.call('nothing')).rejects.toThrow(/unknown tool/i)
  })

  test.each(ERAS)('cancels a call at a %s server', async (alias) => {
    await using client = await connect(kind, `${alias}_probe`)
    const label = `${kind} at ${alias}`
    const leaving = new AbortController()
    const calling = client.call('hang', { label }, { signal: leaving.signal })
    const { events } = probes[alias].state
    await until(`hang ${label}`, () => events.includes(`hang ${label}`))
    leaving.abort()
    await expect(calling).rejects.toThrow()
    await until(`cancelled ${label}`, () => events.includes(`cancelled ${label}`))
    expect(textOf(await client.call('echo', { text: 'still here' }))).toBe('still here')
  })

  test.each(ERAS)('answers the questions of a %s server', async (alias) => {
    await using client = await connect(kind, alias, true)
    const [form, sample] =
      alias === 'modern'
        ? ['test_input_required_result_elicitation', 'test_input_required_result_sampling']
        : ['test_elicitation', 'test_sampling']
    expect(textOf(await client.call(form, { message: 'Who?' }))).toMatch(/Hello, Ada!|"username":"ada"/)
    expect(textOf(await client.call(sample, { prompt: 'The capital of France?' }))).toContain('Paris')
    expect(client.asked.map(({ method }) => method)).toEqual(['elicitation/create', 'sampling/createMessage'])
  })

  test.each(ERAS)('hears that the tools of a %s server have changed', async (alias) => {
    await using client = await connect(kind, `${alias}_probe`)
    if (eraOfKind(kind) === 'modern') await client.listen({ toolsListChanged: true })
    const name = `grown_for_${kind}_${alias}`.replaceAll(/\W/g, '_')
    await client.call('grow', { name })
    await until('list_changed', () => client.heard.some(({ method }) => method === 'notifications/tools/list_changed'))
    await expect.poll(async () => (await client.tools()).map((tool) => tool.name), patiently).toContain(name)
  })
})
