/**
 * Decides whether a third-party schema may be used: it is checked once, before anything is compiled from it.
 *
 * The walk uses a list instead of recursion, so that no depth is dangerous to it, and it ends at the first limit that is
 * exceeded. A refusal here fails closed: no check by the schema is possible.
 */

/** A schema that nothing can be checked by. The message is a phrase, "nests deeper than 100 levels". */
export class UnusableSchema extends Error {
  override readonly name = 'UnusableSchema'
}

export const SCHEMA_BOUNDS = {
  /** Levels of JSON. */
  depth: 100,
  /** JSON values, all in all. */
  values: 50_000,
  /** UTF-16 units of all names and texts. */
  text: 4 * 1024 * 1024,
  /** Values of one `enum`. */
  choices: 10_000,
} as const

export function refuseOversized(schema: unknown): void {
  const open: { value: unknown; depth: number }[] = [{ value: schema, depth: 0 }]
  let values = 0
  let text = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next
    values += 1
    if (values > SCHEMA_BOUNDS.values) throw new UnusableSchema(`has more than ${SCHEMA_BOUNDS.values} values`)
    if (typeof value === 'string') text += value.length
    if (text > SCHEMA_BOUNDS.text) throw new UnusableSchema(`has more than ${SCHEMA_BOUNDS.text} characters`)
    if (typeof value !== 'object' || value === null) continue
    if (depth >= SCHEMA_BOUNDS.depth) throw new UnusableSchema(`nests deeper than ${SCHEMA_BOUNDS.depth} levels`)
    if (Array.isArray(value)) {
      // Not pushed one by one before they are counted: a list may be longer than all that is allowed.
      if (values + value.length > SCHEMA_BOUNDS.values)
        throw new UnusableSchema(`has more than ${SCHEMA_BOUNDS.values} values`)
      for (const item of value) open.push({ value: item, depth: depth + 1 })
      continue
    }
    for (const [name, member] of Object.entries(value)) {
      text += name.length
      open.push({ value: member, depth: depth + 1 })
    }
  }
}
