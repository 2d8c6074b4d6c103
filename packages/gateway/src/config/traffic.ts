/** The settings of what passes through: sessions, metrics, limits of rates and sizes, and how long results are kept. */
import { z } from 'zod'
import { METRIC_NAMES } from '../telemetry/metric-names.ts'
import { bytes, known, onOff, setting, wholeNumber, type Setting } from './setting.ts'

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
  TOOLWAY_SESSIONS: known(
    ['SAGEMCP_ENABLE_SESSION_MANAGEMENT'],
    setting(
      z.enum(['on', 'off', 'questions'], 'it must be on, off or questions').default('on'),
      'off: no session outlives a request; clients that open one get none, and HTTP+SSE is not served. questions: the same, but a client that can be asked gets a session at an endpoint whose policy file asks for confirmations (preset curatore).',
    ),
  ),
  TOOLWAY_SESSIONS_PER_PRINCIPAL: setting(
    z
      .string()
      .default('10')
      .refine((text) => /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 10_000, SESSIONS_PROBLEM)
      .transform(Number),
    'Sessions that one key may have at one endpoint; one more ends the one used longest ago.',
  ),
  TOOLWAY_POOL: known(
    ['SAGEMCP_ENABLE_SERVER_POOL'],
    setting(
      onOff('on'),
      'off: a session with a remote server serves one request, unless it belongs to a session of a client.',
    ),
  ),
  TOOLWAY_METRICS: known(['SAGEMCP_ENABLE_METRICS'], setting(onOff('on'), 'off: there is no /metrics.')),
  TOOLWAY_METRICS_NAMES: setting(
    z.enum(METRIC_NAMES, `it must be one of ${METRIC_NAMES.join(', ')}`).default('toolway'),
    'Names of the metrics: toolway, sagemcp (those that the source system SageMCP had, under its names) or both. SAGEMCP_ENABLE_METRICS=true means both where nothing else is said.',
  ),
  TOOLWAY_METRICS_TOOLS: setting(
    z.enum(['published', 'all'], 'it must be published or all').default('published'),
    'Tools that metrics name: published (those of native connectors, whose names are the product’s own) or all. Whoever may call may read the metrics, so with all the names of tools of one organization are shown to others.',
  ),
  TOOLWAY_LIMIT_ADDRESS: setting(
    perMinute('600'),
    'Requests per minute of one client address, whoever asks; off is no limit.',
  ),
  TOOLWAY_LIMIT_ORGANIZATION: known(
    ['RATE_LIMIT_RPM'],
    setting(
      perMinute('100'),
      'Requests per minute of one organization that has not settled requests_per_minute for itself; off is no limit.',
    ),
  ),
  TOOLWAY_LIMIT_ADMINISTRATION: setting(
    perMinute('1000'),
    'Requests per minute to the admin interface of one organization, the console’s too; off is no limit.',
  ),
  TOOLWAY_LIMIT_KEY: setting(perMinute('off'), 'Requests per minute of one key or account; off is no limit.'),
  TOOLWAY_LIMIT_CONNECTION: setting(
    perMinute('off'),
    'Requests per minute that go to one connection; off is no limit.',
  ),
  TOOLWAY_BODY_LIMIT: setting(bytes(1_048_576, 1_024, 67_108_864), 'Bytes that a request may have.'),
  TOOLWAY_RESULT_LIMIT: setting(
    bytes(262_144, 1_024, 67_108_864),
    'Bytes of text that the result of a tool may have; what is longer is cut, and says so.',
  ),
  TOOLWAY_ARGUMENT_DEPTH: setting(
    wholeNumber(1, 64).default(64),
    'Levels of nesting that the arguments of a call may have.',
  ),
  TOOLWAY_RESULT_FILE_FROM: setting(
    bytes(5_242_880, 1_024, 67_108_864),
    'Bytes of text from which on the whole of a cut result is kept as a file, where files are kept; answers of Composio are passed on whole up to it.',
  ),
  TOOLWAY_STDIO_LINE_LIMIT: setting(
    bytes(8_388_608, 1_024, 50_331_648),
    'Bytes that one line of a stdio server may have; a longer one ends its program.',
  ),
  TOOLWAY_RESULTS_SECONDS: setting(
    wholeNumber(0, 604_800).default(3600),
    'Seconds for which what was cut of a result is kept for its caller; 0 keeps nothing.',
  ),
  TOOLWAY_PAYLOAD_DAYS: setting(
    wholeNumber(0, 365).default(7),
    'Days for which arguments and results of calls are kept with their records, for connections whose administrator wants that; 0 keeps nothing.',
  ),
} as const satisfies Record<string, Setting>
