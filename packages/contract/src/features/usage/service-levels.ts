/** Service levels of an organization's connections: availability, duration and error budget, of which records say how calls ended. */
import { z } from 'zod'
import { inOrganization, operation } from '../../admin/operation.ts'
import { Uncounted } from './uncounted.ts'

/** Per cent of calls that are to be answered, where an organization has not settled it. */
export const AVAILABILITY_TARGET = 99.5
export const AvailabilityTarget = z.number().min(90).max(99.99)

export const LEVEL_WINDOWS = ['hour', 'day', 'month'] as const
export type LevelWindow = (typeof LEVEL_WINDOWS)[number]

/** Connections of one answer: those with the least error budget. */
export const MOST_LEVELS = 500

const Level = z.strictObject({
  /** Calls that were sent or should have been: refusals do not count. */
  calls: z.int(),
  /** Failed in the gateway or at the server, or nobody knows how they ended. Errors that a tool reports are answers. */
  failed: z.int(),
  /** Per cent; null without a call or while records are uncounted, as the next ones. */
  availability: z.number().nullable(),
  p95_ms: z.number().nullable(),
  /** Per cent of the failures that the target allows which are left; below 0 when there were more. */
  budget_left: z.number().nullable(),
})
export type ServiceLevel = z.output<typeof Level>
const Levels = z.strictObject({ hour: Level, day: Level, month: Level })

export const ServiceLevels = z.strictObject({
  /** The end of all windows, which are the last hour, 24 hours and 30 days. */
  at: z.iso.datetime(),
  target: AvailabilityTarget,
  uncounted: Uncounted,
  total: Levels,
  /** By the name that they had then; the least error budget of 30 days first. */
  connections: z.array(z.strictObject({ name: z.string(), windows: Levels })),
})
export type ServiceLevels = z.output<typeof ServiceLevels>

export const findServiceLevels = operation({
  id: 'findServiceLevels',
  at: 'GET /api/v1/organizations/{organization}/service-levels',
  summary: `Get availability, p95 latency and error budget of each connection over the last hour, 24 hours and 30 days. The target is the organization's \`availability_target\` (${AVAILABILITY_TARGET}% if it has none). While \`uncounted\` is above 0, availability, latency and error budget are unknown and therefore null.`,
  needs: inOrganization('stats_view_own'),
  answer: ServiceLevels,
})
