/**
 * Assigns processes to cores.
 *
 * The load generator and the stub share the first core, the target has the second one to itself, together with everything it
 * starts (the gateway's PostgreSQL). The same for every target: each of them gets one core for a hop, and in `direct` the second
 * core stays empty. Never moves a process that runs already: `taskset` starts it in its place and becomes it.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export interface CoreLayout {
  /** The core of the generator and the stub, and of the target; undefined where nothing is pinned. */
  readonly driver: number | undefined
  readonly target: number | undefined
  readonly sentence: string
}

const unpinned = (why: string): CoreLayout => ({
  driver: undefined,
  target: undefined,
  sentence: `processes are not pinned (${why}): expect more noise`,
})

export function chooseCores(): CoreLayout {
  const cores = allowedCores()
  if (cores === undefined) return unpinned('this system has no /proc')
  if (spawnSync('taskset', ['--version'], { stdio: 'ignore' }).status !== 0) return unpinned('taskset is not here')
  const [driver, target] = cores
  if (driver === undefined || target === undefined) return unpinned('there is one core')
  const sentence = `generator and stub on core ${driver}, the target and all it starts on core ${target}`
  return { driver, target, sentence }
}

/** The command and arguments that start `command` on one core; unchanged without a core. */
export function onCore(core: number | undefined, command: string, args: readonly string[]): [string, string[]] {
  return core === undefined ? [command, [...args]] : ['taskset', ['-c', String(core), command, ...args]]
}

/** The numbers in a kernel list such as `0-2,5` (cpuset(7), "List format"). */
export function parseCoreList(list: string): number[] {
  return list
    .trim()
    .split(',')
    .flatMap((range) => {
      const [from = Number.NaN, to = from] = range.split('-').map(Number)
      return Array.from({ length: to - from + 1 }, (_, index) => from + index)
    })
}

function allowedCores(): number[] | undefined {
  try {
    const list = /^Cpus_allowed_list:\s*(.+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
    return list === undefined ? undefined : parseCoreList(list)
  } catch {
    return undefined
  }
}
