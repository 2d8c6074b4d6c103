/** When people were last seen, as a list of them is narrowed by it: within so many days, or not within them. */
import { z } from 'zod'

export const PERIODS = [7, 30, 90] as const
export const Seen = z.enum(['7', '30', '90', '-7', '-30', '-90'])

const DAY_MS = 86_400_000

/** @param day the moment from which days are counted back */
export function seenQuery(seen: z.output<typeof Seen> | undefined, day: Date) {
  if (seen === undefined) return {}
  const since = new Date(day.getTime() - Math.abs(Number(seen)) * DAY_MS).toISOString()
  return seen.startsWith('-') ? { seen_before: since } : { seen_after: since }
}

/** The last midnight: a question that stays the same all day is asked once. */
export function today(): Date {
  const day = new Date()
  day.setHours(0, 0, 0, 0)
  return day
}
