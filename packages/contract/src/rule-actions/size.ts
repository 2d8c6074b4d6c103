/** Bounds on the size of arguments and results. */
import { z } from 'zod'
import { ruleAction, type DraftParameters } from './action.ts'
import { and, bytes, listIn, ParameterPath, recordIn, textIn } from './parameters.ts'

/** The part of a result that reaches the caller; the rest is stored for the caller for a limited time. */
export const ResultBudget = z.strictObject({
  /** Bytes of UTF-8 of all text together. */
  text: bytes.optional(),
  /** Rows of the longest list in structured content. */
  rows: z.int().positive().max(1_000_000).optional(),
  /** Only these members of structured content, as paths: `items.*.id`. */
  fields: z.array(ParameterPath).min(1).max(200).optional(),
  /** These members are replaced by `[redacted]`. */
  redact: z.array(ParameterPath).min(1).max(200).optional(),
})
export type ResultBudget = z.output<typeof ResultBudget>

const PATHS = 'Paths such as items.*.id'

export const size = ruleAction({
  action: 'size',
  parameters: z.strictObject({ arguments: bytes.optional(), result: ResultBudget.optional() }),
  title: 'Limit sizes',
  about: 'Large arguments are refused, large results are truncated',
  follows: sizes,
  beginning: {},
  form: [
    [
      { name: 'arguments', control: 'number', label: 'Argument limit (bytes)', min: 1 },
      { name: 'result.text', control: 'number', label: 'Result limit (bytes)', min: 1 },
      { name: 'result.rows', control: 'number', label: 'List limit (rows)', min: 1 },
    ],
    [{ name: 'result.fields', control: 'list', label: 'Keep only these fields', hint: PATHS }],
    [{ name: 'result.redact', control: 'list', label: 'Redact these fields', hint: PATHS }],
  ],
})

function sizes(parameters: DraftParameters): string {
  const result = recordIn(parameters, 'result')
  const [fields, redact] = [listIn(result, 'fields'), listIn(result, 'redact')]
  const said = [
    ...(parameters['arguments'] === undefined
      ? []
      : [`arguments of more than ${textIn(parameters, 'arguments')} bytes are refused`]),
    ...(result['text'] === undefined ? [] : [`results are truncated after ${textIn(result, 'text')} bytes`]),
    ...(result['rows'] === undefined
      ? []
      : [`lists are truncated after ${textIn(result, 'rows')} ${textIn(result, 'rows') === '1' ? 'row' : 'rows'}`]),
    ...(fields.length === 0 ? [] : [`results contain only ${and(fields)}`]),
    ...(redact.length === 0 ? [] : [`${and(redact)} ${redact.length === 1 ? 'is' : 'are'} redacted`]),
  ]
  return said.length === 0 ? 'no limit is set yet' : said.join(', ')
}
