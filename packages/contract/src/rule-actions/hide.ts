/** A refusal that tells nothing: a call is answered as if there were no such tool. */
import { z } from 'zod'
import { ruleAction } from './action.ts'

export const hide = ruleAction({
  action: 'hide',
  parameters: z.strictObject({}).prefault({}),
  outcome: 'refuses',
  unlisted: true,
  title: 'Hide',
  about: 'As if there were no such tool',
  follows: () => 'it is in no list, and a call is answered as if there were no such tool',
  beginning: {},
  form: [],
  flag: { value: '<tools...>', about: 'as if they did not exist' },
})
