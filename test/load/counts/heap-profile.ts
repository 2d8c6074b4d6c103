/**
 * Asks the probe in a measured process for what its heap spent while something was done.
 */
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { once } from 'node:events'
import type { HeapSpent } from './heap-spent.ts'

/** The words before its script and the environment that a process with a probe is started with. */
export interface Probe {
  readonly path: string
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export const probeAt = (path: string): Probe => ({
  path,
  words: ['--import', new URL('./heap-probe.ts', import.meta.url).href],
  env: { BENCH_PROBE: path },
})

/** Begins a profile; the function it returns ends it. Rejects when no probe listens there. */
export async function startHeapProfile({ path }: Probe): Promise<() => Promise<HeapSpent>> {
  const socket = connect(path)
  await once(socket, 'connect')
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  const ask = async (word: 'start' | 'stop'): Promise<unknown> => {
    socket.write(`${word}\n`)
    const { value, done } = await lines.next()
    if (done === true) throw new Error('the probe of the heap went away')
    return JSON.parse(value)
  }
  await ask('start')
  return async () => {
    try {
      return (await ask('stop')) as HeapSpent
    } finally {
      socket.destroy()
    }
  }
}
