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
  title: 'Keep within bounds',
  about: 'A number is brought within bounds',
  follows,
  beginning: { parameter: '' },
  form: [
    [
      parameterField,
      { name: 'default', control: 'json', label: 'Where nothing is said', hint: 'Sent when the argument is missing' },
    ],
    boundFields,
  ],
  flag: {
    value: '<bound>',
    about: 'bring an argument within bounds: TOOL:PARAMETER<=50, …>=1, …=1..50',
    reads: BOUND_FORM,
    read: readBound,
    more: [{ name: 'default', value: '<value>', about: 'with --clamp: what is sent where nothing is said' }],
  },
})

function follows(parameters: DraftParameters): string {
  const [argument, bounds, otherwise] = [argumentIn(parameters), boundsIn(parameters), parameters['default']]
  const brought = `the argument ${argument} is brought to ${bounds || '…'}`
  if (otherwise === undefined || otherwise === '') return brought
  const unsaid = `is ${JSON.stringify(otherwise)} where nothing is said`
  return bounds === '' ? `the argument ${argument} ${unsaid}` : `${brought}, and it ${unsaid}`
}
