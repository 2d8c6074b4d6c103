/**
 * The input schema of a tool, and the arguments of its calls (ledger S1-CAL-04, S1-ERR-01).
 *
 * Checked after the rules have changed the arguments and before anything is opened, for connections whose tools are described and
 * not implemented there, and wherever an operator wants it. A schema that cannot be used refuses every call (U-06, fails closed).
 */
import { Fault } from '@toolway/contract'
import { isObject, type JsonObject } from '@toolway/protocol'
import type { ToolTarget } from '../../catalog/tool-listing.ts'
import type { Checked, ReadSchema } from '../../lib/json-schema/read-schema.ts'
import type { Problem } from '../../lib/json-schema/validation.ts'
import { schemaRead } from '../../lib/json-schema/schemas-read.ts'
import { UnusableSchema } from '../../lib/json-schema/usable.ts'
import { argumentsOf, type Step } from './step.ts'

/** The length of the sentence, in characters; all problems, with their places, are in the data. */
const LONGEST = 2_000

/**
 * The arguments as they are to be sent: the very same object where nothing was left out. Throws `arguments.invalid` with all that
 * does not fit, and `schema.unusable`. `tool` is the name that the caller knows.
 */
export function checkArguments(
  { name, checkedBy }: Pick<ToolTarget, 'name' | 'checkedBy'>,
  value: JsonObject | undefined,
  tool = name,
): JsonObject | undefined {
  if (checkedBy === undefined) return value
  const { definition, absentNulls } = checkedBy
  const { inputSchema } = definition
  const sent = value !== undefined && absentNulls ? withoutNulls(inputSchema, value) : value
  const { problems, count, unchecked } = usable(tool, inputSchema, sent ?? {})
  if (count === 0) return sent
  const data = { errors: problems, ...(unchecked.length === 0 ? {} : { unchecked }) }
  throw new Fault('arguments.invalid', { tool, problems: sentenceOf(problems, count) }, { data })
}

export const argumentSchema: Step = {
  name: 'argumentSchema',
  applies: ({ checkedBy }) => checkedBy !== undefined,
  before(call) {
    const value = argumentsOf(call)
    const sent = checkArguments(call.target, value, call.name)
    if (sent !== undefined && sent !== value) call.params['arguments'] = sent
  },
}

function usable(tool: string, schema: unknown, value: JsonObject): Checked & Pick<ReadSchema, 'unchecked'> {
  try {
    if (!isObject(schema)) throw new UnusableSchema('is not an object')
    const read = schemaRead(schema)
    return { ...read.check(value), unchecked: read.unchecked }
  } catch (thrown) {
    if (!(thrown instanceof UnusableSchema)) throw thrown
    throw new Fault('schema.unusable', { tool, problem: `it ${thrown.message}` })
  }
}

/** Top-level nulls of optional parameters count as absent (ledger S1-CAL-10). */
function withoutNulls(schema: unknown, input: JsonObject): JsonObject {
  const required = isObject(schema) && Array.isArray(schema['required']) ? schema['required'] : []
  const kept = Object.entries(input).filter(([name, value]) => value !== null || required.includes(name))
  return kept.length === Object.keys(input).length ? input : Object.fromEntries(kept)
}

/** "/limit must be at most 50; /query is required". */
export function sentenceOf(problems: readonly Problem[], count: number): string {
  const told = problems.map(({ path, message }) => `${path === '' ? 'the whole' : path} ${message}`)
  const more = count > problems.length ? [`and ${count - problems.length} more`] : []
  const sentence = [...told, ...more].join('; ')
  return sentence.length <= LONGEST ? `${sentence}.` : `${sentence.slice(0, LONGEST)}…`
}
