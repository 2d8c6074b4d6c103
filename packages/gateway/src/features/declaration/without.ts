import { isDeepStrictEqual } from 'node:util'

/** The members of an object that are defined and that differ from their default, in the same order. */
export const without = (members: object, defaults: object): Record<string, unknown> => {
  const standard: Readonly<Record<string, unknown>> = { ...defaults }
  return Object.fromEntries(
    Object.entries(members).filter(
      ([name, value]) => value !== undefined && !(name in standard && isDeepStrictEqual(value, standard[name])),
    ),
  )
}
