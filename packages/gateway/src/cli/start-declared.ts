/**
 * `toolway start` without a database (TOOLWAY_STORE=none): what the files and settings declare is what there is, from the first
 * request to the last. It writes nothing to the disk but what children that it starts have of their own.
 */
import { createDeclaredApp } from '../app/declared.ts'
import { refuseDeclared, refuseUnready } from '../features/curatore/index.ts'
import { rootOf } from '../base/declared-root.ts'
import { ConfigFault, isShortKey, type Config, type LoadedConfig } from '../config.ts'
import { readConfigFile } from '../config-file.ts'
import type { Declared } from '../features/declaration/index.ts'
import type { Log } from '../lib/log.ts'
import { createLogs } from '../telemetry/log.ts'
import { createVault } from '../vault/vault.ts'
import { parentEnd } from './parent-end.ts'
import { addressFor, listen, quietLevel, retire, untilToldToStop } from './start-steps.ts'

/** A client that comes at once finds the tools, if they can be had. Milliseconds. */
const FIRST_CONTACT_MS = 5_000

export async function startDeclared(loaded: LoadedConfig): Promise<number> {
  const { config } = loaded
  const orphaned = parentEnd(loaded.lookup('npm_lifecycle_event') !== undefined)
  if (config.TOOLWAY_PRESET === 'curatore') refuseUnready(config)
  else if (config.TOOLWAY_CONFIG === undefined)
    throw new ConfigFault('TOOLWAY_STORE=none requires TOOLWAY_CONFIG, the file that defines connections and keys.')
  const declared = config.TOOLWAY_CONFIG === undefined ? [] : readConfigFile(config.TOOLWAY_CONFIG, loaded.lookup)
  if (config.TOOLWAY_PRESET === 'curatore') refuseDeclared(declared)
  refuseLocks(declared)
  const logs = createLogs(quietLevel(loaded), config.TOOLWAY_LOG_FORMAT)
  const { log } = logs
  process.on('unhandledRejection', (reason) => log.error({ err: reason }, 'unhandled promise rejection'))
  await using opened = new AsyncDisposableStack()
  opened.defer(() => logs.flush())
  if (config.DATABASE_URL !== undefined) log.warn({}, 'DATABASE_URL is not used: TOOLWAY_STORE is none')
  warnOf(config, log)
  const gateway = await createDeclaredApp({
    config,
    vault: createVault(rootOf(config)),
    declared,
    log,
    logLine: logs.line,
    tail: logs.tail,
    path: loaded.path,
    lang: loaded.lang,
    lookup: loaded.lookup,
    origins: loaded.origins,
  })
  opened.defer(() => gateway.close())
  const stopped = untilToldToStop()
  const port = await listen(gateway, loaded, FIRST_CONTACT_MS)
  const { open, local } = addressFor(loaded, port)
  process.stdout.write(
    `\n  Toolway is ready at ${open}/mcp\n  It stores nothing: no database, one instance. Ctrl+C stops it.\n\n`,
  )
  log.info({ address: local, public_url: config.TOOLWAY_PUBLIC_URL, preset: config.TOOLWAY_PRESET }, 'listening')
  await Promise.race([stopped, orphaned])
  await retire(gateway, loaded, log)
  return 0
}

/** Refuses tool locks, because accepted tools are not stored in this mode. */
function refuseLocks(declared: readonly Declared[]): void {
  const [locked] = declared.flatMap(({ connections }) => connections.filter(({ lock = 'off' }) => lock !== 'off'))
  if (locked !== undefined)
    throw new ConfigFault(
      `The lock on the connection "${locked.alias}" requires a database, but TOOLWAY_STORE is none.`,
    )
}

/** Settings that work, but less well than their operator may think. */
function warnOf(config: Config, log: Log): void {
  const { REDIS_URL: redis, MCP_ENCRYPTION_KEY: key, JWT_SECRET: secret, TOOLWAY_PRESET: preset } = config
  if (isShortKey(config))
    log.warn(
      {},
      'MCP_API_KEY has fewer than 16 characters and can be guessed: replace it, for example with the output of `openssl rand -hex 16`',
    )
  if (redis !== undefined && preset !== 'curatore' && key === undefined && secret === undefined)
    log.warn(
      {},
      'REDIS_URL is set without MCP_ENCRYPTION_KEY: this gateway enforces its limits on its own; to share limits, set the same MCP_ENCRYPTION_KEY on all gateways (`openssl rand -hex 32` generates one)',
    )
}
