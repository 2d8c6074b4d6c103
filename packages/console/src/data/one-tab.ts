/**
 * One tab at a time: the others wait until it is done or closed (Web Locks API).
 *
 * Browsers have it over https and on this machine alone. Elsewhere each tab goes its own way, as if it were the only one.
 */
export async function runInOneTab<Result>(
  name: string,
  work: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result | undefined> {
  // Absent where the context is not secure, whatever the types say.
  const locks = navigator.locks as LockManager | undefined
  if (locks === undefined) return work()
  try {
    return await locks.request(name, signal === undefined ? {} : { signal }, work)
  } catch (thrown) {
    if (signal?.aborted === true) return undefined
    throw thrown
  }
}
