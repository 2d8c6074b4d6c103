/**
 * Which tools of the demo server work on time?
 *
 * The clock and the sleeping are passed in. `wait_for` exists to try progress and cancellation against something real.
 */
import * as z from 'zod'
import { demoTool } from '../demo-tool.ts'
import { measureDates } from './date-span.ts'
import { waitInSteps, type Sleep } from './wait.ts'
import { findZone, readClock, readInstant } from './zone.ts'

export interface TimeParts {
  now(): Date
  sleep: Sleep
}

// Checked by measureDates, which words the fault; zod's own pattern for dates would fill the schema a model reads.
const date = z.string().max(40).meta({ format: 'date', description: 'YYYY-MM-DD' })

/** The tools `world_clock`, `date_between` and `wait_for`. */
export const createTimeTools = (parts: TimeParts) => [worldClock(parts), dateBetween, waitFor(parts)]

const worldClock = ({ now }: TimeParts) =>
  demoTool({
    name: 'world_clock',
    title: 'World clock',
    description:
      'Tell the local date, time, weekday and UTC offset in several places at once, now or at a given instant. Takes IANA zones (Europe/Berlin), city names (Tokyo, San Francisco), UTC, or an offset (+05:30).',
    effect: 'read',
    input: z.strictObject({
      zones: z
        .array(z.string().min(1).max(60))
        .min(1)
        .max(20)
        .describe('Places, for example ["Berlin", "America/New_York"]'),
      at: z
        .string()
        .max(40)
        .meta({ format: 'date-time', description: 'An instant such as 2026-03-01T09:00:00+01:00; now when left out' })
        .optional(),
    }),
    output: z.object({
      at: z.string().meta({ format: 'date-time', description: 'The instant in UTC' }),
      clocks: z.array(
        z.object({ asked: z.string(), zone: z.string(), local: z.string(), weekday: z.string(), offset: z.string() }),
      ),
    }),
    run({ zones, at }) {
      const instant = at === undefined ? now() : readInstant(at)
      return {
        at: instant.toISOString(),
        clocks: zones.map((asked) => ({ asked, ...readClock(findZone(asked), instant) })),
      }
    },
    say: ({ clocks }) =>
      clocks
        .map(({ zone, local, weekday, offset }) => `${zone}: ${weekday} ${local.replace('T', ' ')} (UTC${offset})`)
        .join('\n'),
  })

const dateBetween = demoTool({
  name: 'date_between',
  title: 'Days between dates',
  description:
    'Count the days, weeks and business days (Monday to Friday, minus given holidays) from one date to another. The first day counts, the last does not. Negative when the second date is earlier.',
  effect: 'read',
  input: z.strictObject({
    from: date,
    to: date,
    holidays: z.array(date).max(400).default([]).describe('Further days off, which are not business days'),
  }),
  output: z.object({
    from: z.string(),
    to: z.string(),
    days: z.int(),
    weeks: z.int(),
    days_beyond_weeks: z.int(),
    business_days: z.int(),
    calendar: z.object({ years: z.int(), months: z.int(), days: z.int() }),
  }),
  run({ from, to, holidays }) {
    const { days, weeks, daysBeyondWeeks, businessDays, calendar } = measureDates(from, to, holidays)
    return { from, to, days, weeks, days_beyond_weeks: daysBeyondWeeks, business_days: businessDays, calendar }
  },
  say: ({ from, to, days, weeks, days_beyond_weeks, business_days, calendar }) =>
    `${from} to ${to}: ${days} days (${weeks} weeks and ${days_beyond_weeks} days), ${business_days} business days; ` +
    `${calendar.years} years, ${calendar.months} months, ${calendar.days} days`,
})

const waitFor = ({ sleep }: TimeParts) =>
  demoTool({
    name: 'wait_for',
    title: 'Wait',
    description:
      'Wait for up to 30 seconds, reporting progress on the way. Use it to try progress notifications, timeouts and cancellation; it does nothing else.',
    effect: 'read',
    input: z.strictObject({
      seconds: z.number().min(0).max(30),
      steps: z.int().min(1).max(100).default(5).describe('How many times to report progress'),
    }),
    output: z.object({ waited_seconds: z.number(), steps: z.int() }),
    async run({ seconds, steps }, call) {
      return { waited_seconds: seconds, steps: await waitInSteps({ seconds, steps }, call, sleep) }
    },
    say: ({ waited_seconds, steps }) => `Waited ${waited_seconds} seconds in ${steps} steps.`,
  })
