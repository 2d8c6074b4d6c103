/**
 * Schemas, each made into checks once: for the same definition by its identity, and after a reload by its text.
 *
 * What cannot be used is remembered too, so that a schema that is expensive to refuse is refused once.
 */
import { LRUCache } from 'lru-cache'
import { readSchema, type ReadSchema } from './read-schema.ts'
import { refuseOversized, UnusableSchema } from './usable.ts'

/** Characters of schemas whose checks are kept, all together. */
const MOST_TEXT_CHARACTERS = 16 * 1024 * 1024

const known = new WeakMap<object, ReadSchema | UnusableSchema>()
const byText = new LRUCache<string, ReadSchema | UnusableSchema>({
  maxSize: MOST_TEXT_CHARACTERS,
  sizeCalculation: (_, text) => text.length + 1,
})

/** Throws UnusableSchema. */
export function schemaRead(schema: object): ReadSchema {
  let read = known.get(schema)
  if (read === undefined) {
    read = readByText(schema)
    known.set(schema, read)
  }
  if (read instanceof UnusableSchema) throw read
  return read
}

function readByText(schema: object): ReadSchema | UnusableSchema {
  try {
    refuseOversized(schema)
    const text = JSON.stringify(schema)
    const known = byText.get(text)
    if (known !== undefined) return known
    const read = readOrUnusable(schema)
    byText.set(text, read)
    return read
  } catch (thrown) {
    if (thrown instanceof UnusableSchema) return thrown
    throw thrown
  }
}

function readOrUnusable(schema: object): ReadSchema | UnusableSchema {
  try {
    return readSchema(schema)
  } catch (thrown) {
    if (thrown instanceof UnusableSchema) return thrown
    throw thrown
  }
}
