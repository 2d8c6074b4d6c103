/**
 * Counts HTTP requests by their method, the form of their address and their status. Each of the three is bounded: a path of a client's
 * own making has the form `other`.
 */
import { Histogram, type Registry } from 'prom-client'
import { FEW_SECONDS } from './seconds.ts'

export interface HttpCounters {
  count(method: string, template: string, status: number, seconds: number): void
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
/** Forms of addresses are as many as the code has; the bound is for what a mistake would make of them. */
const MOST = 2_000

export function createHttpCounters(registry: Registry): HttpCounters {
  const durations = new Histogram({
    name: 'toolway_http_request_duration_seconds',
    help: 'Time from an HTTP request to the end of its answer, by the form of its address',
    labelNames: ['method', 'path_template', 'status_code'],
    buckets: FEW_SECONDS,
    registers: [registry],
  })
  // Resolving labels costs more than observing: each set of them is resolved once.
  const known = new Map<string, Histogram.Internal<string>>()
  return {
    count(given, template, status, seconds) {
      const key = `${given} ${template} ${status}`
      let timed = known.get(key)
      if (timed === undefined) {
        const method = METHODS.has(given) ? given : 'other'
        const path = known.size < MOST ? template : 'other'
        timed = durations.labels({ method, path_template: path, status_code: String(status) })
        if (known.size < MOST) known.set(key, timed)
      }
      timed.observe(seconds)
    },
  }
}
