/**
 * One Toolway as a person has it: a data directory of its own, real processes, nothing inherited from whoever runs the
 * tests but PATH and compiled code. `await using here = await makeInstallation()`.
 *
 * It ends every process that it started, by its own id, and removes its folder. It never looks inside the gateway: what a
 * test learns it learns from output, exit codes, files and the port.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROGRAM, type Program } from '../setup/program.ts'
import { needsOwnProcess, runInCommandProcess, type Ran } from './command-process.ts'
import { copyCluster, prepareCluster } from './prepared-cluster.ts'

/** The file that `npx toolway` runs. */
export const TOOLWAY = PROGRAM.launcher

export type { Ran } from './command-process.ts'

export type Settings = Readonly<Record<string, string>>

export interface Running {
  readonly pid: number
  /** `http://127.0.0.1:PORT`, as the screen shows it. */
  readonly address: string
  out(): string
  err(): string
  signal(name: NodeJS.Signals): void
  /** To its standard input, at a terminal as if somebody typed it. */
  type(text: string): void
  /** Resolves with the exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>
  /** SIGTERM, and its exit code. */
  stop(): Promise<number | NodeJS.Signals>
}

export interface Starting extends Omit<Running, 'address' | 'stop'> {
  /** Resolves when the screen is there, and throws what it said when it ended before. */
  ready(): Promise<Running>
}

/** Whether what it prints goes to a terminal. */
type Where = 'pipe' | 'terminal'

export interface Installation extends AsyncDisposable {
  readonly folder: string
  readonly data: string
  /**
   * One command to its end. In each process of tests, the first run of a command starts the program, and further ones are run by a
   * process that has loaded it (command-process.ts). `start` and `bridge` always start it.
   */
  run(words: readonly string[], options?: { input?: string; settings?: Settings }): Promise<Ran>
  /** As `run`, with --json: what it printed, parsed. */
  json(words: readonly string[], options?: { settings?: Settings }): Promise<unknown>
  /** Begin a gateway, or another command that goes on, and do not wait for it. */
  begin(settings?: Settings, where?: Where, words?: readonly string[]): Starting
  start(settings?: Settings, where?: Where): Promise<Running>
  /** The key with which this machine's command line calls. */
  localKey(): Promise<string>
  /** The key and the setup code that a first start wrote to a file for the owner, since its output goes to no terminal here. */
  firstSecrets(): Promise<{ readonly key: string; readonly code: string }>
}

interface InstallationOptions {
  readonly program?: Program
  /** A first start finds no database of its own and makes it, as a person's does: for tests of that start. */
  readonly bare?: boolean
}

