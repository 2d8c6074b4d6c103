/**
 * A line to a server that stops in the middle of an upload, so that a test can cut it there however fast or slow the machine is. A short
 * request passes; of a long one the first bytes do, and the rest is held until the line is cut.
 */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface HeldLine extends AsyncDisposable {
  readonly address: string
  /** Where the line leads. Nothing passes before it is said. */
  leadTo(address: string): void
  /** Break what is open, and hold nothing from now on. */
  cut(): void
}

/** @param most bytes that pass on one connection */
export async function startHeldLine(most: number): Promise<HeldLine> {
  const sockets = new Set<Socket>()
  let target: URL | undefined
  let holds = true
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((client) => {
    if (target === undefined) return void client.destroy()
    const upstream = connect(Number(target.port), target.hostname)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy()).once('close', () => sockets.delete(one) && other.destroy())
    }
    upstream.pipe(client)
    let passed = 0
    client.on('data', (bytes: Buffer) => {
      const room = holds ? Math.max(most - passed, 0) : bytes.length
      passed += bytes.length
      upstream.write(bytes.subarray(0, room))
      if (room < bytes.length) client.pause()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo(address) {
      target = new URL(address)
    },
    cut() {
      holds = false
      cut()
    },
    async [Symbol.asyncDispose]() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
