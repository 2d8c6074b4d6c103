/** The gateways that run on one database, over the admin interface: which versions serve, and which stopped responding. */
import { z } from 'zod'
import { operation, platform } from '../../admin/operation.ts'

/** One process of a gateway. */
export const RunningGateway = z.strictObject({
  /** Random, of this run of the process. */
  id: z.string(),
  host: z.string(),
  /** Process ID on that host. */
  process: z.int(),
  version: z.string(),
  /** `web`, `api`, `mcp`. */
  roles: z.array(z.string()),
  started_at: z.iso.datetime(),
  /** The last heartbeat: one every 15 seconds. */
  seen_at: z.iso.datetime(),
  /** False after 45 seconds without a heartbeat. A gateway leaves the list when it stops, or after a day. */
  responding: z.boolean(),
  /** Whether it is the one that responds to this request. */
  current: z.boolean(),
})
export type RunningGateway = z.output<typeof RunningGateway>

export const listGateways = operation({
  id: 'listGateways',
  at: 'GET /api/v1/admin/gateways',
  summary:
    'List the gateway processes that run on this database, with their versions and roles, and when each was last seen.',
  needs: platform('stats_view_global'),
  answer: z.strictObject({
    items: z.array(RunningGateway),
    /** When the database gave the list. */
    read_at: z.iso.datetime(),
    /** False: the database does not answer now, and the list is the last known one. */
    up_to_date: z.boolean(),
  }),
})
