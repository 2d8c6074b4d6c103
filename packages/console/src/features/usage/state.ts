/** The part of the usage screen that is in its address. */
import { z } from 'zod'

const Moment = z.iso.datetime({ offset: true, local: true }).optional()

export const UsageState = z.object({
  range: z.enum(['day', 'week', 'month', 'custom']).default('day'),
  /** Of the range `custom`, as a field of the browser writes them: without a zone. */
  from: Moment,
  to: Moment,
  /** The span to go back to from a part of it that was zoomed to: a range, or FROM/TO. */
  zoomed_from: z
    .string()
    .regex(/^(?:day|week|month|[\dT:.Z+-]*\/[\dT:.Z+-]*)$/)
    .optional(),
  /** An alias. */
  connection: z.string().max(200).optional(),
  /** The id of a key or a user. */
  caller: z.string().max(200).optional(),
})
export type UsageState = z.output<typeof UsageState>
