/** Every way in which one member of a value can be wrong: another kind, empty, or gone. */
import type { Json } from '../../packages/protocol/src/json.ts'

/** Values that are wrong nearly everywhere. */
export const WRONG: readonly Json[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  '',
  'x',
  [],
  {},
  [null],
  [{}],
  ['x'],
  { a: null },
  { type: 'x' },
]

/** The value with one of its members, at any depth, replaced or gone. */
export function* variantsOf(value: Json): Iterable<Json> {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const [at, member] of value.entries()) {
      for (const wrong of WRONG) yield value.with(at, wrong)
      for (const inner of variantsOf(member)) yield value.with(at, inner)
    }
    return
  }
  for (const [name, member] of Object.entries(value)) {
    const { [name]: _, ...rest } = value
    yield rest
    for (const wrong of WRONG) yield { ...value, [name]: wrong }
    for (const inner of variantsOf(member)) yield { ...value, [name]: inner }
  }
}
