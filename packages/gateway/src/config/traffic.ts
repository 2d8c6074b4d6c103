/** The settings of what passes through: sessions, metrics, limits of rates and sizes, and how long results are kept. */
import { z } from 'zod'
import { METRIC_NAMES } from '../telemetry/metric-names.ts'
import { bytes, defineKnownSetting, onOff, defineSetting, wholeNumber, type Setting } from './setting.ts'

const SESSIONS_PROBLEM = 'it must be a whole number from 1 to 10000'
const RATE_PROBLEM = 'it must be a whole number from 1 to 1000000, or off'
/** Requests per minute; `off` is 0, which is no limit. */
const perMinute = (unsaid: string) =>
  z
    .string()
    .default(unsaid)
    .refine((text) => text === 'off' || (/^[1-9]\d{0,6}$/.test(text) && Number(text) <= 1_000_000), RATE_PROBLEM)
    .transform((text) => (text === 'off' ? 0 : Number(text)))

export const TRAFFIC_SETTINGS = {
  TOOLWAY_SESSIONS: defineKnownSetting(
    ['SAGEMCP_ENABLE_SESSION_MANAGEMENT'],
    defineSetting(
      z.enum(['on', 'off', 'questions'], 'it must be on, off or questions').default('on'),
      'off: stateless; clients receive no session, and HTTP+SSE is not available. questions: like off, but clients that support elicitation receive a session at endpoints whose policy file requires confirmations (curatore preset).',
    ),
  ),
  TOOLWAY_SESSIONS_PER_PRINCIPAL: defineSetting(
    z
      .string()
      .default('10')
      .refine((text) => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 10_000, SESSIONS_PROBLEM)
      .transform(Number),
    'Maximum number of sessions of one key at one endpoint. Beyond it, the least recently used session is closed.',
  ),
  TOOLWAY_SESSIONS_PER_ORGANIZATION: defineSetting(
    wholeNumber(1, 100_000).default(10_000),
    'Maximum number of sessions of one organization at one gateway process. Beyond it, the least recently used session of the organization is closed.',
  ),
  TOOLWAY_SESSIONS_PER_GATEWAY: defineSetting(
    wholeNumber(1, 100_000).default(10_000),
    'Maximum number of sessions at one gateway process. Beyond it, the least recently used session of the organization with the most sessions is closed, so that other organizations can always open one.',
  ),
  TOOLWAY_POOL: defineKnownSetting(
    ['SAGEMCP_ENABLE_SERVER_POOL'],
    defineSetting(
      onOff('on'),
      'Pooling of sessions with remote servers. off: each request opens its own session, unless it belongs to a client session.',
    ),
  ),
  TOOLWAY_METRICS: defineKnownSetting(
    ['SAGEMCP_ENABLE_METRICS'],
    defineSetting(onOff('on'), 'off: /metrics is not available.'),
  ),
  TOOLWAY_METRICS_NAMES: defineSetting(
    z.enum(METRIC_NAMES, `it must be one of ${METRIC_NAMES.join(', ')}`).default('toolway'),
    'Metric names: toolway, sagemcp (the names that SageMCP used) or both. SAGEMCP_ENABLE_METRICS=true changes the default to both.',
  ),
  TOOLWAY_METRICS_TOOLS: defineSetting(
    z.enum(['published', 'all'], 'it must be published or all').default('published'),
    'Tool names in metrics. published: native connectors only. all: every tool; note that every caller can read the metrics, so tool names of one organization become visible to others.',
  ),
  TOOLWAY_LIMIT_ADDRESS: defineSetting(perMinute('600'), 'Requests per minute per client IP address. off: no limit.'),
  TOOLWAY_LIMIT_ORGANIZATION: defineKnownSetting(
    ['RATE_LIMIT_RPM'],
    defineSetting(
      perMinute('100'),
      'Requests per minute per organization. The organization’s requests_per_minute overrides it. off: no limit.',
    ),
  ),
  TOOLWAY_LIMIT_ADMINISTRATION: defineSetting(
    perMinute('1000'),
    'Requests per minute to the admin API per organization, console included. off: no limit.',
  ),
  TOOLWAY_LIMIT_KEY: defineSetting(perMinute('off'), 'Requests per minute per key or account. off: no limit.'),
  TOOLWAY_LIMIT_CONNECTION: defineSetting(perMinute('off'), 'Requests per minute per connection. off: no limit.'),
  TOOLWAY_CALLS_PER_CONNECTION: defineSetting(
    wholeNumber(1, 4_096).default(256),
    'Calls that the server of one connection is sent at once, by each gateway process. Further calls wait for a place, at most four for each place and no longer than the timeout of the connection; the others are refused with connection.busy.',
  ),
  TOOLWAY_CALLS_IN_FLIGHT: defineSetting(
    wholeNumber(1, 1_000_000).default(10_000),
    'Maximum number of calls in progress in one process, including those that wait for a slow server. One organization can use at most four fifths of it. Calls beyond it receive 503 with Retry-After.',
  ),
  TOOLWAY_CALLS_WAITING: defineSetting(
    wholeNumber(1, 1_000_000).default(2_000),
    'Maximum number of calls in one process that wait for their turn because calls arrive faster than the process can start them. One organization can use at most four fifths of it.',
  ),
  TOOLWAY_CALLS_WAIT_MS: defineSetting(
    wholeNumber(10, 600_000).default(1_000),
    'Milliseconds for which calls may wait for their turn. While the oldest waiting call of an organization has waited longer, further calls of that organization receive 503 with Retry-After.',
  ),
  TOOLWAY_CALLS_BYTES: defineSetting(
    bytes(268_435_456, 1_024, 68_719_476_736),
    'Maximum total size in bytes of the request bodies of all calls in progress in one process; at least TOOLWAY_BODY_LIMIT. One organization can use at most four fifths of it.',
  ),
  TOOLWAY_AGENT_RUNS: defineSetting(
    wholeNumber(1, 1_000).default(8),
    'Agent runs at the same time, for each gateway; its processes (TOOLWAY_PROCESSES) share the number. A run takes about 120 MB. Further runs wait.',
  ),
  TOOLWAY_AGENT_RUNS_PER_ORGANIZATION: defineSetting(
    wholeNumber(1, 1_000).default(4),
    'Agent runs at the same time of one organization, in all gateways on the same database together.',
  ),
  TOOLWAY_AGENT_RUNS_IN_ALL: defineSetting(
    wholeNumber(1, 100_000).default(64),
    'Agent runs at the same time in all gateways on the same database together. Further runs wait.',
  ),
  TOOLWAY_AGENT_QUEUE: defineSetting(
    wholeNumber(0, 10_000).default(20),
    'Agent runs of one organization that may wait, for each gateway process. Further runs are refused.',
  ),
  TOOLWAY_BODY_LIMIT: defineSetting(bytes(1_048_576, 1_024, 67_108_864), 'Maximum size of a request body in bytes.'),
  TOOLWAY_RESULT_LIMIT: defineSetting(
    bytes(262_144, 1_024, 67_108_864),
    'Maximum text size of a tool result in bytes. Longer results are truncated with a notice.',
  ),
  TOOLWAY_ARGUMENT_DEPTH: defineSetting(wholeNumber(1, 64).default(64), 'Maximum nesting depth of arguments.'),
  TOOLWAY_ARGUMENT_MEMBERS: defineSetting(
    wholeNumber(100, 1_000_000).default(10_000),
    'Maximum number of named members in the arguments of a call, on all levels. Elements of lists do not count.',
  ),
  TOOLWAY_TRACE_BAGGAGE: defineSetting(
    onOff('off'),
    'on: servers receive the baggage (W3C) that clients send with their trace context, which may contain personal data. The trace context itself is always forwarded.',
  ),
  TOOLWAY_RESULT_FILE_FROM: defineSetting(
    bytes(5_242_880, 1_024, 67_108_864),
    'Text size in bytes from which the full text of a truncated result is stored as a file, if files are enabled. Composio results up to this size are returned in full.',
  ),
  TOOLWAY_STDIO_LINE_LIMIT: defineSetting(
    bytes(8_388_608, 1_024, 50_331_648),
    'Maximum length of a line from a stdio server in bytes. A longer line stops the program.',
  ),
  TOOLWAY_RESULTS_SECONDS: defineSetting(
    wholeNumber(0, 604_800).default(3600),
    'Seconds for which the full text of a truncated result can be read by its caller. 0: not stored.',
  ),
  TOOLWAY_PAYLOAD_DAYS: defineSetting(
    wholeNumber(0, 365).default(7),
    'Days for which arguments and results of calls are stored with their records, for connections with this option. 0: not stored.',
  ),
} as const satisfies Record<string, Setting>
