/**
 * Detects the exit of npm, if npm started this process. npm runs a script, and programs started by `npx`, in a shell and sends
 * its signals to that shell, which exits without forwarding them. Under npm the exit of the parent is therefore a request to
 * stop. Elsewhere it means nothing, because the parent of a background gateway may exit. This module keeps no process alive and
 * ends none.
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
