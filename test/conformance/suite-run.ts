/**
 * What did one suite find? Starts it as its own process, follows it, and reads the checks it wrote.
 *
 * The suite's exit code and its printed totals are not believed: only the checks decide, and a required
 * scenario without checks has failed.
 */
import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { argumentsOf, isRequired, ROOT } from './suites.ts'
import type { Suite } from './suites.ts'

const RUN_LIMIT_MS = 10 * 60_000

const Check = z.object({
  id: z.string(),
  status: z.enum(['SUCCESS', 'FAILURE', 'WARNING', 'SKIPPED', 'INFO']),
  errorMessage: z.string().optional(),
})

/** One check that did not hold. */
export interface Failure {
  scenario: string
  check: string
  message: string
}

/** What one scenario found. It passed when nothing failed and something was looked at: all skipped is no pass. */
export interface ScenarioOutcome {
  scenario: string
  required: boolean
  passed: boolean
  succeeded: number
  failures: Failure[]
  warnings: Failure[]
}

export interface RunOptions {
  url: string
  /** A directory of this run alone; it is emptied first. */
  out: string
  scenario?: string
  /** Told the name of each scenario as it starts. */
  onScenario?: (scenario: string) => void
}

/** Runs one suite against `url`. Rejects when it leaves no checks at all, with the end of what it printed. */
export async function runSuite(suite: Suite, options: RunOptions): Promise<ScenarioOutcome[]> {
  await rm(options.out, { recursive: true, force: true })
  await mkdir(options.out, { recursive: true })
  const printed = await followAll(suite, options)
  const outcomes = await collect(suite, options.out)
  const wanted = options.scenario === undefined && Array.isArray(suite.requires) ? suite.requires : []
  for (const scenario of wanted)
    if (!outcomes.some((outcome) => outcome.scenario === scenario)) outcomes.push(absent(scenario))
  if (outcomes.length === 0 && options.scenario === undefined)
    throw new Error(`The suite ${suite.name} left no checks. It printed:\n${printed}`)
  return outcomes
}

async function followAll(suite: Suite, options: RunOptions): Promise<string> {
  if (suite.each === undefined || options.scenario !== undefined) return follow(suite, options)
  const printed: string[] = []
  for (const scenario of suite.each) {
    options.onScenario?.(scenario)
    printed.push(await follow(suite, { ...options, scenario }))
  }
  return printed.join('\n')
}

async function follow(suite: Suite, options: RunOptions): Promise<string> {
  const child = spawn(process.execPath, argumentsOf(suite, options), {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: RUN_LIMIT_MS,
    killSignal: 'SIGKILL',
  })
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  const log = createWriteStream(join(options.out, 'suite.log'), { flags: 'a' })
  const tail: string[] = []
  const read = async (stream: NodeJS.ReadableStream) => {
    for await (const line of createInterface({ input: stream })) {
      log.write(`${line}\n`)
      tail.push(line)
      if (tail.length > 40) tail.shift()
      const started = /^=== Running scenario: (\S+) ===$/.exec(line)
      if (started?.[1] !== undefined) options.onScenario?.(started[1])
    }
  }
  const exited = new Promise<void>((resolve, reject) => {
    child.once('error', reject).once('close', () => resolve())
    child.once('exit', () => process.off('exit', kill))
  })
  await Promise.all([read(child.stdout), read(child.stderr), exited])
  await new Promise<void>((resolve) => log.end(resolve))
  return tail.join('\n')
}

async function collect(suite: Suite, out: string): Promise<ScenarioOutcome[]> {
  const outcomes: ScenarioOutcome[] = []
  for (const entry of await readdir(out, { withFileTypes: true })) {
    const scenario = /^server-(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/.exec(entry.name)?.[1]
    if (!entry.isDirectory() || scenario === undefined) continue
    const written = await readFile(join(out, entry.name, 'checks.json'), 'utf8').catch(() => undefined)
    if (written === undefined) continue
    outcomes.push(weigh(scenario, isRequired(suite, scenario), z.array(Check).parse(JSON.parse(written))))
  }
  return outcomes
}

function weigh(scenario: string, required: boolean, checks: z.output<typeof Check>[]): ScenarioOutcome {
  const having = (status: string): Failure[] =>
    checks
      .filter((check) => check.status === status)
      .map(({ id, errorMessage }) => ({ scenario, check: id, message: errorMessage ?? '' }))
  const succeeded = having('SUCCESS').length
  const failures = having('FAILURE')
  const warnings = having('WARNING')
  const passed = failures.length === 0 && succeeded + warnings.length > 0
  return { scenario, required, passed, succeeded, failures, warnings }
}

/** A required scenario the suite never finished counts as one failed check. */
function absent(scenario: string): ScenarioOutcome {
  const failures = [{ scenario, check: 'absent', message: 'The suite wrote no checks for this scenario' }]
  return { scenario, required: true, passed: false, succeeded: 0, failures, warnings: [] }
}
