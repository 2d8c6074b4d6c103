/** Bounds on the size of arguments and results. */
import { z } from 'zod'
import { ruleAction } from './action.ts'
import { bytes, ParameterPath } from './parameters.ts'

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

export const size = ruleAction({
  action: 'size',
  parameters: z.strictObject({ arguments: bytes.optional(), result: ResultBudget.optional() }),
  beginning: {},
  form: [
    [
      { name: 'arguments', control: 'number', min: 1 },
      { name: 'result.text', control: 'number', min: 1 },
      { name: 'result.rows', control: 'number', min: 1 },
    ],
    [{ name: 'result.fields', control: 'list' }],
    [{ name: 'result.redact', control: 'list' }],
  ],
})
