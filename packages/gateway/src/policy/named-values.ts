/**
 * The arguments that the rules of a tool name, and the values of them that may be stored in records, so that the same rules, or
 * others about the same arguments, can be evaluated again later.
 *
 * Stored are numbers, booleans, null and short texts at plain paths. A value that a rule redacts, whose name suggests a secret,
 * or that is long or has parts is not stored; its presence is.
 */
import type { Facts, Rule } from '@toolway/contract'
import { z } from 'zod'
import { isTellingName } from '@toolway/contract/secret-marks'
import { pathOf, spotsOf, textOf, withValue, type Path } from '../lib/parameter-path.ts'
import { redactedBy } from './actions/actions.ts'
import { conditionReadsOf } from './condition-reads.ts'

type Arguments = NonNullable<Facts['arguments']>
export type KeptValue = string | number | boolean | null

/** As it is on record. */
export const KeptValues = z.object({
  /** By path. */
  values: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
  /** Paths where nothing stood. */
  absent: z.array(z.string()).optional(),
})
export type NamedValues = Readonly<{
  values?: Readonly<Record<string, KeptValue>> | undefined
  absent?: readonly string[] | undefined
}>

/** A place, and as it is written. */
export interface KeptPath {
  readonly path: Path
  readonly text: string
}

const LONGEST_TEXT = 64
const MOST_PATHS = 16

/** The places of arguments that a rule looks at; an empty path is all of them. */
export function argumentPathsOf({ match, parameters }: Rule): Path[] {
  const own = 'parameter' in parameters && parameters.parameter !== undefined ? [pathOf(parameters.parameter)] : []
  const present = match.parameter === undefined ? [] : [pathOf(match.parameter)]
  const read =
    match.when === undefined
      ? []
      : conditionReadsOf(match.when)
          .reads.filter(({ root }) => root === 'args')
          .map(({ path }) => path)
  const all = [...own, ...present, ...read]
  return all.filter((path, at) => all.findIndex((other) => textOf(other) === textOf(path)) === at)
}

/** The places that may be kept of the arguments of a tool with these rules. */
export function keptPaths(rules: readonly Rule[]): KeptPath[] {
  const redacted = new Set(rules.flatMap(redactedBy))
  const plainPaths = new Map<string, KeptPath>()
  for (const path of rules.flatMap(argumentPathsOf)) {
    const text = textOf(path)
    const plain = path.length > 0 && !path.includes('*')
    if (plain && !redacted.has(text) && !path.some(isTellingName)) plainPaths.set(text, { text, path })
  }
  return [...plainPaths.values()].slice(0, MOST_PATHS)
}

/** Undefined where nothing is to be kept. */
export function keepValues(paths: readonly KeptPath[], args: Arguments): NamedValues | undefined {
  const values: Record<string, KeptValue> = Object.create(null) as Record<string, KeptValue>
  const absent: string[] = []
  for (const { path, text } of paths) {
    const value = spotsOf(args, path, true)[0]?.value
    if (value === undefined) absent.push(text)
    else if (isShort(value)) values[text] = value
  }
  const [some, none] = [Object.keys(values).length > 0, absent.length > 0]
  return some || none ? { ...(some ? { values } : {}), ...(none ? { absent } : {}) } : undefined
}

const isShort = (value: unknown): value is KeptValue =>
  value === null ||
  typeof value === 'number' ||
  typeof value === 'boolean' ||
  (typeof value === 'string' && value.length <= LONGEST_TEXT && value.isWellFormed() && !value.includes('\0'))

/** The arguments as far as they are on record. */
export function argumentsFrom({ values = {} }: NamedValues): Arguments {
  let args: Arguments = {}
  for (const [text, value] of Object.entries(values)) args = withValue(args, pathOf(text), value)
  return args
}

/** Whether a record knows what stood there, or that nothing did. */
export const isKnown = ({ values = {}, absent = [] }: NamedValues, path: Path): boolean => {
  const text = textOf(path)
  return Object.hasOwn(values, text) || absent.includes(text)
}
