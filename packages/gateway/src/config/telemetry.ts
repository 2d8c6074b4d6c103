/**
 * The settings of telemetry (OpenTelemetry, environment variable specification), and where each signal is exported to.
 *
 * Their names are OpenTelemetry's own. Only OTLP over HTTP with protobuf is spoken: a setting that asks for another way is refused
 * with the mend, because traces that go nowhere are noticed when they are needed.
 */
import { z } from 'zod'
import { defineSetting } from './setting.ts'
import { SAMPLERS } from '../telemetry/tracing/sampler.ts'

const http = z.url({ protocol: /^https?$/, error: 'it must start with http:// or https://' })
const wholeNumber = (least: number, most: number, unsaid: number) => {
  const problem = `it must be a whole number from ${least} to ${most}`
  return z
    .string()
    .regex(/^\d{1,9}$/, problem)
    .transform(Number)
    .refine((number) => number >= least && number <= most, problem)
    .default(unsaid)
}
const milliseconds = (unsaid: number) => wholeNumber(1, 3_600_000, unsaid)
const protocol = z.enum(
  ['http/protobuf'],
  'only http/protobuf is supported, not gRPC or JSON. Collectors accept it on port 4318',
)
const exporter = z.enum(['otlp', 'none'], 'it must be otlp or none: other exporters are not supported')
/** `name=value,name=value`, values in percent encoding (W3C Baggage, as OpenTelemetry has it). Kept as it was written. */
const pairs = z
  .string()
  .refine(
    (text) => pairsIn(text) !== undefined,
    'it must be name=value pairs, separated by commas, with percent-encoded values',
  )
  .optional()

/** Undefined for what is no list of pairs. */
function pairsIn(text = ''): Readonly<Record<string, string>> | undefined {
  try {
    const read = text.split(',').filter((value) => value.trim() !== '')
    const split = read.map((value) => /^\s*([^=\s]+)\s*=(.*)$/.exec(value) ?? [])
    if (split.some(([, name]) => name === undefined)) return undefined
    return Object.fromEntries(split.map(([, name = '', value = '']) => [name, decodeURIComponent(value.trim())]))
  } catch {
    return undefined
  }
}

const endpointSetting = (signal: string) =>
  defineSetting(http.optional(), `Full URL for ${signal}, instead of the common one.`)
const headers = (signal: string) => defineSetting(pairs, `Headers for ${signal}, instead of the common ones.`, true)

