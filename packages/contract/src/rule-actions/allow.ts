/** An exception: the rules that it names do not hold where it matches. */
import { z } from 'zod'
import { ruleAction } from './action.ts'
import { RuleName } from './parameters.ts'

export const allow = ruleAction({
  action: 'allow',
  parameters: z.strictObject({
    /** Names of rules that do not hold where this one speaks; of the same scope's writer, never the platform's from within. */
    lifts: z.array(RuleName).min(1).max(100),
  }),
  outcome: 'passes',
  beginning: { lifts: [] },
  form: [
    [
      {
        name: 'lifts',
        control: 'list',
        source: 'rules',
      },
    ],
  ],
  flag: {
    value: '<tools...>',
    about: 'an exception to the rules named with --lifts',
    more: [
      {
        name: 'lifts',
        value: '<rules...>',
        about: 'with --allow: names of the rules that do not apply',
        missing: 'An exception must list the rules that do not apply: --allow PATTERN --lifts NAME.',
      },
    ],
  },
})
