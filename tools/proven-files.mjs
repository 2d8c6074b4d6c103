/**
 * Answers which test files the long form does not have to run again after the short form in the same checkout. A file counts where
 * the short form ran and passed each of its tests, left none out, and nothing that the file uses behaves differently in the long form:
 * other databases, Redis, the published package, more runs of a property. In doubt a file is run again.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'

/** What the long form does differently: it reads the environment of CI, or takes a server that only CI provides. */
const DIFFERS =
  /process\.env(?:\.|\[')(?:TEST_|CI\b)|\binject\('outsidePostgres'\)|\b(?:describeEachPostgres|describeWithRedis|startTestRedis|hasPgBouncer|startPgBouncer)\b|setup\/form\.ts/
/** They define what DIFFERS names; a file that uses it names it too. */
const DEFINES = new Set(['database', 'pgbouncer', 'redis'].map((name) => `packages/gateway/src/testing/${name}.ts`))
const IMPORT = /(?:from|import)\s*\(?\s*'(\.[^']+\.ts)'/g

/**
 * Returns the results of vitest's JSON report whose files need no second run.
 * @param {string} root the checkout
 * @param {string} report path of the report of the short form
 * @returns {{ name: string, status: string, assertionResults: { status: string, tags: string[] }[] }[]}
 * Throws where there is no report, or where a source changed after it.
 */
export function provenBy(root, report) {
  if (!existsSync(report)) throw new Error(`${report} is missing: \`npm test\` writes it.`)
  refuseStale(root, report)
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
  const visited = new Map()
  return testResults.filter(
    ({ name, status, assertionResults }) =>
      status === 'passed' &&
      assertionResults.length > 0 &&
      assertionResults.every((test) => test.status === 'passed') &&
      !differs(root, name, visited),
  )
}

function refuseStale(root, report) {
  const written = statSync(report).mtimeMs
  const files = execFileSync('git', ['ls-files', '-z', 'packages', 'test', 'tools'], { cwd: root, encoding: 'utf8' })
  const changed = files.split('\0').find((file) => file !== '' && isNewer(join(root, file), written))
  if (changed !== undefined) throw new Error(`${changed} changed after ${report} was written: run \`npm test\` again.`)
}

const isNewer = (path, time) => !existsSync(path) || statSync(path).mtimeMs > time

/** Looks through what a test is made of; the product itself behaves alike in both forms. */
function differs(root, file, visited) {
  const known = visited.get(file)
  if (known !== undefined) return known
  visited.set(file, false) // a cycle adds nothing
  const text = readFileSync(file, 'utf8')
  const path = relative(root, file).split(sep).join('/')
  const found =
    (!DEFINES.has(path) && DIFFERS.test(text)) ||
    [...text.matchAll(IMPORT)]
      .map(([, target]) => resolve(dirname(file), target))
      .some((target) => isOfTests(relative(root, target)) && existsSync(target) && differs(root, target, visited))
  visited.set(file, found)
  return found
}

const isOfTests = (path) => path.startsWith(`test${sep}`) || path.includes(`${sep}testing${sep}`)
