/**
 * The sockets at which a server accepts connections: one, and on Linux several at the same address.
 *
 * The event loop accepts one connection of a listening socket a turn (libuv since 1.46). In a flood of calls turns are long, so that
 * new clients, a neighbour's among them, would wait in the system's own line for as long as the flood lasts. The system spreads
 * connections over sockets that share an address (SO_REUSEPORT), each with a line of its own, and each turn accepts one of every line.
 */
import type { Server } from 'node:http'
import { createServer, type AddressInfo, type Server as SocketServer } from 'node:net'

/** Connections of each line that the system holds until they are accepted; Node's own 511 are fewer than come at once. The system caps it. */
const BACKLOG = 4_096
/** With them a turn of 30 ms accepts some 2,000 connections a second. A socket without connections costs nothing but its number. */
const SOCKETS = 64

export interface Address {
  readonly port: number
  readonly host: string
}

export interface Listeners {
  readonly listening: boolean
  /** Resolves to the port. Rejects with the system's error, EADDRINUSE also where the other one would share the address. */
  listen(at: Address): Promise<number>
  /** Accepts nothing any more; resolves once all connections have ended. */
  close(): Promise<void>
}

/** The gateway's own address; one that means every network of this machine becomes the loopback address. */
export function addressOn(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/**
 * The further ones hand what they accept to the server, which listens itself, too. `alone`: there is one socket, as where the server is
 * handed what another process accepts.
 */
export function createListeners(server: Server, { alone = false } = {}): Listeners {
  const sockets = alone || process.platform !== 'linux' ? 1 : SOCKETS
  // As the HTTP server has its own.
  const options = { allowHalfOpen: true, noDelay: true }
  const further = Array.from({ length: sockets - 1 }, () =>
    createServer(options, (socket) => void server.emit('connection', socket)),
  )
  return {
    get listening() {
      return server.listening
    },
    async listen({ port, host }) {
      if (further.length === 0) return listenOn(server, { port, host })
      // Sockets that share an address would share it with another gateway of the same user, too.
      if (port !== 0) await refuseTaken({ port, host })
      const taken = await listenOn(server, { port, host, reusePort: true })
      await Promise.all(further.map((each) => listenOn(each, { port: taken, host, reusePort: true })))
      return taken
    },
    async close() {
      await Promise.all([server, ...further].filter(({ listening }) => listening).map(whenClosed))
    },
  }
}

async function refuseTaken(at: Address): Promise<void> {
  const alone = createServer()
  await listenOn(alone, { ...at, exclusive: true })
  await whenClosed(alone)
}

const whenClosed = (server: SocketServer) => new Promise<void>((resolve) => void server.close(() => resolve()))

const listenOn = (server: SocketServer, at: Address & { reusePort?: true; exclusive?: true }): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ ...at, backlog: BACKLOG }, () => {
      server.removeListener('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
