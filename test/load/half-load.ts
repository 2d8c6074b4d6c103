/**
 * Measures the time that the gateway adds to a call at partial load.
 *
 * Calls come at half the rate that saturates it, over all connections, to the stub directly and through the gateway in turn; the
 * percentiles of both are compared. The rate is kept by the clock, so a slow answer does not make the load lighter.
 */
import type { Plan } from './bench-options.ts'
import type { Target } from './bench-rounds.ts'
import { generate } from './bench-rounds.ts'
import { createLatencyHistogram, percentile } from './generator/latency-histogram.ts'
import type { Peer } from './processes/peer-process.ts'

export interface HalfLoad {
  readonly connections: number
  readonly callsPerSecond: number
  readonly directP99Ms: number
  readonly gatewayP99Ms: number
  readonly addedP50Ms: number
  readonly addedP99Ms: number
  readonly errors: number
}

const ROUNDS = 3

/** @param saturation calls a second that the gateway can do */
export async function measureHalfLoad(
  generator: Peer,
  { direct, gateway }: { direct: Target; gateway: Target },
  saturation: number,
  plan: Plan,
): Promise<HalfLoad> {
  const connections = Math.max(...plan.connections)
  const perSecond = Math.round(saturation / 2)
  const [fromDirect, fromGateway] = [createLatencyHistogram(), createLatencyHistogram()]
  let errors = 0
  for (let round = 0; round < ROUNDS; round++) {
    for (const [{ call }, latency] of [[direct, fromDirect] as const, [gateway, fromGateway] as const]) {
      const load = { target: call, connections, seconds: plan.roundSeconds * 2, mostCalls: plan.mostCalls, perSecond }
      const run = await generate(generator, load)
      const { outcome } = await run(() => undefined)
      latency.add(outcome.latency)
      errors += outcome.errors
    }
  }
  const [before, after] = [fromDirect.buckets(), fromGateway.buckets()]
  const added = (share: number) => percentile(after, share) - percentile(before, share)
  return {
    connections,
    callsPerSecond: perSecond,
    directP99Ms: percentile(before, 0.99),
    gatewayP99Ms: percentile(after, 0.99),
    addedP50Ms: added(0.5),
    addedP99Ms: added(0.99),
    errors,
  }
}
