/**
 * A map that holds the names used lately and forgets the others: two generations, the older of which goes as a whole when the
 * younger is full. A look-up of a name that is in use costs one look into a map, and nothing is allocated for it.
 */
export interface Recent<Value> {
  /** Returns the value stored under the name; created when there is none (any more). */
  get(name: string): Value
  /** Never more than it may hold. */
  readonly size: number
}

export function createRecent<Value>(most: number, make: () => Value): Recent<Value> {
  const half = Math.max(1, Math.floor(most / 2))
  let young = new Map<string, Value>()
  let old = new Map<string, Value>()

  function renew(name: string): Value {
    const value = old.get(name) ?? make()
    if (young.size >= half) {
      old = young
      young = new Map()
    } else old.delete(name)
    young.set(name, value)
    return value
  }

  return {
    get: (name) => young.get(name) ?? renew(name),
    get size() {
      return young.size + old.size
    },
  }
}
