/** A refusal of calls by the value of an argument. */
import { z } from 'zod'
import { ruleAction, type DraftParameters } from './action.ts'
import {
  argumentIn,
  BOUND_FORM,
  boundFields,
  boundsIn,
  or,
  parameterField,
  ParameterPath,
  readBound,
  Scalar,
  textIn,
} from './parameters.ts'

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
  title: 'Reject values',
  about: 'Calls with other values are refused',
  follows,
  beginning: {},
  form: [
    [{ ...parameterField, hint: 'Leave empty to refuse every call.' }],
    boundFields,
    [{ name: 'in', control: 'list', label: 'Allowed values', hint: 'Press Enter after each value.' }],
    [
      {
        name: 'pattern',
        control: 'text',
        label: 'Pattern',
        hint: 'Regular expression (RE2) that the whole value must match',
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

function follows(parameters: DraftParameters): string {
  const { in: allowed } = parameters
  const values = Array.isArray(allowed) ? allowed.map((one) => JSON.stringify(one)) : []
  const [bounds, pattern] = [boundsIn(parameters), textIn(parameters, 'pattern')]
  const unless = [
    ...(bounds === '' ? [] : [bounds]),
    ...(values.length === 0 ? [] : [or(values)]),
    ...(pattern === '' ? [] : [`a value that matches ${pattern}`]),
  ]
  const argument = argumentIn(parameters)
  if (unless.length > 0) return `calls are refused unless ${argument} is ${unless.join(' and ')}`
  return textIn(parameters, 'parameter') === ''
    ? 'calls are refused with your reason'
    : `calls with the argument ${argument} are refused with your reason`
}
