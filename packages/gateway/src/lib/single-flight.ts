/** Several who want the same thing at once get the one that is already under way. */
export function createSingleFlight<Key, Value>() {
  const flights = new Map<Key, Promise<Value>>()
  function fly(key: Key, work: () => Promise<Value>): Promise<Value> {
    const under = flights.get(key)
    if (under !== undefined) return under
    const flight = work().finally(() => flights.delete(key))
    flights.set(key, flight)
    return flight
  }
  return Object.assign(fly, { isUnderWay: (key: Key) => flights.has(key) })
}
