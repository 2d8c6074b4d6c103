/** A refusal of calls by the value of an argument. */
import { z } from 'zod'
import { ruleAction } from './action.ts'
import { BOUND_FORM, boundFields, parameterField, ParameterPath, readBound, Scalar } from './parameters.ts'

export const reject = ruleAction({
  action: 'reject',
  parameters: z
    .strictObject({
      parameter: ParameterPath.optional(),
      min: z.number().optional(),
      max: z.number().optional(),
      /** Only these values. */
      in: z.array(Scalar).min(1).max(1000).optional(),
      /** Only texts that a regular expression (RE2) fits whole. */
      pattern: z.string().max(1000).optional(),
    })
    .prefault({}),
  outcome: 'refuses',
  beginning: {},
  form: [
    [parameterField],
    boundFields,
    [{ name: 'in', control: 'list' }],
    [
      {
        name: 'pattern',
        control: 'text',
      },
    ],
  ],
  flag: {
    value: '<bound>',
    about: 'refuse calls whose argument is out of range, written as for --clamp',
    reads: BOUND_FORM,
    read: readBound,
  },
})
