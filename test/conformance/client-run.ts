/**
 * Runs one client suite against the gateway's upstream client. Each scenario is a process of the suite, with its own server, and
 * starts a command as its client, for which one driver plays them all; a few run side by side.
 *
 * The result depends on the checks and on the suite's verdict on the client it started: a command whose story was not completed has
 * failed.
 */
import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, open, readdir, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { foreignEnvironment, type GatewayUnderTest } from './gateway-under-test.ts'
import { absent, readOutcome, type ScenarioOutcome } from './outcomes.ts'
import { clientArguments, ROOT } from './suites.ts'
import type { Suite } from './suites.ts'

const DRIVER = join(import.meta.dirname, 'client-driver.script.ts')
const COMMAND = join(import.meta.dirname, 'client-command.script.ts')
const AT_ONCE = 3
const RUN_LIMIT_MS = 90_000

export interface ClientRunOptions {
  gateway: Pick<GatewayUnderTest, 'address' | 'directory'>
  /** The era of the client at the gateway's door. */
  downstream: 'modern' | 'legacy'
  /** A directory of this run alone; it is emptied first. */
  out: string
  scenario?: string
  onScenario?: (scenario: string) => void
}

/** Runs the scenarios of a client suite. A scenario that leaves no checks has failed. */
export async function runClientSuite(suite: Suite, options: ClientRunOptions): Promise<ScenarioOutcome[]> {
  await rm(options.out, { recursive: true, force: true })
  const { scenario: only } = options
  const wanted = [...suite.requires, ...suite.reports].filter((scenario) => only === undefined || only === scenario)
  const outcomes: ScenarioOutcome[] = []
  await using driver = await startDriver(options)
  const run = { ...options, port: driver.port }
  const lane = async () => {
    for (let scenario = wanted.shift(); scenario !== undefined; scenario = wanted.shift()) {
      options.onScenario?.(scenario)
      outcomes.push(await runScenario(suite, scenario, run))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  return await secondTries(suite, outcomes, run)
}

/** Where the driver answers, in addition to what was asked for. */
type DrivenOptions = ClientRunOptions & { readonly port: number }

async function startDriver({
  gateway,
  downstream,
  out,
}: ClientRunOptions): Promise<AsyncDisposable & { port: number }> {
  await mkdir(out, { recursive: true })
  await using log = await open(join(out, 'client.log'), 'w')
  const child = fork(DRIVER, ['--address', gateway.address, '--downstream', downstream], {
    cwd: ROOT,
    env: environmentFor(gateway.directory),
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
  })
  const exited = once(child, 'exit')
  const ended = exited.then(([code]) => Promise.reject(new Error(`the client of the suites ended with ${code}`)))
  const [port] = (await Promise.race([once(child, 'message'), ended])) as [number]
  return {
    port,
    async [Symbol.asyncDispose]() {
      // It ends with the channel.
      if (child.connected) child.disconnect()
      await exited
    },
  }
}

const environmentFor = (directory: string) => ({ ...foreignEnvironment(), TOOLWAY_DATA: directory })

/**
 * Runs failed scenarios again, one at a time, because a scenario has its own timeouts and the machine may be busy. A success on
 * the second try is printed.
 */
async function secondTries(suite: Suite, outcomes: ScenarioOutcome[], options: DrivenOptions) {
  const settled: ScenarioOutcome[] = []
  for (const outcome of outcomes) {
    if (outcome.passed || !outcome.required) settled.push(outcome)
    else {
      const again = await runScenario(suite, outcome.scenario, options)
      if (again.passed) process.stdout.write(`\npassed only on its second try: ${outcome.scenario}\n`)
      settled.push(again)
    }
  }
  return settled
}

async function runScenario(suite: Suite, scenario: string, options: DrivenOptions): Promise<ScenarioOutcome> {
  const { gateway, port } = options
  const out = join(options.out, scenario.replaceAll('/', '-'))
  await rm(out, { recursive: true, force: true })
  await mkdir(out, { recursive: true })
  // The suite hands the words to a shell, with the address of its server after them.
  const words = [process.execPath, COMMAND, String(port)]
  const command = words.map((word) => JSON.stringify(word)).join(' ')
  const { code, printed } = await run(clientArguments(suite, { scenario, command, out }), gateway.directory)
  await writeFile(join(out, 'suite.log'), printed)
  const required = suite.requires.includes(scenario)
  // The suite makes directories of a name with slashes.
  const [checks] = (await readdir(out, { recursive: true })).filter((path) => basename(path) === 'checks.json')
  const found = checks === undefined ? undefined : await readOutcome(join(out, checks), scenario, required)
  if (found === undefined) return absent(scenario, required)
  if (code === 0 || found.failures.length + found.warnings.length > 0) return found
  const message = `The client ended badly:\n${printed.trimEnd().slice(-1000)}`
  return { ...found, passed: false, failures: [{ scenario, check: 'client', message, unseen: true }] }
}

const run = (words: string[], directory: string): Promise<{ code: number; printed: string }> =>
  new Promise((resolve) => {
    const limits = {
      cwd: ROOT,
      env: environmentFor(directory),
      timeout: RUN_LIMIT_MS,
      killSignal: 'SIGKILL',
      maxBuffer: 64 * 1024 * 1024,
    } as const
    const child = execFile(process.execPath, words, limits, (error, stdout, stderr) => {
      process.off('exit', kill)
      resolve({ code: error === null ? 0 : 1, printed: `${stdout}${stderr}` })
    })
    const kill = () => void child.kill('SIGKILL')
    process.once('exit', kill)
  })
