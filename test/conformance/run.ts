/**
 * `npm run conformance`: do the official MCP suites pass, against the fixture itself and through the gateway?
 *
 *   --path direct|gateway|bridge|all   direct: suite to fixture; gateway: through a gateway whose upstream speaks
 *                                      the suite's revision; bridge: whose upstream speaks the other one
 *   --suite NAME  --scenario NAME      only these
 *   --json                             the report on stdout, and nothing else there
 *
 * Progress goes to stderr, the report to `.reports/conformance.json`, what the suites wrote to `.reports/conformance/`.
 * Exit codes: 0 all required scenarios pass or are expected to fail; 1 something unexpected; 2 wrong usage.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startEverythingServer } from './everything-server.ts'
import { startExtensionsServer } from './extensions-server.ts'
import { judge, readExpected } from './expectations.ts'
import { startGatewayUnderTest, tailOf } from './gateway-under-test.ts'
import { isGreen, notRun, printTable, summarize } from './report.ts'
import type { Report, SuiteReport } from './report.ts'
import { runSuite } from './suite-run.ts'
import { listSuites, ROOT } from './suites.ts'
import type { Revision, Suite } from './suites.ts'

const PATHS = ['direct', 'gateway', 'bridge'] as const
type Path = (typeof PATHS)[number]

const REPORTS = join(ROOT, '.reports')
const other = (revision: Revision): Revision => (revision === '2025-11-25' ? '2026-07-28' : '2025-11-25')

/** What was asked for on the command line. */
interface Request {
  paths: readonly Path[]
  suites: readonly Suite[]
  scenario: string | undefined
  json: boolean
}

function readRequest(): Request {
  const { path, suite, scenario, json } = readFlags()
  const named = path === 'all' ? PATHS : path.split(',')
  const paths = PATHS.filter((known) => named.includes(known))
  const suites = listSuites()
    .filter(({ name }) => suite === undefined || suite === name)
    .filter(({ offers }) => scenario === undefined || offers === 'any' || offers.includes(scenario))
  if (paths.length < named.length) refuse(`unknown path ${path}; known: ${PATHS.join(', ')}, all`)
  if (suites.length === 0)
    refuse(
      `no such suite or scenario; suites: ${listSuites()
        .map(({ name }) => name)
        .join(', ')}`,
    )
  return { paths, suites, scenario, json }
}

function readFlags() {
  const options = {
    path: { type: 'string', default: 'gateway,bridge' },
    suite: { type: 'string' },
    scenario: { type: 'string' },
    json: { type: 'boolean', default: false },
  } as const
  try {
    return parseArgs({ options }).values
  } catch (reason) {
    return refuse(reason instanceof Error ? reason.message : String(reason))
  }
}

function refuse(reason: string): never {
  process.stderr.write(`conformance: ${reason}\n`)
  process.exit(2)
}

/** Runs the suites of one path, with one gateway for each revision its upstream must speak. */
async function runPath(path: Path, request: Request): Promise<Record<string, SuiteReport>> {
  const reports: Record<string, SuiteReport> = {}
  // The server of the extensions speaks one revision: there is nothing to bridge.
  const wanted = request.suites.filter(({ fixture }) => path !== 'bridge' || fixture === 'everything')
  for (const [kind, suites] of Map.groupBy(wanted, ({ revision, fixture }) => `${fixture} ${revision}`)) {
    const { revision, fixture: needed } = suites[0] as Suite
    const log = join(REPORTS, 'conformance', `${path}-${kind.replace(' ', '-')}.log`)
    try {
      await using fixture = await (needed === 'everything' ? startEverythingServer() : startExtensionsServer())
      await using target = await startTarget(path, revision, fixture, log)
      for (const suite of suites) {
        const found = await runOne({ path, suite, url: target.url, scenario: request.scenario })
        if (found !== undefined) reports[suite.name] = found
        if (path !== 'direct' && found !== undefined && found.unexpected.length > 0) sayTail(log)
      }
    } catch (reason) {
      // One gateway that does not start must not hide what the others would show.
      for (const suite of suites) reports[suite.name] ??= notRun(suite, String(reason))
      say(`\n${path} · ${String(reason)}\n`)
      if (path !== 'direct') sayTail(log)
    }
  }
  return reports
}

async function startTarget(path: Path, revision: Revision, fixture: { url: string; port: number }, log: string) {
  // The suites are given `localhost`, as a user would write it.
  if (path === 'direct') return { url: `http://localhost:${fixture.port}/mcp`, [Symbol.asyncDispose]: async () => {} }
  const upstream = path === 'gateway' ? revision : other(revision)
  say(`${path} · starting a gateway with its upstream at ${upstream}\n`)
  return startGatewayUnderTest({ upstream: fixture.url, revision: upstream, log })
}

async function runOne(run: { path: Path; suite: Suite; url: string; scenario: string | undefined }) {
  const { path, suite, url, scenario } = run
  say(`${path} · ${suite.name} `)
  const outcomes = await runSuite(suite, {
    url,
    out: join(REPORTS, 'conformance', path, suite.name),
    onScenario: () => say('.'),
    ...(scenario !== undefined && { scenario }),
  })
  if (outcomes.length === 0) {
    say(` has no scenario ${scenario}\n`)
    return undefined
  }
  const report = summarize(outcomes, judge(outcomes, expected[path]?.[suite.name] ?? []))
  say(` ${report.scenarios.passed}/${report.scenarios.total}\n`)
  return report
}

const sayTail = (log: string) => say(`The end of ${log}:\n${tailOf(log)}\n`)
const say = (words: string) => void process.stderr.write(words)

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
const expected = readExpected()
const request = readRequest()
await mkdir(join(REPORTS, 'conformance'), { recursive: true })
const report: Report = { paths: {} }
for (const path of request.paths) report.paths[path] = await runPath(path, request)
if (Object.values(report.paths).every((suites) => Object.keys(suites).length === 0)) refuse('nothing was run')
const written = JSON.stringify(report, null, 2)
// A single scenario is for the person at the keyboard; it must not stand in for a report.
if (request.scenario === undefined) await writeFile(join(REPORTS, 'conformance.json'), `${written}\n`)
process.stdout.write(`${request.json ? written : printTable(report)}\n`)
process.exitCode = isGreen(report) ? 0 : 1
