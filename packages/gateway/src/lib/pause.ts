/** Resolves after so many milliseconds, or as soon as the signal is aborted; it never rejects and keeps no process alive. */
export const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds).unref()
    signal.addEventListener('abort', done, { once: true })
  })

/** Time as it passes, for `retry`. */
export const REAL_TIME = { now: () => performance.now(), random: () => Math.random(), pause } as const
