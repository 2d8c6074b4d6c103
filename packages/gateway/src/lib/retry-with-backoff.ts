import { pause } from './pause.ts'

/** Try until it succeeds, with growing pauses (milliseconds), or until the signal: then the last failure is thrown. */
export async function again<T>(work: () => Promise<T> | T, signal: AbortSignal, first = 1_000): Promise<T> {
  for (let wait = first; ; wait = Math.min(wait * 2, MOST)) {
    try {
      return await work()
    } catch (thrown) {
      if (signal.aborted) throw thrown
      await pause(wait, signal)
      if (signal.aborted) throw thrown
    }
  }
}
const MOST = 60_000
