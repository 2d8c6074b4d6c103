/** Bounds that a number is brought within, and a default for it. */
import { z } from 'zod'
import { ruleAction } from './action.ts'
import { BOUND_FORM, boundFields, parameterField, ParameterPath, readBound, Scalar } from './parameters.ts'

export const clamp = ruleAction({
  action: 'clamp',
  parameters: z.strictObject({
    parameter: ParameterPath,
    min: z.number().optional(),
    max: z.number().optional(),
    /** Sent where nothing is said. */
    default: Scalar.optional(),
  }),
  beginning: { parameter: '' },
  form: [[parameterField, { name: 'default', control: 'json' }], boundFields],
  flag: {
    value: '<bound>',
    about: 'limit a numeric argument: TOOL:PARAMETER<=50, …>=1, …=1..50',
    reads: BOUND_FORM,
    read: readBound,
    more: [{ name: 'default', value: '<value>', about: 'with --clamp: default value when the argument is missing' }],
  },
})
