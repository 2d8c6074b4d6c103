/** A budget of calls in a time. */
import { z } from 'zod'
import { ruleAction } from './action.ts'
import { OPEN, textIn } from './parameters.ts'

const SHARES = {
  caller: 'for each caller',
  organization: 'for the whole organization',
  session: 'for each session',
} as const

/** `git__*:20/60`: so many calls in so many seconds; `…/session` and `…/organization` say who shares them. */
const FLAG = /^([^:]+):(\d+)\/(\d+)(?:\/(caller|session|organization))?$/

export const rate = ruleAction({
  action: 'rate',
  parameters: z.strictObject({
    calls: z.int().positive().max(1_000_000),
    /** Seconds. */
    per: z.int().positive().max(86_400).default(60),
    /** The scope that shares the budget. */
    of: z.enum(['caller', 'organization', 'session']).default('caller'),
  }),
  title: 'Limit call rate',
  about: 'Allow a number of calls per time window',
  follows(parameters) {
    const { of, per = 60 } = parameters
    const share = of === 'organization' || of === 'session' ? SHARES[of] : SHARES.caller
    const calls = textIn(parameters, 'calls') || OPEN
    return `at most ${calls} ${calls === '1' ? 'call' : 'calls'} in ${duration(Number(per))} ${share}`
  },
  beginning: { calls: 60, per: 60, of: 'caller' },
  form: [
    [
      { name: 'calls', control: 'number', label: 'Calls', min: 1 },
      { name: 'per', control: 'number', label: 'Time window (seconds)', min: 1 },
      {
        name: 'of',
        control: 'choice',
        label: 'Counted',
        choices: { caller: 'Per caller', organization: 'Whole organization', session: 'Per session' },
      },
    ],
  ],
  flag: {
    value: '<rate>',
    about: 'limit the call rate (calls/seconds): TOOLS:20/60, …/session, …/organization',
    reads: "TOOLS:CALLS/SECONDS, as in 'git__*:20/60' or 'git__*:100/3600/organization'",
    read(text) {
      const [, tool, calls, per, of] = FLAG.exec(text) ?? []
      if (tool === undefined) return undefined
      return { tool, parameters: { calls: Number(calls), per: Number(per), ...(of === undefined ? {} : { of }) } }
    },
  },
})

const UNITS = [
  [86_400, 'days', 'a day'],
  [3600, 'hours', 'an hour'],
  [60, 'minutes', 'a minute'],
] as const

function duration(seconds: number): string {
  const unit = UNITS.find(([length]) => seconds % length === 0)
  if (unit === undefined) return seconds === 1 ? 'a second' : `${seconds} seconds`
  const [length, many, one] = unit
  return seconds === length ? one : `${seconds / length} ${many}`
}
