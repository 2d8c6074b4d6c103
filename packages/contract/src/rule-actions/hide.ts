/** A refusal that tells nothing: a call is answered as if there were no such tool. */
import { z } from 'zod'
import { ruleAction } from './action.ts'

export const hide = ruleAction({
  action: 'hide',
  parameters: z.strictObject({}).prefault({}),
  outcome: 'refuses',
  unlisted: true,
  title: 'Hide',
  about: 'Not listed; calls fail as if the tool did not exist',
  follows: () => 'not listed, and calls fail as if the tool did not exist',
  beginning: {},
  form: [],
  flag: { value: '<tools...>', about: 'hide tools as if they did not exist' },
})
