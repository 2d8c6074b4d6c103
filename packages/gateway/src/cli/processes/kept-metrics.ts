/**
 * The metrics of all gateway processes as those of one. What an ended process had counted stays in the sums: a counter that went
 * down would be read as one that began anew. A process that does not answer counts with what it said last, and nobody waits for it:
 * metrics are read most of all while something is wrong (ADR 0111).
 */
import { METRICS } from '../../lib/process-place.ts'
import type { Metric } from '../../telemetry/exposition.ts'
import { mergeMetrics } from '../../telemetry/merge-metrics.ts'
import type { Peer, Relay } from './relay.ts'

export interface KeptMetrics {
  /** Of those that serve now and of those that did. */
  gather(): Promise<Metric[]>
  /** It has ended: what it had counted when it was asked last is kept. */
  gone(peer: Peer): void
}

/** How long a process is waited for whose last metrics are there. Milliseconds. */
const PATIENCE_MS = 80

export function createKeptMetrics(relay: Pick<Relay, 'ask'>, serving: () => Iterable<Peer>): KeptMetrics {
  const last = new Map<Peer, readonly Metric[]>()
  const ends = new WeakSet<Peer>()
  let ended: Metric[] = []

  /** What comes too late for this answer is there for the next one. */
  async function ask(peer: Peer): Promise<void> {
    const answers = (await relay.ask([peer], METRICS, null)) as ReadonlyMap<Peer, readonly Metric[]>
    const metrics = answers.get(peer)
    if (metrics !== undefined && !ends.has(peer)) last.set(peer, metrics)
  }

  return {
    async gather() {
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, PATIENCE_MS)
      const answers = Array.from(serving(), (peer) => (last.has(peer) ? Promise.race([ask(peer), late]) : ask(peer)))
      await Promise.all(answers)
      clearTimeout(timer)
      return mergeMetrics([...last.values(), ended])
    },
    gone(peer) {
      ends.add(peer)
      const counted = (last.get(peer) ?? []).filter(({ type }) => type !== 'gauge')
      last.delete(peer)
      ended = mergeMetrics([ended, counted])
    },
  }
}
