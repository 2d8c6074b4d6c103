/** A door in front of a server: a TCP proxy on a port of its own that can be shut, opened and slowed down. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type NetConnectOpts, type Socket } from 'node:net'

export interface Door {
  readonly port: number
  /** Refuses new connections and closes the existing ones. */
  shut(): void
  open(): void
  /** Answers take this long. Milliseconds. */
  slow(delay: number): void
  close(): Promise<void>
}

export async function openDoor(to: NetConnectOpts): Promise<Door> {
  const inside = new Set<Socket>()
  let shut = false
  let delay = 0
  const server = createServer((client) => {
    if (shut) return void client.destroy()
    const behind = connect(to)
    for (const [one, other] of [[client, behind] as const, [behind, client] as const]) {
      inside.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        inside.delete(one)
        other.destroy()
      })
    }
    client.pipe(behind)
    behind.on('data', (text: Buffer) => {
      if (delay === 0) client.write(text)
      else setTimeout(() => client.writable && client.write(text), delay)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const throwOut = () => {
    for (const socket of inside) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    shut() {
      shut = true
      throwOut()
    },
    open: () => void (shut = false),
    slow: (milliseconds: number) => void (delay = milliseconds),
    async close() {
      throwOut()
      server.close()
      await once(server, 'close')
    },
  }
}
