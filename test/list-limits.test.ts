/** A page of a list is never taken for the whole: the console has no constant `limit` without a pager or a search. */
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { cutListsIn } from '../tools/list-limits.ts'

const root = resolve(import.meta.dirname, '..')

test('no screen asks for the first rows of a list and shows them as all', () => {
  const files = globSync('packages/console/src/**/*.{ts,tsx}', { cwd: root }).filter((file) => !file.includes('.test.'))
  expect(files.length).toBeGreaterThan(100)
  const cut = files.flatMap((file) =>
    cutListsIn(file, readFileSync(join(root, file), 'utf8')).map(({ line, text }) => `${file}:${line} ${text}`),
  )
  expect(cut).toEqual([])
})

test.each([
  ['{ path, query: { limit: 200 } }', 1],
  ['{ query: { limit: 2_000, connection } }', 1],
  ['{ query: { limit: MOST, role } }', 1],
  ['{ query: { limit: 50, offset } }', 0],
  ['{ query: { limit: 20, search: typed } }', 0],
  ["{ limit: 20, ...(typed === '' ? {} : { search: typed }) }", 0],
  ["{ query: { state: 'pending', limit: 5 } }", 0],
  ['{ limit, offset: 0 }', 0],
])('%s takes a page for the whole %i times', (text, times) => {
  expect(cutListsIn('screen.ts', `const asked = (${text})`)).toHaveLength(times)
})
