/**
 * Counts the instructions that a process runs in user space, by the counter of the processor.
 *
 * By `perf stat`, attached to a process that runs. Many virtual machines and containers have no such counter, or do not allow it:
 * then it says so, and nothing is estimated.
 */
import { spawn, spawnSync } from 'node:child_process'

const EVENT = 'instructions:u'
/** perf says nothing once it has attached; it opens its counters at once. */
const ATTACH_MS = 300

/** Reads the output of `perf stat -x,`: the count, or the reason why there is none. */
export function readPerf(text: string): number | string {
  const line = text.split('\n').find((each) => each.includes(EVENT))
  const count = line?.split(',')[0] ?? ''
  if (/^\d+$/.test(count)) return Number(count)
  return line === undefined ? text.trim().split('\n')[0] || 'perf says nothing' : count.replace(/[<>]/g, '')
}

/** The reason why instructions cannot be counted here; undefined when they can. */
export function whyNoInstructions(): string | undefined {
  const { error, stderr } = spawnSync('perf', ['stat', '-x,', '-e', EVENT, 'true'], { encoding: 'utf8' })
  if (error !== undefined) return 'perf is not installed'
  const count = readPerf(stderr)
  return typeof count === 'number' ? undefined : `the counter of the processor: ${count}`
}

/** Counts from when it resolves; the function it returns ends that and resolves to the count. */
export async function countInstructions(pid: number): Promise<() => Promise<number | undefined>> {
  const child = spawn('perf', ['stat', '-x,', '-e', EVENT, '-p', String(pid)], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve())
    child.once('close', () => resolve())
  })
  await new Promise((resolve) => setTimeout(resolve, ATTACH_MS))
  return async () => {
    child.kill('SIGINT')
    await ended
    const count = readPerf(said)
    return typeof count === 'number' ? count : undefined
  }
}
