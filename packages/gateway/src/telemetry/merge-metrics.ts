/** The metrics of several processes as those of one: prom-client's own merging would lose the exemplars. */
import type { Metric, Sample } from './exposition.ts'

/** How the values of one series become one. What a gauge does not say is added up. */
const MERGES: Readonly<Record<string, (a: number, b: number) => number>> = { min: Math.min, max: Math.max }
const add = (a: number, b: number): number => a + b

/** Series keep the order in which they first come, so the buckets of a histogram stay together and in order. */
export function mergeMetrics(all: readonly (readonly Metric[])[]): Metric[] {
  const merged = new Map<string, { readonly metric: Metric; readonly series: Map<string, Sample> }>()
  for (const metric of all.flat()) {
    let family = merged.get(metric.name)
    if (family === undefined) merged.set(metric.name, (family = { metric, series: new Map() }))
    const merge = MERGES[metric.aggregator ?? ''] ?? add
    for (const sample of metric.values) {
      const name = JSON.stringify([sample.metricName, sample.labels])
      const before = family.series.get(name)
      family.series.set(name, before === undefined ? sample : joinSamples(before, sample, merge))
    }
  }
  return [...merged.values()].map(({ metric, series }) => ({ ...metric, values: [...series.values()] }))
}

/** With the later of two exemplars. */
function joinSamples(sample: Sample, other: Sample, merge: (a: number, b: number) => number): Sample {
  const isLater = (other.exemplar?.timestamp ?? 0) > (sample.exemplar?.timestamp ?? 0)
  return { ...(isLater ? other : sample), value: merge(sample.value, other.value) }
}
