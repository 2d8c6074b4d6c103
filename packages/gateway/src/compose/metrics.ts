/** The content of `/metrics`: the registry under the names that the settings choose. */
import type { Config } from '../config.ts'
import type { RestParts } from '../http/rest.ts'
import type { Counters } from '../telemetry/counters.ts'
import { expose } from '../telemetry/exposition.ts'

export const composeMetrics = (
  { TOOLWAY_METRICS: served, TOOLWAY_METRICS_NAMES: names }: Config,
  { registry }: Pick<Counters, 'registry'>,
): RestParts['metrics'] => (served === 'on' ? (accept) => expose(registry, names, accept) : undefined)
