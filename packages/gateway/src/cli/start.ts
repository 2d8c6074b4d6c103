/**
 * `toolway start`: from settings to a listening gateway, and one calm screen that says how to use it.
 *
 * Every way in which it cannot start ends in one sentence with the cause and the mend. It stops cleanly on SIGINT and SIGTERM,
 * and at once when they are repeated.
 */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { declare, DeclarationConflict, withdraw } from '../features/declaration/index.ts'
import { ensureLocalKey, firstRun, noteShown, type FirstRun, sealPlain } from '../features/installation/index.ts'
import { openStore, type Store } from '../base/open-store.ts'
import type { Gateway } from '../http/running.ts'
import type { LoadedConfig } from '../config.ts'
import { readConfigFile } from '../config-file.ts'
import type { Declared } from '../features/declaration/index.ts'
import { declaresConnections, presetDeclaration } from '../preset-declarations.ts'
import { createTurns } from '../lib/work-queue.ts'
import { createLogs, type Logs } from '../telemetry/log.ts'
import { CommandFault } from './terminal/output.ts'
import { databaseProblems } from './doctor-database.ts'
import { openingFault } from './opening-fault.ts'
import { parentEnd } from './parent-end.ts'
import { addressFor, listen, quietLevel, retire, untilToldToStop, type Addresses } from './start-steps.ts'
import { firstScreen, laterScreen } from './start-screen.ts'
import { ADDRESS_FILE, FIRST_FILE, KEY_FILE } from './store.ts'

const DEMO_SERVER = fileURLToPath(new URL('../demo/demo-server.ts', import.meta.url))

/** The bridge, which clients of this machine start if they support only processes. */
const BRIDGE_FILE = fileURLToPath(new URL('../../../bridge/bin/toolway-bridge.mjs', import.meta.url))

/** A first screen names a tool to call: it comes when that tool is there, or after this long. Later starts know their tools. */
const FIRST_CONTACT_MS = 5_000

/** A declaration file counts for more than what a preset declares. */
function declarationsOf({ config, lookup }: LoadedConfig): Declared[] {
  if (config.TOOLWAY_CONFIG !== undefined) return readConfigFile(config.TOOLWAY_CONFIG, lookup)
  return presetDeclaration(config.TOOLWAY_PRESET, lookup)
}

export async function start(loaded: LoadedConfig): Promise<number> {
  const { config } = loaded
  const orphaned = parentEnd(loaded.lookup('npm_lifecycle_event') !== undefined)
  const declarations = declarationsOf(loaded)
  const logs = createLogs(quietLevel(loaded), config.TOOLWAY_LOG_FORMAT)
  const { log } = logs
  // A fault in one call must not end everybody's: what nobody caught is logged, and the process goes on.
  process.on('unhandledRejection', (reason) => log.error({ err: reason }, 'unhandled promise rejection'))

  // Ended from the last to the first, each of them whatever becomes of the others: no database may stay behind.
  await using opened = new AsyncDisposableStack()
  opened.defer(() => logs.flush())
  const store = await openInstallation(loaded, log)
  opened.defer(() => store.close())
  for (const { kind, words } of await store.db.system(databaseProblems))
    if (kind === 'role') log.warn({}, `the database: ${words}`)
  const forgetAddress = () => rm(join(config.TOOLWAY_DATA, ADDRESS_FILE), { force: true })
  opened.defer(forgetAddress)
  // Of several that start at once, the first one makes what all share; the others find it made.
  const turn = opened.use(await store.db.startTurn())
  await prepareVault(store, loaded, log)
  const run = await prepare(store, loaded, declarations)
  // A key that nobody has seen yet is made anew by the next start: it waits until this one has shown it.
  if (run.key === undefined && run.setUpCode === undefined) await turn.end()
  const gateway = await open(loaded, store, logs)
  opened.defer(() => gateway.close())
  // Removes the address file before the gateway drains, so that no client is directed to a gateway that is shutting down.
  opened.defer(forgetAddress)
  const port = await listen(gateway, loaded, run.first ? FIRST_CONTACT_MS : 0)
  const address = addressFor(loaded, port)
  await writeFile(join(config.TOOLWAY_DATA, ADDRESS_FILE), `${address.local}\n`, { mode: 0o600 })
  const stopped = untilToldToStop()
  const secretsFile = await keepFromLogs(run, join(config.TOOLWAY_DATA, FIRST_FILE))
  printFirstRun(run, address, { demo: config.TOOLWAY_DEMO === 'on', secretsFile })
  await noteShown(store.db)
  await turn.end()
  log.info({ address: address.local, public_url: config.TOOLWAY_PUBLIC_URL }, 'listening')
  // For a launcher that has something to do after the start and never before it: `npm start` builds the documentation.
  process.send?.('listening')
  await Promise.race([stopped, orphaned])
  await retire(gateway, loaded, log)
  return 0
}

const progress = (text: string) => void process.stderr.write(`${text} …\n`)

