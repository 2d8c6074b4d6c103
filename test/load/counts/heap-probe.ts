/**
 * Runs inside a measured process (`--import`) and answers what its heap spent.
 *
 * Listens at the Unix socket that BENCH_PROBE names: `start` begins a profile of collections, `stop` ends it and is answered with
 * a HeapSpent; `held` collects garbage and is answered with what is left. Idle, it costs nothing, and it never keeps its process alive. Threads and children of the process get none.
 */
import { createServer } from 'node:net'
import { GCProfiler, getHeapStatistics } from 'node:v8'
import { isMainThread } from 'node:worker_threads'
import { heapSpent } from './heap-spent.ts'
import { held } from './held.ts'

const path = process.env['BENCH_PROBE']
delete process.env['BENCH_PROBE']

const usedHeap = () => getHeapStatistics().used_heap_size

function serve(at: string): void {
  let profile: { profiler: GCProfiler; usedBefore: number } | undefined
  const answer = (asked: string): object | Promise<object> => {
    if (asked === 'held') return held()
    if (asked === 'start') {
      const profiler = new GCProfiler()
      profiler.start()
      profile = { profiler, usedBefore: usedHeap() }
      return {}
    }
    const usedAfter = usedHeap()
    const collections = profile?.profiler.stop()?.statistics ?? []
    return heapSpent(collections, profile?.usedBefore ?? usedAfter, usedAfter)
  }
  const server = createServer((socket) => {
    socket.unref()
    socket.on('error', () => socket.destroy())
    // One short word in one write: it is never cut.
    socket.on(
      'data',
      (chunk) =>
        void Promise.resolve(answer(chunk.toString().trim())).then((said) => socket.write(`${JSON.stringify(said)}\n`)),
    )
  })
  server.on('error', (error) => process.stderr.write(`the probe of the heap does not listen: ${error.message}\n`))
  server.listen(at).unref()
}

if (isMainThread && path !== undefined) serve(path)
