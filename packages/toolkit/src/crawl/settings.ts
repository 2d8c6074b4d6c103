/**
 * Settings and limits of crawling. The person who starts the toolkit sets them, by options or variables; a tool call cannot, so that a
 * model never opens a private network or ignores a site's rules on its own.
 */
import type { RetryLimits } from '@toolway/protocol/retry'
import { z } from 'zod'
import { Refusal } from '../refusal.ts'
import { VERSION } from '../version.ts'

const DEFAULT_USER_AGENT = `Mozilla/5.0 (compatible; toolway-toolkit/${VERSION})`

/** Options of the command line, each of which says what a variable says, too. */
export const CRAWL_OPTIONS = {
  'allow-private': { type: 'boolean' },
  robots: { type: 'string' },
  'user-agent': { type: 'string' },
  'crawl-concurrency': { type: 'string' },
} as const

export const CRAWL_HELP = `  --allow-private       allow crawl_parallel to reach private addresses (TOOLWAY_CRAWL_ALLOW_PRIVATE)
  --robots obey|ignore  whether crawl_parallel obeys robots.txt; default: obey (TOOLWAY_CRAWL_ROBOTS)
  --user-agent TEXT     the User-Agent header (TOOLWAY_CRAWL_USER_AGENT)
  --crawl-concurrency N concurrent requests; default: 8 (TOOLWAY_CRAWL_CONCURRENCY)
`

interface CrawlValues {
  readonly 'allow-private'?: boolean | undefined
  readonly robots?: string | undefined
  readonly 'user-agent'?: string | undefined
  readonly 'crawl-concurrency'?: string | undefined
}

/** Options as the variables whose place they take. */
export function crawlVariables(values: CrawlValues): Record<string, string> {
  const settings = {
    TOOLWAY_CRAWL_ALLOW_PRIVATE: values['allow-private']?.toString(),
    TOOLWAY_CRAWL_ROBOTS: values.robots,
    TOOLWAY_CRAWL_USER_AGENT: values['user-agent'],
    TOOLWAY_CRAWL_CONCURRENCY: values['crawl-concurrency'],
  }
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

const isTrue = z
  .enum(['true', '1', 'yes', 'false', '0', 'no', ''])
  .transform((word) => ['true', '1', 'yes'].includes(word))

const Environment = z.object({
  TOOLWAY_CRAWL_ALLOW_PRIVATE: isTrue.default(false),
  TOOLWAY_CRAWL_ROBOTS: z.enum(['obey', 'ignore']).default('obey'),
  TOOLWAY_CRAWL_CONCURRENCY: z.coerce.number().int().min(1).max(32).default(8),
  TOOLWAY_CRAWL_PER_HOST: z.coerce.number().int().min(1).max(32).default(2),
  TOOLWAY_CRAWL_TIMEOUT: z.coerce.number().min(1).max(600).default(60),
  TOOLWAY_CRAWL_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(1024)
    .max(100 * 1024 * 1024)
    .default(10 * 1024 * 1024),
  TOOLWAY_CRAWL_USER_AGENT: z
    .string()
    .regex(/^[\x20-\x7e]{1,300}$/, 'must be 1 to 300 ASCII characters')
    .default(DEFAULT_USER_AGENT),
})

/** Times are in milliseconds. */
export interface CrawlSettings {
  /** Whether private addresses may be reached. Link-local and metadata addresses never are. */
  readonly allowPrivate: boolean
  readonly robots: 'obey' | 'ignore'
  readonly userAgent: string
  /** Requests at the same time. */
  readonly concurrency: number
  /** Requests at the same time to one host. */
  readonly perHost: number
  readonly redirects: number
  readonly connectTimeout: number
  /** Until the headers of an answer are there. */
  readonly headersTimeout: number
  /** Between two parts of a body. */
  readonly bodyTimeout: number
  /** All requests of one page, with its redirects and repeats; waiting for a turn does not count. */
  readonly pageTimeout: number
  /** Of one body, as it is sent and again as it is decompressed. */
  readonly maxBytes: number
  /** Of one request; a Retry-After longer than `mostWait` ends the page. */
  readonly retries: RetryLimits
  /** A longer Crawl-delay is cut to this. */
  readonly longestCrawlDelay: number
  readonly extractionTimeout: number
  /** Pages that are extracted at the same time, each in a thread. */
  readonly extractionThreads: number
}

export const DEFAULTS: CrawlSettings = {
  allowPrivate: false,
  robots: 'obey',
  userAgent: DEFAULT_USER_AGENT,
  concurrency: 8,
  perHost: 2,
  redirects: 5,
  connectTimeout: 10_000,
  headersTimeout: 20_000,
  bodyTimeout: 20_000,
  pageTimeout: 60_000,
  maxBytes: 10 * 1024 * 1024,
  retries: { tries: 3, total: 120_000, first: 2_000, most: 6_000, mostWait: 30_000 },
  longestCrawlDelay: 10_000,
  extractionTimeout: 30_000,
  extractionThreads: 2,
}

/** Throws a `Refusal` that names the variable. */
export function readCrawlSettings(environment: Readonly<Record<string, string | undefined>>): CrawlSettings {
  const variables = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  )
  const { data, error } = Environment.safeParse(variables)
  if (error !== undefined) {
    const [issue] = error.issues
    throw new Refusal(`${issue?.path.join('.')} is not valid: ${issue?.message}.`)
  }
  const pageTimeout = data.TOOLWAY_CRAWL_TIMEOUT * 1000
  return {
    ...DEFAULTS,
    allowPrivate: data.TOOLWAY_CRAWL_ALLOW_PRIVATE,
    robots: data.TOOLWAY_CRAWL_ROBOTS,
    userAgent: data.TOOLWAY_CRAWL_USER_AGENT,
    concurrency: data.TOOLWAY_CRAWL_CONCURRENCY,
    perHost: data.TOOLWAY_CRAWL_PER_HOST,
    maxBytes: data.TOOLWAY_CRAWL_MAX_BYTES,
    pageTimeout,
    headersTimeout: Math.min(DEFAULTS.headersTimeout, pageTimeout),
    bodyTimeout: Math.min(DEFAULTS.bodyTimeout, pageTimeout),
  }
}
