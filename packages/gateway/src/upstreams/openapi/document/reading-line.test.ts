import { expect, test } from 'vitest'
import { ReadingLine } from './reading-line.ts'

/** A line whose documents are read when the test says so. */
function fixture(bounds = { length: 1_000, waiting: 4 }) {
  const line = new ReadingLine(bounds)
  const begun: string[] = []
  let finish = () => {}
  const read = (name: string, share: string, more: { length?: number; signal?: AbortSignal } = {}) =>
    line
      .read({ share, length: 1, ...more }, () => {
        begun.push(name)
        const { promise, resolve } = Promise.withResolvers<string>()
        finish = () => resolve(name)
        return promise
      })
      .catch(({ code }: { code: string }) => code)
  const settled = () => new Promise(setImmediate)
  const next = async () => {
    await settled()
    finish()
    await settled()
  }
  return { begun, read, settled, next }
}

test('a document of one organization is read after the one under way of another, not after all of them', async () => {
  const { begun, read, next } = fixture()
  for (const name of ['a1', 'a2', 'a3', 'a4']) void read(name, 'a')
  void read('b1', 'b')
  void read('c1', 'c')
  void read('b2', 'b')
  for (let at = 0; at < 7; at++) await next()
  expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
})

test('a fifth document that waits is refused, for its organization alone', async () => {
  const { begun, read, next } = fixture()
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) void read(name, 'a')
  expect(await read('a6', 'a')).toBe('gateway.not-ready')
  const theirs = read('b1', 'b')
  await next()
  await next()
  expect(await theirs).toBe('b1')
  void read('a7', 'a')
  for (let at = 0; at < 6; at++) await next()
  expect(begun).toEqual(['a1', 'b1', 'a2', 'a3', 'a4', 'a5', 'a7'])
})

test('a document whose client left is not read, and its place is free again', async () => {
  const { begun, read, next, settled } = fixture({ length: 1_000, waiting: 1 })
  const leaving = new AbortController()
  void read('a1', 'a')
  const left = read('a2', 'a', { signal: leaving.signal })
  leaving.abort()
  expect(await left).toBe('call.cancelled')
  expect(await read('late', 'a', { signal: leaving.signal })).toBe('call.cancelled')
  void read('a3', 'a')
  await next()
  await next()
  await settled()
  expect(begun).toEqual(['a1', 'a3'])
})

test('long documents of one organization leave room for those of others', async () => {
  const { read, next } = fixture({ length: 1_000, waiting: 10 })
  const long = { length: 300 }
  const first = read('a1', 'a', long)
  expect(await read('a2', 'a', { length: 600 })).toBe('gateway.not-ready')
  const others = [read('b1', 'b', long), read('c1', 'c', long)]
  expect(await read('d1', 'd', long)).toBe('gateway.not-ready')
  for (let at = 0; at < 3; at++) await next()
  expect(await Promise.all([first, ...others])).toEqual(['a1', 'b1', 'c1'])
  const whole = read('d2', 'd', { length: 1_000 })
  await next()
  expect(await whole).toBe('d2')
})
