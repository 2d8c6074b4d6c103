/** The settings of what is stored and shared: records, the database, Redis, and how a gateway ends. */
import { z } from 'zod'
import { defineSetting, wholeNumber, type Setting } from './setting.ts'

export const STORE_SETTINGS = {
  TOOLWAY_OUTBOX: defineSetting(
    z.string().min(1).optional(),
    'Directory for the journal of calls that are not in the audit log yet. Default: outbox in the data directory. Gateways that share a database can also share a directory on a common volume: each recovers the entries of a gateway that was killed.',
  ),
  TOOLWAY_RECORDS_DAYS: defineSetting(
    wholeNumber(1, 99_999).optional(),
    'Retention of the audit log in days. Older records are removed up to a signed checkpoint. If unset, records are kept indefinitely.',
  ),
  TOOLWAY_CHECKPOINT_MINUTES: defineSetting(
    wholeNumber(1, 1440).default(1),
    'Interval between signed checkpoints of the audit log, in minutes. A checkpoint is also signed at start and shutdown.',
  ),
  TOOLWAY_STOP_DELAY: defineSetting(
    wholeNumber(0, 600).optional(),
    'Shutdown delay in seconds: requests are still accepted while /health/ready returns 503, so that load balancers notice. Default: 5 if TOOLWAY_TRUSTED_PROXIES or a public TOOLWAY_PUBLIC_URL is set; otherwise, and in a terminal, 0.',
  ),
  TOOLWAY_DRAIN_SECONDS: defineSetting(
    wholeNumber(0, 3600).default(70),
    'Shutdown grace period for calls in progress, in seconds. Set it to at least the longest connection timeout; calls that take longer are aborted.',
  ),
  DATABASE_URL: defineSetting(
    z
      .url({ protocol: /^postgres(ql)?$/, error: 'it must look like postgres://user:password@host/database' })
      .optional(),
    'PostgreSQL database to use instead of the embedded one.',
    true,
  ),
  DATABASE_DIRECT_URL: defineSetting(
    z
      .url({ protocol: /^postgres(ql)?$/, error: 'it must look like postgres://user:password@host/database' })
      .optional(),
    'Direct URL of the database, if DATABASE_URL points to a pooler in transaction mode (PgBouncer). Used for migrations, LISTEN and health checks; everything else uses DATABASE_URL.',
    true,
  ),
  TOOLWAY_DATABASE_CONNECTIONS: defineSetting(
    wholeNumber(2, 500).default(10),
    'Database connections of one gateway (embedded database: at most 30). Up to three more are used for LISTEN, health checks and rate limits without Redis.',
  ),
  TOOLWAY_DATABASE_GRACE_SECONDS: defineSetting(
    wholeNumber(0, 86_400).default(900),
    'Seconds for which known keys, tokens and sessions keep working while the database is unavailable. After that, all requests and /health/ready return 503.',
  ),
  REDIS_URL: defineSetting(
    z.url({ protocol: /^rediss?$/, error: 'it must start with redis:// or rediss://' }).optional(),
    'Redis for rate limits shared by several gateways. Without it, requests are counted in the DATABASE_URL database.',
    true,
  ),
  TOOLWAY_CHANGES: defineSetting(
    z.enum(['postgres', 'redis'], 'it must be postgres or redis').default('postgres'),
    'Change feed between gateways. postgres: LISTEN/NOTIFY. redis: a stream in REDIS_URL, recommended for ten or more gateways.',
  ),
} as const satisfies Record<string, Setting>
