/** All contracts of a backend: which become tools, in an order that stays, and which do not, and why. */
import { Fault } from '@toolway/contract'
import { isObject } from '@toolway/protocol'
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
  /** What is broken, or is not for this place. */
  readonly leftOut: readonly LeftOut[]
}

const MOST_CONTRACTS = 5_000
const MOST_NAME = 200

/** Throws `contract.malformed` for what is no pack. */
export function readPack(answer: unknown, words: PackWords, connection: string): ContractPack {
  const list = isObject(answer) ? answer['contracts'] : answer
  if (!Array.isArray(list))
    throw new Fault('contract.malformed', { connection, problem: 'it gives no list of contracts' })
  if (list.length > MOST_CONTRACTS)
    throw new Fault('contract.malformed', { connection, problem: `it gives more than ${MOST_CONTRACTS} contracts` })
  const found = new Map<string, Contract>()
  const leftOut: LeftOut[] = []
  for (const [at, given] of list.entries()) {
    const read = readContract(given)
    const name = nameOf(given, at)
    if ('problem' in read) leftOut.push({ name, reason: read.problem })
    else if (found.has(name)) leftOut.push({ name, reason: 'another contract before it has the same name' })
    else {
      const reason = keptBack(read.contract, words)
      if (reason === undefined) found.set(name, read.contract)
      else leftOut.push({ name, reason: read.note ?? reason })
    }
  }
  const names = [...found.keys()].sort(byCode)
  const aliased = (of: string) =>
    Object.entries(words.aliases).flatMap(([alias, name]) => (name === of && !found.has(alias) ? [alias] : []))
  return {
    tools: new Map(names.map((name) => [name, toolOf(found.get(name) as Contract, aliased(name).sort(byCode))])),
    leftOut,
  }
}

/** The same on every machine, whatever its language. */
const byCode = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** Why it is not for this place; undefined where it is. */
function keptBack({ name, exposure, sideEffects }: Contract, words: PackWords): string | undefined {
  const { exposes } = words
  if (exposes !== 'all' && !exposure[exposes]) return `its exposure profile leaves out "${exposes}"`
  if (sideEffects && !words.sideEffects && !words.allows.has(name)) return 'it has side effects'
  return undefined
}

const nameOf = (given: unknown, at: number): string =>
  isObject(given) && typeof given['name'] === 'string' && given['name'] !== ''
    ? given['name'].slice(0, MOST_NAME)
    : `number ${at + 1}`
