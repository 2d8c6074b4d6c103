/** The variables from which a preset makes its declaration: how they are looked up and read. */

export type Lookup = (name: string) => string | undefined

/** A variable that is there and holds nothing counts as absent. */
export const isUnset = (value: string | undefined): boolean => value === undefined || value.trim() === ''

/** The names of a list with commas. */
export const listed = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
