/**
 * A program that node:cluster starts: one of the processes that serve the port (`process-group.ts`). It reads the settings as the
 * first process did, opens the database that runs already, and serves until it is told to end or the first process is gone.
 * Signals are for the first process, also where a terminal sends them to all.
 */
import { createApp } from '../../app.ts'
import { openStore } from '../../base/open-store.ts'
import type { Gateway } from '../../http/running.ts'
import { ConfigFault } from '../../config.ts'
import { keepCompiled } from '../../lib/keep-compiled.ts'
import { createLogs } from '../../telemetry/log.ts'
import { openConfig } from '../open-config.ts'
import { CommandFault } from '../terminal/output.ts'
import { createChannelPlace, type ChannelPlace } from './channel-place.ts'
import type { Beginning, FromProcess, ToProcess } from './process-messages.ts'

keepCompiled()
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', ...(process.platform === 'win32' ? [] : ['SIGUSR2'])]
for (const signal of SIGNALS) process.on(signal, () => {})

const send = (message: FromProcess) => void (process.connected && process.send?.(message))
const end = Promise.withResolvers<void>()
let channelPlace: ChannelPlace | undefined
let gateway: Gateway | undefined

process.on('message', (message: ToProcess) => {
  if (message.kind === 'begin') void serve(message.beginning).then(disconnect, fail)
  else if (message.kind === 'retire') gateway?.retire()
  else if (message.kind === 'end') end.resolve()
  else channelPlace?.hear(message)
})
process.on('disconnect', () => end.resolve())

async function serve({ preset, logLevel, database, patience }: Beginning): Promise<void> {
  const loaded = await openConfig(preset === undefined ? {} : { TOOLWAY_PRESET: preset })
  const { config } = loaded
  const logs = createLogs(logLevel, config.TOOLWAY_LOG_FORMAT)
  const { log } = logs
  process.on('unhandledRejection', (reason) => log.error({ err: reason }, 'unhandled promise rejection'))
  await using opened = new AsyncDisposableStack()
  opened.defer(() => logs.flush())
  const store = await openStore({
    directory: config.TOOLWAY_DATA,
    databaseUrl: config.DATABASE_URL,
    directUrl: config.DATABASE_DIRECT_URL,
    connections: config.TOOLWAY_DATABASE_CONNECTIONS,
    running: database,
    keys: config,
    owner: true,
    log,
  })
  opened.defer(() => store.close())
  channelPlace = createChannelPlace(send)
  gateway = await createApp({
    config,
    origins: loaded.origins,
    store,
    log,
    logLine: logs.line,
    tail: logs.tail,
    path: loaded.path,
    lang: loaded.lang,
    lookup: loaded.lookup,
    place: channelPlace,
  })
  const { close } = gateway
  opened.defer(() => close())
  const port = await gateway.listen(patience)
  send({ kind: 'listening', port })
  await end.promise
}

/** What is open keeps a process alive; without the channel nothing is. */
const disconnect = () => void (process.connected && process.disconnect?.())

function fail(thrown: unknown): void {
  const { message, code } = thrown as NodeJS.ErrnoException
  const isTold = thrown instanceof ConfigFault || thrown instanceof CommandFault
  process.exitCode = 1
  process.send?.({ kind: 'failed', message, code, isTold } satisfies FromProcess, disconnect)
}
