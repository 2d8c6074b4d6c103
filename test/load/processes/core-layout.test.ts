import { expect, test } from 'vitest'
import { onCore, parseCoreList } from './core-layout.ts'

test('a core list may hold single cores and ranges', () => {
  expect(parseCoreList('0-2,5\n')).toEqual([0, 1, 2, 5])
  expect(parseCoreList('3')).toEqual([3])
})

test('a process is started on its core by the same command, or freely where nothing is pinned', () => {
  expect(onCore(1, 'node', ['a.ts'])).toEqual(['taskset', ['-c', '1', 'node', 'a.ts']])
  expect(onCore(undefined, 'node', ['a.ts'])).toEqual(['node', ['a.ts']])
})