export async function makeInstallation(
  settings: Settings = {},
  { program = PROGRAM, bare = false }: InstallationOptions = {},
): Promise<Installation> {
  const cluster = bare || hasOtherStore(settings) ? undefined : await prepareCluster()
  const folder = await mkdtemp(join(tmpdir(), 'toolway-cli-'))
  // Under root the database may run as another account, which must be able to pass through.
  await chmod(folder, 0o755)
  const data = join(folder, 'data')
  const started = new Set<ChildProcess>()

  const environmentOf = (own: Settings | undefined) => ({
    PATH: process.env['PATH'],
    // Where a run of the tests keeps compiled code; without it, every installation would compile the program anew.
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    HOME: folder,
    LANG: 'C.UTF-8',
    TOOLWAY_DATA: data,
    TOOLWAY_PORT: '0',
    // Shorter than the patience of `end` below.
    TOOLWAY_STOP_DELAY: '0',
    TOOLWAY_DRAIN_SECONDS: '10',
    // Tests ask as fast as they can, from one address; what is limited is limited by a test that says so.
    TOOLWAY_LIMIT_ADDRESS: 'off',
    TOOLWAY_LIMIT_ORGANIZATION: 'off',
    TOOLWAY_LIMIT_ADMINISTRATION: 'off',
    // Calls of the servers that tests start are asked about by tests of approvals.
    TOOLWAY_APPROVALS: 'off',
    ...settings,
    ...own,
  })

  function launch(file: string, words: readonly string[], own: Settings | undefined, where: Where = 'pipe') {
    const command = [process.execPath, file, ...words]
    // `script` (util-linux) gives a command a terminal of its own.
    const [program = '', ...rest] =
      where === 'terminal' ? ['script', '-qefc', command.map(quoted).join(' '), '/dev/null'] : command
    const child: ChildProcess = spawn(program, rest, { cwd: folder, env: environmentOf(own), stdio: 'pipe' })
    started.add(child)
    child.once('close', () => started.delete(child))
    return child
  }

  /** While it runs this command of ours: it may be another's afterwards. */
  function watch(child: ChildProcess): () => void {
    started.add(child)
    return () => void started.delete(child)
  }

  async function run(
    words: readonly string[],
    { input = '', settings: own }: { input?: string; settings?: Settings } = {},
  ): Promise<Ran> {
    if (!needsStart(program, words, { ...settings, ...own }))
      return runInCommandProcess(program.commands, { words, environment: environmentOf(own), folder, input }, watch)
    const child = launch(program.launcher, words, own)
    const [out, err] = [collect(child.stdout), collect(child.stderr)]
    child.stdin?.on('error', () => {}).end(input)
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, out: out(), err: err() }
  }

  function begin(own?: Settings, where?: Where, words: readonly string[] = ['start']) {
    const isPlain = words.join(' ') === 'start' && !hasOtherStore(own)
    if (cluster !== undefined && isPlain) copyCluster(cluster, data)
    return follow(launch(program.main, words, own, where))
  }
  return {
    folder,
    data,
    run,
    async json(words, options) {
      const { out, err } = await run([...words, '--json'], options)
      if (out === '') throw new Error(`nothing on stdout; stderr: ${err}`)
      return JSON.parse(out)
    },
    begin,
    start: (own, where) => begin(own, where).ready(),
    async firstSecrets() {
      const text = await readFile(join(data, 'first-start.txt'), 'utf8')
      const valueOf = (name: string) => new RegExp(`^${name}=(.+)$`, 'm').exec(text)?.[1] ?? ''
      return { key: valueOf('key'), code: valueOf('setup_code') }
    },
    localKey: async () => (await readFile(join(data, 'command-line.key'), 'utf8')).trim(),
    async [Symbol.asyncDispose]() {
      await Promise.all([...started].map(end))
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
}

/** Whether a gateway keeps its rows elsewhere than in the database that comes along. */
const hasOtherStore = (settings: Settings = {}): boolean =>
  Object.keys(settings).some((name) => /^(?:DATABASE_URL|TOOLWAY_STORE)/.test(name))

/** A gateway, and what the launcher runs instead of the command line. */
const ONLY_STARTED = new Set(['start', 'bridge'])

/** Commands of which this process has started the program: a start that works in an installation works in the others. */
const startedCommands = new Set<string>()

function needsStart({ launcher }: Program, words: readonly string[], settings: Settings): boolean {
  const command = words.slice(0, 2).filter((word) => /^[a-z-]+$/.test(word))
  const name = [launcher, ...command].join(' ')
  const isFirst = !startedCommands.has(name)
  startedCommands.add(name)
  return isFirst || ONLY_STARTED.has(command[0] ?? '') || needsOwnProcess(settings)
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = ''
  stream?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  return () => text
}

const READY = /Toolway is ready/
const ADDRESS = /(http:\/\/[\w.[\]:]+:\d+)\/mcp/

function follow(child: ChildProcess): Starting {
  const [out, err] = [collect(child.stdout), collect(child.stderr)]
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code: number | null, signal: NodeJS.Signals | null) => resolve(signal ?? code ?? -1))
  })
  const signal = (name: NodeJS.Signals) => void child.kill(name)
  const type = (text: string) => void child.stdin?.write(text)
  const base = { pid: child.pid ?? 0, out, err, ended, signal, type }
  async function ready(): Promise<Running> {
    // The screen is written at once, so that its first words and its last arrive together.
    const shown = new Promise<void>((resolve) => {
      const look = () => READY.test(out()) && resolve()
      child.stdout?.on('data', look)
      look()
    })
    const how = await Promise.race([shown, ended])
    const address = ADDRESS.exec(out())?.[1]
    if (how !== undefined || address === undefined)
      throw new Error(`the gateway ended (${how}) before it was ready: ${err()}`)
    const stop = () => (child.kill('SIGTERM'), ended)
    return { ...base, address, stop }
  }
  return { ...base, ready }
}

/** A gateway that is ended by force leaves its database running in the folder that is removed: a busy machine needs its time. */
const IN_ORDER_MS = 60_000

/** In order if it will, by force if it will not. */
async function end(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close')
  child.kill('SIGTERM')
  const insist = setTimeout(() => child.kill('SIGKILL'), IN_ORDER_MS)
  await closed
  clearTimeout(insist)
}
