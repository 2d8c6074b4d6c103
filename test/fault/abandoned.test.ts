/** Legacy clients that ask and leave: leaving is no cancel, and yet what they leave behind must not fill the gateway. */
// @module-tag long
import { expect, test } from 'vitest'
import { openGateway } from '../e2e/peers/open-gateway.ts'
import { openSession, start, type RawPeer } from '../e2e/peers/clients/raw-client.ts'
import { startProbe } from '../e2e/peers/probes/probe-server.ts'
import { httpWire } from '../e2e/peers/servers/real-servers.ts'
import { until } from '../e2e/peers/until.ts'

const MOST = 100
const EXTRA = 40
const hang = (label: string) => ({ name: 'hang', arguments: { label } })

test.each(['in a session', 'without a session'])(
  'calls %s that are left behind go on, a hundred of one caller; one more is cancelled at its server',
  async (kind) => {
    await using probe = await startProbe({ era: 'legacy' })
    await using gateway = await openGateway({ connections: [{ alias: 'up', wire: httpWire(probe.url) }] })
    const url = gateway.connectionUrl('up')
    const peer: RawPeer =
      kind === 'in a session' ? await openSession(url, gateway.key) : { url, key: gateway.key, era: 'legacy' }
    const count = (word: string) => probe.state.events.filter((one) => one.startsWith(`${word} `)).length
    let from = 0
    for (const round of [MOST / 2, MOST / 2, EXTRA]) {
      const leaving = new AbortController()
      const { signal } = leaving
      const calls = Array.from({ length: round }, async () => {
        const id = from++
        const response = await start(peer, 'tools/call', hang(`${id}`), { id, signal })
        await response.text()
      })
      await until('the server works on them', () => count('hang') === from)
      expect(count('cancelled')).toBe(0)
      leaving.abort()
      await Promise.allSettled(calls)
    }
    await until('what is too many is given up', () => count('cancelled') === EXTRA)
  },
)
