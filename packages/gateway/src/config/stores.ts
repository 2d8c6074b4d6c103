/** The settings of what is stored and shared: records, the database, Redis, and how a gateway ends. */
import { z } from 'zod'
import { setting, wholeNumber, type Setting } from './setting.ts'

export const STORE_SETTINGS = {
  TOOLWAY_OUTBOX: setting(
    z.string().min(1).optional(),
    'Directory in which calls are written down until they are on record; if unsaid, outbox in the data directory. Gateways with one database may share one on a common volume: each stores what a killed one left.',
  ),
  TOOLWAY_RECORDS_DAYS: setting(
    wholeNumber(1, 99_999).optional(),
    'Days that records are kept; older ones are removed up to a signed checkpoint. Not set: they are kept for good.',
  ),
  TOOLWAY_CHECKPOINT_MINUTES: setting(
    wholeNumber(1, 1440).default(1),
    'Minutes between two signatures under the records that came meanwhile; a start and an end sign, too.',
  ),
  TOOLWAY_STOP_DELAY: setting(
    wholeNumber(0, 600).optional(),
    'Seconds that a gateway which is told to end still takes requests while /health/ready answers 503, so that balancers notice. If unsaid, 5 where TOOLWAY_TRUSTED_PROXIES or a public TOOLWAY_PUBLIC_URL is set, and 0 elsewhere and in a terminal.',
  ),
  TOOLWAY_DRAIN_SECONDS: setting(
    wholeNumber(0, 3600).default(70),
    'Seconds that calls which are under way may take once no new ones are let in; at least the longest timeout of a connection. Calls that are not answered by then are cut.',
  ),
  DATABASE_URL: setting(
    z
      .url({ protocol: /^postgres(ql)?$/, error: 'it must look like postgres://user:password@host/database' })
      .optional(),
    'PostgreSQL to use instead of the embedded one.',
    true,
  ),
  DATABASE_DIRECT_URL: setting(
    z
      .url({ protocol: /^postgres(ql)?$/, error: 'it must look like postgres://user:password@host/database' })
      .optional(),
    'The same database without the pooler, where DATABASE_URL leads to one in transaction mode (PgBouncer): for migrations, the listener and the look whether the database is there. All other work goes through DATABASE_URL.',
    true,
  ),
  TOOLWAY_DATABASE_CONNECTIONS: setting(
    wholeNumber(2, 500).default(10),
    'Connections to the database that one gateway opens for its work, of the embedded one at most 30; it has up to three more, which listen, look whether the database is there, and count limits where there is no Redis.',
  ),
  TOOLWAY_DATABASE_GRACE_SECONDS: setting(
    wholeNumber(0, 86_400).default(900),
    'Seconds for which keys, tokens and sessions that were good go on working while the database cannot be used; then everything is refused with 503, and /health/ready with it.',
  ),
  REDIS_URL: setting(
    z.url({ protocol: /^rediss?$/, error: 'it must start with redis:// or rediss://' }).optional(),
    'Redis with which several gateways count their limits together; without one they count in the database of DATABASE_URL.',
    true,
  ),
  TOOLWAY_CHANGES: setting(
    z.enum(['postgres', 'redis'], 'it must be postgres or redis').default('postgres'),
    'How gateways hear of changes by others: LISTEN/NOTIFY of PostgreSQL, or a stream in the Redis of REDIS_URL, which suits ten gateways and more.',
  ),
} as const satisfies Record<string, Setting>
