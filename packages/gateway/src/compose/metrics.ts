/** The content of `/metrics` under the names that the settings choose: of this process, or of all that serve its port. */
import type { Config } from '../config.ts'
import type { RestParts } from '../http/rest.ts'
import type { Counters } from '../telemetry/counters.ts'
import { expose, exposeMetrics, metricsIn, type Metric } from '../telemetry/exposition.ts'
import { METRICS, type ProcessPlace } from './process-place.ts'

export function composeMetrics(
  { TOOLWAY_METRICS: served, TOOLWAY_METRICS_NAMES: names }: Config,
  { registry }: Pick<Counters, 'registry'>,
  place?: ProcessPlace,
): RestParts['metrics'] {
  if (served === 'off') return undefined
  if (place === undefined) return (accept) => expose(registry, names, accept)
  place.answer(METRICS, () => metricsIn(registry))
  return async (accept) => {
    const [all = []] = (await place.ask(METRICS, null)) as readonly (readonly Metric[])[]
    return exposeMetrics(all, names, accept)
  }
}
