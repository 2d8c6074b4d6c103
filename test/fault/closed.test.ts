/** Resources left after a gateway that ended while all its parts were at work: timers, sockets, and the sessions that it held. */
import { expect, test, vi } from 'vitest'
import { startTestGateway } from '../../packages/gateway/src/testing/gateway.ts'
import { callTool, openSession } from '../e2e/peers/clients/raw-client.ts'
import { addKey, createAsk } from '../e2e/peers/people/administrators.ts'
import { startProbe } from '../e2e/peers/probes/probe-server.ts'
import { httpWire } from '../e2e/peers/servers/real-servers.ts'
import { until } from '../e2e/peers/until.ts'
import { handlesBeyond, handlesNow } from './handles.ts'

const HELD = /Timeout|TCP|Pipe|Process|FSEvent/

test(
  'S2-BRG-06: a gateway that ends stops its tickers and ends its sessions, events, webhooks and renewals among them',
  { tags: 'long' },
  async () => {
    await using server = await startProbe({ era: 'legacy' })
    // Resources that a first gateway creates once for the process do not count for the second one.
    const once = async () => {
      const gateway = await startTestGateway({ connections: [{ alias: 'web', wire: httpWire(server.url) }] })
      await gateway.settled('web')
      const key = await addKey(gateway, { role: 'platform_admin' })
      const ask = createAsk(gateway, key)
      const made = await ask('POST /api/v1/admin/tenants/default/webhooks', { url: 'https://hooks.example.invalid/' })
      expect(made.status, made.text).toBe(201)
      const events = await fetch(`${gateway.address}/api/v1/events`, { headers: { authorization: `Bearer ${key}` } })
      expect(events.status).toBe(200)
      const session = await openSession(gateway.connectionUrl('web'), gateway.key)
      expect((await callTool(session, 'echo', { text: 'x' })).answer.result).toMatchObject({ content: [{ text: 'x' }] })
      expect(server.sessions.size).toBeGreaterThan(0)
      await gateway[Symbol.asyncDispose]()
      await events.body?.cancel().catch(() => {})
    }
    await once()
    await until('its sessions have ended', () => server.sessions.size === 0)
    const before = handlesNow(HELD)
    // Tickers that keep no process alive are no handles to Node: they are counted by hand.
    const [began, ended] = [vi.spyOn(globalThis, 'setInterval'), vi.spyOn(globalThis, 'clearInterval')]
    await once()
    await until('its sessions have ended', () => server.sessions.size === 0)
    await until('nothing is left over', () => handlesBeyond(before, HELD).length === 0)
    const tickers = began.mock.calls.map(([, every], at) => ({
      every,
      ticker: began.mock.results[at]?.value as unknown,
    }))
    expect(tickers.length).toBeGreaterThan(3)
    const running = () => {
      const stopped = new Set(ended.mock.calls.map(([ticker]) => ticker))
      return tickers.filter(({ ticker }) => !stopped.has(ticker as never)).map(({ every }) => every)
    }
    // One that times answers of the database stops at its next tick, which is seconds away.
    await expect.poll(running).toEqual([])
    vi.restoreAllMocks()
  },
)
