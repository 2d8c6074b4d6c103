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
  title: 'Refuse values',
  about: 'A call with other values is refused',
  follows,
  beginning: {},
  form: [
    [{ ...parameterField, hint: 'Left empty, every call is refused.' }],
    boundFields,
    [{ name: 'in', control: 'list', label: 'One of', hint: 'Texts; Enter ends each.' }],
    [
      {
        name: 'pattern',
        control: 'text',
        label: 'A text that fits',
        hint: 'A regular expression (RE2) for the whole text',
      },
    ],
  ],
  flag: {
    value: '<bound>',
    about: 'refuse a call whose argument lies outside bounds, said as for --clamp',
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
    ...(values.length === 0 ? [] : [`one of ${or(values)}`]),
    ...(pattern === '' ? [] : [`a text that fits ${pattern}`]),
  ]
  const argument = argumentIn(parameters)
  if (unless.length > 0) return `a call is refused unless ${argument} is ${unless.join(' and ')}`
  return textIn(parameters, 'parameter') === ''
    ? 'every call is refused with your reason'
    : `every call with the argument ${argument} is refused with your reason`
}
