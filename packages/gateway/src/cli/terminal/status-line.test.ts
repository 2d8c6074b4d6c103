import { expect, test } from 'vitest'
import { createStatusLine } from './status-line.ts'

const written = (isTTY: boolean) => {
  const parts: string[] = []
  const line = createStatusLine({ isTTY, write: (text) => parts.push(text) })
  line.show('1 of 2')
  line.show('2 of 2')
  line.clear()
  return parts.join('')
}

test('how far a command is stands on one line of a terminal, and is gone when it ends', () => {
  expect(written(true)).toBe('\r\x1b[K1 of 2\r\x1b[K2 of 2\r\x1b[K')
})

test('a file or a pipe gets none of it', () => {
  expect(written(false)).toBe('')
})
