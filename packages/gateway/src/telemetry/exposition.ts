/**
 * The metrics as text, in the form that the scraper asks for: Prometheus 0.0.4, or OpenMetrics 1.0, which also has exemplars.
 *
 * prom-client writes one form for each registry and renames the counters of a registry for the other, so both forms are written here.
 */
import type { Registry } from 'prom-client'
import { namesOf, type MetricNames } from './metric-names.ts'

export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'
export const OPENMETRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

export interface Exposition {
  readonly type: string
  readonly text: string
}

export const expose = async (registry: Registry, names: MetricNames, accept?: string): Promise<Exposition> =>
  exposeMetrics(await metricsIn(registry), names, accept)

/** Its declarations leave out the names of series and the exemplars, which are there at run time. */
export const metricsIn = async (registry: Registry): Promise<readonly Metric[]> =>
  (await registry.getMetricsAsJSON()) as unknown as readonly Metric[]

/** @param accept the header of the request */
export function exposeMetrics(metrics: readonly Metric[], names: MetricNames, accept = ''): Exposition {
  const form = wantsOpenMetrics(accept) ? OPENMETRICS : PROMETHEUS
  const lines: string[] = []
  for (const metric of metrics) {
    for (const name of namesOf(metric.name, names)) writeFamily(lines, metric, name, form)
  }
  return { type: form.type, text: `${lines.join('\n')}\n${form.end}` }
}

export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly values: readonly Sample[]
  /** How values of several processes become one; unsaid, they are added up. */
  readonly aggregator?: string
}

export interface Sample {
  readonly value: number
  /** Of one series of a histogram. */
  readonly metricName?: string
  readonly labels: Readonly<Record<string, string | number | undefined>>
  readonly exemplar?: Exemplar | null
}

interface Exemplar {
  readonly labelSet: Readonly<Record<string, string>>
  readonly value: number
  /** Seconds since 1970. */
  readonly timestamp: number
}

interface Form {
  readonly type: string
  readonly isOpenMetrics: boolean
  readonly end: string
}
const PROMETHEUS: Form = { type: PROMETHEUS_TYPE, isOpenMetrics: false, end: '' }
const OPENMETRICS: Form = { type: OPENMETRICS_TYPE, isOpenMetrics: true, end: '# EOF\n' }

/** A scraper that takes OpenMetrics at all prefers it: it is asked for by no other program. `q=0` refuses it. */
function wantsOpenMetrics(accept: string): boolean {
  return accept.split(',').some((value) => {
    const [type = '', ...parameters] = value.split(';').map((part) => part.trim().toLowerCase())
    if (type !== 'application/openmetrics-text') return false
    return !parameters.some((parameter) => /^(?:q=0(?:\.0*)?|version=0\..*)$/.test(parameter))
  })
}

function writeFamily(lines: string[], metric: Metric, name: string, { isOpenMetrics }: Form): void {
  // In OpenMetrics, `_total` belongs to the series and not to the family.
  const family = isOpenMetrics && metric.type === 'counter' ? name.replace(/_total$/, '') : name
  lines.push(`# HELP ${family} ${helpText(metric.help, isOpenMetrics)}`, `# TYPE ${family} ${metric.type}`)
  for (const { value, metricName = metric.name, labels, exemplar } of metric.values) {
    const series = name + metricName.slice(metric.name.length)
    const line = `${series}${labelText(labels, isOpenMetrics)} ${numberText(value)}`
    lines.push(isOpenMetrics && exemplar ? line + exemplarText(exemplar) : line)
  }
}

const exemplarText = ({ labelSet, value, timestamp }: Exemplar): string =>
  ` # ${labelText(labelSet, true)} ${numberText(value)} ${timestamp}`

function labelText(labels: Sample['labels'], isOpenMetrics: boolean): string {
  const parts: string[] = []
  for (const [label, value = ''] of Object.entries(labels))
    parts.push(`${label}="${label === 'le' && isOpenMetrics ? boundText(value) : escapeLabel(String(value))}"`)
  return parts.length === 0 ? '' : `{${parts.join(',')}}`
}

/** Bounds are floating point numbers in OpenMetrics: 1 is 1.0. */
const boundText = (bound: string | number): string =>
  /^\d+$/.test(String(bound)) ? `${bound}.0` : escapeLabel(String(bound))

const numberText = (value: number): string =>
  value === Infinity ? '+Inf' : value === -Infinity ? '-Inf' : String(value)

const escapeLabel = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')

const helpText = (text: string, isOpenMetrics: boolean): string =>
  isOpenMetrics ? escapeLabel(text) : text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