export const TELEMETRY_SETTINGS = {
  OTEL_SDK_DISABLED: defineSetting(
    z.enum(['true', 'false'], 'it must be true or false').default('false'),
    'true: no traces, metrics or logs are exported, regardless of other settings.',
  ),
  OTEL_SERVICE_NAME: defineSetting(z.string().min(1).optional(), 'Service name in telemetry. Default: toolway.'),
  OTEL_RESOURCE_ATTRIBUTES: defineSetting(
    pairs,
    'Resource attributes in telemetry: name=value pairs separated by commas, such as deployment.environment.name=production.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: defineSetting(
    http.optional(),
    'Base URL of an OpenTelemetry collector or backend, such as http://127.0.0.1:4318. Traces, metrics and logs are exported to /v1/traces, /v1/metrics and /v1/logs. If unset, nothing is exported.',
  ),
  TOOLWAY_TRACE_URL: defineSetting(
    z
      .string()
      .refine(
        (text) => /^https?:\/\//.test(text) && text.includes('{trace_id}'),
        'it must be an http: or https: URL that contains {trace_id}',
      )
      .optional(),
    'URL of a trace in your tracing system, such as https://jaeger.example.com/trace/{trace_id}. If set, the audit log links each call to its trace.',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpointSetting('traces'),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: endpointSetting('metrics'),
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: endpointSetting('logs'),
  OTEL_EXPORTER_OTLP_HEADERS: defineSetting(
    pairs,
    'Headers for every export, such as Authorization=Bearer%20…: name=value pairs separated by commas, with percent-encoded values.',
    true,
  ),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: headers('traces'),
  OTEL_EXPORTER_OTLP_METRICS_HEADERS: headers('metrics'),
  OTEL_EXPORTER_OTLP_LOGS_HEADERS: headers('logs'),
  OTEL_EXPORTER_OTLP_PROTOCOL: defineSetting(
    protocol.default('http/protobuf'),
    'Only http/protobuf is supported; grpc and http/json are rejected.',
  ),
  OTEL_EXPORTER_OTLP_TIMEOUT: defineSetting(
    milliseconds(10_000),
    'Timeout of an export in milliseconds, retries included.',
  ),
  OTEL_EXPORTER_OTLP_COMPRESSION: defineSetting(
    z.enum(['none', 'gzip'], 'it must be none or gzip').default('none'),
    'gzip: exports are compressed, which costs CPU and saves bandwidth.',
  ),
  OTEL_TRACES_EXPORTER: defineSetting(
    exporter.optional(),
    'none: no traces. otlp without an endpoint: http://127.0.0.1:4318.',
  ),
  OTEL_METRICS_EXPORTER: defineSetting(exporter.optional(), 'none: no metrics over OTLP. /metrics remains available.'),
  OTEL_LOGS_EXPORTER: defineSetting(exporter.optional(), 'none: no logs over OTLP. The log output remains.'),
  OTEL_TRACES_SAMPLER: defineSetting(
    z.enum(SAMPLERS, `it must be one of ${SAMPLERS.join(', ')}`).default('parentbased_always_on'),
    'Trace sampler. parentbased samplers follow the sampling decision of the caller; the others ignore it.',
  ),
  OTEL_TRACES_SAMPLER_ARG: defineSetting(
    z
      .string()
      .regex(/^(?:0(?:\.\d+)?|1(?:\.0+)?|\.\d+)$/, 'it must be a number from 0 to 1')
      .transform(Number)
      .default(1),
    'Share of traces that a traceidratio sampler records, from 0 to 1.',
  ),
  OTEL_BSP_SCHEDULE_DELAY: defineSetting(
    milliseconds(5_000),
    'Delay before an incomplete batch of spans is exported, in milliseconds.',
  ),
  OTEL_BSP_EXPORT_TIMEOUT: defineSetting(milliseconds(30_000), 'Timeout of a span export in milliseconds.'),
  OTEL_BSP_MAX_QUEUE_SIZE: defineSetting(
    wholeNumber(1, 1_000_000, 8_192),
    'Queue size for spans. Spans beyond it are dropped and counted in toolway_telemetry_items_total.',
  ),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: defineSetting(wholeNumber(1, 100_000, 512), 'Maximum number of spans per export.'),
  OTEL_BLRP_SCHEDULE_DELAY: defineSetting(
    milliseconds(1_000),
    'Delay before an incomplete batch of log lines is exported, in milliseconds.',
  ),
  OTEL_BLRP_EXPORT_TIMEOUT: defineSetting(milliseconds(30_000), 'Timeout of a log export in milliseconds.'),
  OTEL_BLRP_MAX_QUEUE_SIZE: defineSetting(wholeNumber(1, 1_000_000, 2_048), 'Queue size for log lines.'),
  OTEL_BLRP_MAX_EXPORT_BATCH_SIZE: defineSetting(
    wholeNumber(1, 100_000, 512),
    'Maximum number of log lines per export.',
  ),
  OTEL_METRIC_EXPORT_INTERVAL: defineSetting(milliseconds(60_000), 'Interval between metric exports in milliseconds.'),
  OTEL_METRIC_EXPORT_TIMEOUT: defineSetting(milliseconds(30_000), 'Timeout of a metric export in milliseconds.'),
  TOOLWAY_TRACE_CONTENT: {
    ...defineSetting(
      z.enum(['on', 'off', 'true', 'false'], 'it must be on or off').default('off'),
      'on: spans contain arguments and results of calls, shortened and with secrets masked. off: they do not.',
    ),
    also: ['OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT'],
  },
  LOGFIRE_TOKEN: defineSetting(
    z
      .string()
      .regex(/^[\w.-]{8,}$/, 'it must be a Logfire write token')
      .optional(),
    'Write token of Pydantic Logfire. If set, traces, metrics and logs are also exported there.',
    true,
  ),
  LOGFIRE_BASE_URL: defineSetting(
    http.optional(),
    'URL of a self-hosted Logfire. Default: the region named in the token.',
  ),
} as const

export type TelemetryConfig = {
  readonly [Name in keyof typeof TELEMETRY_SETTINGS]: z.output<(typeof TELEMETRY_SETTINGS)[Name]['shape']>
}

export const SIGNALS = ['traces', 'metrics', 'logs'] as const
export type Signal = (typeof SIGNALS)[number]

export interface ExportTarget {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

const LOCAL = 'http://127.0.0.1:4318'

/** Where each signal goes; a signal that goes nowhere is off. */
export function exportTargets(config: TelemetryConfig): Readonly<Record<Signal, readonly ExportTarget[]>> {
  const of = (signal: Signal) => (config.OTEL_SDK_DISABLED === 'true' ? [] : targetsOf(config, signal))
  return { traces: of('traces'), metrics: of('metrics'), logs: of('logs') }
}

function targetsOf(config: TelemetryConfig, signal: Signal): ExportTarget[] {
  const upper = signal.toUpperCase() as Uppercase<Signal>
  const chosen = config[`OTEL_${upper}_EXPORTER`]
  // With a sampler that never records, contexts pass through as they do without telemetry.
  const isNever = signal === 'traces' && config.OTEL_TRACES_SAMPLER === 'always_off'
  if (chosen === 'none' || isNever) return []
  const own = config[`OTEL_EXPORTER_OTLP_${upper}_ENDPOINT`]
  const { LOGFIRE_TOKEN: token, OTEL_EXPORTER_OTLP_ENDPOINT: common } = config
  const base = common ?? (chosen === 'otlp' && token === undefined ? LOCAL : undefined)
  const url = own ?? (base === undefined ? undefined : below(base, signal))
  const headers = {
    ...pairsIn(config.OTEL_EXPORTER_OTLP_HEADERS),
    ...pairsIn(config[`OTEL_EXPORTER_OTLP_${upper}_HEADERS`]),
  }
  return [
    ...(url === undefined ? [] : [{ url, headers: lowerCaseNames(headers) }]),
    // The token goes to Logfire and to no other address.
    ...(token === undefined
      ? []
      : [{ url: below(config.LOGFIRE_BASE_URL ?? logfireOf(token), signal), headers: { authorization: token } }]),
  ]
}

/** The attributes of this service that the settings name; the name of the service is one of them. */
export const resourceOf = (config: TelemetryConfig): Readonly<Record<string, string>> => ({
  'service.name': 'toolway',
  ...pairsIn(config.OTEL_RESOURCE_ATTRIBUTES),
  ...(config.OTEL_SERVICE_NAME === undefined ? {} : { 'service.name': config.OTEL_SERVICE_NAME }),
})

/** The path of a signal below a base address (OTLP exporter, endpoint URLs for OTLP/HTTP). */
function below(base: string, signal: Signal): string {
  const url = new URL(base)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/${signal}`
  return url.href
}

/** Write tokens name the region of their project: `pylf_v1_eu_…`. Older ones name none and are of the United States. */
function logfireOf(token: string): string {
  const region = /^pylf_v\d+_([a-z]+)_/.exec(token)?.[1] ?? 'us'
  return `https://logfire-${region}.pydantic.dev`
}

const lowerCaseNames = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** A sentence on a setting that cannot be obeyed; undefined where all is well. */
export function telemetryProblem(config: TelemetryConfig): string | undefined {
  const { LOGFIRE_BASE_URL: logfire } = config
  for (const { url, headers } of SIGNALS.flatMap((signal) => exportTargets(config)[signal])) {
    const { username, password, protocol: scheme, hostname } = new URL(url)
    if (username !== '' || password !== '')
      return 'The URL of an OTLP endpoint must not contain a user name or password: put credentials in OTEL_EXPORTER_OTLP_HEADERS.'
    if (Object.entries(headers).some(([name, value]) => !HEADER_NAME.test(name) || !HEADER_VALUE.test(value)))
      return 'OTEL_EXPORTER_OTLP_HEADERS contains an invalid HTTP header name or value.'
    if (logfire !== undefined && url.startsWith(logfire) && scheme === 'http:' && !LOOPBACK.test(hostname))
      return 'LOGFIRE_BASE_URL must use https, because LOGFIRE_TOKEN is a secret.'
  }
  return undefined
}
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
const LOOPBACK = /^(?:127(?:\.\d+){3}|\[::1\]|localhost)$/
