/** Bounds that a number is brought within, and a default for it. */
import { z } from 'zod'
import { ruleAction, type DraftParameters } from './action.ts'
import {
  argumentIn,
  BOUND_FORM,
  boundFields,
  boundsIn,
  parameterField,
  ParameterPath,
  readBound,
  Scalar,
} from './parameters.ts'

export const clamp = ruleAction({
  action: 'clamp',
  parameters: z.strictObject({
    parameter: ParameterPath,
    min: z.number().optional(),
    max: z.number().optional(),
    /** Sent where nothing is said. */
    default: Scalar.optional(),
  }),
  title: 'Limit a number',
  about: 'Numbers out of range are adjusted',
  follows,
  beginning: { parameter: '' },
  form: [
    [parameterField, { name: 'default', control: 'json', label: 'Default', hint: 'Sent when the argument is missing' }],
    boundFields,
  ],
  flag: {
    value: '<bound>',
    about: 'limit a numeric argument: TOOL:PARAMETER<=50, …>=1, …=1..50',
    reads: BOUND_FORM,
    read: readBound,
    more: [{ name: 'default', value: '<value>', about: 'with --clamp: default value when the argument is missing' }],
  },
})

function follows(parameters: DraftParameters): string {
  const [argument, bounds, otherwise] = [argumentIn(parameters), boundsIn(parameters), parameters['default']]
  const brought = `the argument ${argument} is adjusted, if necessary, to be ${bounds || '…'}`
  if (otherwise === undefined || otherwise === '') return brought
  const unsaid = `is ${JSON.stringify(otherwise)} by default`
  return bounds === '' ? `the argument ${argument} ${unsaid}` : `${brought} and ${unsaid}`
}
