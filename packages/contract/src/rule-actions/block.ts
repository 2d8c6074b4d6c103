/** A refusal: the tool is in no list, and a call is refused with the reason of the rule. */
import { z } from 'zod'
import { ruleAction } from './action.ts'

export const block = ruleAction({
  action: 'block',
  parameters: z.strictObject({}).prefault({}),
  outcome: 'refuses',
  unlisted: true,
  title: 'Block',
  about: 'In no list; refused with your reason',
  follows: () => 'it is in no list, and a call is refused with your reason',
  beginning: {},
  form: [],
  flag: { value: '<tools...>', about: 'refuse tools by patterns on their names' },
})
