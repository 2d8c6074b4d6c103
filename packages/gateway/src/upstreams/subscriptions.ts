/** Synchronizes the subscriptions of one session or child of a legacy server with the wanted ones, one change after the other. */
export interface Subscriptions {
  has(uri: string): boolean
  /** Resolves when the server has been told what it did not know. */
  make(requested: () => ReadonlySet<string>): Promise<void>
}

export type Subscribing = 'resources/subscribe' | 'resources/unsubscribe'

/** Requests of ours that are under way at once. */
const AT_ONCE = 8

/** `say` tells the server, and resolves to whether it agreed; it never rejects. */
export function createSubscriptions(say: (method: Subscribing, uri: string) => Promise<boolean>): Subscriptions {
  const subscribed = new Set<string>()
  let telling = Promise.resolve()

  async function changeSubscriptions(requested: ReadonlySet<string>): Promise<void> {
    await inTurns(
      [...subscribed].filter((uri) => !requested.has(uri)),
      async (uri) => {
        subscribed.delete(uri)
        await say('resources/unsubscribe', uri)
      },
    )
    await inTurns(
      [...requested].filter((uri) => !subscribed.has(uri)),
      async (uri) => {
        if (await say('resources/subscribe', uri)) subscribed.add(uri)
      },
    )
  }

  return {
    has: (uri) => subscribed.has(uri),
    // The wanted set is read when its turn comes: later changes in the queue then find no difference.
    make: (requested) => (telling = telling.then(() => changeSubscriptions(requested()))),
  }
}

async function inTurns(items: readonly string[], work: (item: string) => Promise<unknown>): Promise<void> {
  const left = [...items]
  const worker = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker))
}
