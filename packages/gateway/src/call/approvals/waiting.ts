/** Calls that wait for an answer: told by the database when a question is another, bounded for each principal, ended with the gateway. */

export interface Waits {
  /** A place among those that wait; undefined when the principal has as many as it may. */
  begin(principal: string): { end(): void } | undefined
  /** Resolves when the question may be another, after so many milliseconds, or when the signal comes; true for the first. */
  change(id: string, patience: number, signal: AbortSignal): Promise<boolean>
  /** A question is another; without an id, any may be. */
  hear(id?: string): void
  readonly size: number
  close(): void
}

const MOST_OF_ONE = 20

export function createWaits(mostOfOne = MOST_OF_ONE): Waits {
  const places = new Map<string, number>()
  const waiting = new Map<string, Set<() => void>>()
  const closing = new AbortController()

  return {
    begin(principal) {
      const already = places.get(principal) ?? 0
      if (already >= mostOfOne || closing.signal.aborted) return undefined
      places.set(principal, already + 1)
      let ended = false
      return {
        end() {
          if (ended) return
          ended = true
          const left = (places.get(principal) ?? 1) - 1
          if (left === 0) places.delete(principal)
          else places.set(principal, left)
        },
      }
    },
    change: (id, patience, signal) =>
      new Promise((resolve) => {
        const ends = AbortSignal.any([signal, closing.signal])
        const here = waiting.get(id) ?? new Set()
        waiting.set(id, here)
        const end = (changed: boolean) => {
          clearTimeout(timer)
          ends.removeEventListener('abort', left)
          here.delete(heard)
          if (here.size === 0) waiting.delete(id)
          resolve(changed)
        }
        const heard = () => end(true)
        const left = () => end(false)
        const timer = setTimeout(left, patience)
        here.add(heard)
        if (ends.aborted) left()
        else ends.addEventListener('abort', left, { once: true })
      }),
    hear(id) {
      const told = id === undefined ? [...waiting.values()] : [waiting.get(id) ?? new Set<() => void>()]
      for (const some of told) for (const wake of [...some]) wake()
    },
    get size() {
      return places.size
    },
    close: () => closing.abort(),
  }
}
