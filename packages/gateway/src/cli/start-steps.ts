/** Common parts of every start, with or without a database: the log level, the listening address, and the signals that end it. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Gateway } from '../http/running.ts'
import { isLoopback, stopDelayOf, type LoadedConfig } from '../config.ts'
import type { Log } from '../lib/log.ts'
import { CommandFault } from './terminal/output.ts'

/** On a terminal the screen is what matters; lines for machines go there only when they are asked for. */
export const quietLevel = ({ config, origins }: LoadedConfig): string =>
  process.stderr.isTTY && origins.LOG_LEVEL === 'default' ? 'warn' : config.LOG_LEVEL

export async function listen(gateway: Gateway, { config }: LoadedConfig, patience: number): Promise<number> {
  const { TOOLWAY_PORT: port, TOOLWAY_HOST: host } = config
  try {
    return await gateway.listen(patience)
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new CommandFault(
        `Port ${port} on ${host} is in use by another program: stop it, or set TOOLWAY_PORT to another port.`,
      )
    if (code === 'EACCES')
      throw new CommandFault(
        `Listening on port ${port} on ${host} requires elevated privileges: choose a port above 1023 with TOOLWAY_PORT.`,
      )
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new CommandFault(
        `This machine does not have the address ${host}: set TOOLWAY_HOST to one of its addresses, or to 0.0.0.0 for all.`,
      )
    throw thrown
  }
}

export interface Addresses {
  readonly local: string
  /** Where clients find it. */
  readonly open: string
  /** Only programs of this machine do. */
  readonly private: boolean
}

/** Maps a listening host to the address that reaches it, so that the address is the same wherever it is read. */
const REACHED_BY: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1', localhost: '127.0.0.1' }

export function addressFor({ config }: LoadedConfig, port: number): Addresses {
  const host = REACHED_BY[config.TOOLWAY_HOST] ?? config.TOOLWAY_HOST
  const local = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  const open = config.TOOLWAY_PUBLIC_URL?.replace(/\/$/, '') ?? local
  return { local, open, private: open === local && isLoopback(config.TOOLWAY_HOST) }
}

/** Not ready any more, and still serving: balancers take it out before its port closes. A second signal ends this, too. */
export async function retire(gateway: Gateway, { config }: LoadedConfig, log: Pick<Log, 'info'>): Promise<void> {
  const seconds = stopDelayOf(config, process.stderr.isTTY)
  gateway.retire()
  log.info({ delay: seconds, drain: config.TOOLWAY_DRAIN_SECONDS }, 'shutdown requested')
  if (seconds > 0) await sleep(seconds * 1000)
}

const ONE_SIGNAL = 300

/** Resolves on the first signal; a second one ends the process where it stands. */
export function untilToldToStop(): Promise<void> {
  return new Promise((resolve) => {
    let stoppedAt = 0
    const onSignal = () => {
      // npm and a terminal may both pass on the same signal; a person who insists takes longer.
      if (stoppedAt > 0 && Date.now() - stoppedAt > ONE_SIGNAL) process.exit(1)
      stoppedAt ||= Date.now()
      resolve()
    }
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
  })
}
