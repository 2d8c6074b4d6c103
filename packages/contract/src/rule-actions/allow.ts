/** An exception: the rules that it names do not hold where it matches. */
import { z } from 'zod'
import { ruleAction } from './action.ts'
import { and, listIn, OPEN, RuleName } from './parameters.ts'

export const allow = ruleAction({
  action: 'allow',
  parameters: z.strictObject({
    /** Names of rules that do not hold where this one speaks; of the same scope's writer, never the platform's from within. */
    lifts: z.array(RuleName).min(1).max(100),
  }),
  outcome: 'passes',
  title: 'Exception',
  about: 'Other rules do not hold here',
  follows: (parameters) => `the rule ${and(listIn(parameters, 'lifts')) || OPEN} does not hold`,
  beginning: { lifts: [] },
  form: [
    [
      {
        name: 'lifts',
        control: 'list',
        source: 'rules',
        label: 'Rules that do not hold',
        hint: 'By their names; there is no way to say all.',
      },
    ],
  ],
  flag: {
    value: '<tools...>',
    about: 'an exception from rules that --lifts names',
    more: [
      {
        name: 'lifts',
        value: '<rules...>',
        about: 'with --allow: names of the rules that do not hold there',
        missing: 'An exception names the rules that it lifts: --allow PATTERN --lifts NAME.',
      },
    ],
  },
})
