/**
 * What the sources use and Node 20 does not have yet (ECMAScript 2024, URL.parse of WHATWG). A bundle for Node 20 begins with it; Node 22 and newer keep
 * their own.
 */
URL.parse ??= (text, base) => (URL.canParse(text, base) ? new URL(text, base) : null)

Promise.withResolvers ??= function withResolvers() {
  let resolve
  let reject
  const promise = new this((resolved, rejected) => {
    resolve = resolved
    reject = rejected
  })
  return { promise, resolve, reject }
}

Map.groupBy ??= (list, keyOf) => {
  const groups = new Map()
  let index = 0
  for (const one of list) {
    const key = keyOf(one, index++)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [one])
    else group.push(one)
  }
  return groups
}
