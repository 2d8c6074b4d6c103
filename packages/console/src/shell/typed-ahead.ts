/**
 * Buffers keys typed between the request for the palette and the focus of its field: none of them is lost, and none lands
 * elsewhere. The buffer ends when the field takes over, or by itself where that does not happen.
 */

/** Milliseconds. Typing that lasts so long without a field is meant for something else. */
const MOST_MS = 10_000

export interface TypedAhead {
  /** From now on, from nothing. */
  start(): void
  /** Told at once of what was typed so far, and of each further letter. */
  hear(listen: (text: string) => void): void
  stop(): void
}

export function createTypedAhead(): TypedAhead {
  let text = ''
  let listener: ((text: string) => void) | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  function take(event: KeyboardEvent): void {
    const { key, ctrlKey, metaKey, altKey } = event
    if (key === 'Escape') return stop()
    if (ctrlKey || metaKey || altKey) return
    const isLetter = /^.$/u.test(key)
    if (!isLetter && key !== 'Backspace' && key !== 'Enter') return
    event.preventDefault()
    event.stopPropagation()
    if (key === 'Enter') return
    text = isLetter ? text + key : text.slice(0, -1)
    listener?.(text)
  }

  function stop(): void {
    clearTimeout(timer)
    window.removeEventListener('keydown', take, true)
  }

  return {
    start() {
      stop()
      text = ''
      window.addEventListener('keydown', take, true)
      timer = setTimeout(stop, MOST_MS)
    },
    hear(listen) {
      listener = listen
      listen(text)
    },
    stop,
  }
}
