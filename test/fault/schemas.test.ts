/** Tests that checking any arguments against any schema of a server ends, and affects nothing else. */
// @module-tag long
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { VALIDATION_BOUNDS } from '../../packages/gateway/src/lib/json-schema/validation.ts'
import { TEST_LIMIT_MS } from '../../packages/gateway/src/testing/patience.ts'

const script = new URL('hostile-schemas.script.ts', import.meta.url).pathname

test('hostile schemas and arguments end in an answer, within the work that one check may do', async () => {
  // Ended from outside if it hangs; a crash is a rejection.
  const { stdout } = await promisify(execFile)(process.execPath, ['--stack-size=500', script], {
    timeout: TEST_LIMIT_MS,
    maxBuffer: 10_000_000,
  })
  const lines = stdout.trim().split('\n')
  const ends = new Map(lines.map((line) => JSON.parse(line) as [string, string]))
  expect(ends.get('drawn')).toBe('3000')
  for (const [name, end] of ends) {
    const work = /\d+$/.exec(end)?.[0]
    // The last charge is not worked off any more.
    if (name !== 'drawn' && !end.startsWith('unusable') && !end.startsWith('too much'))
      expect(Number(work), name).toBeLessThanOrEqual(VALIDATION_BOUNDS.steps)
  }
  const endOf = (name: string) => ends.get(name)?.replace(/ \d+$/, '')
  expect({
    ways: endOf('two ways forty times (allOf)'),
    levels: endOf('two ways at each level'),
    circle: endOf('a circle'),
    deep: endOf('a deep value'),
    choice: endOf('a giant choice'),
    wide: endOf('a wide value'),
    items: endOf('a million items'),
    backtracking: endOf('the pattern ^(a+)+$'),
  }).toEqual({
    ways: 'too much',
    levels: 'too much',
    circle: 'unusable: refers to itself endlessly',
    deep: 'too much',
    choice: 'unusable: has more than 50000 values',
    wide: 'does not fit',
    items: 'too much',
    backtracking: 'does not fit',
  })
})
