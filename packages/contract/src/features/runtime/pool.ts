/**
 * The connections that the gateway holds open with servers, over the admin interface (ledger S3-ADM-04): sessions, and processes
 * of one caller.
 */
import { z } from 'zod'
import { Slug } from '../../connections.ts'
import { operation, pageOf, Paging, platform } from '../../admin/operation.ts'

export const Pooled = z.strictObject({
  tenant_slug: z.string(),
  connector_id: z.string(),
  connector: z.string(),
  kind: z.enum(['session', 'process']),
  /** For whom it is held: the gateway itself, a client's session, or a principal that opened none. */
  holder: z.enum(['gateway', 'session', 'principal']),
  calls: z.int(),
  streams: z.int(),
  opened_at: z.iso.datetime(),
  used_at: z.iso.datetime(),
})
export type Pooled = z.output<typeof Pooled>

const POOL = '/api/v1/admin/pool'
const needs = platform('stats_view_global')
const Evicted = z.strictObject({ evicted: z.int() })

export const listPooled = operation({
  id: 'listPooled',
  at: `GET ${POOL}`,
  summary: 'List the open upstream sessions of the gateway that responds.',
  needs,
  query: Paging.extend({ tenant_slug: Slug.optional() }),
  answer: pageOf(Pooled),
})
export const summarizePool = operation({
  id: 'summarizePool',
  at: `GET ${POOL}/summary`,
  summary: 'Count the open upstream sessions, in total and for each organization.',
  needs,
  answer: z.strictObject({
    total: z.int(),
    sessions: z.int(),
    processes: z.int(),
    calls: z.int(),
    streams: z.int(),
    by_tenant: z.record(z.string(), z.int()),
  }),
})
export const endPooled = operation({
  id: 'endPooled',
  at: `DELETE ${POOL}/{slug}/{connection}`,
  summary:
    'Close the pooled sessions of a connection. Calls in progress finish, and the next call opens a new session.',
  needs,
  answer: Evicted,
})
export const endPooledIdle = operation({
  id: 'endPooledIdle',
  at: `POST ${POOL}/evict-idle`,
  summary: 'Close pooled sessions that have been idle for a number of seconds.',
  needs,
  query: z.strictObject({ idle_seconds: z.coerce.number().int().min(0).max(86_400).default(600) }),
  answer: Evicted,
})
