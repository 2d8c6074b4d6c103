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
  about: 'Exempt calls from other rules',
  follows(parameters) {
    const lifts = listIn(parameters, 'lifts')
    return lifts.length > 1 ? `the rules ${and(lifts)} do not apply` : `the rule ${lifts[0] ?? OPEN} does not apply`
  },
  beginning: { lifts: [] },
  form: [
    [
      {
        name: 'lifts',
        control: 'list',
        source: 'rules',
        label: 'Rules that do not apply',
        hint: 'Names of the rules. Each must be listed.',
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
