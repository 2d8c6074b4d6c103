/**
 * A loopback port that nobody listens on, for a program that is told its port before it starts.
 *
 * It is below the range from which systems take the ports of whoever asks for any (from 32768 on in Linux, from 49152 elsewhere): many
 * tests that run beside this one do, and one of them could be given it before the program listens.
 */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

const LEAST = 15_000
const BEYOND = 32_000

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LEAST, BEYOND)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch (thrown) {
    if (['EADDRINUSE', 'EACCES'].includes((thrown as NodeJS.ErrnoException).code ?? '')) return false
    throw thrown
  }
  await new Promise((resolve) => server.close(resolve))
  return true
}
