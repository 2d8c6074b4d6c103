/** Does the work for each item, at most `lanes` at a time, and returns the results in the order of the items. */
export async function inLanes<Item, Result>(
  lanes: number,
  items: readonly Item[],
  work: (item: Item, at: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const left = items.entries()
  const workOff = async () => {
    for (const [at, item] of left) results[at] = await work(item, at)
  }
  await Promise.all(Array.from({ length: lanes }, workOff))
  return results
}

/** A crowd of sockets: few enough to be accepted by a starved gateway before a client gives up connecting (10 s; the backlog is 511). */
export const CROWD = 64
