/**
 * Has npm, which started us, gone without a word? npm runs a script, and what `npx` starts, in a shell and gives its signals
 * to that shell, which ends and passes nothing on. So under npm an end of the parent is a wish that we end. Elsewhere it
 * means nothing: who starts a gateway in the background may well leave. It keeps no process alive and ends none.
 */
const ASK_EVERY_MS = 250

/** Resolves when the parent that this process has now is gone; never when it was not npm that started it. */
export function parentEnd(underNpm: boolean): Promise<void> {
  const parent = process.ppid
  return new Promise((resolve) => {
    if (!underNpm) return
    const watch = setInterval(() => {
      if (process.ppid === parent) return
      clearInterval(watch)
      resolve()
    }, ASK_EVERY_MS)
    watch.unref()
  })
}
