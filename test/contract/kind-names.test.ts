/** A kind of connection is a module: few files outside of the kinds know one by its name. */
import { KINDS } from '@toolway/contract'
import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const MOST = 6
/** Of kinds, and of the two forms in which connections are described that have another name than their kind. */
const NAMES = [...KINDS.map(({ connector }) => connector), 'http', 'process'].map((name) =>
  name.replace('.', String.raw`\.`),
)
/** A name with a dot says by itself that it is a kind's; another one does so beside a word for the kind. */
const KNOWN = new RegExp(
  `'mcp\\.(?:http|process)'|\\b(?:connector|wire\\.kind|service)\\b\\)?\\s*(?:===|!==|:)\\s*'(?:${NAMES.join('|')})'|\\btype (?:===|!==) '(?:${NAMES.join('|')})'|z\\.literal\\('(?:${NAMES.join('|')})'|wire: \\{\\s*kind: '|choices\\(\\['(?:${NAMES.join('|')})'`,
)

test('at most six files outside the kinds know a kind of connection by its name', () => {
  const files = globSync('packages/*/src/**/*.{ts,tsx}').filter(
    (file) =>
      !/\.test\.|\/testing\/|^packages\/(?:contract|gateway)\/src\/kinds\/|^packages\/gateway\/src\/upstreams\//.test(
        file,
      ),
  )
  const knowing = files.filter((file) => KNOWN.test(readFileSync(file, 'utf8')))
  expect(files.length).toBeGreaterThan(500)
  expect(knowing.length, knowing.join('\n')).toBeLessThanOrEqual(MOST)
})
