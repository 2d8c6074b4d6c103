/**
 * Runs one suite against a server: starts it as its own process, follows it, and reads the checks it wrote.
 *
 * The suite's exit code and its printed totals are ignored: only the checks decide, and a required scenario without checks has
 * failed.
 */
import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { absent, readOutcome, type ScenarioOutcome } from './outcomes.ts'
import { ROOT, serverArguments } from './suites.ts'
import type { Suite } from './suites.ts'

const RUN_LIMIT_MS = 10 * 60_000

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
  const wanted = options.scenario === undefined ? suite.requires : []
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
  const child = spawn(process.execPath, serverArguments(suite, options), {
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
    const found = await readOutcome(join(out, entry.name, 'checks.json'), scenario, suite.requires.includes(scenario))
    if (found !== undefined) outcomes.push(found)
  }
  return outcomes
}
