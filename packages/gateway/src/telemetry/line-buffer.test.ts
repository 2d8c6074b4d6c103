import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLineBuffer } from './line-buffer.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function fixture() {
  const written: string[] = []
  return { written, buffer: createLineBuffer({ write: (text) => written.push(text) }) }
}

test('lines that came together are written together, in order, after a moment', () => {
  const { written, buffer } = fixture()
  buffer.write('a\n')
  buffer.write('b\n')
  expect(written).toEqual([])
  vi.advanceTimersByTime(100)
  expect(written).toEqual(['a\nb\n'])
  expect(vi.getTimerCount()).toBe(0)
})

test('many lines do not wait', () => {
  const { written, buffer } = fixture()
  const line = `${'x'.repeat(999)}\n`
  for (let count = 0; count < 40; count++) buffer.write(line)
  expect(written.map(({ length }) => length)).toEqual([33_000])
  buffer.flush()
  expect(written.join('')).toBe(line.repeat(40))
})

test('nothing is written when there is nothing', () => {
  const { written, buffer } = fixture()
  buffer.flush()
  expect([written, vi.getTimerCount()]).toEqual([[], 0])
})
