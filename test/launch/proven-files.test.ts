/** Which test files the long form leaves out after the short one: a file that could prove less than it says is run again. */
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { provenBy } from '../../tools/proven-files.mjs'

const TEST = "import { test } from 'vitest'\n"
const FILES = {
  'test/plain.test.ts': TEST,
  'test/deep.test.ts': `${TEST}import '../test/a.ts'\n`,
  'test/a.ts': "import './b.ts'\n",
  'test/b.ts': "import './a.ts'\nimport { runs } from './setup/form.ts'\n",
  'test/setup/form.ts': "export const IS_SHORT = process.env['TEST_FORM'] === 'short'\n",
  'test/database.test.ts': `${TEST}import { createTestDatabase } from '../packages/gateway/src/testing/database.ts'\n`,
  'test/every-database.test.ts': `${TEST}import { describeEachPostgres } from '../packages/gateway/src/testing/database.ts'\n`,
  'packages/gateway/src/testing/database.ts': "export const describeEachPostgres = () => inject('outsidePostgres')\n",
  'test/skipped.test.ts': TEST,
  'test/failed.test.ts': TEST,
  'test/empty.test.ts': TEST,
}
const STATES: Record<string, readonly string[]> = {
  'skipped.test.ts': ['passed', 'skipped'],
  'failed.test.ts': ['passed', 'failed'],
  'empty.test.ts': [],
}

async function makeCheckout() {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'toolway-proven-')))
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  const git = (...words: string[]) => execFileSync('git', ['-C', root, ...words])
  git('init', '--quiet')
  git('add', '.')
  const report = join(root, 'report.json')
  const testResults = Object.keys(FILES)
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => {
      const states = STATES[path.slice('test/'.length)] ?? ['passed']
      const status = states.includes('failed') ? 'failed' : 'passed'
      return { name: join(root, path), status, assertionResults: states.map((state) => ({ status: state })) }
    })
  await writeFile(report, JSON.stringify({ testResults }))
  return { root, report, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) }
}

test('only a file whose tests all ran, passed and are the same in both forms is not run again', async () => {
  await using checkout = await makeCheckout()
  const names = provenBy(checkout.root, checkout.report).map(({ name }) => name.slice(checkout.root.length + 1))
  expect(names).toEqual(['test/plain.test.ts', 'test/database.test.ts'])
})

test('nothing is left out where a source is newer than the report, or where there is none', async () => {
  await using checkout = await makeCheckout()
  const { root, report } = checkout
  expect(() => provenBy(root, `${report}.missing`)).toThrow('`npm test` writes it')
  const later = new Date(Date.now() + 60_000)
  await utimes(join(root, 'test/b.ts'), later, later)
  expect(() => provenBy(root, report)).toThrow('test/b.ts changed after')
})
