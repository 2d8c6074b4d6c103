import { Counter, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { exposeMetrics, type Metric } from '../../telemetry/exposition.ts'
import { createKeptMetrics } from './kept-metrics.ts'
import type { Peer } from './relay.ts'

async function counted(calls: number): Promise<Metric[]> {
  const registry: Registry = new Registry()
  new Counter({ name: 'calls_total', help: 'Calls', registers: [registry] }).inc(calls)
  return JSON.parse(JSON.stringify(await registry.getMetricsAsJSON())) as Metric[]
}

const callsIn = (metrics: Metric[]) =>
  /^calls_total (\d+)$/m.exec(exposeMetrics(metrics, 'toolway', undefined).text)?.[1]

test('metrics do not wait for a process that stands still: it counts with what it said last, also once it has ended', async () => {
  const well: Peer = { send() {} }
  const still: Peer = { send() {} }
  const answers = new Map<Peer, readonly Metric[]>([
    [well, await counted(1)],
    [still, await counted(10)],
  ])
  let stands = false
  const metrics = createKeptMetrics(
    {
      async ask(peers) {
        const [peer] = peers
        if (peer === still && stands) await new Promise<void>(() => {})
        return new Map([...answers].filter(([other]) => other === peer))
      },
    },
    () => answers.keys(),
  )
  expect(callsIn(await metrics.gather())).toBe('11')
  stands = true
  answers.set(well, await counted(2))
  expect(callsIn(await metrics.gather())).toBe('12')
  metrics.gone(still)
  answers.delete(still)
  expect(callsIn(await metrics.gather())).toBe('12')
})
