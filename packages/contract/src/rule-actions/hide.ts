/** A refusal that tells nothing: a call is answered as if there were no such tool. */
import { z } from 'zod'
import { ruleAction } from './action.ts'

export const hide = ruleAction({
  action: 'hide',
  parameters: z.strictObject({}).prefault({}),
  outcome: 'refuses',
  unlisted: true,
  beginning: {},
  form: [],
  flag: { value: '<tools...>', about: 'hide tools as if they did not exist' },
})
