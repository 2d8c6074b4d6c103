/** Parts that the parameters of several rule actions share and the fields for them. */
import { z } from 'zod'
import type { SettingField } from '../form.ts'
import type { DraftParameters, FlagReading } from './action.ts'

/** Names rules for exceptions, records and people; one for each scope and what it is of. */
export const RuleName = z.string().regex(/^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/, {
  error: 'must have 1 to 64 characters of a-z, 0-9, ".", "_" and "-"',
})

/** A place in the arguments: names with dots between them, `*` for each element of an array; a dot in a name is written `\.`. */
export const ParameterPath = z
  .string()
  .min(1)
  .max(200)
  .regex(/^(?:[^.\\]|\\.)+(?:\.(?:[^.\\]|\\.)+){0,15}$/, {
    error: 'must consist of names separated by dots, such as "limit" or "filters.custom.owner"',
  })

export const Scalar = z.union([z.string().max(10_000), z.number(), z.boolean(), z.null()])

export const bytes = z
  .int()
  .positive()
  .max(64 * 1024 * 1024)

export const parameterField: SettingField = {
  name: 'parameter',
  control: 'text',
}
export const boundFields: readonly SettingField[] = [
  { name: 'min', control: 'number' },
  { name: 'max', control: 'number' },
]

export const recordIn = (parameters: DraftParameters, name: string): DraftParameters => {
  const value = parameters[name]
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as DraftParameters) : {}
}

/** JSON where it is JSON, else the text itself. */
export function valueOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** `search_assets:limit<=50`, `…>=1`, `…=1..50`. */
const BOUND = /^([^:]+):(.+?)\s*(?:(<=|>=)\s*(-?\d+(?:\.\d+)?)|=\s*(-?\d+(?:\.\d+)?)\.\.(-?\d+(?:\.\d+)?))$/

export const BOUND_FORM = "TOOL:PARAMETER<=NUMBER, …>=NUMBER or …=LOW..HIGH, as in 'search_assets:limit<=50'"

export function readBound(text: string): FlagReading | undefined {
  const [, tool, parameter, sign, value, low, high] = BOUND.exec(text) ?? []
  if (tool === undefined || parameter === undefined) return undefined
  const bounds =
    low === undefined ? { [sign === '<=' ? 'max' : 'min']: Number(value) } : { min: Number(low), max: Number(high) }
  return { tool, parameters: { parameter, ...bounds } }
}
