/** The last lines of the gateway's own log, and those to come, over the admin interface (ledger S3-ADM-05). */
import { z } from 'zod'
import { Slug } from '../../connections.ts'
import { operation, platform } from '../../admin/operation.ts'

export const LEVELS_OF_LOG = ['debug', 'info', 'warn', 'error'] as const

export const LogLine = z.strictObject({
  timestamp: z.string(),
  level: z.string(),
  message: z.string(),
  tenant_slug: z.string().nullable(),
  connector_id: z.string().nullable(),
  request_id: z.string().nullable(),
  duration_ms: z.number().nullable(),
  /** Further fields of the line. */
  facts: z.record(z.string(), z.unknown()),
})
export type LogLine = z.output<typeof LogLine>

const Wanted = z.strictObject({
  /** Lines of this level and of the more severe ones. */
  level: z.enum(LEVELS_OF_LOG).optional(),
  tenant_slug: Slug.optional(),
  connector_id: z.string().max(100).optional(),
})

export const listRecentLogs = operation({
  id: 'listRecentLogs',
  at: 'GET /api/v1/admin/logs/recent',
  summary: 'Get the last lines of the log from the gateway that responds, newest last.',
  needs: platform('audit_view_global'),
  query: Wanted.extend({ count: z.coerce.number().int().min(1).max(1000).default(100) }),
  answer: z.strictObject({ items: z.array(LogLine) }),
})

export const followLogs = operation({
  id: 'followLogs',
  at: 'GET /api/v1/admin/logs/stream',
  summary:
    'Stream the lines of the log as they arrive (event `log`). A reader that is too slow receives the event `dropped` and is disconnected.',
  needs: platform('audit_view_global'),
  query: Wanted,
  answer: LogLine,
  media: 'text/event-stream',
})
