/** From a contract to the tool that clients see. Pure and always the same, so that a list changes only when a contract does. */
import { isObject, type Json, type JsonObject } from '@toolway/protocol'
import type { Contract } from './read-contract.ts'
import { inputSchemaOf, outputSchemaOf } from './tool-schema.ts'

/** Key of the category that rules match (`match.categories`). */
const CATEGORY_KEY = 'dev.toolway/category'
export const CONTRACT_KEY = 'dev.toolway/contract'
/** The parameter that says for which organization a function runs: the gateway's to write (ledger S1-CAL-06). */
export const ORGANIZATION_PARAMETER = 'org_id'

/** The member of a result that holds what is not as its contract says. */
export const UNFIT = 'dev.toolway/unfit'

export interface ContractTool {
  readonly contract: Contract
  readonly definition: JsonObject
  /** Names at the top of its parameters that no caller may say. */
  readonly hidden: ReadonlySet<string>
  readonly required: ReadonlySet<string>
  /** The JSON Schema that validates its answer. */
  readonly output: JsonObject
}

const THIN = 'It returns ids, titles and scores; get_content fetches the text of what was found.'
const SUMMARY = 'It returns a summary, not the whole text.'
const LLM = 'It requires a language model to be connected to the backend.'

export function toolOf(contract: Contract, aliases: readonly string[]): ContractTool {
  const { schema, hidden, required } = inputSchemaOf(contract.inputSchema, [ORGANIZATION_PARAMETER])
  const output = outputSchemaOf(contract.outputSchema)
  const { name, category, sideEffects, payload, requiresLlm } = contract
  const hints = [
    ...(payload === 'thin' ? [THIN] : []),
    ...(payload === 'summary' ? [SUMMARY] : []),
    ...(requiresLlm ? [LLM] : []),
  ]
  return {
    contract,
    hidden,
    required,
    output,
    definition: {
      name,
      description: [contract.description, ...hints].join('\n\n'),
      inputSchema: schema,
      outputSchema: orUnfit(output),
      annotations: {
        readOnlyHint: !sideEffects,
        destructiveHint: false,
        idempotentHint: !sideEffects,
        openWorldHint: true,
      },
      _meta: { [CATEGORY_KEY]: category, [CONTRACT_KEY]: factsOf(contract, aliases) },
    },
  }
}

const factsOf = (contract: Contract, aliases: readonly string[]): JsonObject => ({
  category: contract.category,
  side_effects: contract.sideEffects,
  exposure: { ...contract.exposure },
  requires_llm: contract.requiresLlm,
  requires_session: contract.requiresSession,
  ...(contract.version === undefined ? {} : { version: contract.version }),
  ...(contract.payload === undefined ? {} : { payload: contract.payload }),
  ...(contract.primitive === undefined ? {} : { primitive: contract.primitive }),
  ...(contract.tags.length === 0 ? {} : { tags: [...contract.tags] }),
  ...(contract.dataSources.length === 0 ? {} : { data_sources: [...contract.dataSources] }),
  ...(aliases.length === 0 ? {} : { aliases: [...aliases] }),
})

/**
 * Returns the contract's output schema, or as an alternative that the answer does not match it. Clients refuse a result that does
 * not match its schema, and generated contracts are sometimes wrong: the backend's answer is to reach the caller in any case
 * (ledger S1-CAL-09, ADR 0034).
 */
function orUnfit(schema: JsonObject): JsonObject {
  const { $schema: dialect, description, ...rest } = schema
  return {
    ...(dialect === undefined ? {} : { $schema: dialect }),
    ...(description === undefined ? {} : { description }),
    ...(schema['type'] === 'object' ? { type: 'object' } : {}),
    anyOf: [
      moveReferences(rest, '/anyOf/0'),
      {
        type: 'object',
        description: 'The response does not match the contract; it is returned unchanged.',
        properties: { [UNFIT]: { type: 'object', properties: { problems: { type: 'array' }, value: {} } } },
        required: [UNFIT],
      },
    ],
  }
}

/** References that start at the root start where the schema stands now (RFC 6901); one with an id is a root of its own. */
function moveReferences(schema: Json, to: string): Json {
  if (Array.isArray(schema)) return schema.map((value) => moveReferences(value, to))
  if (!isObject(schema) || typeof schema['$id'] === 'string') return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      const local = key === '$ref' && typeof value === 'string' && (value === '#' || value.startsWith('#/'))
      return [key, local ? `#${to}${value.slice(1)}` : moveReferences(value, to)]
    }),
  )
}
