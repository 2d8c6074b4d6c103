/** All contracts of a backend: which become tools, in an order that stays, and which do not, and why. */
import { Fault } from '@toolway/contract'
import { isObject, type JsonObject } from '@toolway/protocol'
import { schemaRead } from '../../lib/json-schema/schemas-read.ts'
import { UnusableSchema } from '../../lib/json-schema/usable.ts'
import { toolOf, type ContractTool } from './contract-tool.ts'
import type { LeftOut } from '../upstream.ts'
import { readContract, type Contract } from './read-contract.ts'

export interface PackWords {
  /** For whom they are: what their exposure profile does not name is left out. */
  readonly exposes: 'agent' | 'procedure' | 'all'
  /** Whether functions with side effects are offered. */
  readonly sideEffects: boolean
  /** Functions with side effects that are offered all the same. */
  readonly allows: ReadonlySet<string>
  /** Old names, and what they are called now. */
  readonly aliases: Readonly<Record<string, string>>
}

export interface ContractPack {
  readonly tools: ReadonlyMap<string, ContractTool>
  /** Contracts that are invalid or not available for this organization. */
  readonly leftOut: readonly LeftOut[]
}

const MOST_CONTRACTS = 5_000
const MOST_NAME = 200

/** Throws `contract.malformed` for what is no pack. */
export function readPack(answer: unknown, words: PackWords, connection: string): ContractPack {
  const list = isObject(answer) ? answer['contracts'] : answer
  if (!Array.isArray(list))
    throw new Fault('contract.malformed', { connection, problem: 'it returned no list of contracts' })
  if (list.length > MOST_CONTRACTS)
    throw new Fault('contract.malformed', { connection, problem: `it returned more than ${MOST_CONTRACTS} contracts` })
  const read = readEach(list, words)
  const names = [...read.found.keys()].sort(byCode)
  const aliasesOf = (of: string) =>
    Object.entries(words.aliases).flatMap(([alias, name]) => (name === of && !read.found.has(alias) ? [alias] : []))
  const tools = new Map<string, ContractTool>()
  for (const name of names) {
    const tool = toolOf(read.found.get(name) as Contract, aliasesOf(name).sort(byCode))
    const problem = problemOf(tool)
    if (problem === undefined) tools.set(name, tool)
    else read.leftOut.push({ name, reason: problem })
  }
  return { tools, leftOut: read.leftOut }
}

function readEach(list: readonly unknown[], words: PackWords) {
  const found = new Map<string, Contract>()
  const leftOut: LeftOut[] = []
  for (const [at, value] of list.entries()) {
    const read = readContract(value)
    const name = nameOf(value, at)
    if ('problem' in read) leftOut.push({ name, reason: read.problem })
    else if (found.has(name)) leftOut.push({ name, reason: 'an earlier contract has the same name' })
    else {
      const reason = keptBack(read.contract, words)
      if (reason === undefined) found.set(name, read.contract)
      else leftOut.push({ name, reason: read.note ?? reason })
    }
  }
  return { found, leftOut }
}

/** Why nothing can be checked by its schemas; each is read once, here, for all its calls. */
function problemOf({ definition, output }: ContractTool): string | undefined {
  for (const [name, schema] of [
    ['input_schema', definition['inputSchema']],
    ['output_schema', output],
  ] as const) {
    try {
      schemaRead(schema as JsonObject)
    } catch (thrown) {
      if (thrown instanceof UnusableSchema) return `/${name} ${thrown.message}`
      throw thrown
    }
  }
  return undefined
}

/** The same on every machine, whatever its language. */
const byCode = (code: string, other: string): number => (code < other ? -1 : code > other ? 1 : 0)

/** Why it is not for this place; undefined where it is. */
function keptBack({ name, exposure, sideEffects }: Contract, words: PackWords): string | undefined {
  const { exposes } = words
  if (exposes !== 'all' && !exposure[exposes]) return `its exposure profile leaves out "${exposes}"`
  if (sideEffects && !words.sideEffects && !words.allows.has(name)) return 'it has side effects'
  return undefined
}

const nameOf = (input: unknown, at: number): string =>
  isObject(input) && typeof input['name'] === 'string' && input['name'] !== ''
    ? input['name'].slice(0, MOST_NAME)
    : `number ${at + 1}`
