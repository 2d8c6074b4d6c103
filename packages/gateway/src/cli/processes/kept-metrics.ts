/**
 * The metrics of all gateway processes as those of one. What an ended process had counted stays in the sums: a counter that went
 * down would be read as one that began anew.
 */
import { METRICS } from '../../compose/process-place.ts'
import type { Metric } from '../../telemetry/exposition.ts'
import { mergeMetrics } from '../../telemetry/merge-metrics.ts'
import type { Peer, Relay } from './relay.ts'

export interface KeptMetrics {
  /** Of those that serve now and of those that did. */
  gather(): Promise<Metric[]>
  /** It has ended: what it had counted when it was asked last is kept. */
  gone(peer: Peer): void
}

export function createKeptMetrics(relay: Pick<Relay, 'ask'>, serving: () => Iterable<Peer>): KeptMetrics {
  const last = new Map<Peer, readonly Metric[]>()
  let ended: Metric[] = []
  return {
    async gather() {
      const answers = (await relay.ask(serving(), METRICS, null)) as ReadonlyMap<Peer, readonly Metric[]>
      for (const [peer, metrics] of answers) last.set(peer, metrics)
      return mergeMetrics([...last.values(), ended])
    },
    gone(peer) {
      const counted = (last.get(peer) ?? []).filter(({ type }) => type !== 'gauge')
      last.delete(peer)
      ended = mergeMetrics([ended, counted])
    },
  }
}