/** This process, or several that it starts; SIGUSR2 replaces those one after the other. */
async function open(loaded: LoadedConfig, store: Store, logs: Logs): Promise<Gateway> {
  const { config, origins, path, lang, lookup } = loaded
  const { log } = logs
  // What serves is loaded where something is served: the first of several processes stays small.
  if (config.TOOLWAY_PROCESSES === 1) {
    onRestart(() => log.warn({}, 'SIGUSR2 replaces gateway processes, but TOOLWAY_PROCESSES is 1'))
    const { createApp } = await import('../app.ts')
    return createApp({ config, origins, store, log, logLine: logs.line, tail: logs.tail, path, lang, lookup })
  }
  const { createProcessGroup } = await import('./processes/process-group.ts')
  const group = createProcessGroup({
    count: config.TOOLWAY_PROCESSES,
    preset: config.TOOLWAY_PRESET,
    logLevel: quietLevel(loaded),
    database: store.embedded,
    drainSeconds: config.TOOLWAY_DRAIN_SECONDS,
    log,
  })
  // Asked again while one is under way, it is done once more.
  const restarts = createTurns({ atOnce: 1, waiting: 1 })
  onRestart(() => void restarts.take(group.restart))
  return group
}

/** Windows has no such signal. */
function onRestart(restart: () => void): void {
  if (process.platform !== 'win32') process.on('SIGUSR2', restart)
}

async function openInstallation({ config }: LoadedConfig, log: Logs['log']): Promise<Store> {
  const { TOOLWAY_DATA: directory, DATABASE_URL: databaseUrl, DATABASE_DIRECT_URL: directUrl } = config
  try {
    const connections = config.TOOLWAY_DATABASE_CONNECTIONS
    return await openStore({
      directory,
      databaseUrl,
      directUrl,
      connections,
      processes: config.TOOLWAY_PROCESSES,
      keys: config,
      owner: true,
      log,
      onProgress: progress,
    })
  } catch (thrown) {
    throw openingFault(thrown, { directory, outside: databaseUrl !== undefined })
  }
}

/** Secrets that stand unsealed are sealed, and where it is asked for the key goes into the keychain. */
async function prepareVault(
  { db, vault, sources, ring }: Store,
  { config }: LoadedConfig,
  log: Logs['log'],
): Promise<void> {
  const sealed = await sealPlain({ db, vault })
  if (sealed > 0) log.info({ values: sealed }, 'plaintext secrets in the database were encrypted')
  for (const note of ring.notes) log.warn({}, note)
  if (config.TOOLWAY_KEYCHAIN === 'off') return
  const problem = await sources.promote(ring.keys.map(({ id }) => id))
  if (problem !== undefined) log.warn({ problem }, 'the vault key stays in its file: the keychain did not accept it')
}

async function prepare(store: Store, { config }: LoadedConfig, declarations: Declared[]): Promise<FirstRun> {
  const parts = {
    db: store.db,
    hash: store.vault.hash,
    bootstrapKey: config.TOOLWAY_BOOTSTRAP_KEY,
    approvals: config.TOOLWAY_APPROVALS,
    demo: { wanted: config.TOOLWAY_DEMO === 'on', command: process.execPath, args: [DEMO_SERVER] },
    keyFile: join(config.TOOLWAY_DATA, KEY_FILE),
  }
  const run = await firstRun(parts)
  await ensureLocalKey(parts)
  const declaring = {
    ...{ db: store.db, vault: store.vault },
    requestsPerMinute: config.TOOLWAY_LIMIT_ORGANIZATION,
    roots: config.TOOLWAY_SANDBOX_ROOTS,
  }
  await declare(declaring, declarations).catch((thrown: unknown) => {
    throw thrown instanceof DeclarationConflict ? new CommandFault(thrown.message) : thrown
  })
  // Where nothing is declared, there is nothing that it no longer names.
  if (config.TOOLWAY_CONFIG !== undefined || declaresConnections(config.TOOLWAY_PRESET))
    await withdraw(declaring, declarations)
  return run
}

/**
 * Output that goes to no terminal is kept in a log by somebody: the first key and the setup code go to a file instead, whose
 * path is returned. Undefined where they may be shown, and where there are none.
 */
async function keepFromLogs({ key, setUpCode }: FirstRun, file: string): Promise<string | undefined> {
  if (process.stdout.isTTY || (key === undefined && setUpCode === undefined)) return undefined
  const lines = [
    '# Written when Toolway first started, because its output did not go to a terminal. Delete this file once you have used it.',
    ...(key === undefined ? [] : [`key=${key}`]),
    ...(setUpCode === undefined ? [] : [`setup_code=${setUpCode}`]),
  ]
  await rm(file, { force: true })
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx' })
  return file
}

interface Shown {
  readonly demo: boolean
  readonly secretsFile: string | undefined
}

function printFirstRun(run: FirstRun, address: Addresses, { demo, secretsFile }: Shown): void {
  const bridge = address.private ? { node: process.execPath, file: BRIDGE_FILE } : undefined
  const people = { address: address.open, setUpCode: run.setUpCode, empty: run.empty, secretsFile }
  const lines =
    run.key === undefined
      ? laterScreen(people)
      : firstScreen({ url: `${address.open}/mcp`, key: run.key, bridge }, demo, people)
  process.stdout.write(`${lines.join('\n')}\n`)
}
