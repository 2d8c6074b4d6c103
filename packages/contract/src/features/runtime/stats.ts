/** How much there is and how much happens: of one organization, and of the whole installation (ledger S3-ADM-05). */
import { z } from 'zod'
import { inOrganization, operation, platform } from '../../admin/operation.ts'

const Calls = z.strictObject({
  total: z.int(),
  /** Ended with an error, of the gateway's, the server's or the tool's. */
  failed: z.int(),
  refused: z.int(),
})

export const Stats = z.strictObject({
  connectors: z.int(),
  connectors_enabled: z.int(),
  /** How many are in each state: for whoever asks, and of the whole platform as their last contact showed. */
  connectors_by_status: z.record(z.string(), z.int()),
  tools: z.int(),
  toolsets: z.int(),
  members: z.int(),
  keys: z.int(),
  sessions: z.int(),
  /** Of the last 24 hours. */
  calls: Calls,
})
export type Stats = z.output<typeof Stats>

export const PlatformStats = Stats.extend({
  tenants: z.int(),
  users: z.int(),
  /** When `toolway backup` last wrote a backup; null: none is in the audit log. */
  last_backup_at: z.iso.datetime().nullable(),
  /** When the database gave the figures that only it knows. */
  read_at: z.iso.datetime(),
  /** False: the database does not answer now, and those figures are the last known ones. */
  up_to_date: z.boolean(),
  /** Of the gateway that answers: seconds it runs, bytes it holds, what it holds open with servers. */
  gateway: z.strictObject({ uptime_seconds: z.int(), memory_bytes: z.int(), pooled: z.int() }),
})
export type PlatformStats = z.output<typeof PlatformStats>

export const findStats = operation({
  id: 'findStats',
  at: 'GET /api/v1/admin/tenants/{organization}/stats',
  summary: 'Get the totals of an organization, and its calls in the last 24 hours.',
  needs: inOrganization('stats_view_own'),
  answer: Stats,
})
export const findPlatformStats = operation({
  id: 'findPlatformStats',
  at: 'GET /api/v1/admin/stats',
  summary: 'Get the totals of the installation, and its calls in the last 24 hours.',
  needs: platform('stats_view_global'),
  answer: PlatformStats,
})
