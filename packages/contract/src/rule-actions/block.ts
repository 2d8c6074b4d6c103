/** A refusal: the tool is in no list, and a call is refused with the reason of the rule. */
import { z } from 'zod'
import { ruleAction } from './action.ts'

export const block = ruleAction({
  action: 'block',
  parameters: z.strictObject({}).prefault({}),
  outcome: 'refuses',
  unlisted: true,
  beginning: {},
  form: [],
  flag: { value: '<tools...>', about: 'block tools whose names match these patterns' },
})
