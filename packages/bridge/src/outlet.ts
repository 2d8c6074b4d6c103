/**
 * The way out to the client: whole messages, one a line, and nothing else ever.
 *
 * Who relays waits here until the client has read (`ready`), so that a slow reader holds up its streams instead of filling
 * the memory. A reader that is gone is told once, by `onGone`, and what is written after that goes nowhere.
 */
import type { Writable } from 'node:stream'

export interface Outlet {
  /** One JSON text. A line feed in it, which JSON allows between tokens, is taken out. */
  write(text: string): void
  /** Undefined when there is room; else it resolves when there is again, or when nobody reads any more. */
  ready(): Promise<void> | undefined
  /** Resolves when everything is with the reader, or nobody reads any more. */
  flushed(): Promise<void>
}

export function createOutlet(stream: Writable, onGone: () => void): Outlet {
  let gone = false
  let room: Promise<void> | undefined
  let onRoom = () => {}
  const clearRoom = () => {
    room = undefined
    onRoom()
  }
  stream.on('drain', clearRoom)
  stream.on('error', closeOutlet)
  stream.on('close', closeOutlet)

  function closeOutlet(): void {
    if (gone) return
    gone = true
    clearRoom()
    onGone()
  }

  return {
    write(text) {
      if (gone) return
      const line = /[\r\n]/.test(text) ? JSON.stringify(JSON.parse(text)) : text
      if (!stream.write(`${line}\n`)) room ??= new Promise((resolve) => (onRoom = resolve))
    },
    ready: () => room,
    flushed: () => (gone ? Promise.resolve() : new Promise((resolve) => stream.write('', () => resolve()))),
  }
}
