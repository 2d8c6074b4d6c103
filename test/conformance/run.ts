/**
 * `npm run conformance`: runs the official MCP suites, against the fixture itself and through the gateway.
 *
 * - `--path direct`: suite to fixture; `gateway`: through a gateway whose upstream speaks both eras, as it is after an update of its
 *   SDK; `bridge`: through a gateway whose upstream speaks the other era than the suite; `client`, `client-legacy`: the suite's own servers are the gateway's
 *   upstreams, and the client at its endpoint is modern or legacy; `authorization`: the gateway is the authorization server.
 *   Several with commas, or `all`.
 * - `--suite NAME`, `--scenario NAME`: only these
 * - `--json`: the report on stdout, and nothing else there
 *
 * Progress goes to stderr, the report to `.reports/conformance.json`, the files written by the suites to `.reports/conformance/`.
 * Exit codes: 0 all required scenarios pass or are expected to fail; 1 an unexpected result; 2 wrong usage.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { addPersonTo, runAuthorizationSuite } from './authorization-run.ts'
import { runClientSuite } from './client-run.ts'
import { startEverythingServer } from './everything-server.ts'
import { startExtensionsServer } from './extensions-server.ts'
import { inLanes } from '../e2e/peers/lanes.ts'
import { evaluate, readExpected } from './expectations.ts'
import { startGatewayUnderTest, tailOf } from './gateway-under-test.ts'
import type { ScenarioOutcome } from './outcomes.ts'
import { isGreen, notRun, printTable, summarize } from './report.ts'
import type { Report, SuiteReport } from './report.ts'
import { runSuite } from './suite-run.ts'
import { listSuites, ROOT } from './suites.ts'
import type { Leg, Revision, Suite } from './suites.ts'

const PATHS = ['direct', 'gateway', 'bridge', 'client', 'client-legacy', 'authorization'] as const
type Path = (typeof PATHS)[number]
const legOf = (path: Path): Leg => (path === 'authorization' ? path : path.startsWith('client') ? 'client' : 'server')

const REPORTS = join(ROOT, '.reports')
const other = (revision: Revision): Revision => (revision === '2025-11-25' ? '2026-07-28' : '2025-11-25')

/** The options given on the command line. */
interface Request {
  paths: readonly Path[]
  suite: string | undefined
  scenario: string | undefined
  json: boolean
}

function readRequest(): Request {
  const { path, suite, scenario, json } = readFlags()
  const named = path === 'all' ? PATHS : path.split(',')
  const paths = PATHS.filter((known) => named.includes(known))
  if (paths.length < named.length) refuse(`unknown path ${path}; known: ${PATHS.join(', ')}, all`)
  const wanted = { paths, suite, scenario, json }
  if (paths.every((one) => suitesOf(one, wanted).length === 0)) {
    const names = listSuites('server').map(({ name }) => name)
    refuse(`no such suite or scenario; suites: ${names.join(', ')}`)
  }
  return wanted
}

const suitesOf = (path: Path, { suite, scenario }: Request): Suite[] =>
  listSuites(legOf(path))
    .filter(({ name }) => suite === undefined || suite === name)
    .filter(({ requires, reports }) => scenario === undefined || [...requires, ...reports].includes(scenario))

