/**
 * Runs commands of `toolway` one after another in a process that has loaded the command line once. To a command it is a process of its
 * own: environment, folder, standard input and listeners are those of that command alone, and what it prints goes to the real streams.
 *
 * After each command it waits until nothing of it is open. Where something stays open, this process does what one of a single command
 * would do: it takes no further command, and ends with that one's code when its last handle is closed.
 */
import { setFlagsFromString } from 'node:v8'
import type { EventEmitter } from 'node:events'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { keepCompiled } from '../../packages/gateway/src/lib/keep-compiled.ts'
import type { CommandRequest } from './command-process.ts'

// As main.ts does.
setFlagsFromString('--no-allocation-site-pretenuring')
keepCompiled()
const home = process.cwd()
const [, , commands = ''] = process.argv
const { run } = (await import(pathToFileURL(commands).href)) as { run(words: readonly string[]): Promise<number> }

/** How long a command may keep something open and still count as one that closed it: a socket says so a little later. */
const CLOSING_MS = 200
const EVENTS = ['uncaughtException', 'unhandledRejection', 'SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'] as const

const kindsOpen = () => process.getActiveResourcesInfo().filter((kind) => kind !== 'Immediate')
const emitters: readonly (readonly [EventEmitter, string])[] = [
  ...EVENTS.map((name) => [process, name] as const),
  [process.stdout, 'error'],
  [process.stderr, 'error'],
]
const listenersNow = () => emitters.map(([source, name]) => [source, name, source.rawListeners(name)] as const)

process.on('message', (request: CommandRequest) => void carryOut(request))
const atRest = kindsOpen().length
const exitsAtRest = process.listenerCount('exit')
const listenersAtRest = listenersNow()
process.send?.('ready')

async function carryOut({ words, environment, folder, input, mark }: CommandRequest): Promise<void> {
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, environment)
  process.chdir(folder)
  const stdin = Readable.from(input === '' ? [] : [Buffer.from(input)], { objectMode: false })
  Object.defineProperty(process, 'stdin', { configurable: true, enumerable: true, value: stdin })
  const code = await run(words)
  const isAtEnd = await isAtRest()
  if (!isAtEnd || process.listenerCount('exit') > exitsAtRest || process.exitCode !== undefined) {
    process.exitCode = code
    process.disconnect()
    return
  }
  removeListeners()
  process.chdir(home)
  process.stdout.write(mark)
  process.stderr.write(mark)
  process.send?.(code)
}

async function isAtRest(): Promise<boolean> {
  for (const began = Date.now(); Date.now() - began < CLOSING_MS; await sleep(2)) {
    await new Promise<void>((resolve) => void setImmediate(resolve))
    if (kindsOpen().length <= atRest) return true
  }
  return false
}

/** Those that the command added: it ends with them. */
function removeListeners(): void {
  for (const [source, name, before] of listenersAtRest)
    for (const listener of source.rawListeners(name)) {
      if (!before.includes(listener)) source.removeListener(name, listener as () => void)
    }
}
