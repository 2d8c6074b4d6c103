import { expect, test } from 'vitest'
import { keepRunning } from './keep-running.ts'

const connection = { host: '/tmp/x', port: 5432, user: 'toolway', database: 'toolway', ssl: false } as const
const quiet = { warn() {}, error() {} }

/** A server that ends when it is told to, by itself or on request. */
function createServer() {
  const listeners: ((exit: { code: null; signal: 'SIGKILL' }) => void)[] = []
  const server = {
    connection,
    stopped: false,
    async stop() {
      server.stopped = true
    },
    onExit: (listener: (typeof listeners)[number]) => void listeners.push(listener),
    die: () => listeners.forEach((listen) => listen({ code: null, signal: 'SIGKILL' })),
  }
  return server
}

test('a server that ends by itself is started again, again after that fails, and the last one is stopped in the end', async () => {
  const [first, second] = [createServer(), createServer()]
  let tries = 0
  const kept = keepRunning({
    first,
    log: quiet,
    start: async () => {
      tries++
      if (tries === 1) throw new Error('not yet')
      return second
    },
  })
  expect(kept.connection).toBe(connection)
  first.die()
  await expect.poll(() => tries).toBe(2)
  await kept.stop()
  expect([first.stopped, second.stopped]).toEqual([false, true])
})

test('what is stopped is not started again, even in the middle of a pause', async () => {
  const first = createServer()
  let tries = 0
  const kept = keepRunning({ first, log: quiet, start: async () => (tries++, createServer()) })
  first.die()
  await kept.stop()
  expect(tries).toBe(0)
})
