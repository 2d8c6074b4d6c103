/** A budget of calls in a time. */
import { z } from 'zod'
import { ruleAction } from './action.ts'

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
  beginning: { calls: 60, per: 60, of: 'caller' },
  form: [
    [
      { name: 'calls', control: 'number', min: 1 },
      { name: 'per', control: 'number', min: 1 },
      {
        name: 'of',
        control: 'choice',
        choices: ['caller', 'organization', 'session'],
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
