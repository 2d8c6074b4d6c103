/**
 * Asks the probe in a measured process for what its heap spent while something was done.
 */
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { once } from 'node:events'
import type { HeapSpent } from './heap-spent.ts'
import type { Held } from './held.ts'

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
  const { ask, end } = await openProbe(path)
  await ask('start')
  return async () => {
    try {
      return (await ask('stop')) as HeapSpent
    } finally {
      end()
    }
  }
}

/** Has the process collect its garbage, and returns what it still has. */
export async function askHeld({ path }: Probe): Promise<Held> {
  const { ask, end } = await openProbe(path)
  try {
    return (await ask('held')) as Held
  } finally {
    end()
  }
}

async function openProbe(path: string) {
  const socket = connect(path)
  await once(socket, 'connect')
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  return {
    async ask(word: 'start' | 'stop' | 'held'): Promise<unknown> {
      socket.write(`${word}\n`)
      const { value, done } = await lines.next()
      if (done === true) throw new Error('the probe of the heap went away')
      return JSON.parse(value)
    },
    end: () => void socket.destroy(),
  }
}
