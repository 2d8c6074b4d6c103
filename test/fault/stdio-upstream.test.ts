/** Servers that are started here and misbehave: the caller is told, the next call finds a good server again, and nobody is left. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startTestGateway, type TestConnection } from '../../packages/gateway/src/testing/gateway.ts'
import { callTool, faultIn, textIn, type Called } from './caller.ts'
import { followFamily } from './family.ts'

const SCRIPT = join(import.meta.dirname, 'faulty-child.script.ts')
/** On every command line of these tests, so that what is left of them can be found. */
const mark = () => `faulty-${Math.random().toString(36).slice(2)}`

/** The programs themselves, without the processes that confine them. */
const serversOf = (own: string) =>
  followFamily(0, own)
    .alive()
    .filter((one) => /^\d+ \S*\/node /.test(one))

const connection = (alias: string, own: string, way = 'well', timeout = 10): TestConnection => ({
  alias,
  revision: '2025-11-25',
  timeout,
  wire: { kind: 'process', command: process.execPath, args: [SCRIPT, way, own], environment: {} },
})

const patiently = { interval: 50 }
/** A gateway that has closed leaves nothing: what was killed is gone a moment later. */
const SOON = { interval: 50, timeout: 10_000 }
const toldBy = (answer: Called) => faultIn(answer)?.fault ?? textIn(answer)

describe('a local server', () => {
  test(
    'that misbehaves in a call costs its caller an answer that says so, and the next one nothing',
    { tags: 'long' },
    async () => {
      const own = mark()
      {
        await using gateway = await startTestGateway({ connections: [connection('child', own, 'well', 6)] })
        expect(await gateway.settled('child')).toMatchObject({ status: 'connected', tools: 15 })
        const target = { url: gateway.connectionUrl('child'), key: gateway.key }
        // Those after which the same process goes on.
        const lasting = {
          good: 'done',
          silent: 'upstream.timeout',
          garbage: 'after the garbage',
          stranger: 'upstream.timeout',
          twice: 'first',
          asks: 'asked',
          flood: 'after the flood',
          'stderr-flood': 'after the flood',
        }
        const told = await Promise.all(
          Object.keys(lasting).map(async (name) => [name, toldBy(await callTool(target, name))]),
        )
        expect(Object.fromEntries(told)).toEqual(lasting)
        // Those that end it: whoever waits is told, and the next call starts another.
        const ending = {
          half: 'upstream.lost',
          crash: 'upstream.lost',
          segfault: 'upstream.lost',
          'long-line': 'upstream.ended',
          'long-answer': 'upstream.ended',
        }
        for (const [name, fault] of Object.entries(ending)) {
          expect({ name, told: toldBy(await callTool(target, name)) }).toEqual({ name, told: fault })
          expect({ after: name, told: toldBy(await callTool(target, 'good')) }).toEqual({ after: name, told: 'done' })
        }
        expect(['upstream.lost', 'upstream.timeout']).toContain(toldBy(await callTool(target, 'close-stdout')))
        await expect.poll(async () => toldBy(await callTool(target, 'good')), patiently).toBe('done')
        // The one whose output was closed takes its time to end.
        await expect.poll(() => serversOf(own), patiently).toHaveLength(1)
      }
      await expect.poll(() => followFamily(0, own).alive(), SOON).toEqual([])
    },
  )

  test('that takes all calls with it when it crashes tells each of those who wait, and starts once for all who come after', async () => {
    const own = mark()
    await using gateway = await startTestGateway({ connections: [connection('child', own, 'well', 30)] })
    await gateway.settled('child')
    const target = { url: gateway.connectionUrl('child'), key: gateway.key }
    const waiting = Array.from({ length: 20 }, () => callTool(target, 'silent'))
    expect(toldBy(await callTool(target, 'crash-crowded'))).toBe('upstream.lost')
    expect(new Set((await Promise.all(waiting)).map(toldBy))).toEqual(new Set(['upstream.lost']))
    const after = await Promise.all(Array.from({ length: 20 }, () => callTool(target, 'good')))
    expect(new Set(after.map(toldBy))).toEqual(new Set(['done']))
    await expect.poll(() => serversOf(own), patiently).toHaveLength(1)
  })

  test('that ends at once, or is not there, is told as what it is, and takes nothing from the others', async () => {
    const own = mark()
    const missing: TestConnection = {
      ...connection('missing', own),
      wire: { kind: 'process', command: 'no-such-command-here', args: [], environment: {} },
    }
    await using gateway = await startTestGateway({
      connections: [connection('child', own), connection('exits', own, 'exit'), missing],
    })
    expect(await gateway.settled('child')).toMatchObject({ status: 'connected' })
    const exits = await gateway.settled('exits')
    expect(exits).toMatchObject({ status: 'error', tools: 0 })
    expect(exits.reason).toContain('exited with code 7')
    // The output of the process is for users who administer connections, in the state and in the log; callers do not read it.
    expect(exits.reason).toContain('It said: Error: API_TOKEN is not set')
    const refused = await callTool({ url: gateway.connectionUrl('exits'), key: gateway.key }, 'good')
    expect(JSON.stringify(refused)).not.toContain('API_TOKEN')
    const causes = gateway.log.map(
      ({ facts }) =>
        String((facts['err'] as Error | undefined)?.stack) +
        String(((facts['err'] as Error | undefined)?.cause as Error | undefined)?.message),
    )
    expect(causes.join()).toContain('API_TOKEN is not set')
    const gone = await gateway.settled('missing')
    expect(gone).toMatchObject({ status: 'error', tools: 0 })
    expect(gone.reason).toContain('no-such-command-here')
    expect(toldBy(await callTool({ url: gateway.url, key: gateway.key }, 'child__good'))).toBe('done')
  })

  test('that never answers or only babbles holds nobody up, and ends with the gateway', { tags: 'long' }, async () => {
    const own = mark()
    {
      await using gateway = await startTestGateway({
        connections: [connection('child', own), connection('deaf', own, 'deaf'), connection('babble', own, 'babble')],
      })
      expect(await gateway.settled('child')).toMatchObject({ status: 'connected' })
      expect(toldBy(await callTool({ url: gateway.url, key: gateway.key }, 'child__good'))).toBe('done')
      await expect.poll(() => serversOf(own).length, patiently).toBe(3)
    }
    await expect.poll(() => followFamily(0, own).alive(), SOON).toEqual([])
  })
})
