/**
 * Limits how many servers start at once: fifty `npx` at the same time slow down the machine and each other. Slots are given in
 * order of request. It never gives a slot to a request that was cancelled, and a slot returned twice counts once.
 */
export interface StartQueue {
  /** Resolves to the function that gives the place back. Rejects with the reason of the signal. */
  take(signal?: AbortSignal): Promise<() => void>
  /** Rejects all who wait, and all who come. */
  close(why: Error): void
}

interface Waiting {
  resolve: (giveBack: () => void) => void
  reject: (why: unknown) => void
}

export function createStartQueue({ places }: { places: number }): StartQueue {
  const line = new Set<Waiting>()
  let free = places
  let closed: Error | undefined

  const placeToReturn = () => {
    let mine = true
    return () => {
      if (!mine) return
      mine = false
      free += 1
      serve()
    }
  }
  const serve = () => {
    for (const next of line) {
      if (free === 0) return
      line.delete(next)
      free -= 1
      next.resolve(placeToReturn())
    }
  }

  return {
    async take(signal) {
      signal?.throwIfAborted()
      if (closed) throw closed
      const { promise, ...waiting } = Promise.withResolvers<() => void>()
      const leaveQueue = () => {
        line.delete(waiting)
        waiting.reject(signal?.reason)
      }
      line.add(waiting)
      signal?.addEventListener('abort', leaveQueue, { once: true })
      serve()
      return promise.finally(() => signal?.removeEventListener('abort', leaveQueue))
    },
    close(why) {
      closed = why
      for (const waiting of line) waiting.reject(why)
      line.clear()
    },
  }
}