function readFlags() {
  const options = {
    path: { type: 'string', default: 'gateway,bridge,client,client-legacy,authorization' },
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

type Run = (suite: Suite, options: Told) => Promise<ScenarioOutcome[]>
interface Told {
  out: string
  onScenario: () => void
  scenario?: string
}

/** Runs the suites of one path against servers, with one gateway for each revision its upstream must speak. */
async function runServers(path: Path, request: Request): Promise<Record<string, SuiteReport>> {
  const reports: Record<string, SuiteReport> = {}
  // The server of the extensions speaks one revision: there is nothing to bridge.
  const wanted = suitesOf(path, request).filter(({ fixture }) => path !== 'bridge' || fixture === 'everything')
  for (const [kind, suites] of Map.groupBy(wanted, ({ revision, fixture }) => `${fixture} ${revision}`)) {
    const { revision, fixture: needed } = suites[0] as Suite
    const log = join(REPORTS, 'conformance', `${path}-${kind.replace(' ', '-')}.log`)
    await using fixture = await (needed === 'everything'
      ? startEverythingServer({ asks: path === 'bridge' ? 'returned' : 'pushed' })
      : startExtensionsServer())
    Object.assign(
      reports,
      await runGroup(path, request, suites, log, async () => {
        const target = await startTarget(path, revision, fixture, log)
        return { target, run: (suite, told) => runSuite(suite, { ...told, url: target.url }) }
      }),
    )
  }
  return reports
}

/** Runs the suites of one path against the gateway's upstream client, with one gateway for all of them. */
function runClients(path: Path, request: Request): Promise<Record<string, SuiteReport>> {
  const log = join(REPORTS, 'conformance', `${path}.log`)
  return runGroup(path, request, suitesOf(path, request), log, async () => {
    say(`${path} · starting a gateway\n`)
    const target = await startGatewayUnderTest({ log })
    const downstream = path === 'client-legacy' ? 'legacy' : 'modern'
    return { target, run: (suite, told) => runClientSuite(suite, { ...told, gateway: target, downstream }) }
  })
}

/** Runs the suites against the gateway as an authorization server, with one gateway for all of them. */
function runAuthorization(request: Request): Promise<Record<string, SuiteReport>> {
  const path = 'authorization'
  const log = join(REPORTS, 'conformance', `${path}.log`)
  return runGroup(path, request, suitesOf(path, request), log, async () => {
    say(`${path} · starting a gateway\n`)
    const target = await startGatewayUnderTest({ auth: 'on', log })
    await addPersonTo(target)
    return { target, run: (suite, told) => runAuthorizationSuite(suite, { ...told, gateway: target }) }
  })
}

const RUNS: Readonly<Record<Leg, (path: Path, request: Request) => Promise<Record<string, SuiteReport>>>> = {
  server: runServers,
  client: runClients,
  authorization: (_, request) => runAuthorization(request),
}

async function runGroup(
  path: Path,
  { scenario }: Request,
  suites: readonly Suite[],
  log: string,
  start: () => Promise<{ target: AsyncDisposable; run: Run }>,
): Promise<Record<string, SuiteReport>> {
  const reports: Record<string, SuiteReport> = {}
  try {
    const { target, run } = await start()
    await using _ = target
    for (const suite of suites) {
      const found = await runOne(path, suite, scenario, run)
      reports[suite.name] = found
      if (path !== 'direct' && found.unexpected.length > 0) sayTail(log)
    }
  } catch (reason) {
    // One gateway that does not start must not hide what the others would show.
    for (const suite of suites) reports[suite.name] ??= notRun(suite, String(reason))
    say(`\n${path} · ${String(reason)}\n`)
    if (path !== 'direct') sayTail(log)
  }
  return reports
}

async function startTarget(path: Path, revision: Revision, fixture: { url: string; port: number }, log: string) {
  // The suites are given `localhost`, as a user would write it.
  if (path === 'direct') return { url: `http://localhost:${fixture.port}/mcp`, [Symbol.asyncDispose]: async () => {} }
  if (path === 'gateway') {
    say(`${path} · starting a gateway\n`)
    return startGatewayUnderTest({ upstream: { url: fixture.url }, log })
  }
  say(`${path} · starting a gateway with its upstream at ${other(revision)}\n`)
  return startGatewayUnderTest({ upstream: { url: fixture.url, revision: other(revision) }, log })
}

async function runOne(path: Path, suite: Suite, scenario: string | undefined, run: Run): Promise<SuiteReport> {
  const out = join(REPORTS, 'conformance', path, suite.name)
  let dots = ''
  const outcomes = await run(suite, {
    out,
    onScenario: () => (dots += '.'),
    ...(scenario !== undefined && { scenario }),
  })
  const report = summarize(suite, outcomes, evaluate(outcomes, expected[path]?.[suite.name] ?? []))
  // One write: the line of another path must not stand in it.
  say(`${path} · ${suite.name} ${dots} ${report.scenarios.passed}/${report.scenarios.total}\n`)
  return report
}

const sayTail = (log: string) => say(`The end of ${log}:\n${tailOf(log)}\n`)
const say = (words: string) => void process.stderr.write(words)

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
const expected = readExpected()
const request = readRequest()
await mkdir(join(REPORTS, 'conformance'), { recursive: true })
// Two at a time, the longest first: a scenario is a process of its own, which waits as much as it works.
const order = [...request.paths].sort(
  (one, other) => Number(legOf(other) === 'client') - Number(legOf(one) === 'client'),
)
const found = await inLanes(2, order, async (path) => [path, await RUNS[legOf(path)](path, request)] as const)
const byPath = Object.fromEntries(found)
const report: Report = { paths: Object.fromEntries(request.paths.map((path) => [path, byPath[path] ?? {}])) }
const written = JSON.stringify(report, null, 2)
// A single scenario is for the person at the keyboard; it must not stand in for a report.
if (request.scenario === undefined) await writeFile(join(REPORTS, 'conformance.json'), `${written}\n`)
process.stdout.write(`${request.json ? written : printTable(report)}\n`)
process.exitCode = isGreen(report) ? 0 : 1
