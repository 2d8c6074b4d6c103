/** The content of `/metrics` under the names that the settings choose: of this process, or of all that serve its port. */
import { METRICS, type ProcessPlace } from '../lib/process-place.ts'
import type { Counters } from './counters.ts'
import { expose, exposeMetrics, metricsIn, type Metric } from './exposition.ts'
import type { MetricNames } from './metric-names.ts'

interface MetricSettings {
  readonly TOOLWAY_METRICS: string
  readonly TOOLWAY_METRICS_NAMES: MetricNames
}

/** Undefined where none are served. */
export function createServeMetrics(
  { TOOLWAY_METRICS: served, TOOLWAY_METRICS_NAMES: names }: MetricSettings,
  { registry }: Pick<Counters, 'registry'>,
  place?: ProcessPlace,
) {
  if (served === 'off') return undefined
  if (place === undefined) return (accept: string | undefined) => expose(registry, names, accept)
  place.answer(METRICS, () => metricsIn(registry))
  return async (accept: string | undefined) => {
    const [all = []] = (await place.ask(METRICS, null)) as readonly (readonly Metric[])[]
    return exposeMetrics(all, names, accept)
  }
}
