/** A command line of commands that leave something behind, for the process that runs commands one after another. */
import { once } from 'node:events'
import { readInput } from '../../packages/gateway/src/cli/terminal/input.ts'

const commands: Readonly<Record<string, (words: readonly string[]) => Promise<number>>> = {
  /** What a command finds. */
  async look() {
    const { PATH: _, ...environment } = process.env
    const listeners = ['SIGINT', 'uncaughtException'].map((name) => process.listenerCount(name))
    const input = await readInput()
    process.stdout.write(JSON.stringify({ pid: process.pid, environment, folder: process.cwd(), input, listeners }))
    return 0
  },
  async leave() {
    process.env['LEFT'] = 'behind'
    process.chdir('/')
    process.once('SIGINT', () => {})
    process.on('uncaughtException', () => {})
    return 7
  },
  async print([size]) {
    const text = 'ä\n'.repeat(Number(size))
    if (!process.stdout.write(text)) await once(process.stdout, 'drain')
    process.stderr.write('no line')
    return 0
  },
  async exit() {
    process.stderr.write('over')
    return process.exit(5)
  },
  /** Ends later, with something open. */
  async wait() {
    setTimeout(() => void process.stdout.write('late'), 600)
    return 3
  },
}

export const run = ([name = '', ...words]: readonly string[]): Promise<number> =>
  commands[name]?.(words) ?? Promise.resolve(2)
