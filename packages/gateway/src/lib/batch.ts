/**
 * Many small pieces of work that are dearer one by one than together: a run takes all that wait, and what comes while it runs waits
 * for the next run. Nothing waits while nothing runs.
 */
export interface BatchParts<Item, Result> {
  /** The results in the order of the items. A rejection is that of every item of the run. */
  run(items: readonly Item[]): Promise<readonly Result[]>
  /** Items of one run. */
  readonly most: number
}

interface Waiting<Item, Result> {
  readonly item: Item
  resolve(result: Result): void
  reject(reason: unknown): void
}

export function createBatch<Item, Result>({ run, most }: BatchParts<Item, Result>): (item: Item) => Promise<Result> {
  const waiting: Waiting<Item, Result>[] = []
  let running = false

  async function work(): Promise<void> {
    running = true
    // Requests made in the same turn of the event loop are batched from the first run on.
    await Promise.resolve()
    while (waiting.length > 0) await runSome(waiting.splice(0, most))
    running = false
  }

  async function runSome(taken: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await run(taken.map(({ item }) => item))
      for (const [at, value] of taken.entries()) value.resolve(results[at] as Result)
    } catch (thrown) {
      for (const { reject } of taken) reject(thrown)
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (!running) void work()
    })
}
