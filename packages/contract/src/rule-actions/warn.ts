/** A mark: the call goes on, and its record is marked. */
import { z } from 'zod'
import { ruleAction } from './action.ts'

export const warn = ruleAction({
  action: 'warn',
  parameters: z.strictObject({}).prefault({}),
  outcome: 'passes',
  title: 'Mark',
  about: 'The call goes on, its record is marked',
  follows: () => 'the call goes on, and its record is marked',
  beginning: {},
  form: [],
  flag: { value: '<tools...>', about: 'have their calls marked on record' },
})
