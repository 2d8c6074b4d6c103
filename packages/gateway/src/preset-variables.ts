/** The variables from which a preset makes its declaration: how they are looked up and read. */
import { ConfigFault } from './config/fault.ts'
import type { Lookup, PresetVariable } from './preset.ts'

export type { Lookup }

/** A variable that is there and holds nothing counts as absent. */
export const isUnset = (value: string | undefined): boolean => value === undefined || value.trim() === ''

/** The names of a list with commas. */
export const listOfText = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '')

/**
 * The same look-up, which also finds the other names of variables. Throws ConfigFault where one is given under two names (ledger
 * U-25), and where a needed one is missing.
 */
export function variablesOf(preset: string, variables: readonly PresetVariable[], lookup: Lookup): Lookup {
  const found = new Map<string, string>()
  for (const { name, also = [] } of variables) {
    const [set, other] = [name, ...also].filter((value) => !isUnset(lookup(value)))
    if (other !== undefined) throw new ConfigFault(`${set} and ${other} are both set: keep one of them.`)
    if (set !== undefined) found.set(name, set)
  }
  const missing = variables.filter(({ name, needed }) => needed && !found.has(name))
  if (missing.length > 0)
    throw new ConfigFault(
      `The ${preset} preset needs ${missing.map(({ name, about }) => `${name}, ${about}`).join('; and ')}. Set it in the environment or in .env.`,
    )
  return (name) => lookup(found.get(name) ?? name)
}
