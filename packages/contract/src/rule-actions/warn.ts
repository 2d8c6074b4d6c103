/** A mark: the call goes on, and its record is marked. */
import { z } from 'zod'
import { ruleAction } from './action.ts'

export const warn = ruleAction({
  action: 'warn',
  parameters: z.strictObject({}).prefault({}),
  outcome: 'passes',
  beginning: {},
  form: [],
  flag: { value: '<tools...>', about: 'flag calls in the audit log' },
})
