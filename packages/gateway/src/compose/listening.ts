/** A server at its address, as every composition has one. */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An address that means every network of this machine is none to reach it by. */
export function addressOn(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** Connections that the system holds until they are accepted; Node's own 511 are fewer than come at once. The system caps it. */
const BACKLOG = 4_096

export const listenOn = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.removeListener('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
