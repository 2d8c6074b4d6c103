/**
 * Parses one contract of a pack by itself, as far as it is understood, so that an invalid one does not affect the others.
 *
 * Formats: Curatore's `ToolContractResponse`, and its whitepaper (section 4.2), whose flag is `side_effect`. Other members are
 * ignored.
 */
import { isObject, isShallow, type Json, type JsonObject } from '@toolway/protocol'
import { z } from 'zod'

export interface Contract {
  readonly name: string
  readonly description: string
  readonly category: string
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject
  /** Whether it changes something; one that does not say so does. */
  readonly sideEffects: boolean
  readonly version: string | undefined
  readonly primitive: boolean | undefined
  readonly payload: 'full' | 'thin' | 'summary' | undefined
  readonly exposure: { readonly procedure: boolean; readonly agent: boolean }
  readonly requiresLlm: boolean
  readonly requiresSession: boolean
  readonly tags: readonly string[]
  readonly dataSources: readonly string[]
}

export type Read = { readonly contract: Contract; readonly note?: string } | { readonly problem: string }

/** Levels of one contract, its schemas included, and characters of its JSON. */
const MOST_LEVELS = 48
const MOST_CHARACTERS = 256 * 1024

const Schema = z.custom<JsonObject>((value) => isObject(value), 'must be a JSON Schema object')
const texts = z.array(z.string().max(200)).max(200)

const Shape = z.looseObject({
  // `.` and `..` would name another address than the function's.
  name: z
    .string()
    .regex(
      /^(?!\.{1,2}$)[^\s\p{C}](?:[^\p{C}]{0,198}[^\s\p{C}])?$/u,
      'must be a name of 1 to 200 printable characters',
    ),
  description: z.string().trim().min(1).max(20_000),
  category: z.string().trim().min(1).max(200),
  input_schema: Schema,
  output_schema: Schema,
  version: z.string().max(100).nullish(),
  is_primitive: z.boolean().nullish(),
  payload_profile: z.enum(['full', 'thin', 'summary']).nullish(),
  exposure_profile: z.looseObject({ procedure: z.boolean().nullish(), agent: z.boolean().nullish() }).nullish(),
  requires_llm: z.boolean().nullish(),
  requires_session: z.boolean().nullish(),
  tags: texts.nullish(),
  required_data_sources: texts.nullish(),
})

export function readContract(input: unknown): Read {
  if (!isObject(input)) return { problem: 'it is not an object' }
  if (!isShallow(input, MOST_LEVELS)) return { problem: `it nests deeper than ${MOST_LEVELS} levels` }
  if (JSON.stringify(input).length > MOST_CHARACTERS)
    return { problem: `it is longer than ${MOST_CHARACTERS} characters` }
  const parsed = Shape.safeParse(input)
  if (!parsed.success) return { problem: problemOfShape(parsed.error.issues) }
  const { data } = parsed
  const problem = problemOfSchema(data.input_schema)
  if (problem !== undefined) return { problem: `/input_schema ${problem}` }
  const flag = flagOf(input)
  const { exposure_profile: exposure } = data
  const contract: Contract = {
    name: data.name,
    description: data.description,
    category: data.category,
    inputSchema: data.input_schema,
    outputSchema: data.output_schema,
    sideEffects: flag ?? true,
    version: data.version ?? undefined,
    primitive: data.is_primitive ?? undefined,
    payload: data.payload_profile ?? undefined,
    exposure: { procedure: exposure?.procedure ?? true, agent: exposure?.agent ?? true },
    requiresLlm: data.requires_llm ?? false,
    requiresSession: data.requires_session ?? false,
    tags: data.tags ?? [],
    dataSources: data.required_data_sources ?? [],
  }
  return flag === undefined
    ? { contract, note: 'it does not declare whether it has side effects, so it is treated as having them' }
    : { contract }
}

/** Problems of one contract that are named; its author mends them in one go. */
const MOST_PROBLEMS = 10

const problemOfShape = (issues: readonly z.core.$ZodIssue[]): string => {
  const named = issues.slice(0, MOST_PROBLEMS).map((issue) => `/${issue.path.join('/')} ${wordOf(issue)}`)
  const more = issues.length - named.length
  return [...named, ...(more === 0 ? [] : [`${more} more`])].join('; ')
}

const wordOf = ({ code, message }: z.core.$ZodIssue): string =>
  code === 'invalid_type' && message.endsWith('received undefined') ? 'is missing' : message

/** By either name; where both stand there, the stricter. Undefined where neither says yes or no. */
function flagOf({ side_effect: singular, side_effects: plural }: JsonObject): boolean | undefined {
  const flags = [singular, plural].filter((flag) => flag !== undefined && flag !== null)
  if (flags.length === 0) return undefined
  return flags.some((flag) => flag !== false)
}

/** Parameters are one object with names. */
function problemOfSchema({ type, properties, required }: JsonObject): string | undefined {
  if (type !== undefined && type !== 'object') return 'is not that of an object'
  if (type === undefined && properties === undefined) return 'does not describe an object'
  if (properties !== undefined && (!isObject(properties) || !Object.values(properties).every(isSchema)))
    return 'has properties that are not schemas'
  if (required !== undefined && !(Array.isArray(required) && required.every((name) => typeof name === 'string')))
    return 'has a "required" that is not a list of names'
  return undefined
}

const isSchema = (value: Json): boolean => isObject(value) || typeof value === 'boolean'
